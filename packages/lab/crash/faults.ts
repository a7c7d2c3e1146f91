/** Where a server kills itself: at one statement, or at the commit of its transaction. */
export interface Fault {
  /** Regular expression over the SQL text. */
  statement: string
  /** At the nth execution of such a statement. */
  nth: number
  point: FaultPoint
}

export const FAULT_POINTS = ['before', 'after', 'before commit', 'after commit'] as const
export type FaultPoint = (typeof FAULT_POINTS)[number]

export interface FaultPlace {
  name: string
  statement: string
  nth: number
  /** How to reach the fault: events, moving the clock on, a replay left for the start, or the start alone. */
  by: 'events' | 'clock' | 'replay' | 'start'
}

/**
 * Where a crash hurts most (delivery-engine 2.8), by the statements that do the work there, each so specific that
 * nothing else matches earlier. A unit test compares them with the statements that the store prepares.
 */
export const FAULT_PLACES: readonly FaultPlace[] = [
  { name: 'ingest commit', statement: '^INSERT INTO event_body', nth: 40, by: 'events' },
  { name: 'ingest commit, deliveries', statement: '^INSERT INTO delivery [^]*settled_at', nth: 25, by: 'events' },
  { name: 'settle', statement: '^INSERT INTO attempt [^]*first_byte_ms', nth: 15, by: 'events' },
  { name: 'counters', statement: '^UPDATE endpoint SET pending_count = max', nth: 9, by: 'events' },
  { name: 'take-over after a crash', statement: '^DELETE FROM account_load', nth: 1, by: 'start' },
  { name: 'replay creation', statement: "^INSERT INTO delivery [^]*'replay'", nth: 12, by: 'replay' },
  { name: 'retention step, bodies', statement: '^DELETE FROM event_body', nth: 30, by: 'clock' },
  { name: 'retention step, events', statement: '^DELETE FROM event WHERE', nth: 30, by: 'clock' },
]

export const MIGRATION: FaultPlace = { name: 'migration', statement: '^\\s*CREATE TABLE', nth: 7, by: 'start' }
