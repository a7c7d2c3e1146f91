// Walk B in one process: from a change in the platform to a text in its outbox, and the history that explains it.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Running, startApp } from '#app/boot/boot.server.ts'
import { readEnv } from '#app/boot/env.server.ts'
import { finishSignIn } from '#app/features/accounts/sign-in.server.ts'
import { changeRule, createRule } from '#app/features/automations/rules/rules.server.ts'
import { listExecutions } from '#app/features/automations/runs/run-history.server.ts'
import { hours } from '#app/lib/duration.ts'
import type { World } from '#sandbox/world.ts'
import { freePort } from '#tests/support/free-port.ts'
import { type WalkDatabase, walkDatabase } from '#tests/support/walk-database.server.ts'

let folder = ''
let database: WalkDatabase
let running: Running
let world: World
let server: Server
let account = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fieldhook-walk-'))
  database = await walkDatabase(folder)
  const port = await freePort()
  const env = readEnv({
    PORT: String(port),
    LOG_LEVEL: 'silent',
    ...database.env,
  })
  running = await startApp({ env })
  if (!running.sandbox) throw new Error('the walk needs the sandbox')
  world = running.sandbox.world
  const { sandbox } = running
  server = createServer((req, res) => {
    if (running.platformIngress(req, res) || sandbox.handle(req, res)) return
    res.writeHead(404).end()
  })
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  running.started()
  account = world.accounts()[0]?.uuid ?? ''
  const granted = world.grant(account, running.app.settings.scopes.join(' '))
  const signedIn = await finishSignIn(running.app, {
    tokens: {
      accessToken: granted.access_token,
      refreshToken: granted.refresh_token,
      expiresAt: running.app.clock.now() + Number(granted.expires_in) * 1000,
      scope: granted.scope,
    },
    named: account,
    replaces: [],
  })
  expect(signedIn.outcome).toBe('signed_in')
})

afterAll(async () => {
  running.beginDrain()
  server.closeAllConnections()
  await running.stop()
  await new Promise((done) => server.close(done))
  await database.drop()
  rmSync(folder, { recursive: true, force: true })
})

const texts = () => world.outbox(account).filter((item) => item.kind === 'sms')

/** A job in a status whose contact has a mobile number. */
function jobWithMobile(status: string): string {
  const withNumber = new Set(
    world
      .records(account, 'jobcontact')
      .filter((contact) => contact.active === 1 && String(contact.mobile ?? '') !== '')
      .map((contact) => contact.job_uuid),
  )
  const job = world
    .records(account, 'job')
    .find((one) => one.status === status && one.active === 1 && withNumber.has(String(one.uuid)))
  if (!job) throw new Error(`no ${status} with a mobile number in the sandbox`)
  return String(job.uuid)
}

async function ready(id: number) {
  await vi.waitFor(
    async () => expect((await running.app.store.automations.findAutomation(account, id))?.baselined).toBe(true),
    {
      timeout: 20_000,
    },
  )
}

test('a job is completed in the platform: one text goes out, a task follows, and the history says why', async () => {
  const saved = await createRule(running.app, account, {
    name: 'Tell the customer',
    triggerSource: 'webhook',
    object: 'job',
    triggerType: 'job_status',
    conditions: [
      { field: 'status', operator: 'equals', value: 'Completed' },
      { field: 'contact_mobile', operator: 'is_not_empty', value: '' },
    ],
    actions: [
      {
        type: 'send_sms',
        parameters: {
          to: '{entry.0.contact_mobile}',
          message: 'Hi {entry.0.contact_first_name or "there"}, job {entry.0.generated_job_id} is done.',
          linkToJob: true,
        },
      },
      { type: 'create_task', parameters: { title: 'Ring about {entry.0.generated_job_id}', description: '' } },
    ],
  })
  expect(saved).toMatchObject({ outcome: 'saved', warning: null })
  if (saved.outcome !== 'saved') return
  await ready(saved.rule.id)
  const before = texts().length
  const job = jobWithMobile('Work Order')
  world.setJobStatus(account, job, 'Completed')
  await vi.waitFor(() => expect(texts()).toHaveLength(before + 1), { timeout: 30_000 })
  await vi.waitFor(
    async () => expect((await listExecutions(running.app, account))[0]?.executionStatus).toBe('success'),
    { timeout: 20_000 },
  )
  const [execution] = await listExecutions(running.app, account)
  expect(execution).toMatchObject({
    automationName: 'Tell the customer',
    recordUuids: [job],
    triggerData: { changes: expect.arrayContaining([{ field: 'status', from: 'Work Order', to: 'Completed' }]) },
    actionsExecuted: [
      { action: 'send_sms', success: true },
      { action: 'create_task', success: true },
    ],
  })
  expect(world.records(account, 'task').some((task) => String(task.related_object_uuid) === job)).toBe(true)
  // The same change told again, and another save that changes nothing the rule asks about, are no second text.
  world.setJobStatus(account, job, 'Completed')
  await running.app.store.automations.changeAutomation(account, saved.rule.id, { at: running.app.clock.now() })
  await new Promise((next) => setTimeout(next, 4_000))
  expect(texts()).toHaveLength(before + 1)
  expect(await changeRule(running.app, account, saved.rule.id, { active: false })).toMatchObject({ outcome: 'saved' })
})

test('an hourly rule leaves alone what is there and acts on what comes, once', async () => {
  const saved = await createRule(running.app, account, {
    name: 'Chase',
    triggerSource: 'api_polling',
    apiEndpoint: '/api_1.0/job.json',
    pollInterval: 'hourly',
    runTime: '09:00',
    conditions: [{ field: 'status', operator: 'equals', value: 'Unsuccessful' }],
    actions: [{ type: 'create_task', parameters: { title: 'Lost: {entry.0.generated_job_id}', description: '' } }],
  })
  if (saved.outcome !== 'saved') throw new Error(JSON.stringify(saved))
  await ready(saved.rule.id)
  const tasks = () => world.records(account, 'task').filter((task) => String(task.name).startsWith('Lost: '))
  world.advanceClock(hours(2))
  await vi.waitFor(
    async () => {
      const rule = await running.app.store.automations.findAutomation(account, saved.rule.id)
      expect(rule?.nextRunAt).toBeGreaterThan(running.app.clock.now())
    },
    { timeout: 20_000 },
  )
  expect(tasks()).toEqual([])
  world.setJobStatus(account, jobWithMobile('Quote'), 'Unsuccessful')
  const { nextRunAt } = (await running.app.store.automations.findAutomation(account, saved.rule.id)) ?? { nextRunAt: 0 }
  world.advanceClock((nextRunAt ?? 0) - running.app.clock.now() + 1_000)
  await vi.waitFor(() => expect(tasks()).toHaveLength(1), { timeout: 30_000 })
})
