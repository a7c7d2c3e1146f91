// Why a PostgreSQL server cannot be used, as one sentence with the next step.

export interface ServerSettings {
  /** 180004 = 18.4 */
  version: number
  fsync: string
  fullPageWrites: string
  synchronousCommit: string
  encoding: string
  /** 1 = it follows another server. */
  standby: number
  readOnly: string
  /** 1 = the user may create tables. */
  creates: number
}

/** @param setting where the address stands */
export const pooledSentence = (setting: string): string =>
  `A pooler stands between Fieldhook and the database server. Give ${setting} the direct address of the server.`

export const noTablesSentence = (setting: string, url: string): string =>
  `The user in ${setting} may not create tables at ${placeOf(url)}. Make it the owner of the database.`

/** SQLSTATE of a server that takes no connections yet, or no more. */
const STARTING = '57P03'

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '')

export function isStarting(error: unknown): boolean {
  return codeOf(error) === STARTING
}

/** SQLSTATE of what failed before there was a connection, where nobody told one. */
export const NOT_CONNECTED = '08001'

const OLDEST_VERSION = 150_000

/** Null = the server keeps what it commits, and knows what we ask of it. */
export function settingsProblem(settings: ServerSettings): string | null {
  const { version, fsync, fullPageWrites, synchronousCommit, encoding, standby, readOnly } = settings
  if (standby) return 'The database server is a standby, which only reads. Name its primary.'
  if (readOnly === 'on') return 'The database only reads (default_transaction_read_only = on). Turn that off.'
  if (version < OLDEST_VERSION) {
    return `PostgreSQL ${Math.floor(version / 10_000)} is too old. Fieldhook needs version 15 or newer.`
  }
  const off = Object.entries({ fsync, full_page_writes: fullPageWrites, synchronous_commit: synchronousCommit })
    .filter(([, value]) => value === 'off')
    .map(([name]) => name)
  if (off.length > 0) {
    return `The database server runs with ${off.map((name) => `${name} = off`).join(' and ')}, so a power cut would lose accepted events. Turn ${off.length === 1 ? 'it' : 'them'} on.`
  }
  if (encoding !== 'UTF8') return `The database has the encoding ${encoding}. Create one with UTF8.`
  return null
}

/**
 * By SQLSTATE or the code of the network's error. Null = nothing the operator can read from it.
 *
 * @param setting where the address stands
 */
export function connectionProblem(error: unknown, url: string, setting = 'DATABASE_URL'): string | null {
  // A statement fails with what its connection said as the cause.
  const told = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = codeOf(told)
  const message = told instanceof Error ? told.message : ''
  const at = placeOf(url)
  // A file that the address names, such as a certificate.
  if (told instanceof Error && 'path' in told)
    return `${told.path} cannot be read (${code}). Check sslrootcert, sslcert and sslkey in ${setting}.`
  if (/^(ENOTFOUND|EAI_AGAIN)$/.test(code)) return `No server has the name in ${setting} (${at}). Check the address.`
  const words = `${code} ${message}`
  if (/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ENOENT) |timeout (expired|exceeded)/.test(words))
    return `No database answers at ${at}. Check the address, and that the server runs.`
  const cut = /^(ECONNRESET|EPIPE) |terminated unexpectedly/.test(words)
  const connected = codeOf(error) !== NOT_CONNECTED
  if (connected && (cut || /^57P0[12] |not queryable/.test(words)))
    return `The connection to ${at} broke off. Run the command again.`
  if (cut || /received invalid response|error establishing an SSL/.test(message)) {
    return `The connection to ${at} ended at once. Check that a PostgreSQL server answers there, and no proxy.`
  }
  const refusal = `The database at ${at} refuses the user or the password in ${setting}.`
  const sentences: Record<string, string> = {
    '28P01': refusal,
    '28000': refusal,
    '3D000': `The server at ${at} has no such database. Create it, or name another in ${setting}.`,
    '42501': noTablesSentence(setting, url),
    '42P01': `The database at ${at} has no tables of Fieldhook. Start it there once, or check ${setting}.`,
    '53300': `The server at ${at} has no free connection. Fieldhook needs up to 14 for each instance: raise max_connections.`,
    '25006': `The database at ${at} only reads. Check that ${setting} names a primary, and default_transaction_read_only.`,
    '55000': `The database at ${at} accepts no connections. Allow them there, or name another in ${setting}.`,
    [STARTING]: `The database server at ${at} is starting or stopping. Try again in a minute.`,
    '53100': `The disk of the database server at ${at} is full. Make room, then start again.`,
  }
  if (sentences[code]) return sentences[code]
  if (/does not support SSL/.test(message))
    return `The server at ${at} speaks no TLS, and sslmode in ${setting} demands it. Set ssl = on there.`
  if (/certificate|self.signed|SSL|TLS/i.test(words)) {
    return `The certificate of the server at ${at} was not accepted (${message}). Check sslmode and sslrootcert in ${setting}.`
  }
  return null
}

/** Without the password. */
export function placeOf(url: string): string {
  const address = URL.parse(url)
  return address ? `${address.host}${address.pathname}` : 'the address that was given'
}
