import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { durablePostgres, type OwnPostgres, POSTGRES_WITHIN_MS, postgresForTests } from '#tests/support/postgres.ts'
import { startReceiver } from '#tests/support/recording-receiver.ts'
import { type SignedInServer, startSignedInServer } from '#tests/support/signed-in-server.ts'

const EVENTS = 1_000
const PARALLEL = 40
/** At most so many requests are open at once, so at most so many can be repeated by one kill (64 slots, 64 draggers). */
const MOST_OPEN = 128

const ENGINES = (await postgresForTests()).outcome === 'running' ? ['SQLite', 'PostgreSQL'] : ['SQLite']

describe.each(ENGINES)('on %s', (engine) => {
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  let running: SignedInServer
  let database: OwnPostgres | null
  let folder: string

  beforeAll(async () => {
    // Its own server, one that keeps what it commits: the product refuses the other tests' server.
    database = engine === 'PostgreSQL' ? await durablePostgres() : null
    folder = mkdtempSync(join(tmpdir(), 'fieldhook-data-'))
    receiver = await startReceiver()
    running = await startSignedInServer({
      EGRESS_ALLOW: receiver.hostAndPort,
      ...(database && { DATABASE_URL: database.url(), DATA_FOLDER: folder }),
    })
  }, POSTGRES_WITHIN_MS)
  afterAll(async () => {
    await running.server.dispose()
    await receiver.close()
    await database?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('every event answered 200 before a kill -9 in the middle of 1,000 is there afterwards, and is delivered', async () => {
    const { server, browser, accountUUID } = running
    const made = await browser.json('POST', '/api/webhooks', {
      accountUUID,
      object: 'job',
      callback_url: receiver.url,
      fields: '',
      active: true,
    })
    expect(made.status).toBe(201)
    const { forwardingUrl } = made.body as { forwardingUrl: string }

    const acknowledged = new Set<string>()
    const waiting = Array.from({ length: EVENTS }, () => randomUUID())
    let killed: Promise<void> | null = null
    const killAfter = 300 + Math.floor(Math.random() * 300)

    const send = async (): Promise<void> => {
      for (let uuid = waiting.pop(); uuid !== undefined; uuid = waiting.pop()) {
        const answer = await fetch(forwardingUrl, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            object: 'job',
            entry: [{ uuid, changed_fields: ['status'], time: '2026-01-05 09:00:00' }],
            resource_url: `https://api.servicem8.com/api_1.0/job/${uuid}.json`,
          }),
        }).catch(() => null)
        if (answer?.status === 200) acknowledged.add(uuid)
        if (acknowledged.size >= killAfter) killed ??= server.killHard()
        if (killed) return
      }
    }
    await Promise.all(Array.from({ length: PARALLEL }, send))
    await killed
    expect(acknowledged.size).toBeGreaterThanOrEqual(killAfter)

    await server.restart()
    const arrived = () => new Set(receiver.received.map((one) => recordOf(one.body)))
    await receiver.until(() => {
      const uuids = arrived()
      return [...acknowledged].every((uuid) => uuids.has(uuid))
    }, 40_000)

    const lost = [...acknowledged].filter((uuid) => !arrived().has(uuid))
    expect(lost).toEqual([])
    const repeats = receiver.received.length - arrived().size
    expect(repeats).toBeLessThanOrEqual(MOST_OPEN)
    // A repeat is recognisable: same record, same webhook-id.
    const ids = new Map<string, Set<unknown>>()
    for (const { body, headers } of receiver.received) {
      const uuid = recordOf(body)
      ids.set(uuid, (ids.get(uuid) ?? new Set()).add(headers['webhook-id']))
    }
    expect([...ids.values()].every((seen) => seen.size === 1)).toBe(true)
  })

  test('SIGTERM under load loses nothing that was acknowledged, and it ends with exit code 0', async () => {
    const { server, browser, accountUUID } = running
    const list = await browser.json('GET', `/api/webhooks/${accountUUID}`)
    const { forwardingUrl } = (list.body as { forwardingUrl: string }[])[0] ?? { forwardingUrl: '' }
    const acknowledged = new Set<string>()
    let stop = false
    const senders = Array.from({ length: 8 }, async () => {
      while (!stop) {
        const uuid = randomUUID()
        const answer = await fetch(forwardingUrl, {
          method: 'POST',
          body: JSON.stringify({
            object: 'job',
            entry: [{ uuid, changed_fields: ['status'], time: '2026-01-05 09:00:00' }],
          }),
        }).catch(() => null)
        if (answer?.status === 200) acknowledged.add(uuid)
        if (!answer) return
      }
    })
    while (acknowledged.size < 100) await new Promise((next) => setImmediate(next))
    // A process that has not drained after 20 s ends itself with 1.
    const { code } = await server.drain()
    stop = true
    await Promise.all(senders)
    expect(code).toBe(0)

    await server.restart()
    await receiver.until((received) => {
      const uuids = new Set(received.map((one) => recordOf(one.body)))
      return [...acknowledged].every((uuid) => uuids.has(uuid))
    }, 40_000)
  })
})

function recordOf(body: string): string {
  return (JSON.parse(body) as { entry: { uuid: string }[] }).entry[0]?.uuid ?? ''
}
