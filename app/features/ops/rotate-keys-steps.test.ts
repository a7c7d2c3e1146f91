// A change of keys, step by step: how many rows at a time, where it goes on, when it stops, and what it says. Rows are kept in
// memory; on a real file it is tried in rotate-keys.server.test.ts.
import { expect, test } from 'vitest'
import type { Clock } from '#app/lib/clock.ts'
import { hours } from '#app/lib/duration.ts'
import type { Log } from '#app/lib/log.ts'
import type { AccountKeyStore, StoredAccountKey, StoredSecret } from '#db/store/account-keys.ts'
import { rotateKeys } from './rotate-keys.server.ts'

const NOW = Date.UTC(2026, 0, 5, 9)

interface Given {
  keys?: number
  /** Secrets in each column. */
  secrets?: number
  /** What does not open. */
  shut?: readonly string[]
  /** What somebody else has replaced meanwhile. */
  taken?: readonly string[]
  first?: boolean
  forgotten?: number
}

const uuidOf = (at: number) => `account-${String(at).padStart(3, '0')}`

function world({ keys = 0, secrets = 0, shut = [], taken = [], first = false, forgotten = 0 }: Given = {}) {
  const said: { level: string; message: string; fields: Record<string, unknown> }[] = []
  const asked: unknown[][] = []
  const waits: number[] = []
  const forgottenBefore: number[] = []
  const stored: StoredAccountKey[] = Array.from({ length: keys }, (_, at) => ({
    accountUuid: uuidOf(at),
    sealedWith: 'k1',
    keySealed: `key of ${uuidOf(at)}`,
  }))
  const rows: StoredSecret[] = Array.from({ length: secrets }, (_, at) => ({
    accountUuid: uuidOf(at),
    row: at + 1,
    sealed: `secret of ${uuidOf(at)}`,
  }))
  const replaced: string[] = []
  const store: AccountKeyStore = {
    async accountKeysToRewrap(keyId, after, limit) {
      asked.push(['keys', keyId, after, limit])
      return stored.filter(({ accountUuid }) => accountUuid > after).slice(0, limit)
    },
    async secretsToReseal(column, after, limit) {
      asked.push([column, after, limit])
      return rows.filter(({ row }) => after === null || row > after).slice(0, limit)
    },
    async replaceAccountKey(accountUuid, { before, after }) {
      if (taken.includes(accountUuid)) return false
      replaced.push(`${before} → ${after.keySealed}`)
      return true
    },
    async replaceSecret(accountUuid, { column, row, before, after }) {
      if (taken.includes(accountUuid)) return false
      replaced.push(`${column} ${row}: ${before} → ${after}`)
      return true
    },
    async forgetKeysOfNobody(before) {
      forgottenBefore.push(before)
      return forgotten
    },
    noteFirstKey: async () => first,
    keysInUse: async () => [],
    forgetAccountKey: async () => false,
  }
  const clock: Clock = {
    now: () => NOW,
    wake(at, run) {
      waits.push(at - NOW)
      queueMicrotask(run)
      return () => {}
    },
  }
  const hear = (level: string) => (fields: Record<string, unknown>, message: string) =>
    void said.push({ level, message, fields })
  const log: Log = { debug() {}, info: hear('info'), warn: hear('warn'), error: hear('error'), child: () => log }
  const open = (what: string) => {
    if (shut.includes(what)) throw new Error('it does not open')
  }
  const box = {
    firstKey: 'k2',
    keyNames: ['k2', 'k1'],
    rewrap(accountUuid: string, { keySealed }: { keySealed: string }) {
      open(accountUuid)
      return { sealedWith: 'k2', keySealed: `new ${keySealed}` }
    },
    reseal(place: string, sealed: string) {
      open(place)
      return `${sealed} at ${place}`
    },
  }
  const app = { store, clock, log, secrets: box as unknown as Parameters<typeof rotateKeys>[0]['secrets'] }
  return { app, said, asked, waits, replaced, forgottenBefore }
}

const COLUMNS = 6

test('nothing to do is said by nobody, and waits for nothing', async () => {
  const { app, said, waits, forgottenBefore } = world()
  expect(await rotateKeys(app)).toEqual({ rewrapped: 0, resealed: 0, shut: 0 })
  expect([said, waits, forgottenBefore]).toEqual([[], [], [NOW - hours(1)]])
})

test('that a key came into use is said, and no more when nothing was under another', async () => {
  const { app, said } = world({ first: true })
  await rotateKeys(app)
  expect(said).toEqual([{ level: 'info', message: 'keys.put_in_front', fields: { name: 'k2' } }])
})

