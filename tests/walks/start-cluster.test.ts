// `npm run start:cluster` as a newcomer sees it: open it, connect, create a webhook, see events flow, kill an instance.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { POSTGRES_WITHIN_MS, postgresForTests } from '#tests/support/postgres.ts'
import { type ScriptlessBrowser, scriptlessBrowser } from '#tests/support/scriptless-browser.ts'
import { firstDemoAccount, signIn } from '#tests/support/signed-in-server.ts'
import { freePort } from '../../scripts/postgres-process.mjs'

const INSTANCES = 3
const SHARES = 64
const EVENTS = 8
/** Two changes of a record within a second are one event: its time says no more. ms */
const APART = 1_050

const missing = (await postgresForTests()).outcome === 'none'
let cluster: Awaited<ReturnType<typeof startCluster>>
let browser: ScriptlessBrowser
let account: string

beforeAll(async () => {
  if (missing) return
  cluster = await startCluster()
  browser = scriptlessBrowser(cluster.origin)
  account = await firstDemoAccount(browser)
}, POSTGRES_WITHIN_MS)
afterAll(async () => {
  await cluster?.end()
})

test.skipIf(missing)(
  'events flow over three instances, also while one is killed and comes back',
  async () => {
    // The instances' clocks could not follow.
    for (const page of ['/sandbox', '/sandbox/receiver/demo'])
      expect((await browser.get(page)).text).not.toContain('Move the clock')
    expect(await signIn(browser, account)).toMatchObject({ status: 200 })
    const callback_url = `${cluster.origin}/sandbox/receiver/demo`
    const webhook = { accountUUID: account, object: 'job', callback_url, fields: '', active: true }
    expect((await browser.json('POST', '/api/webhooks', webhook)).status).toBe(201)
    await changeJobs('before')
    await expect.poll(received, { timeout: 20_000 }).toBe(EVENTS)

    const victim = [...cluster.told.keys()][0] ?? 0
    process.kill(victim, 'SIGKILL')
    // Long enough for the others to find out, and to go on.
    await changeJobs('after', { apart: true })
    // Received more than once is allowed after a kill, lost is not.
    await expect.poll(received, { timeout: 40_000 }).toBeGreaterThanOrEqual(2 * EVENTS)
    // The killed one is there again, under another number, and every share has its owner.
    await expect
      .poll(living, { timeout: 40_000 })
      .toMatchObject({ instances: INSTANCES, shares: SHARES, victim: false })

    function living() {
      const shares = [...cluster.told.values()].reduce((sum, one) => sum + one, 0)
      return { instances: cluster.told.size, shares, victim: cluster.told.has(victim) }
    }
  },
  120_000,
)

/** Changes the description of one job after the other: each time is an event. `apart`: over as many seconds. */
async function changeJobs(when: string, { apart = false } = {}): Promise<void> {
  const stage = await browser.get('/sandbox')
  const links = stage.text.matchAll(new RegExp(`/accounts/${account}/jobs/([0-9a-f-]{36})`, 'g'))
  const jobs = [...new Set([...links].map(([, uuid]) => uuid))]
  expect(jobs).not.toEqual([])
  for (let n = 0; n < EVENTS; n++) {
    const path = `/sandbox/console/accounts/${account}/jobs/${jobs[n % jobs.length]}/description`
    expect((await browser.submit(path, { text: `${when} ${n}`, back: '/sandbox' })).status).toBe(200)
    // Also after the last one: the next round changes the same jobs.
    if (apart || (n + 1) % jobs.length === 0 || n === EVENTS - 1) await pause(APART)
  }
}

/** How many events the sandbox's own receiver has. */
async function received(): Promise<number> {
  const page = await browser.get('/sandbox/receiver/demo')
  return Number(page.text.match(/(\d+) requests?/)?.[1] ?? 0)
}

/** Started by hand it is the same, but for the port. `told`: shares by process number, as its lines say them. */
async function startCluster() {
  const port = await freePort()
  const child = spawn(process.execPath, ['scripts/start-cluster.mjs'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const told = new Map<number, number>()
  const lines: string[] = []
  const ready = new Promise<void>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      lines.push(line)
      const [, pid, shares] = line.match(/^instance \d, pid (\d+): (\d+) of 64 shares/) ?? []
      if (pid) told.set(Number(pid), Number(shares))
      const [, over] = line.match(/^instance \d, pid (\d+), ended/) ?? []
      if (over) told.delete(Number(over))
      if (line.startsWith('Open http')) resolve()
    })
    child.once('exit', () => reject(new Error(`it ended while starting:\n${lines.join('\n')}`)))
  })
  await ready
  return {
    origin: `http://localhost:${port}`,
    told,
    async end() {
      child.kill('SIGINT')
      expect(await ended).toBe(0)
    },
  }
}
