// The only reader of process.env: parsed once at boot, frozen, one sentence per mistake.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { BACKUP_VARIABLES, type BackupSettings, readBackupSettings } from '#app/lib/backup-settings.ts'
import { makeFolders } from '#app/lib/folders.server.ts'
import { isSecurityContact } from '#app/lib/security-contact.ts'
import { readTracingSettings, type TracingSettings } from '#app/lib/tracing-settings.ts'
import { readStripe, type StripeEnv } from './env-stripe.server.ts'
import {
  checkDatabaseLimit,
  isPlaceholder,
  readAdminAccounts,
  readAutoLoadExcludes,
  readBase,
  readDatabase,
  readEgressAllow,
  readEncKeys,
  readOrigin,
  readSecret,
  readSessionSecret,
  readSmtp,
  refuseSandboxByAccident,
  SERVER_MAKES_BACKUPS,
} from './env-values.server.ts'

/** Thrown at boot when the configuration is invalid. `message` holds one sentence per problem, each on its own line. */
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
  /** Absolute path of the SQLite file. ':memory:' is refused: events must survive a restart. */
  databaseFile: string
  /** Address of a PostgreSQL database; null = the file. With one, the file's folder still holds what only this machine needs. */
  databaseServer: string | null
  migrationsFolder: string
  postgresMigrationsFolder: string
  platform: 'sandbox' | 'servicem8'
  appId: string
  appSecret: string
  apiUrl: string
  oauthUrl: string
  /** Path of the activity feed below the API address; '' = not known. */
  feedPath: string
  scopes: string[]
  sessionSecret: string
  encKeys: string
  adminAccounts: Set<string>
  /** Prefixes of account ids that a page without an id in its address never loads automatically. */
  autoLoadExcludes: string[]
  /** `host:port`, lower case. */
  egressAllow: string[]
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  metricsToken: string | null
  /** Contact for security reports: starts with https: or mailto:. Null = no contact. */
  securityContact: string | null
  /** Null = no tracing. */
  tracing: TracingSettings | null
  retentionDays: number
  maxDbMb: number
  /** Per browser session. */
  requestsPerMinute: number
  /** Per minute, 0 = no limit: CPU ms and bytes of an account and of a signed-out caller; ms of accounts over share. */
  budgets: Readonly<Record<'account' | 'caller', { ms: number; bytes: number }> & { accountsMs: number }>
  /** For one ingress address. */
  ingressPerSecond: number
  /** Per account, webhooks and forwarding rules together. */
  mostAddresses: number
  trustProxy: 'none' | 'fly'
  /** Null = no key is set: the sandbox handles payments, or there are none. */
  stripe: StripeEnv | null
  /** The operator's mail server and the sender's address; null = none is set. */
  smtp: { url: string; from: string } | null
  /** Null = no backups are made. */
  backups: BackupSettings | null
  /** Start with an empty database although backups exist. */
  startEmpty: boolean
  /** Quarantine: a restored copy that nobody has released sends nothing. */
  hold: boolean
  /** Runs the path of an event before readiness says yes. */
  warmUp: boolean
  production: boolean
}

/** Scopes requested at sign-in (facts: platform section 2.4). Configurable, since unpublished names may be refused. */
const DEFAULT_SCOPES =
  'vendor read_jobs manage_jobs create_jobs read_customers read_customer_contacts read_job_contacts read_job_materials ' +
  'manage_job_materials read_inventory read_job_queues read_job_categories manage_badges read_staff publish_messages read_messages ' +
  'read_schedule read_tasks manage_tasks read_job_notes publish_job_notes read_attachments manage_attachments ' +
  'read_forms read_job_payments manage_templates publish_email publish_sms read_sms read_email'

