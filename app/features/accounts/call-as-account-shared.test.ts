// Two instances renew a single-use refresh token: one asks the platform, the other uses what the first one stored.
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import { fixedClock } from '#app/lib/clocks.server.ts'
import { minutes } from '#app/lib/duration.ts'
import { type InTurn, turnsInMemory } from '#app/lib/in-turn.server.ts'
import { turnsOnServer } from '#db/postgres/shared.server.ts'
import { accountStore } from '#db/sql/accounts/accounts.server.ts'
import { POSTGRES_WITHIN_MS } from '#tests/support/postgres.ts'
import { type SharedDatabase, sharedDatabase } from '#tests/support/shared-database.ts'
import { QUIET } from '#tests/support/test-app.server.ts'
import { createCallAsAccount } from './call-as-account.server.ts'
import { sealTokens } from './sealed-tokens.server.ts'

const ACCOUNT = { uuid: 'aaaaaaaa-0000-4000-8000-000000000001', name: 'A', timezone: 'UTC' }
const clock = fixedClock()
const secrets = createSecretBox(`k1:${Buffer.alloc(32, 7).toString('base64')}`)

let database: SharedDatabase | null
const stores: ReturnType<typeof accountStore>[] = []
const turns: InTurn[] = []

beforeAll(async () => {
  database = await sharedDatabase()
  if (!database) return
  for (const id of ['one', 'other']) {
    const client = await database.instance(id)
    stores.push(accountStore(client, clock))
    turns.push(turnsOnServer(client.db, id))
  }
}, POSTGRES_WITHIN_MS)
afterAll(() => database?.close())

/** As the platform does it: a refresh token works once. */
let valid: string
let renewals: string[]
/** How many renewals are under way before one is answered. */
let together: number
let sessions = 0

async function refresh(token: string) {
  renewals.push(token)
  do await pause(50)
  while (renewals.length < together)
  if (token !== valid) return { outcome: 'unauthorized', status: 400, message: 'used before' } as const
  valid = `refresh-${renewals.length}`
  const value = { accessToken: `access-${renewals.length}`, refreshToken: valid, expiresAt: clock.now() + 3_600_000 }
  return { outcome: 'ok', value: { ...value, scope: 'vendor' } } as const
}

beforeEach(async ({ skip }) => {
  if (!database) return skip('no PostgreSQL')
  valid = 'refresh-0'
  renewals = []
  together = 1
  const tokens = { accessToken: 'access-0', refreshToken: valid, expiresAt: clock.now() + minutes(1), scope: 'vendor' }
  const account = { accountUuid: ACCOUNT.uuid, staffUuid: null, proof: 'oauth' as const, provedAt: clock.now() }
  const session = {
    tokenHash: `s${++sessions}`,
    expiresAt: clock.now() + 1,
    account,
    replaces: [],
    carryProofsSince: 0,
  }
  await stores[0]?.completeSignIn(
    { account: ACCOUNT, tokens: await sealTokens({ secrets }, ACCOUNT.uuid, tokens), named: '', session },
    () => 'same',
  )
})

function instance(n: number, inTurn: InTurn | undefined, more: Partial<ReturnType<typeof accountStore>> = {}) {
  const own = stores[n]
  if (!own || !inTurn) throw new Error('no such instance')
  const store = { ...own, ...more }
  const app = { store, clock, log: QUIET, secrets, oauth: { refresh }, platformApi: {} as never, inTurn }
  const callAsAccount = createCallAsAccount(app)
  return () => callAsAccount(ACCOUNT.uuid, async (_api, token) => ({ outcome: 'ok' as const, value: token }))
}
const call = (n: number, inTurn: InTurn | undefined) => instance(n, inTurn)()

it('asks for one renewal when both need it at once, and both use its token', async () => {
  const answers = await Promise.all([0, 1, 0, 1].map((n) => call(n, turns[n])))
  expect(answers).toEqual(Array.from({ length: 4 }, () => ({ outcome: 'ok', value: 'access-1' })))
  expect(renewals).toEqual(['refresh-0'])
  expect(await stores[1]?.findCredential(ACCOUNT.uuid)).toMatchObject({ state: 'connected', generation: 2 })
})

it('would lose the connection without a common turn', async () => {
  together = 2
  await Promise.all([0, 1].map((n) => call(n, turnsInMemory())))
  expect(renewals).toEqual(['refresh-0', 'refresh-0'])
})

it('says that it is under way when the other does not come to an end, and asks for nothing itself', async () => {
  let end = () => {}
  const holding = turns[0]?.(`token:${ACCOUNT.uuid}`, () => new Promise<void>((resolve) => (end = resolve)))
  const db = await database?.instance('impatient')
  if (!db) return
  await expect.poll(() => database?.rows('SELECT 1 AS one FROM turn')).toHaveLength(1)
  expect(await call(1, turnsOnServer(db.db, 'impatient', { longestWaitMs: 150 }))).toMatchObject({
    outcome: 'unavailable',
    message: 'The connection is being renewed. Please try again soon.',
  })
  expect(renewals).toEqual([])
  end()
  await holding
})

it('keeps its turn until the new pair is stored, so that nobody asks with the used one', async () => {
  let failures = 0
  const replaceTokens: ReturnType<typeof accountStore>['replaceTokens'] = async (...given) => {
    if (failures++ === 0) throw new Error('the database is away')
    return (await stores[0]?.replaceTokens(...given)) ?? 'changed_meanwhile'
  }
  const first = instance(0, turns[0], { replaceTokens })()
  await expect.poll(() => failures).toBe(1)
  const second = call(1, turns[1])
  await pause(150)
  clock.advance(1_000)
  expect(await Promise.all([first, second])).toMatchObject([{ value: 'access-1' }, { value: 'access-1' }])
  expect(renewals).toEqual(['refresh-0'])
  expect(await stores[1]?.findCredential(ACCOUNT.uuid)).toMatchObject({ state: 'connected' })
})

it('heals with the pair it holds what another gave up meanwhile', async () => {
  let away = true
  const replaceTokens: ReturnType<typeof accountStore>['replaceTokens'] = async (...given) => {
    if (away) throw new Error('the database is away')
    return (await stores[0]?.replaceTokens(...given)) ?? 'changed_meanwhile'
  }
  const first = instance(0, turnsInMemory(), { replaceTokens })
  const lost = first()
  await expect.poll(() => renewals).toHaveLength(1)
  for (let second = 0; second < 40; second++) {
    await pause(20)
    clock.advance(1_000)
  }
  expect(await lost).toMatchObject({ outcome: 'unavailable' })
  expect(await call(1, turns[1])).toMatchObject({ outcome: 'reconnect' })
  away = false
  expect(await first()).toMatchObject({ value: 'access-1' })
  expect(await stores[1]?.findCredential(ACCOUNT.uuid)).toMatchObject({ state: 'connected' })
})
