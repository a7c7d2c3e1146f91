// A restored copy: the whole product serves it and lets nothing out, until a person has looked.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import { newSigningSecret } from '#app/adapters/standard-webhooks.server.ts'
import { type Running, startApp } from '#app/boot/boot.server.ts'
import { readEnv } from '#app/boot/env.server.ts'
import { QUARANTINED } from '#app/domain/quarantine.ts'
import { movableClock } from '#app/lib/clocks.server.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import { anEvent, LEEDS } from '#tests/support/engine-world.server.ts'
import { freePort } from '#tests/support/free-port.ts'
import { aboutTheFile } from '#tests/support/test-app.server.ts'

const clock = movableClock()
const ENC_KEYS = `k1:${randomBytes(32).toString('base64')}`
let folder = ''
let file = ''
let receiver: Server
let received = 0
let running: Running
let arrived = () => {}

async function start(more: Record<string, string> = {}): Promise<Running> {
  const { port } = receiver.address() as AddressInfo
  const env = readEnv({
    PORT: String(await freePort()),
    DATABASE_URL: `file:${file}`,
    LOG_LEVEL: 'silent',
    ENC_KEYS,
    EGRESS_ALLOW: `127.0.0.1:${port}`,
    ...more,
  })
  return startApp({ env, clock })
}

function event() {
  return anEvent({ clock: clock as never })
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fieldhook-held-'))
  file = join(folder, 'fieldhook.db')
  receiver = createServer((req, res) => {
    received++
    req.resume()
    res.end('ok')
    arrived()
  })
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
  // What was waiting when the backup was taken.
  const before = await start()
  await before.app.store.accounts.ensureAccount({ uuid: LEEDS, name: 'Leeds', timezone: 'UTC' })
  const sql = new Database(file)
  sql
    .prepare(
      `INSERT INTO endpoint (account_uuid, object_type, field_filter, url, secret_sealed, state, state_since, breaker,
         breaker_probes, failure_streak, failure_events, redirect_streak, pending_count, created_at)
       VALUES (?, 'job', '', ?, ?, 'active', 0, 'closed', 0, 0, '[]', 0, 0, 0)`,
    )
    .run(
      LEEDS,
      `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
      await createSecretBox(ENC_KEYS).seal(`endpoint|${LEEDS}|secret`, newSigningSecret()),
    )
  sql.close()
  expect(await before.app.acceptEvent(event())).toMatchObject({ outcome: 'stored', deliveries: [expect.anything()] })
  await before.stop()
  writeFileSync(`${file}.held`, '')
})

afterAll(async () => {
  await running?.stop()
  receiver.closeAllConnections()
  await new Promise((done) => receiver.close(done))
  rmSync(folder, { recursive: true, force: true })
})

test.skipIf(aboutTheFile('a copy of the file'))(
  'it is ready, takes events in, and sends nothing, whatever the time',
  async () => {
    running = await start()
    running.started()
    const { app } = running
    expect([app.settings.held, app.settings.isCopy]).toEqual([true, true])
    expect(await app.acceptEvent(event())).toMatchObject({ outcome: 'stored', deliveries: [expect.anything()] })
    app.wakeDeliveries(1)
    app.wakeRuns()
    clock.advance(minutes(5))
    clock.advance(hours(3))
    expect(await app.ready()).toEqual({ ready: true, reasons: [] })
    expect(received).toBe(0)
    expect((await app.outbound.post({ url: 'https://example.com', headers: {}, body: '' })).outcome).toBe('refused')
  },
)

test.skipIf(aboutTheFile('a copy of the file'))(
  'the platform is asked nothing that changes anything, also for one account',
  async () => {
    const { platformApi } = running.app
    const refused = { outcome: 'unavailable', undone: true, message: QUARANTINED, status: null }
    const acting = (platformApi as typeof platformApi & { actingFor(account: string): typeof platformApi }).actingFor(
      LEEDS,
    )
    for (const api of [platformApi, acting]) {
      const calls = [
        api.create('t', 'job', {}),
        api.update('t', 'job', 'u', {}),
        api.remove('t', 'job', 'u'),
        api.sendSms('t', { to: '+44', message: 'x' }),
        api.sendEmail('t', { to: 'x', subject: 'x' }),
        api.uploadFile('t', {} as never),
        api.produceDocument('t', {} as never),
        api.postToFeed('t', {} as never),
        api.subscribeObject('t', { object: 'job', fields: ['status'], callbackUrl: 'https://x.example' }),
        api.deleteSubscription('t', 'u'),
      ]
      for (const answer of await Promise.all(calls)) expect(answer).toEqual(refused)
    }
  },
)

test.skipIf(aboutTheFile('a copy of the file'))('let go, it sends what waited, in the same process', async () => {
  const both = new Promise<void>((done) => {
    arrived = () => received === 2 && done()
  })
  // As `npm run release` does.
  rmSync(`${file}.held`)
  clock.advance(seconds(2))
  await both
  expect([running.app.settings.held, running.app.settings.isCopy]).toEqual([false, false])
  await running.stop()
})

test.skipIf(aboutTheFile('a copy of the file'))(
  'HOLD=yes holds any database, and only the environment ends it',
  async () => {
    running = await start({ HOLD: 'yes' })
    running.started()
    expect(running.app.hold.held()).toBe(true)
    clock.advance(seconds(2))
    await running.app.ready()
    expect(running.app.hold.held()).toBe(true)
    expect(received).toBe(2)
  },
)
