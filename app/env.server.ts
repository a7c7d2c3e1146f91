// The only reader of process.env: parsed once at boot, frozen, one sentence per mistake.
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'

/** Thrown at boot when the configuration cannot work. `message` holds one sentence per problem, a line each. */
export class ConfigurationError extends Error {
  override name = 'ConfigurationError'
  readonly problems: string[]
  constructor(problems: string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

export interface Env {
  port: number
  host: string
  /** Public address, no trailing slash. */
  origin: string
  /** Absolute path of the SQLite file, or ':memory:' is refused: events must survive a restart. */
  databaseFile: string
  migrationsFolder: string
  platform: 'sandbox' | 'servicem8'
  appId: string
  appSecret: string
  apiUrl: string
  oauthUrl: string
  /** Path below the API address at which the activity feed takes messages; '' = not known. */
  feedPath: string
  scopes: string[]
  sessionSecret: string
  encKeys: string
  adminAccounts: Set<string>
  /** Prefixes of account ids that a page without an id in its address never loads by itself. */
  autoLoadExcludes: string[]
  /** `host:port`, lower case. */
  egressAllow: string[]
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  metricsToken: string | null
  retentionDays: number
  maxDbMb: number
  /** Of one browser session. */
  requestsPerMinute: number
  /** Events of one address given to the platform. */
  ingressPerSecond: number
  trustProxy: 'none' | 'fly'
  /** Null = no key is set: the sandbox plays the payments, or there are none. */
  stripe: StripeEnv | null
  production: boolean
}

/** All of it or nothing. */
export interface StripeEnv {
  secretKey: string
  publishableKey: string
  /** One, or two during a rotation. */
  webhookSecrets: string[]
  /** Null = found by its lookup key. */
  monthlyPriceId: string | null
  /** Null = use over what is included is free. */
  overagePriceId: string | null
  /** Null = Stripe itself. */
  apiBase: string | null
}

/** What the product asks for at sign-in (facts: platform section 2.4). Configurable, since unpublished names may be refused. */
const DEFAULT_SCOPES =
  'vendor read_jobs manage_jobs create_jobs read_customers read_customer_contacts read_job_contacts read_job_materials ' +
  'manage_job_materials read_inventory read_job_queues read_job_categories read_staff publish_messages read_messages ' +
  'read_schedule read_tasks manage_tasks read_job_notes publish_job_notes read_attachments manage_attachments ' +
  'read_forms read_job_payments manage_templates publish_email publish_sms'

const REAL_API = 'https://api.servicem8.com'
const REAL_OAUTH = 'https://go.servicem8.com'

const blankIsUnset = (value: unknown) => (typeof value === 'string' && value.trim() === '' ? undefined : value)
const text = z.preprocess(blankIsUnset, z.string().trim().optional())
const count = (name: string, fallback: number, min: number, max: number) =>
  z.preprocess(
    blankIsUnset,
    z.coerce
      .number({ error: `${name} must be a whole number from ${min} to ${max}.` })
      .int({ error: `${name} must be a whole number from ${min} to ${max}.` })
      .min(min, { error: `${name} must be a whole number from ${min} to ${max}.` })
      .max(max, { error: `${name} must be a whole number from ${min} to ${max}.` })
      .default(fallback),
  )
const oneOf = <const T extends readonly [string, ...string[]]>(name: string, values: T, fallback: T[number]) =>
  z.preprocess(
    blankIsUnset,
    z.enum(values, { error: `${name} must be one of: ${values.join(', ')}.` }).default(fallback as never),
  )

const variables = z.object({
  NODE_ENV: text,
  PORT: count('PORT', 3000, 0, 65535),
  HOST: text,
  APP_ORIGIN: text,
  DATABASE_URL: text,
  PLATFORM: z.preprocess(
    blankIsUnset,
    z.enum(['sandbox', 'servicem8'], { error: 'PLATFORM must be one of: sandbox, servicem8.' }).optional(),
  ),
  SERVICEM8_APP_ID: text,
  SERVICEM8_APP_SECRET: text,
  SERVICEM8_API_URL: text,
  SERVICEM8_OAUTH_URL: text,
  SERVICEM8_SCOPES: text,
  SERVICEM8_FEED_PATH: text,
  SESSION_SECRET: text,
  ENC_KEYS: text,
  ADMIN_ACCOUNTS: text,
  AUTOLOAD_EXCLUDES: text,
  EGRESS_ALLOW: text,
  STRIPE_SECRET_KEY: text,
  STRIPE_PUBLISHABLE_KEY: text,
  STRIPE_WEBHOOK_SECRET: text,
  STRIPE_PRICE_MONTHLY: text,
  STRIPE_PRICE_OVERAGE: text,
  STRIPE_API_BASE: text,
  LOG_LEVEL: oneOf('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], 'info'),
  METRICS_TOKEN: text,
  RETENTION_DAYS: count('RETENTION_DAYS', 30, 4, 3650),
  MAX_DB_MB: count('MAX_DB_MB', 2048, 64, 1_000_000),
  REQUESTS_PER_MINUTE: count('REQUESTS_PER_MINUTE', 1200, 60, 1_000_000),
  INGRESS_PER_SECOND: count('INGRESS_PER_SECOND', 0, 0, 1_000_000),
  TRUST_PROXY: oneOf('TRUST_PROXY', ['none', 'fly'], 'none'),
})

/**
 * Reads and checks the configuration.
 * @param source defaults to the process's environment; tests pass their own.
 * @param root the project's folder: relative paths and the generated sandbox secrets are under it.
 * @throws ConfigurationError with one sentence per wrong variable.
 */
export function readEnv(
  source: Record<string, string | undefined> = process.env,
  root: string = process.cwd(),
): Readonly<Env> {
  const parsed = variables.safeParse(source)
  if (!parsed.success) throw new ConfigurationError(parsed.error.issues.map((issue) => issue.message))
  const given = parsed.data
  const problems: string[] = []
  const platform = given.PLATFORM ?? (given.SERVICEM8_APP_ID ? 'servicem8' : 'sandbox')
  const real = platform === 'servicem8'

  const required = (name: 'SERVICEM8_APP_ID' | 'SERVICEM8_APP_SECRET' | 'APP_ORIGIN', why: string): string => {
    const value = given[name]
    if (!value && real) problems.push(`${name} is missing: ${why}.`)
    return value ?? ''
  }
  const appId =
    required('SERVICEM8_APP_ID', "it is the add-on's App ID from the ServiceM8 developer portal") || 'sandbox-app'
  const appSecret =
    required('SERVICEM8_APP_SECRET', "it is the add-on's App Secret from the ServiceM8 developer portal") ||
    'sandbox-app-secret-of-at-least-32-bytes'
  const givenOrigin = required('APP_ORIGIN', 'ServiceM8 has to reach this address, e.g. https://fieldhook.example.com')

  const origin = readOrigin('APP_ORIGIN', givenOrigin || `http://localhost:${given.PORT}`, problems, {
    httpsOutsideLoopback: real,
  })
  const sandboxBase = `${origin}/sandbox/servicem8`
  const apiUrl = given.SERVICEM8_API_URL
    ? readBase('SERVICEM8_API_URL', given.SERVICEM8_API_URL, problems)
    : real
      ? REAL_API
      : sandboxBase
  const oauthUrl = given.SERVICEM8_OAUTH_URL
    ? readBase('SERVICEM8_OAUTH_URL', given.SERVICEM8_OAUTH_URL, problems)
    : real
      ? REAL_OAUTH
      : sandboxBase

  const feedPath = given.SERVICEM8_FEED_PATH ?? ''
  if (feedPath !== '' && !/^\/[\w./-]{1,200}$/.test(feedPath)) {
    problems.push(`SERVICEM8_FEED_PATH must be a path such as /feed.json, not "${feedPath}".`)
  }
  const databaseFile = readDatabaseFile(given.DATABASE_URL ?? 'file:./data/fieldhook.db', root, problems)
  const secrets = real
    ? {
        sessionSecret: readSessionSecret(given.SESSION_SECRET, problems),
        encKeys: readEncKeys(given.ENC_KEYS, problems),
      }
    : {
        sessionSecret: given.SESSION_SECRET,
        encKeys: given.ENC_KEYS ? readEncKeys(given.ENC_KEYS, problems) : undefined,
      }

  const egressAllow = list(given.EGRESS_ALLOW).map((entry) => entry.toLowerCase())
  for (const entry of egressAllow) {
    if (!/^[^\s/@]+:\d{1,5}$/.test(entry)) problems.push(`EGRESS_ALLOW: "${entry}" is not host:port.`)
  }
  const autoLoadExcludes = list(given.AUTOLOAD_EXCLUDES)
  for (const prefix of autoLoadExcludes) {
    if (!/^[\w.:-]{1,100}$/.test(prefix)) problems.push(`AUTOLOAD_EXCLUDES: "${prefix}" cannot begin an account id.`)
  }
  const adminAccounts = new Set(list(given.ADMIN_ACCOUNTS).map((id) => id.toLowerCase()))
  const stripe = readStripe(given, problems)

  if (problems.length > 0) throw new ConfigurationError(problems)
  const generated = real ? { sessionSecret: '', encKeys: '' } : sandboxSecrets(dirname(databaseFile))
  return Object.freeze({
    port: given.PORT,
    host: given.HOST ?? '127.0.0.1',
    origin,
    databaseFile,
    migrationsFolder: resolve(root, 'db/migrations'),
    platform,
    appId,
    appSecret,
    apiUrl,
    oauthUrl,
    feedPath,
    scopes: (given.SERVICEM8_SCOPES ?? DEFAULT_SCOPES).split(/\s+/).filter(Boolean),
    sessionSecret: secrets.sessionSecret ?? generated.sessionSecret,
    encKeys: secrets.encKeys ?? generated.encKeys,
    adminAccounts,
    autoLoadExcludes,
    egressAllow,
    logLevel: given.LOG_LEVEL as Env['logLevel'],
    metricsToken: given.METRICS_TOKEN ?? null,
    retentionDays: given.RETENTION_DAYS,
    maxDbMb: given.MAX_DB_MB,
    requestsPerMinute: given.REQUESTS_PER_MINUTE,
    ingressPerSecond: given.INGRESS_PER_SECOND,
    trustProxy: given.TRUST_PROXY as Env['trustProxy'],
    stripe,
    production: given.NODE_ENV === 'production',
  })
}

function list(value: string | undefined): string[] {
  return (value ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
}

function parseUrl(value: string): URL | null {
  try {
    return new URL(value)
  } catch {
    return null
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\./.test(host)
}

function readOrigin(name: string, value: string, problems: string[], rule: { httpsOutsideLoopback: boolean }): string {
  const url = parseUrl(value)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    problems.push(`${name} must be an address such as https://fieldhook.example.com, not "${value}".`)
    return ''
  }
  if (url.pathname !== '/' || url.search || url.hash || url.username) {
    problems.push(`${name} must be an origin without a path, not "${value}".`)
  }
  if (rule.httpsOutsideLoopback && url.protocol !== 'https:' && !isLoopback(url.hostname)) {
    problems.push(`${name} must begin with https:// because ServiceM8 calls no plain addresses.`)
  }
  return url.origin
}

/** A base address: https, or plain http on loopback (a stand-in). May carry a path. */
function readBase(name: string, value: string, problems: string[]): string {
  const url = parseUrl(value)
  if (!url || (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname)))) {
    problems.push(`${name} must begin with https:// (plain http is for this machine only), not "${value}".`)
    return ''
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

function readDatabaseFile(value: string, root: string, problems: string[]): string {
  if (!value.startsWith('file:') || value.length <= 'file:'.length || value.includes(':memory:')) {
    problems.push(`DATABASE_URL must name a file, such as file:./data/fieldhook.db, not "${value}".`)
    return ''
  }
  return resolve(root, value.slice('file:'.length))
}

function readSessionSecret(value: string | undefined, problems: string[]): string {
  if (!value) problems.push('SESSION_SECRET is missing: give at least 32 random characters.')
  else if (value.length < 32) problems.push('SESSION_SECRET is too short: give at least 32 random characters.')
  return value ?? ''
}

function readEncKeys(value: string | undefined, problems: string[]): string {
  const sentence = 'ENC_KEYS must be one or more of name:key, separated by commas, each key 32 random bytes in base64.'
  if (!value) {
    problems.push(`ENC_KEYS is missing. ${sentence}`)
    return ''
  }
  const entries = list(value)
  const good = entries.every((entry) => {
    const [name, key, ...rest] = entry.split(':')
    return (
      rest.length === 0 && /^[A-Za-z0-9_-]{1,16}$/.test(name ?? '') && Buffer.from(key ?? '', 'base64').length === 32
    )
  })
  if (!good || entries.length === 0) problems.push(sentence)
  else if (entries.some((entry) => new Set(Buffer.from(entry.split(':')[1] ?? '', 'base64')).size < 8)) {
    problems.push('ENC_KEYS holds a key that is not random.')
  }
  return value
}

/** Null = card payments are not configured. */
function readStripe(given: z.infer<typeof variables>, problems: string[]): StripeEnv | null {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_PUBLISHABLE_KEY: publishableKey = '' } = given
  if (!secretKey) {
    for (const name of ['STRIPE_PUBLISHABLE_KEY', 'STRIPE_WEBHOOK_SECRET', 'STRIPE_API_BASE'] as const) {
      if (given[name]) problems.push(`${name} is set but STRIPE_SECRET_KEY is not: set both, or neither.`)
    }
    return null
  }
  const isLive = (key: string) => /^(sk|rk|pk)_live_/.test(key)
  if (!/^(sk|rk)_\w+$/.test(secretKey)) {
    problems.push('STRIPE_SECRET_KEY must begin with sk_ or rk_: it is the secret key from the Stripe dashboard.')
  }
  if (publishableKey === '') {
    problems.push('STRIPE_PUBLISHABLE_KEY is missing: the card form needs it beside STRIPE_SECRET_KEY.')
  } else if (!/^pk_\w+$/.test(publishableKey)) {
    problems.push('STRIPE_PUBLISHABLE_KEY must begin with pk_: it is the key that browsers may see.')
  } else if (isLive(publishableKey) !== isLive(secretKey)) {
    problems.push('STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY must both be live keys or both be test keys.')
  }
  const webhookSecrets = list(given.STRIPE_WEBHOOK_SECRET)
  if (webhookSecrets.length === 0) {
    problems.push('STRIPE_WEBHOOK_SECRET is missing: it belongs to the webhook to $APP_ORIGIN/hooks/stripe.')
  } else if (webhookSecrets.some((secret) => !/^whsec_\S+$/.test(secret))) {
    problems.push('STRIPE_WEBHOOK_SECRET must be one or two secrets that begin with whsec_, separated by commas.')
  }
  for (const name of ['STRIPE_PRICE_MONTHLY', 'STRIPE_PRICE_OVERAGE'] as const) {
    if (given[name] && !/^price_\w+$/.test(given[name])) {
      problems.push(`${name} must be the id of a price, such as price_1Abc, not "${given[name]}".`)
    }
  }
  const apiBase = given.STRIPE_API_BASE ? readBase('STRIPE_API_BASE', given.STRIPE_API_BASE, problems) : null
  if (apiBase && new URL(apiBase).pathname !== '/') {
    problems.push(`STRIPE_API_BASE must be an origin without a path, not "${apiBase}".`)
  }
  if (apiBase !== null && isLive(secretKey)) {
    problems.push('STRIPE_API_BASE cannot be set with a live key: real cards are for Stripe itself only.')
  }
  return {
    secretKey,
    publishableKey,
    webhookSecrets,
    monthlyPriceId: given.STRIPE_PRICE_MONTHLY ?? null,
    overagePriceId: given.STRIPE_PRICE_OVERAGE ?? null,
    apiBase,
  }
}

/** In the sandbox nobody has to configure anything: the keys are made once and kept beside the database. */
function sandboxSecrets(folder: string): { sessionSecret: string; encKeys: string } {
  const file = resolve(folder, 'sandbox-secrets.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as { sessionSecret: string; encKeys: string }
  mkdirSync(folder, { recursive: true })
  const made = {
    sessionSecret: randomBytes(32).toString('base64url'),
    encKeys: `k1:${randomBytes(32).toString('base64')}`,
  }
  writeFileSync(file, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 })
  return made
}
