// Examines a server's files after a soak: its database, and the pretend platform's state.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { examineFile } from '../stage/file.ts'

export interface SoakEnd {
  integrity: string
  events: number
  missing: number
  storedTwice: number
  wrongCounters: string[]
  waitingHealthy: number
  waitingHostile: number
  runsMissing: number
  /** "310 success, 4 partial" */
  runs: string
  tasksTwice: number
}

/** `triggered`: the date of each accepted trigger, which is in the title of the one task it creates. */
export function examineSoak(
  databaseFile: string,
  expected: { healthy: ReadonlySet<string>; hostile: ReadonlySet<string>; triggered: readonly string[] },
): SoakEnd {
  const { healthy, hostile, triggered } = expected
  const file = examineFile(databaseFile, healthy)
  const others = examineFile(databaseFile, hostile)
  const titles = tasksOf(join(dirname(databaseFile), 'sandbox-state.json'))
  const sql = new Database(databaseFile, { readonly: true })
  try {
    const runs = sql
      .prepare<[], { what: string; count: number }>(
        `SELECT coalesce(outcome, state) AS what, count(*) AS count FROM run WHERE source = 'manual' GROUP BY what`,
      )
      .all()
    return {
      integrity: file.integrity,
      events: file.events,
      missing: file.missing.length + others.missing.length,
      storedTwice: file.storedTwice,
      wrongCounters: file.wrongCounters,
      waitingHealthy: file.undelivered.length,
      waitingHostile: others.undelivered.length,
      runsMissing: Math.max(0, triggered.length - runs.reduce((sum, { count }) => sum + count, 0)),
      runs: runs.map(({ what, count }) => `${count} ${what}`).join(', '),
      tasksTwice: titles.length - new Set(titles).size,
    }
  } finally {
    sql.close()
  }
}

/** Titles of the tasks that the soak's rule created. */
function tasksOf(stateFile: string): string[] {
  const state = JSON.parse(readFileSync(stateFile, 'utf8')) as {
    accounts: { records: Record<string, Record<string, unknown>[]> }[]
  }
  return state.accounts
    .flatMap(({ records }) => records.task ?? [])
    .map((task) => String(task.name))
    .filter((name) => name.startsWith('Soak '))
}