/** Characters. A guessed app secret can sign openings for any account; a guessed metrics token reads the numbers. */
const LEAST_APP_SECRET = 16
const LEAST_METRICS_TOKEN = 24

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
  /** Set by our own commands for developers, so nobody chose production by hand. */
  NODE_ENV_ASSUMED: text,
  PORT: count('PORT', 3000, 1, 65535),
  HOST: text,
  APP_ORIGIN: text,
  DATABASE_URL: text,
  DATA_FOLDER: text,
  PLATFORM: z.preprocess(
    blankIsUnset,
    z.enum(['sandbox', 'servicem8'], { error: 'PLATFORM must be one of: sandbox, servicem8.' }).optional(),
  ),
  SERVICEM8_APP_ID: text,
  SERVICEM8_APP_SECRET: text,
  SERVICEM8_API_URL: text,
  SERVICEM8_OAUTH_URL: text,
  SERVICEM8_SCOPES: text.refine((all = '') => /^[\w\s]*$/.test(all), 'SERVICEM8_SCOPES must be words between spaces.'),
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
  SMTP_URL: text,
  SMTP_FROM: text,
  LOG_LEVEL: oneOf('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], 'info'),
  METRICS_TOKEN: text,
  SECURITY_CONTACT: text.refine((value) => value === undefined || isSecurityContact(value), {
    error: 'SECURITY_CONTACT must begin with https:// or be like mailto:security@example.com.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: text,
  OTEL_EXPORTER_OTLP_HEADERS: text,
  OTEL_SERVICE_NAME: text,
  RETENTION_DAYS: count('RETENTION_DAYS', 30, 4, 3650),
  MAX_DB_MB: count('MAX_DB_MB', 2048, 64, 1_000_000),
  REQUESTS_PER_MINUTE: count('REQUESTS_PER_MINUTE', 1200, 60, 1_000_000),
  ACCOUNT_WORK_MS: count('ACCOUNT_WORK_MS', 20_000, 0, 60_000),
  ACCOUNT_MB: count('ACCOUNT_MB', 512, 0, 1_000_000),
  ACCOUNTS_WORK_MS: count('ACCOUNTS_WORK_MS', 30_000, 0, 60_000),
  CALLER_WORK_MS: count('CALLER_WORK_MS', 6_000, 0, 60_000),
  CALLER_MB: count('CALLER_MB', 256, 0, 1_000_000),
  INGRESS_PER_SECOND: count('INGRESS_PER_SECOND', 0, 0, 1_000_000),
  MAX_ADDRESSES: count('MAX_ADDRESSES', 1000, 1, 100_000),
  TRUST_PROXY: oneOf('TRUST_PROXY', ['none', 'fly'], 'none'),
  BACKUP_TO: text,
  BACKUP_KEY: text,
  BACKUP_REMOVE: oneOf('BACKUP_REMOVE', ['yes', 'no'], 'yes'),
  BACKUP_S3_ENDPOINT: text,
  BACKUP_S3_REGION: text,
  BACKUP_S3_KEY_ID: text,
  BACKUP_S3_SECRET: text,
  START_EMPTY: oneOf('START_EMPTY', ['no', 'yes'], 'no'),
  HOLD: oneOf('HOLD', ['no', 'yes'], 'no'),
  WARM_UP: z.preprocess(blankIsUnset, z.enum(['yes', 'no'], { error: 'WARM_UP must be one of: yes, no.' }).optional()),
})

/**
 * Reads and checks the configuration.
 * @param source defaults to the process's environment; tests pass their own.
 * @param keep false = the generated secrets of a sandbox are not stored: nothing is written.
 * @param root the project's folder: relative paths and the generated sandbox secrets are under it.
 * @throws ConfigurationError with one sentence per wrong variable.
 */
export function readEnv(
  source: Record<string, string | undefined> = process.env,
  root: string = process.cwd(),
  keep = true,
): Readonly<Env> {
  const problems: string[] = []
  const given = readVariables(source, problems)
  const platform = given.PLATFORM ?? (given.SERVICEM8_APP_ID ? 'servicem8' : 'sandbox')
  const real = platform === 'servicem8'

  const { appId, appSecret, origin } = readIdentity(given, real, problems)
  const { apiUrl, oauthUrl } = readPlatformBases(given, real, origin, problems)
  const feedPath = given.SERVICEM8_FEED_PATH ?? ''
  if (feedPath !== '' && !/^\/[\w./-]{1,200}$/.test(feedPath)) {
    problems.push(`SERVICEM8_FEED_PATH must be a path such as /feed.json.`)
  }
  const { databaseFile, databaseServer } = readDatabase(given, root, problems)
  const secrets = readKeys(given, real, problems)

  const egressAllow = readEgressAllow(given.EGRESS_ALLOW, problems)
  const autoLoadExcludes = readAutoLoadExcludes(given.AUTOLOAD_EXCLUDES, problems)
  const adminAccounts = readAdminAccounts(given.ADMIN_ACCOUNTS, problems)
  if (source.MAX_DB_MB?.trim() && databaseFile && !databaseServer)
    checkDatabaseLimit(given.MAX_DB_MB, databaseFile, problems)
  const stripe = readStripe(given, problems)
  const smtp = readSmtp(given, problems)
  const { SESSION_SECRET, ENC_KEYS, METRICS_TOKEN, BACKUP_S3_SECRET } = given
  const others = { SESSION_SECRET, ENC_KEYS, METRICS_TOKEN, BACKUP_S3_SECRET }
  const backups = databaseServer ? null : readBackupSettings(given, others, problems)
  if (databaseServer && BACKUP_VARIABLES.some((name) => given[name]))
    problems.push(`${SERVER_MAKES_BACKUPS} Leave out the BACKUP_ settings.`)
  if (backups?.to.kind === 'folder') backups.to.path = resolve(root, backups.to.path)

  readSecret(
    'METRICS_TOKEN',
    METRICS_TOKEN ?? '',
    { least: LEAST_METRICS_TOKEN, give: 'set it to the output of `openssl rand -hex 32`' },
    problems,
  )
  const tracing = readTracingSettings(given, problems)

  if (real && databaseFile) refuseSandboxSecrets(given, dirname(databaseFile), problems)

  if (problems.length > 0) throw new ConfigurationError([...new Set(problems)])
  const generated = real
    ? { sessionSecret: '', encKeys: '', appSecret: '' }
    : sandboxSecrets(dirname(databaseFile), keep)
  return Object.freeze({
    port: given.PORT,
    host: given.HOST ?? '127.0.0.1',
    origin,
    databaseFile,
    databaseServer,
    migrationsFolder: resolve(root, 'db/migrations'),
    postgresMigrationsFolder: resolve(root, 'db/migrations-postgres'),
    platform,
    appId,
    appSecret: appSecret ?? generated.appSecret,
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
    securityContact: given.SECURITY_CONTACT ?? null,
    tracing,
    retentionDays: given.RETENTION_DAYS,
    maxDbMb: given.MAX_DB_MB,
    requestsPerMinute: given.REQUESTS_PER_MINUTE,
    budgets: {
      account: { ms: given.ACCOUNT_WORK_MS, bytes: given.ACCOUNT_MB * 2 ** 20 },
      caller: { ms: given.CALLER_WORK_MS, bytes: given.CALLER_MB * 2 ** 20 },
      accountsMs: given.ACCOUNTS_WORK_MS,
    },
    ingressPerSecond: given.INGRESS_PER_SECOND,
    mostAddresses: given.MAX_ADDRESSES,
    trustProxy: given.TRUST_PROXY as Env['trustProxy'],
    stripe,
    smtp,
    backups,
    startEmpty: given.START_EMPTY === 'yes',
    hold: given.HOLD === 'yes',
    warmUp: (given.WARM_UP ?? (real ? 'yes' : 'no')) === 'yes',
    production: given.NODE_ENV === 'production',
  })
}

type Given = z.infer<typeof variables>

/** Our identity at the platform, and the address where it reaches us. */
function readIdentity(given: Given, real: boolean, problems: string[]) {
  const required = (name: 'SERVICEM8_APP_ID' | 'SERVICEM8_APP_SECRET' | 'APP_ORIGIN', why: string): string => {
    const value = given[name]
    if (!value && real) problems.push(`${name} is missing: ${why}.`)
    if (value && isPlaceholder(value)) problems.push(`${name} still holds a placeholder: ${why}.`)
    return value ?? ''
  }
  const appId =
    required('SERVICEM8_APP_ID', "it is the add-on's App ID from the ServiceM8 developer portal") || 'sandbox-app'
  const appSecret =
    readSecret(
      'SERVICEM8_APP_SECRET',
      required('SERVICEM8_APP_SECRET', "it is the add-on's App Secret from the ServiceM8 developer portal"),
      { least: LEAST_APP_SECRET, give: 'copy it in full from the developer portal' },
      problems,
    ) || null
  const givenOrigin = required('APP_ORIGIN', 'ServiceM8 has to reach this address, e.g. https://fieldhook.example.com')

  const origin = readOrigin(
    'APP_ORIGIN',
    givenOrigin || `http://localhost:${given.PORT}`,
    problems,
    // One problem only: a missing address is not also reported as wrong.
    real && givenOrigin ? { apiUrl: given.SERVICEM8_API_URL ?? REAL_API } : null,
  )
  if (!real)
    refuseSandboxByAccident(
      { PLATFORM: given.PLATFORM, NODE_ENV: given.NODE_ENV, origin, assumed: given.NODE_ENV_ASSUMED === 'yes' },
      problems,
    )
  return { appId, appSecret, origin }
}

function readPlatformBases(given: Given, real: boolean, origin: string, problems: string[]) {
  const read = (name: 'SERVICEM8_API_URL' | 'SERVICEM8_OAUTH_URL', usual: string) =>
    given[name] ? readBase(name, given[name], problems) : real ? usual : `${origin}/sandbox/servicem8`
  return { apiUrl: read('SERVICEM8_API_URL', REAL_API), oauthUrl: read('SERVICEM8_OAUTH_URL', REAL_OAUTH) }
}

/** Leaves out missing keys for the sandbox to generate; otherwise a problem. */
function readKeys({ SESSION_SECRET, ENC_KEYS }: Given, real: boolean, problems: string[]) {
  return {
    sessionSecret: real ? readSessionSecret(SESSION_SECRET, problems) : SESSION_SECRET,
    encKeys: real || ENC_KEYS ? readEncKeys(ENC_KEYS, problems) : undefined,
  }
}

/** Reports what zod rejects, then drops it, so that everything else is still checked. */
function readVariables(source: Record<string, string | undefined>, problems: string[]): Given {
  const parsed = variables.safeParse(source)
  if (parsed.success) return parsed.data
  problems.push(...parsed.error.issues.map((issue) => issue.message))
  const wrong = new Set(parsed.error.issues.map((issue) => String(issue.path[0])))
  return variables.parse(Object.fromEntries(Object.entries(source).filter(([name]) => !wrong.has(name))))
}

const SANDBOX_SECRETS = 'sandbox-secrets.json'

type SandboxSecrets = Pick<Env, 'sessionSecret' | 'encKeys' | 'appSecret'>

/** The sandbox needs no configuration: its keys are generated once and stored beside the database. */
function sandboxSecrets(folder: string, keep: boolean): SandboxSecrets {
  const file = resolve(folder, SANDBOX_SECRETS)
  const kept = existsSync(file) ? readSandboxSecrets(file) : {}
  const made = {
    sessionSecret: randomBytes(32).toString('base64url'),
    encKeys: `k1:${randomBytes(32).toString('base64')}`,
    // Must stay secret: with it, anyone can sign an opening for any account.
    appSecret: randomBytes(32).toString('base64url'),
    ...kept,
  }
  if (keep && !kept.appSecret)
    makeFolder(folder, () => writeFileSync(file, JSON.stringify(made, null, 2), { mode: 0o600 }))
  return made
}

/** @param fill writes what is in it @throws ConfigurationError */
export function makeFolder(folder: string, fill: () => void = () => {}): void {
  try {
    makeFolders(folder)
    fill()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    const next = 'give it to the user that runs Fieldhook, or name another place in DATABASE_URL or DATA_FOLDER.'
    throw new ConfigurationError([`Nothing can be written in ${folder} (${code}): ${next}`])
  }
}

function readSandboxSecrets(file: string): Partial<SandboxSecrets> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    throw new ConfigurationError([
      `${file} cannot be read: put back what it was, or remove it if nothing of the sandbox is needed any more.`,
    ])
  }
}

/** For an operator who tried the sandbox on the same disk first: its keys were in a file beside the database. */
function refuseSandboxSecrets({ SESSION_SECRET, ENC_KEYS }: Given, folder: string, problems: string[]): void {
  if (!existsSync(resolve(folder, SANDBOX_SECRETS))) return
  const made = sandboxSecrets(folder, false)
  if (SESSION_SECRET === made.sessionSecret)
    problems.push('SESSION_SECRET is the one that the sandbox made for itself: make a new one.')
  const madeKeys = made.encKeys.split(',')
  if (ENC_KEYS?.split(',').some((entry) => madeKeys.includes(entry.trim())))
    problems.push('ENC_KEYS holds the key that the sandbox made for itself: make a new one.')
}
