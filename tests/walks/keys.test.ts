// A change of keys at the whole product, start by start.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Running, startApp } from '#app/boot/boot.server.ts'
import { readEnv } from '#app/boot/env.server.ts'
import { loadSession, sessionHashOf } from '#app/features/accounts/session.server.ts'
import { movableClock } from '#app/lib/clocks.server.ts'
import { minutes } from '#app/lib/duration.ts'
import { hashToken, newToken } from '#app/lib/token.server.ts'
import { freePort } from '#tests/support/free-port.ts'
import { type WalkDatabase, walkDatabase } from '#tests/support/walk-database.server.ts'

const newKey = (name: string) => `${name}:${randomBytes(32).toString('base64')}`
const [OLD, NEW] = [newKey('old'), newKey('new')]
const ACCOUNT = 'aa10f29c-5f4b-4f0e-93b4-0f9d8f3f1c55'
const PLACE = `automation|${ACCOUNT}|trigger`

let folder = ''
let database: WalkDatabase
let port = 0
let clock = movableClock()
let sealed = ''

beforeAll(async () => {
  port = await freePort()
  folder = mkdtempSync(join(tmpdir(), 'fieldhook-keys-'))
  database = await walkDatabase(folder)
})

afterAll(async () => {
  await database.drop()
  rmSync(folder, { recursive: true })
})

async function start(...keys: string[]): Promise<Running> {
  return startWith({ ENC_KEYS: keys.join(',') })
}

async function startWith(secrets: { ENC_KEYS: string; SESSION_SECRET?: string }): Promise<Running> {
  clock = movableClock()
  const env = readEnv({
    PORT: String(port),
    LOG_LEVEL: 'silent',
    ...database.env,
    ...secrets,
  })
  return startApp({ env, clock })
}

test('what is sealed in the product is sealed with the key of the account', async () => {
  const running = await start(OLD)
  await running.app.store.accounts.ensureAccount({ uuid: ACCOUNT, name: 'Leeds', timezone: 'UTC' })
  sealed = await running.app.secrets.seal(PLACE, 'secret')
  expect(sealed).toMatch(/^v2\./)
  expect(await running.app.store.accounts.keysInUse()).toEqual([{ keyId: 'old', accountKeys: 1, secrets: 0 }])
  await running.stop()
})

test('it does not start when a key is missing that something was sealed with', async () => {
  await expect(start(NEW)).rejects.toThrow('ENC_KEYS lacks "old" (it still opens the keys of 1 account). Put it back')
})

test('it does not start with another key of the same name in front; for a lost one, such a key goes to the end', async () => {
  await expect(start(newKey('old'))).rejects.toThrow('ENC_KEYS holds another key named "old"')
  const running = await start(newKey('fresh'), newKey('old'))
  await expect(running.app.secrets.open(PLACE, sealed)).rejects.toThrow()
  await running.stop()
})

test('with both it serves, and moves the keys of accounts by itself', async () => {
  const running = await start(NEW, OLD)
  expect(await running.app.secrets.open(PLACE, sealed)).toBe('secret')
  running.started()
  // On a server, who starts works for nobody until it is warm: then the next hour's look does it.
  const keysLater = () => {
    clock.advance(minutes(10))
    return running.app.store.accounts.keysInUse()
  }
  await expect.poll(keysLater, { timeout: 20_000 }).toEqual([{ keyId: 'new', accountKeys: 1, secrets: 0 }])
  await running.stop()
})

test('then the old one is not needed, and after the account is forgotten neither opens it', async () => {
  const running = await start(NEW)
  expect(await running.app.secrets.open(PLACE, sealed)).toBe('secret')
  expect(await running.app.store.accounts.forgetAccountKey(ACCOUNT)).toBe(true)
  await expect(running.app.secrets.open(PLACE, sealed)).rejects.toThrow('no longer has')
  await running.stop()
})

test('a new session secret signs everybody out, and what is stored of a session opens none without it', async () => {
  const [first, second] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]
  const token = newToken()
  const account = { accountUuid: ACCOUNT, staffUuid: null, proof: 'oauth' as const }
  const livesWith = async (SESSION_SECRET: string) => {
    const running = await startWith({ ENC_KEYS: NEW, SESSION_SECRET })
    const session = await loadSession(running.app, [token])
    await running.stop()
    return session !== null
  }

  const running = await startWith({ ENC_KEYS: NEW, SESSION_SECRET: first })
  const now = running.app.clock.now()
  const open = (tokenHash: string) =>
    running.app.store.accounts.openSession({
      tokenHash,
      expiresAt: now + 60_000,
      account: { ...account, provedAt: now },
      replaces: [],
      carryProofsSince: now,
    })
  await open(hashToken(token))
  expect(await loadSession(running.app, [token])).toBeNull()
  await open(sessionHashOf(running.app)(token))
  expect(await loadSession(running.app, [token])).not.toBeNull()
  await running.stop()

  expect(await livesWith(second)).toBe(false)
  expect(await livesWith(first)).toBe(true)
})
