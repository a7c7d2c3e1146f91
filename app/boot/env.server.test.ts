import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ConfigurationError, readEnv } from './env.server.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fieldhook-env-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const KEY = `k1:${randomBytes(32).toString('base64')}`
const REAL = {
  PLATFORM: 'servicem8',
  SERVICEM8_APP_ID: 'app',
  SERVICEM8_APP_SECRET: 'secret-of-the-portal',
  APP_ORIGIN: 'https://hooks.example.com',
  SESSION_SECRET: 'b3f1c6d2e9a7408512d4f6a8-0c9e7b5a',
  ENC_KEYS: KEY,
}

function problemsOf(source: Record<string, string>): string[] {
  try {
    readEnv(source, root)
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems
    throw error
  }
  return []
}

test('an empty environment is the sandbox on port 3000 with secrets that survive a restart', () => {
  const first = readEnv({}, root)
  expect(first).toMatchObject({ platform: 'sandbox', port: 3000, host: '127.0.0.1', origin: 'http://localhost:3000' })
  expect(first.apiUrl).toBe('http://localhost:3000/sandbox/servicem8')
  expect(readEnv({}, root).encKeys).toBe(first.encKeys)
  expect(readFileSync(join(root, 'data/sandbox-secrets.json'), 'utf8')).toContain(first.encKeys)
})

test('the sandbox signs with a secret of its own, the same after a restart', () => {
  const { appSecret } = readEnv({}, root)
  expect(appSecret).toMatch(/^[\w-]{43}$/)
  expect(readEnv({}, root).appSecret).toBe(appSecret)
})

test('the sandbox of an older release keeps its keys and gets a secret to sign with', () => {
  mkdirSync(join(root, 'data'), { recursive: true })
  const kept = { sessionSecret: 's'.repeat(43), encKeys: `k1:${'A'.repeat(43)}=` }
  writeFileSync(join(root, 'data/sandbox-secrets.json'), JSON.stringify(kept))
  const env = readEnv({}, root)
  expect(env).toMatchObject(kept)
  expect(readEnv({}, root).appSecret).toBe(env.appSecret)
})

test('keys of the sandbox that cannot be read are said, not replaced', () => {
  mkdirSync(join(root, 'data'), { recursive: true })
  const file = join(root, 'data/sandbox-secrets.json')
  writeFileSync(file, '{"sessionSecret": "cut o')
  expect(() => readEnv({}, root)).toThrow(ConfigurationError)
  expect(() => readEnv({}, root)).toThrow(`${file} cannot be read: put back what it was`)
  expect(readFileSync(file, 'utf8')).toBe('{"sessionSecret": "cut o')
})

test.each([
  ['NODE_ENV=production', { NODE_ENV: 'production' }],
  ['a public address', { APP_ORIGIN: 'https://fieldhook.example.com' }],
  ['a public address without https', { APP_ORIGIN: 'http://192.0.2.7:3000' }],
])('a deployment with %s that lost its credentials does not become a sandbox', (_, source) => {
  expect(problemsOf(source)).toEqual([expect.stringMatching(/^PLATFORM is missing.*PLATFORM=sandbox for a trial\.$/)])
  expect(readEnv({ ...source, PLATFORM: 'sandbox' }, root).platform).toBe('sandbox')
})

test('npm start, which says itself that this is production, serves the sandbox on this machine', () => {
  expect(readEnv({ NODE_ENV: 'production', NODE_ENV_ASSUMED: 'yes' }, root).platform).toBe('sandbox')
})

test('an app id alone selects the real platform', () => {
  const { PLATFORM: _, ...withoutPlatform } = REAL
  expect(readEnv(withoutPlatform, root)).toMatchObject({ platform: 'servicem8', apiUrl: 'https://api.servicem8.com' })
})

