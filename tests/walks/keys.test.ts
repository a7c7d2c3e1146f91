// A change of keys at the whole product, start by start.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Running, startApp } from '#app/boot/boot.server.ts'
import { readEnv } from '#app/boot/env.server.ts'
import { lostKeyCommand } from '#app/commands/operations.server.ts'
import { loadSession, sessionHashOf } from '#app/features/accounts/session.server.ts'
import { finishSignIn } from '#app/features/accounts/sign-in.server.ts'
import { createEndpoint, listEndpoints } from '#app/features/endpoints/endpoints.server.ts'
import { repairSubscriptions } from '#app/features/endpoints/subscriptions/repair-subscriptions.server.ts'
import { movableClock } from '#app/lib/clocks.server.ts'
import { minutes } from '#app/lib/duration.ts'
import { hashToken, newToken } from '#app/lib/token.server.ts'
import { freePort } from '#tests/support/free-port.ts'
import { startReceiver } from '#tests/support/recording-receiver.ts'
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

async function startWith(secrets: {
  ENC_KEYS: string
  SESSION_SECRET?: string
  EGRESS_ALLOW?: string
}): Promise<Running> {
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

test('a key that is lost for good is told: its accounts sign in again, and forwards have new secrets', async () => {
  const [LOST, FRESH] = [newKey('lost'), newKey('lost')]
  const receiver = await startReceiver(() => 200)
  const EGRESS_ALLOW = receiver.hostAndPort
  let running = await startWith({ ENC_KEYS: `${LOST},${NEW}`, EGRESS_ALLOW })
  const server = createServer((req, res) => {
    if (running.platformIngress(req, res) || running.sandbox?.handle(req, res)) return
    res.writeHead(404).end()
  })
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  const account = running.sandbox?.world.accounts()[0]?.uuid ?? ''
  const signIn = async ({ app, sandbox }: Running) => {
    const granted = sandbox?.world.grant(account, app.settings.scopes.join(' '))
    return finishSignIn(app, {
      tokens: {
        accessToken: granted?.access_token ?? '',
        refreshToken: granted?.refresh_token ?? '',
        expiresAt: app.clock.now() + 3_600_000,
        scope: granted?.scope ?? '',
      },
      named: account,
      replaces: [],
    })
  }
  const secretOf = async ({ app }: Running) => (await listEndpoints(app, account, 'webhook'))[0]?.view.signingSecret
  const lose = async (...args: string[]) => {
    const env = readEnv({ ...database.env, ENC_KEYS: `${FRESH},${NEW}` })
    const said: string[] = []
    const code = await lostKeyCommand({ args: ['--lost', ...args], env, say: (line) => void said.push(line) })
    return `${code}: ${said.join(' ')}`
  }
  try {
    expect(await signIn(running)).toMatchObject({ outcome: 'signed_in' })
    running.started()
    const webhook = { accountUUID: account, object: 'job', callback_url: receiver.url, fields: 'status' }
    const made = await createEndpoint(running.app, account, 'webhook', webhook, { admin: false })
    expect(made).toMatchObject({ outcome: 'created' })
    const before = await secretOf(running)
    expect(await lose('lost', '--yes')).toMatch(/^1: Fieldhook is running on /)
    await running.stop()

    expect(await lose('never', '--yes')).toContain('1: "never" sealed the secrets of 0 accounts')
    const asked = await lose('lost')
    expect(asked).toContain('0: "lost" sealed the secrets of 1 account that ENC_KEYS does not open.')
    expect(asked).toContain('A STOP would then count only for the customer or job it was written about.')
    await expect(startWith({ ENC_KEYS: `${FRESH},${NEW}` })).rejects.toThrow('holds another key named "lost"')
    expect(await lose('lost', '--yes')).toContain('Done. Start Fieldhook')
    expect(await lose('lost', '--yes')).toContain('sealed the secrets of 0 accounts')

    running = await startWith({ ENC_KEYS: `${FRESH},${NEW}`, EGRESS_ALLOW })
    const { app, sandbox } = running
    expect(await app.store.accounts.findCredential(account)).toMatchObject({ state: 'reconnect' })
    expect(await app.store.endpoints.listSubscriptions(account)).toMatchObject([{ state: 'replaced' }])
    const after = (await secretOf(running)) ?? ''
    expect(after).toMatch(/^whsec_/)
    expect(after).not.toBe(before)
    expect(await signIn(running)).toMatchObject({ outcome: 'signed_in' })
    expect(await repairSubscriptions(app, { only: account })).toMatchObject({ repaired: 1, failed: 0 })
    running.started()
    const job = sandbox?.world.records(account, 'job').find(({ status, active }) => status === 'Quote' && active === 1)
    sandbox?.world.setJobStatus(account, String(job?.uuid), 'Work Order')
    await receiver.until((received) => received.length === 1, 10_000)
    const [{ body = '', headers = {} } = {}] = receiver.received
    expect(new Webhook(after).verify(body, headers as Record<string, string>)).toMatchObject({ object: 'job' })
    const open = database.open()
    try {
      const told = open
        .prepare("SELECT account_uuid AS account, target FROM audit_entry WHERE action = 'keys.lost'")
        .all()
      expect(told).toEqual([{ account, target: 'lost' }])
    } finally {
      open.close()
    }
  } finally {
    await running.stop().catch(() => {})
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
    await receiver.close()
  }
})
