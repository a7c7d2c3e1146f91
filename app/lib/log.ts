type Fields = Record<string, unknown>

/** Structured log: one line per request, attempt, run and step. `message` is `noun.verb`; logs ids, never bodies. */
export interface Log {
  debug(fields: Fields, message: string): void
  info(fields: Fields, message: string): void
  warn(fields: Fields, message: string): void
  error(fields: Fields, message: string): void
  child(fields: Fields): Log
}