test('a half-configured production start says every problem at once', () => {
  expect(problemsOf({ PLATFORM: 'servicem8' })).toEqual([
    expect.stringContaining('SERVICEM8_APP_ID is missing'),
    expect.stringContaining('SERVICEM8_APP_SECRET is missing'),
    expect.stringContaining('APP_ORIGIN is missing'),
    expect.stringContaining('SESSION_SECRET is missing'),
    expect.stringContaining('ENC_KEYS is missing'),
  ])
})

test.each([
  ['PORT', 'eighty', 'PORT must be a whole number'],
  ['PORT', '70000', 'PORT must be a whole number'],
  ['PORT', '0', 'PORT must be a whole number from 1 to'],
  ['PLATFORM', 'jobber', 'PLATFORM must be one of'],
  ['APP_ORIGIN', 'hooks.example.com', 'APP_ORIGIN must be an address'],
  ['APP_ORIGIN', 'https://hooks.example.com/path', 'APP_ORIGIN must be an origin without a path'],
  ['APP_ORIGIN', 'http://hooks.example.com', 'APP_ORIGIN must begin with https://'],
  ['APP_ORIGIN', 'http://localhost:3000', 'APP_ORIGIN names this machine only'],
  ['APP_ORIGIN', 'https://127.0.0.1', 'APP_ORIGIN names this machine only'],
  ['APP_ORIGIN', 'https://<your address>', 'APP_ORIGIN still holds a placeholder'],
  ['SERVICEM8_APP_SECRET', '…', 'SERVICEM8_APP_SECRET still holds a placeholder'],
  ['SERVICEM8_APP_SECRET', 'secret', 'SERVICEM8_APP_SECRET is too short'],
  ['METRICS_TOKEN', 'guess-me', 'METRICS_TOKEN is too short'],
  ['METRICS_TOKEN', 'ab'.repeat(20), 'METRICS_TOKEN is not random'],
  ['DATABASE_URL', 'mysql://db', 'DATABASE_URL must name a file'],
  ['DATABASE_URL', 'postgres://db', 'DATABASE_URL must name a host and a database'],
  ['SERVICEM8_SCOPES', 'vendor,read_jobs', 'SERVICEM8_SCOPES must be words between spaces'],
  ['DATABASE_URL', 'postgres://u:p#w@db/x', 'Characters such as # in the password are written as %23'],
  ['DATABASE_URL', 'file://data/fieldhook.db', 'DATABASE_URL must name a file'],
  ['DATABASE_URL', 'file:/', 'DATABASE_URL names a folder: name a file in it'],
  ['SERVICEM8_API_URL', 'http://api.example.com', 'SERVICEM8_API_URL must begin with https://'],
  ['SESSION_SECRET', 'short', 'SESSION_SECRET is too short'],
  ['SESSION_SECRET', 'x'.repeat(40), 'SESSION_SECRET is not random'],
  ['SESSION_SECRET', '<openssl rand -base64 32, at least 32 characters>', 'SESSION_SECRET still holds a placeholder'],
  ['ENC_KEYS', 'k1:c2hvcnQ=', 'each key 32 random bytes'],
  ['ENC_KEYS', `k1:${Buffer.alloc(32).toString('base64')}`, 'not random'],
  ['ENC_KEYS', `k1:${Buffer.from('a passphrase of 32 characters!!!').toString('base64')}`, 'not random'],
  ['ENC_KEYS', `${KEY},${KEY}`, 'ENC_KEYS names two keys alike'],
  ['ENC_KEYS', 'k1:<openssl rand -base64 32>', 'each key 32 random bytes'],
  ['ADMIN_ACCOUNTS', '7f3a2c1e-0b4d-4c5e-9f6a-1b2c3d4e5f60, leeds', "entry 2 of the list is not an account's UUID"],
  ['MAX_DB_MB', '1000000', 'MAX_DB_MB is more than the whole disk of the database holds'],
  ['EGRESS_ALLOW', 'localhost', 'is not host:port'],
  ['EGRESS_ALLOW', 'localhost:4000,localhost:99999', 'entry 2 of the list is not host:port'],
  ['AUTOLOAD_EXCLUDES', 'demo-,a b', 'cannot begin an account id'],
  ['LOG_LEVEL', 'chatty', 'LOG_LEVEL must be one of'],
  ['TRUST_PROXY', 'all', 'TRUST_PROXY must be one of'],
  ['SECURITY_CONTACT', 'security@example.com', 'SECURITY_CONTACT must begin with https://'],
  ['REQUESTS_PER_MINUTE', '10', 'REQUESTS_PER_MINUTE must be a whole number'],
  ['ACCOUNT_WORK_MS', '60001', 'ACCOUNT_WORK_MS must be a whole number'],
  ['ACCOUNTS_WORK_MS', '60001', 'ACCOUNTS_WORK_MS must be a whole number'],
  ['CALLER_MB', 'many', 'CALLER_MB must be a whole number'],
  ['INGRESS_PER_SECOND', '-1', 'INGRESS_PER_SECOND must be a whole number'],
  ['RETENTION_DAYS', '1', 'RETENTION_DAYS must be a whole number'],
])('%s=%s is refused with a sentence', (name, value, sentence) => {
  expect(problemsOf({ ...REAL, [name]: value }).join('\n')).toContain(sentence)
})

