// Reads single variables. Adds each mistake to `problems` as a sentence that names the variable and never its value: a
// secret may be in the wrong variable, and these sentences end up in logs.
import { existsSync, statfsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isFolder } from '#app/lib/folders.server.ts'

export function list(value: string | undefined): string[] {
  return (value ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
}

function isLoopback(host: string): boolean {
  return /^(.+\.)?localhost$/.test(host) || host === '[::1]' || /^127\./.test(host)
}

/** Copied from an example without a real value: `…` or `<your secret>`. */
export function isPlaceholder(value: string): boolean {
  return /…|<[^>]*>/.test(value)
}

/** `of`: the platform that has to reach this address; null = nothing outside has to. */
export function readOrigin(name: string, value: string, problems: string[], of: { apiUrl: string } | null): string {
  const url = URL.parse(value)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    problems.push(`${name} must be an address such as https://fieldhook.example.com.`)
    return ''
  }
  if (url.pathname !== '/' || url.search || url.hash || url.username) {
    problems.push(`${name} must be an origin without a path, such as https://fieldhook.example.com.`)
  }
  if (!of) return url.origin
  if (!isLoopback(url.hostname)) {
    if (url.protocol !== 'https:')
      problems.push(`${name} must begin with https:// because ServiceM8 calls no plain addresses.`)
  } else if (!isLoopback(URL.parse(of.apiUrl)?.hostname ?? '')) {
    // A stand-in on this machine could reach it.
    problems.push(`${name} names this machine only: give the address under which ServiceM8 reaches it from outside.`)
  }
  return url.origin
}

/**
 * A deployment that lost its settings must not silently serve the sandbox, which opens every account to anyone: unless
 * requested by name, the sandbox runs for this machine only.
 */
export function refuseSandboxByAccident(
  given: { PLATFORM?: string | undefined; NODE_ENV?: string | undefined; origin: string; assumed: boolean },
  problems: string[],
): void {
  if (given.PLATFORM === 'sandbox' || problems.some((one) => one.startsWith('PLATFORM'))) return
  const next = 'Set PLATFORM=servicem8 and its credentials, or PLATFORM=sandbox for a trial.'
  if (given.NODE_ENV === 'production' && !given.assumed)
    problems.push(`PLATFORM is missing, and NODE_ENV=production runs no sandbox by itself. ${next}`)
  else if (given.origin && !isLoopback(new URL(given.origin).hostname))
    problems.push(`PLATFORM is missing, and APP_ORIGIN names a public address. ${next}`)
}

