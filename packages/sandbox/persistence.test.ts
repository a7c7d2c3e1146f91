import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hours, seconds } from '#app/lib/duration.ts'
import { JOB, openStage, START, SYDNEY, type TestStage } from './testing.server.ts'

let folder: string
let stateFile: string
let stage: TestStage
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-'))
  stateFile = join(folder, 'deep', 'sandbox.json')
  stage = await openStage({ stateFile })
})
afterEach(async () => {
  await stage.stop()
  rmSync(folder, { recursive: true })
})

async function restart(): Promise<void> {
  await stage.stop()
  stage = await openStage({ stateFile })
}

test('after a restart tokens still work and refresh tokens still refresh', async () => {
  const tokens = stage.world.grant(SYDNEY, 'vendor read_jobs')
  await restart()
  expect((await stage.call('/api_1.0/vendor.json', { token: tokens.access_token })).status).toBe(200)
  const form = {
    client_id: 'app-1',
    client_secret: 'secret-1',
    grant_type: 'refresh_token',
    refresh_token: tokens.refresh_token,
  }
  expect((await stage.call('/oauth/access_token', { form })).status).toBe(200)
})

test('tokens are in the file before they are answered, as hashes only', async () => {
  const tokens = stage.world.grant(SYDNEY, 'vendor')
  const text = readFileSync(stateFile, 'utf8')
  expect(JSON.parse(text).grants).toHaveLength(1)
  expect(text).not.toContain(tokens.access_token)
  expect(text).not.toContain(tokens.refresh_token)
})

test('records, files, subscriptions, outbox, options and faults survive', async () => {
  const token = stage.token()
  await stage.subscribe(token, 'job', 'status')
  stage.world.setJobStatus(SYDNEY, JOB, 'Completed')
  const photo = stage.world.addPhoto(SYDNEY, JOB)
  await stage.call('/platform_service_sms', { token, json: { to: '+61412345678', message: 'Hi' } })
  stage.world.setOptions(SYDNEY, { pageSize: 7 })
  stage.world.addFault({ path: '/x', effect: { kind: 'drop' } })
  await stage.world.settled()
  await restart()
  const { world } = stage
  expect(world.findRecord(SYDNEY, 'job', JOB)?.status).toBe('Completed')
  expect(world.fileOf(SYDNEY, photo.outcome === 'done' ? photo.record.uuid : '')?.type).toBe('image/jpeg')
  expect(world.subscriptions(SYDNEY)).toMatchObject([{ subject: 'job', active: true }])
  expect(world.outbox(SYDNEY)).toMatchObject([{ kind: 'sms' }])
  expect(world.deliveries(SYDNEY)).toMatchObject([{ state: 'delivered' }])
  expect(world.options(SYDNEY).pageSize).toBe(7)
  expect(world.faults()).toHaveLength(1)
  const made = world.addJob(SYDNEY, {})
  expect(made.outcome === 'done' ? made.record.generated_job_id : '').toBe('1043')
})

test('a moved clock stays moved', async () => {
  stage.world.advanceClock(hours(30))
  await restart()
  expect(stage.clock.now()).toBe(START + hours(30))
})

test('a delivery that waited is sent after the restart', async () => {
  // A second stage plays the add-on, because the first one's address changes with the restart.
  const addon = await openStage()
  try {
    await stage.call('/webhook_subscriptions/object', {
      token: stage.token(),
      form: { object: 'job', fields: 'status', callback_url: `${addon.origin}/in` },
    })
    addon.answerWith(() => ({ status: 503 }))
    stage.world.setJobStatus(SYDNEY, JOB, 'Completed')
    await stage.world.settled()
    addon.answerWith(null)
    await restart()
    await stage.pass(seconds(10))
    expect(stage.world.deliveries(SYDNEY)).toMatchObject([{ state: 'delivered' }])
    expect(addon.hits).toHaveLength(2)
  } finally {
    await addon.stop()
  }
})

test('an unreadable file is put aside and the sandbox starts afresh', async () => {
  await stage.stop()
  writeFileSync(stateFile, '{"version":1,')
  stage = await openStage({ stateFile })
  expect(stage.world.accounts()).toHaveLength(2)
  expect(readFileSync(`${stateFile}.unreadable`, 'utf8')).toBe('{"version":1,')
})

test('a reset brings back the first day and keeps the connection', async () => {
  const token = stage.token()
  await stage.subscribe(token, 'job', 'status')
  stage.world.setJobStatus(SYDNEY, JOB, 'Completed')
  stage.world.addJob(SYDNEY, {})
  await stage.world.settled()
  stage.world.resetRecords(SYDNEY)
  expect(stage.world.findRecord(SYDNEY, 'job', JOB)?.status).toBe('Quote')
  expect(stage.world.records(SYDNEY, 'job')).toHaveLength(2)
  expect(stage.world.deliveries(SYDNEY)).toEqual([])
  expect((await stage.call('/api_1.0/job.json', { token })).status).toBe(200)
  expect(stage.world.subscriptions(SYDNEY)).toHaveLength(1)
})