test('a platform that does not exist is one sentence', () => {
  expect(problemsOf({ PLATFORM: 'jobber', APP_ORIGIN: 'https://hooks.example.com' })).toHaveLength(1)
})

test('what cannot be read does not hide what else is wrong', () => {
  expect(problemsOf({ ...REAL, PORT: 'eighty', LOG_LEVEL: 'chatty', SESSION_SECRET: 'short', ENC_KEYS: '' })).toEqual([
    expect.stringContaining('PORT must be a whole number'),
    expect.stringContaining('LOG_LEVEL must be one of'),
    expect.stringContaining('SESSION_SECRET is too short'),
    expect.stringContaining('ENC_KEYS is missing'),
  ])
})

test('no sentence holds what was given: a secret may stand in the wrong variable', () => {
  const pasted = 'sk_live_51Secret'
  const names = ['PORT', 'PLATFORM', 'APP_ORIGIN', 'DATABASE_URL', 'SERVICEM8_API_URL', 'SERVICEM8_OAUTH_URL']
  const more = [
    'SERVICEM8_FEED_PATH',
    'SESSION_SECRET',
    'ENC_KEYS',
    'ADMIN_ACCOUNTS',
    'EGRESS_ALLOW',
    'AUTOLOAD_EXCLUDES',
  ]
  const last = [
    'STRIPE_PUBLISHABLE_KEY',
    'STRIPE_WEBHOOK_SECRET',
    'STRIPE_PRICE_MONTHLY',
    'STRIPE_API_BASE',
    'TRUST_PROXY',
  ]
  for (const name of [...names, ...more, ...last, 'LOG_LEVEL', 'MAX_DB_MB', 'RETENTION_DAYS']) {
    const problems = problemsOf({ ...REAL, ...STRIPE, [name]: `${pasted} :` })
    expect([name, problems.length > 0]).toEqual([name, true])
    expect(problems.join('\n')).not.toContain(pasted)
  }
  const store = { BACKUP_TO: `s3://${pasted}!/x`, BACKUP_S3_ENDPOINT: `http://${pasted}`, BACKUP_KEY: pasted }
  expect(problemsOf({ ...REAL, ...store }).join('\n')).not.toContain(pasted)
})

test('a folder that cannot be written to is said as a sentence, in the sandbox too', () => {
  writeFileSync(join(root, 'data'), 'a file in the place of the folder')
  expect(problemsOf({})).toEqual([expect.stringContaining(`Nothing can be written in ${join(root, 'data')} (`)])
  // Node's own way of making folders never ends there.
  if (existsSync('/proc/self'))
    expect(problemsOf({ DATA_FOLDER: '/proc/nothing/here' })).toEqual([expect.stringContaining('(ENOENT)')])
})

