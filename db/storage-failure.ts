/** True = the database itself fails, not one row: nothing can be written now. */
export function isStorageFailure(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CORRUPT|CANTOPEN|NOTADB|NOMEM|PROTOCOL|INTERRUPT)/.test(code)
}
