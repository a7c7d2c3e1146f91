// The platform a database belongs to: the real one or the sandbox. Stored in the file's header (`PRAGMA
// application_id`), so every backup includes it.
import type { Sql } from './sql.ts'

type PlatformKind = 'sandbox' | 'servicem8'

/** Four letters each, as `file` and SQLite's own list of applications show them. */
const MARKS: Record<PlatformKind, number> = {
  sandbox: Buffer.from('FHsb').readInt32BE(),
  servicem8: Buffer.from('FHs8').readInt32BE(),
}

/** Null = no mark: a new database, or one of a release that set none. */
export function platformOf(sql: Sql): PlatformKind | null {
  const mark = sql.pragma('application_id', { simple: true })
  return (Object.keys(MARKS) as PlatformKind[]).find((name) => MARKS[name] === mark) ?? null
}

/** Returns the database's kind. Marks an unmarked one (new, or from a release that set no mark) as `kind`. */
export function claimFor(sql: Sql, kind: PlatformKind): PlatformKind {
  const known = platformOf(sql)
  if (!known) sql.pragma(`application_id = ${MARKS[kind]}`)
  return known ?? kind
}