test('what the sandbox made for itself on the same disk is not for the real platform', () => {
  const made = readEnv({}, root)
  expect(problemsOf({ ...REAL, SESSION_SECRET: made.sessionSecret, ENC_KEYS: `${KEY},${made.encKeys}` })).toEqual([
    expect.stringContaining('ENC_KEYS names two keys alike'),
    'SESSION_SECRET is the one that the sandbox made for itself: make a new one.',
    'ENC_KEYS holds the key that the sandbox made for itself: make a new one.',
  ])
  expect(problemsOf(REAL)).toEqual([])
})

test('a plain http stand-in is allowed on this machine', () => {
  expect(readEnv({ ...REAL, SERVICEM8_API_URL: 'http://127.0.0.1:4010/sm8/' }, root).apiUrl).toBe(
    'http://127.0.0.1:4010/sm8',
  )
  const here = { ...REAL, APP_ORIGIN: 'http://localhost:3000', SERVICEM8_API_URL: 'http://127.0.0.1:4010' }
  expect(readEnv(here, root).origin).toBe('http://localhost:3000')
})

test('prefixes of accounts that are not loaded by themselves are a list', () => {
  expect(readEnv({ AUTOLOAD_EXCLUDES: 'demo-, test:' }, root).autoLoadExcludes).toEqual(['demo-', 'test:'])
  expect(readEnv({}, root).autoLoadExcludes).toEqual([])
})

test('blank values count as unset', () => {
  expect(readEnv({ PORT: ' ', SERVICEM8_APP_ID: '' }, root)).toMatchObject({ port: 3000, platform: 'sandbox' })
})

const STRIPE = {
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
}

test('payments are configured as a whole or not at all', () => {
  expect(readEnv(REAL, root).stripe).toBeNull()
  expect(readEnv({ ...REAL, ...STRIPE }, root).stripe).toEqual({
    secretKey: 'sk_test_1',
    publishableKey: 'pk_test_1',
    webhookSecrets: ['whsec_1'],
    monthlyPriceId: null,
    overagePriceId: null,
    apiBase: null,
  })
  const rotating = {
    ...STRIPE,
    STRIPE_WEBHOOK_SECRET: 'whsec_new, whsec_old',
    STRIPE_API_BASE: 'http://127.0.0.1:12111',
  }
  expect(
    readEnv({ ...REAL, ...rotating, STRIPE_PRICE_MONTHLY: 'price_1', STRIPE_PRICE_OVERAGE: 'price_2' }, root).stripe,
  ).toMatchObject({
    webhookSecrets: ['whsec_new', 'whsec_old'],
    monthlyPriceId: 'price_1',
    overagePriceId: 'price_2',
    apiBase: 'http://127.0.0.1:12111',
  })
  expect(problemsOf({ ...REAL, STRIPE_SECRET_KEY: 'sk_test_1' })).toEqual([
    expect.stringContaining('STRIPE_PUBLISHABLE_KEY is missing'),
    expect.stringContaining('STRIPE_WEBHOOK_SECRET is missing'),
  ])
  expect(problemsOf({ ...REAL, STRIPE_PRICE_MONTHLY: 'price_1' })).toEqual([
    'STRIPE_PRICE_MONTHLY is set but STRIPE_SECRET_KEY is not: set both, or neither.',
  ])
  expect(problemsOf({ ...REAL, STRIPE_PUBLISHABLE_KEY: 'pk_test_1' })).toEqual([
    expect.stringContaining('STRIPE_PUBLISHABLE_KEY is set but STRIPE_SECRET_KEY is not'),
  ])
})