/** A base address: https, or plain http on loopback (a local stand-in). May include a path. */
export function readBase(name: string, value: string, problems: string[]): string {
  const url = URL.parse(value)
  if (!url || (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname)))) {
    problems.push(`${name} must begin with https:// (plain http is for this machine only).`)
    return ''
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** Name of the file in the data folder. */
const FILE_NAME = 'fieldhook.db'

/** The file as an absolute path; '' = the address is wrong. */
export function readDatabase(
  { DATABASE_URL, DATA_FOLDER = './data' }: { DATABASE_URL?: string | undefined; DATA_FOLDER?: string | undefined },
  root: string,
  problems: string[],
): { databaseFile: string; databaseServer: string | null } {
  const inFolder = resolve(root, DATA_FOLDER, FILE_NAME)
  const value = DATABASE_URL ?? `file:${inFolder}`
  if (/^postgres(ql)?:\/\//.test(value)) {
    const url = URL.parse(value)
    if (!url || url.pathname.length < 2) {
      problems.push(
        'DATABASE_URL must name a host and a database, such as postgres://user:password@host/fieldhook. Characters such as # in the password are written as %23.',
      )
    }
    return { databaseFile: inFolder, databaseServer: value }
  }
  // With two slashes, the first folder of the path would be a host.
  if (!/^file:(?!\/\/[^/])./.test(value) || value.includes(':memory:')) {
    problems.push(
      'DATABASE_URL must name a file, such as file:./data/fieldhook.db, or a PostgreSQL database, such as postgres://user:password@host/fieldhook.',
    )
    return { databaseFile: '', databaseServer: null }
  }
  const databaseFile = resolve(root, value.slice('file:'.length))
  if (isFolder(databaseFile))
    problems.push('DATABASE_URL names a folder: name a file in it, such as file:./data/fieldhook.db.')
  return { databaseFile, databaseServer: null }
}

export const SERVER_MAKES_BACKUPS =
  'The database server makes the backups of a PostgreSQL database: set up archiving and base backups there (docs/operating.md, "PostgreSQL"; npm run doctor looks at them).'

/** A limit larger than the disk protects nothing. `maxDbMb` = the configured value, not the default. */
export function checkDatabaseLimit(maxDbMb: number, databaseFile: string, problems: string[]): void {
  let folder = dirname(databaseFile)
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
  const { bsize, blocks } = statfsSync(folder)
  const diskMb = Math.floor((bsize * blocks) / 2 ** 20)
  // Some file systems do not report it.
  if (diskMb === 0 || maxDbMb <= diskMb) return
  problems.push(
    `MAX_DB_MB is more than the whole disk of the database holds (${diskMb} MB): give about a third of that.`,
  )
}

/** '' = not set, which another check handles. Returns the value unchanged. */
export function readSecret(
  name: string,
  value: string,
  { least, give }: { least: number; give: string },
  problems: string[],
): string {
  if (value === '' || isPlaceholder(value)) return value
  if (value.length < least) problems.push(`${name} is too short (${least} characters or more): ${give}.`)
  else if (new Set(value).size < 8) problems.push(`${name} is not random: ${give}.`)
  return value
}

export function readSessionSecret(value: string | undefined, problems: string[]): string {
  const give = 'give at least 32 random characters, such as those of `openssl rand -base64 32`'
  if (!value) problems.push(`SESSION_SECRET is missing: ${give}.`)
  else if (isPlaceholder(value)) problems.push(`SESSION_SECRET still holds a placeholder: ${give}.`)
  else if (value.length < 32) problems.push(`SESSION_SECRET is too short: ${give}.`)
  else if (new Set(value).size < 8) problems.push(`SESSION_SECRET is not random: ${give}.`)
  return value ?? ''
}

export function readEncKeys(value: string | undefined, problems: string[]): string {
  const sentence = 'ENC_KEYS must be one or more of name:key, separated by commas, each key 32 random bytes in base64.'
  if (!value) {
    problems.push(`ENC_KEYS is missing. ${sentence}`)
    return ''
  }
  const entries = list(value).map((entry) => {
    const [name = '', key = '', ...rest] = entry.split(':')
    return { name, bytes: Buffer.from(key, 'base64'), whole: rest.length === 0 }
  })
  const good = entries.every(
    ({ name, bytes, whole }) => whole && /^[A-Za-z0-9_-]{1,16}$/.test(name) && bytes.length === 32,
  )
  if (!good || entries.length === 0) {
    problems.push(sentence)
    return value
  }
  if (new Set(entries.map(({ name }) => name)).size < entries.length) {
    problems.push('ENC_KEYS names two keys alike: give each key a name of its own.')
  }
  if (entries.some(({ bytes }) => !looksRandom(bytes))) {
    problems.push('ENC_KEYS holds a key that is not random: make it with `openssl rand -base64 32`.')
  }
  return value
}

/** False for zeros, a pattern or typed text: 32 random bytes are printable about once in 10^13 times. */
function looksRandom(bytes: Buffer): boolean {
  return new Set(bytes).size >= 8 && bytes.some((byte) => byte < 0x20 || byte > 0x7e)
}

export function readAdminAccounts(value: string | undefined, problems: string[]): Set<string> {
  const ids = list(value).map((id) => id.toLowerCase())
  const uuid = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'
  const wrong = ids.findIndex((id) => !new RegExp(`^${uuid}(:${uuid})?$`).test(id))
  if (wrong !== -1) {
    problems.push(
      `ADMIN_ACCOUNTS: ${place(wrong)} is not an account's UUID, such as 7f3a2c1e-0b4d-4c5e-9f6a-1b2c3d4e5f60, or account:staff.`,
    )
  }
  return new Set(ids)
}

export function readEgressAllow(value: string | undefined, problems: string[]): string[] {
  const entries = list(value).map((entry) => entry.toLowerCase())
  const isWrong = (entry: string) => !/^[^/?#@\\\s]+:[1-9]\d*$/.test(entry) || !URL.canParse(`http://${entry}`)
  const wrong = entries.findIndex(isWrong)
  if (wrong !== -1) problems.push(`EGRESS_ALLOW: ${place(wrong)} is not host:port.`)
  return entries
}

export function readAutoLoadExcludes(value: string | undefined, problems: string[]): string[] {
  const prefixes = list(value)
  const wrong = prefixes.findIndex((prefix) => !/^[\w.:-]{1,100}$/.test(prefix))
  if (wrong !== -1) problems.push(`AUTOLOAD_EXCLUDES: ${place(wrong)} cannot begin an account id.`)
  return prefixes
}

function place(index: number): string {
  return `entry ${index + 1} of the list`
}

const ADDRESS = /^[^\s@<>,;"()[\]\\]+@[^\s@<>,;"()[\]\\.]+(\.[^\s@<>,;"()[\]\\.]+)*$/

/** The operator's own mail server; null = none is set. */
export function readSmtp(
  { SMTP_URL: url, SMTP_FROM: from }: { SMTP_URL?: string | undefined; SMTP_FROM?: string | undefined },
  problems: string[],
): { url: string; from: string } | null {
  if (!url) {
    if (from) problems.push('SMTP_FROM is set but SMTP_URL is not: set both, or neither.')
    return null
  }
  if (!isSmtpUrl(url)) {
    problems.push('SMTP_URL must be like smtp://user:password@mail.example.com:587 or smtps://mail.example.com.')
  }
  if (!from || from.length > 254 || !ADDRESS.test(from)) {
    problems.push('SMTP_FROM must be one e-mail address, such as fieldhook@example.com: it is the sender of notices.')
  }
  return { url, from: from ?? '' }
}

function isSmtpUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:')) return false
  return url.hostname !== '' && (url.pathname === '' || url.pathname === '/') && url.search === '' && url.hash === ''
}
