// Reads the backup destination and keys from the environment. Reports one sentence per mistake.

export type BackupTo =
  | { kind: 'folder'; path: string }
  | {
      kind: 's3'
      bucket: string
      /** Without leading or trailing slashes; may be empty. */
      prefix: string
      /** An origin, optionally with a path, without a trailing slash. */
      endpoint: string
      region: string
      keyId: string
      secret: string
    }

export interface BackupSettings {
  to: BackupTo
  /** age identities: the first one encrypts, all of them decrypt. */
  keys: string[]
  /** False = the storage removes old backups by its own rules, so a stolen key cannot destroy any. */
  removesOld: boolean
}

export interface BackupVariables {
  BACKUP_TO?: string | undefined
  BACKUP_KEY?: string | undefined
  BACKUP_REMOVE?: string | undefined
  BACKUP_S3_ENDPOINT?: string | undefined
  BACKUP_S3_REGION?: string | undefined
  BACKUP_S3_KEY_ID?: string | undefined
  BACKUP_S3_SECRET?: string | undefined
}

const S3_VARIABLES = ['BACKUP_S3_ENDPOINT', 'BACKUP_S3_REGION', 'BACKUP_S3_KEY_ID', 'BACKUP_S3_SECRET'] as const
/** Without every one of them no backups are configured. */
export const BACKUP_VARIABLES = ['BACKUP_TO', 'BACKUP_KEY', ...S3_VARIABLES] as const
const NAME = /^[\w.-]+$/
const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'

/**
 * Null = no backups are configured. A folder's path is unchanged.
 * @param otherSecrets values that backups must not reuse as keys, by the name of their variable
 * @param problems receives a sentence for each mistake
 */
export function readBackupSettings(
  given: BackupVariables,
  otherSecrets: Readonly<Record<string, string | undefined>>,
  problems: string[],
): BackupSettings | null {
  const keys = (given.BACKUP_KEY ?? '')
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '')
  const identities = keys.filter(isAgeIdentity)
  if (identities.length < keys.length) {
    problems.push(
      'BACKUP_KEY must be an age identity that begins with AGE-SECRET-KEY-1: `npm run backup -- --new-key` makes one.',
    )
  }
  for (const [name, value] of Object.entries(otherSecrets)) {
    if (value && identities.some((key) => value.includes(key))) {
      problems.push(`BACKUP_KEY is the same as ${name}: whoever has the one would have the other.`)
    }
  }
  if (!given.BACKUP_TO) {
    const set = BACKUP_VARIABLES.find((name) => given[name])
    if (set) problems.push(`${set} is set but BACKUP_TO is not: say where backups go, or unset every BACKUP_ setting.`)
    return null
  }
  if (keys.length === 0) {
    problems.push('BACKUP_KEY is missing: BACKUP_TO is set, and a backup is never written unsealed.')
  }
  const to = given.BACKUP_TO.includes('://') ? readS3(given.BACKUP_TO, given, problems) : readFolder(given, problems)
  return to && { to, keys, removesOld: given.BACKUP_REMOVE !== 'no' }
}

function readFolder(given: BackupVariables, problems: string[]): BackupTo {
  for (const name of S3_VARIABLES) {
    if (given[name])
      problems.push(`${name} is set but BACKUP_TO is a folder: unset it, or let BACKUP_TO begin with s3://.`)
  }
  return { kind: 'folder', path: given.BACKUP_TO ?? '' }
}

function readS3(value: string, given: BackupVariables, problems: string[]): BackupTo | null {
  const [, bucket = '', path = ''] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(value) ?? []
  const prefix = path.replace(/\/+$/, '')
  const parts = prefix === '' ? [] : prefix.split('/')
  if (!NAME.test(bucket) || parts.some((part) => !NAME.test(part) || /^\.+$/.test(part))) {
    problems.push(`BACKUP_TO must be a folder, or s3://bucket/prefix of letters, digits, dots and dashes.`)
    return null
  }
  const needed = (name: (typeof S3_VARIABLES)[number], why: string) => {
    if (!given[name]) problems.push(`${name} is missing: ${why}.`)
    return given[name] ?? ''
  }
  const address = needed(
    'BACKUP_S3_ENDPOINT',
    'the store of BACKUP_TO answers there, e.g. https://s3.eu-west-1.amazonaws.com',
  )
  const keyId = needed('BACKUP_S3_KEY_ID', 'it is the access key id for the store of BACKUP_TO')
  const secret = needed('BACKUP_S3_SECRET', 'it is the secret access key for the store of BACKUP_TO')
  const endpoint = address === '' ? '' : readEndpoint(address, problems)
  return { kind: 's3', bucket, prefix, endpoint, region: given.BACKUP_S3_REGION ?? 'auto', keyId, secret }
}

function readEndpoint(value: string, problems: string[]): string {
  const url = URL.parse(value)
  const isOwn = url && (url.hostname === 'localhost' || url.hostname === '[::1]' || /^127\./.test(url.hostname))
  if (url && (url.protocol === 'https:' || (url.protocol === 'http:' && isOwn)) && !url.search && !url.username) {
    return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
  }
  problems.push(`BACKUP_S3_ENDPOINT must begin with https:// (plain http is for this machine only).`)
  return ''
}

/** Bech32 with a valid checksum and 32 bytes, as `age-keygen` writes it. */
export function isAgeIdentity(text: string): boolean {
  if (!/^AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}$/.test(text)) return false
  const prefix = 'age-secret-key-'
  const values = [...text.slice(prefix.length + 1).toLowerCase()].map((letter) => ALPHABET.indexOf(letter))
  const codes = [...prefix].map((letter) => letter.charCodeAt(0))
  return polymod([...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31), ...values]) === 1
}

/** The checksum of Bech32 (BIP 173). */
function polymod(values: readonly number[]): number {
  const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
  let sum = 1
  for (const value of values) {
    const top = sum >>> 25
    sum = ((sum & 0x1ffffff) << 5) ^ value
    for (const [bit, generator] of generators.entries()) if ((top >> bit) & 1) sum ^= generator
  }
  return sum >>> 0
}