test.each([
  ['STRIPE_SECRET_KEY', 'pk_test_1', 'STRIPE_SECRET_KEY must begin with sk_'],
  ['STRIPE_PUBLISHABLE_KEY', 'sk_test_1', 'STRIPE_PUBLISHABLE_KEY must begin with pk_'],
  ['STRIPE_PUBLISHABLE_KEY', 'pk_live_1', 'must both be live keys or both be test keys'],
  ['STRIPE_WEBHOOK_SECRET', 'secret', 'STRIPE_WEBHOOK_SECRET must be one or two secrets'],
  ['STRIPE_PRICE_MONTHLY', 'prod_1', 'STRIPE_PRICE_MONTHLY must be the id of a price'],
  ['STRIPE_PRICE_OVERAGE', '5', 'STRIPE_PRICE_OVERAGE must be the id of a price'],
  ['STRIPE_API_BASE', 'stripe', 'STRIPE_API_BASE must begin with https://'],
  ['STRIPE_API_BASE', 'http://stripe.example.com', 'STRIPE_API_BASE must begin with https://'],
  ['STRIPE_API_BASE', 'https://stripe.example.com/v1', 'STRIPE_API_BASE must be an origin without a path'],
])('%s=%s is refused with a sentence', (name, value, sentence) => {
  expect(problemsOf({ ...REAL, ...STRIPE, [name]: value }).join('\n')).toContain(sentence)
})

test('a stand-in takes no live key', () => {
  const live = { STRIPE_SECRET_KEY: 'sk_live_1', STRIPE_PUBLISHABLE_KEY: 'pk_live_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' }
  expect(readEnv({ ...REAL, ...live }, root).stripe?.secretKey).toBe('sk_live_1')
  expect(problemsOf({ ...REAL, ...live, STRIPE_API_BASE: 'http://127.0.0.1:12111' })).toEqual([
    'STRIPE_API_BASE cannot be set with a live key: real cards are for Stripe itself only.',
  ])
})

test('a mail server for notices is none unless it is set, and then needs a sender', () => {
  expect(readEnv({}, root).smtp).toBeNull()
  const set = { SMTP_URL: 'smtp://me:p%40ss@mail.example.com:587', SMTP_FROM: 'fieldhook@example.com' }
  expect(readEnv(set, root).smtp).toEqual({ url: set.SMTP_URL, from: set.SMTP_FROM })
  expect(problemsOf({ SMTP_FROM: set.SMTP_FROM })).toEqual([
    'SMTP_FROM is set but SMTP_URL is not: set both, or neither.',
  ])
  expect(problemsOf({ SMTP_URL: set.SMTP_URL })).toEqual([expect.stringMatching(/^SMTP_FROM must be one/)])
})

test.each(['mail.example.com', 'https://mail.example.com', 'smtp://', 'smtp://mail.example.com/?tls=no', 'smtp://a/b'])(
  '%s is no mail server',
  (SMTP_URL) => {
    const problems = problemsOf({ SMTP_URL, SMTP_FROM: 'fieldhook@example.com' })
    expect(problems).toEqual([expect.stringMatching(/^SMTP_URL must be like smtp:/)])
  },
)

test.each(['a@b.example, c@d.example', 'Fieldhook <a@b.example>', 'a@b.example\nBcc: x@y.example', 'nobody'])(
  '%j is no sender of mails',
  (SMTP_FROM) => {
    const problems = problemsOf({ SMTP_URL: 'smtp://mail.example.com', SMTP_FROM })
    expect(problems).toEqual([expect.stringMatching(/^SMTP_FROM must be one/)])
  },
)

test.each<Record<string, string>>([{ BACKUP_TO: '/backups' }, { BACKUP_KEY: 'x' }])(
  'a server makes its own backups: %o is one problem',
  (given) => {
    const DATABASE_URL = 'postgres://u:p@db/x'
    expect(problemsOf({ ...REAL, DATABASE_URL, ...given })).toEqual([
      expect.stringMatching(/^The database server makes the backups.* Leave out the BACKUP_ settings\.$/),
    ])
  },
)
