// Which platform a database belongs to: real firms or the sandbox's. Stands in the file's own header (`PRAGMA application_id`), so
// that it is copied with every backup.
import type { Sql } from './sql.ts'

type PlatformKind = 'sandbox' | 'servicem8'

/** Four letters each, as `file` and SQLite's own list of applications show them. */
const MARKS: Record<PlatformKind, number> = {
  sandbox: Buffer.from('FHsb').readInt32BE(),
  servicem8: Buffer.from('FHs8').readInt32BE(),
}

/**
 * The kind that the database belongs to. One that belongs to nobody yet (new, or from a release that did not mark it) is marked as `kind`.
 */
export function claimFor(sql: Sql, kind: PlatformKind): PlatformKind {
  const mark = sql.pragma('application_id', { simple: true })
  const known = (Object.keys(MARKS) as PlatformKind[]).find((name) => MARKS[name] === mark)
  if (!known) sql.pragma(`application_id = ${MARKS[kind]}`)
  return known ?? kind
}