test.each([
  ['a key that was wrapped anew', { keys: 1 }, { rewrapped: 1, resealed: 0, shut: 0, forgotten: 0 }],
  ['secrets that were sealed anew', { secrets: 1 }, { rewrapped: 0, resealed: COLUMNS, shut: 0, forgotten: 0 }],
  ['keys of nobody that went', { forgotten: 1 }, { rewrapped: 0, resealed: 0, shut: 0, forgotten: 1 }],
] as const)('%s: what was done is said in one line', async (_what, given, done) => {
  const { app, said } = world(given)
  await rotateKeys(app)
  expect(said).toEqual([{ level: 'info', message: 'keys.rotated', fields: { name: 'k2', ...done } }])
})

test('fifty at a time, each step going on after the last row of the one before, with a pause in between', async () => {
  const { app, asked, waits, replaced } = world({ keys: 101 })
  expect(await rotateKeys(app)).toMatchObject({ rewrapped: 101 })
  expect(asked.filter(([what]) => what === 'keys')).toEqual([
    ['keys', 'k2', '', 50],
    ['keys', 'k2', uuidOf(49), 50],
    ['keys', 'k2', uuidOf(99), 50],
  ])
  expect(waits).toEqual([20, 20])
  expect(new Set(replaced).size).toBe(101)
  expect(replaced[0]).toBe(`key of ${uuidOf(0)} → new key of ${uuidOf(0)}`)
})

test('a full step may have something after it, so one more is asked for; of secrets like of keys', async () => {
  const { app, asked, waits } = world({ keys: 50, secrets: 50 })
  expect(await rotateKeys(app)).toMatchObject({ rewrapped: 50, resealed: 50 * COLUMNS })
  expect(asked.filter(([what]) => what === 'keys')).toHaveLength(2)
  expect(asked.filter(([what]) => what === 'trigger_key')).toEqual([
    ['trigger_key', null, 50],
    ['trigger_key', 50, 50],
  ])
  expect(waits).toEqual(Array.from({ length: 1 + COLUMNS }, () => 20))
})

test('what does not open is said with whose and what it is, and the next is gone on with', async () => {
  const place = `credential|${uuidOf(0)}|access_token`
  const { app, said } = world({ keys: 2, secrets: 1, shut: [uuidOf(0), place] })
  expect(await rotateKeys(app)).toEqual({ rewrapped: 1, resealed: COLUMNS - 1, shut: 2 })
  expect(said.filter(({ level }) => level === 'error')).toEqual([
    {
      level: 'error',
      message: 'keys.does_not_open',
      fields: { account: uuidOf(0), what: 'account_key', error: expect.any(Error) },
    },
    {
      level: 'error',
      message: 'keys.does_not_open',
      fields: { account: uuidOf(0), what: 'access_token', error: expect.any(Error) },
    },
  ])
})

test('what somebody else replaced meanwhile is not counted', async () => {
  const { app, said } = world({ keys: 2, secrets: 2, taken: [uuidOf(0), uuidOf(1)] })
  expect(await rotateKeys(app)).toEqual({ rewrapped: 0, resealed: 0, shut: 0 })
  expect(said).toEqual([])
})

test('told to stop, it finishes the step it is at, and forgets nothing', async () => {
  const { app, asked, forgottenBefore } = world({ keys: 200, secrets: 200 })
  const stop = new AbortController()
  const { replaceAccountKey } = app.store
  app.store.replaceAccountKey = async (accountUuid, input) => {
    if (accountUuid === uuidOf(60)) stop.abort()
    return replaceAccountKey(accountUuid, input)
  }
  expect(await rotateKeys(app, stop.signal)).toEqual({ rewrapped: 100, resealed: 0, shut: 0 })
  expect(asked).toHaveLength(2)
  expect(forgottenBefore).toEqual([])
})

test('told to stop among the secrets, it finishes that step too', async () => {
  const { app, asked } = world({ secrets: 200 })
  const stop = new AbortController()
  const { replaceSecret } = app.store
  app.store.replaceSecret = async (accountUuid, input) => {
    if (input.row === 7) stop.abort()
    return replaceSecret(accountUuid, input)
  }
  expect(await rotateKeys(app, stop.signal)).toMatchObject({ resealed: 50 })
  expect(asked).toEqual([
    ['keys', 'k2', '', 50],
    ['access_token', null, 50],
  ])
})
