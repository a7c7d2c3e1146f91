// Times in rows that all instances write come from one clock, the server's: theirs may differ.

/** The moment as an expression: `@now` where a test gives one, else the server's, in ms. */
export const NOW = 'coalesce(CAST(@now AS bigint), CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint))'

/** Null = the server's own clock. */
export type TestClock = (() => number) | null
