/** SQLite: full, unreadable, locked, read-only … */
const OF_A_FILE = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CORRUPT|CANTOPEN|NOTADB|NOMEM|PROTOCOL|INTERRUPT)/
/**
 * PostgreSQL, by class of SQLSTATE: connection (08), read-only (25), conflict with another transaction (40), resources
 * (53), locks not given (55), stopped from outside (57), the system (58), the server itself (XX).
 */
const OF_A_SERVER = /^(08|25|40|53|55|57|58|XX)[0-9A-Z]{3}$/

/** True = the database itself fails, not one row: nothing can be written now. */
export function isStorageFailure(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return OF_A_FILE.test(code) || OF_A_SERVER.test(code)
}
