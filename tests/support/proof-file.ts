// What a database file holds after everything that was done to its server, held against what was answered 200.
import Database from 'better-sqlite3'
import { pause } from './proof-server.ts'

export interface FileFindings {
  /** "ok", or the first thing that is wrong with the file itself. */
  integrity: string
  events: number
  /** Acknowledged records that are not stored. */
  missing: string[]
  /** Acknowledged records that are stored and not delivered. */
  undelivered: string[]
  /** Records stored more than once. */
  storedTwice: number
  waiting: number
  /** Counters that say something else than the rows, one sentence each. */
  wrongCounters: string[]
}

/** Opens the file read-only. `gone` = records that retention was allowed to remove: those are not looked for. */
export function examineFile(
  databaseFile: string,
  acknowledged: Iterable<string>,
  gone: ReadonlySet<string> = new Set(),
): FileFindings {
  const sql = new Database(databaseFile, { readonly: true })
  try {
    const one = (text: string) => sql.prepare<[], number>(text).pluck().get() ?? 0
    const stored = new Map<string, { times: number; delivered: boolean }>()
    const rows = sql.prepare<[], { record: string; delivered: 0 | 1 }>(
      `SELECT object_uuid AS record,
         NOT EXISTS (SELECT 1 FROM delivery d WHERE d.event_seq = e.seq AND d.state <> 'delivered') AS delivered
       FROM event e WHERE source <> 'test'`,
    )
    for (const { record, delivered } of rows.iterate()) {
      const known = stored.get(record)
      stored.set(record, { times: (known?.times ?? 0) + 1, delivered: delivered === 1 && (known?.delivered ?? true) })
    }
    const expected = [...acknowledged].filter((record) => !gone.has(record))
    return {
      integrity: integrityOf(sql),
      events: stored.size,
      missing: expected.filter((record) => !stored.has(record)),
      undelivered: expected.filter((record) => stored.get(record)?.delivered === false),
      storedTwice: [...stored.values()].filter(({ times }) => times > 1).length,
      waiting: one("SELECT count(*) FROM delivery WHERE state = 'pending'"),
      wrongCounters: wrongCounters(one, gone.size > 0),
    }
  } finally {
    sql.close()
  }
}

/** Resolves when no delivery waits any more, or after `ms`: what is stuck then is in the findings. */
export async function untilNothingWaits(databaseFile: string, ms: number): Promise<void> {
  const deadline = Date.now() + ms
  const sql = new Database(databaseFile, { readonly: true })
  try {
    const oneWaits = sql.prepare("SELECT 1 FROM delivery WHERE state = 'pending' LIMIT 1")
    while (oneWaits.get() && Date.now() < deadline) await pause(200)
  } finally {
    sql.close()
  }
}

function integrityOf(sql: Database.Database): string {
  const said = sql.pragma('integrity_check(1)', { simple: true })
  if (said !== 'ok') return String(said)
  const foreign = sql.pragma('foreign_key_check') as { table: string }[]
  return foreign[0] ? `a row of ${foreign[0].table} belongs to nothing` : 'ok'
}

/** Counters are written with what they count: after any number of crashes they must still agree with the rows. */
function wrongCounters(one: (text: string) => number, eventsRemoved: boolean): string[] {
  const pending = "(SELECT count(*) FROM delivery WHERE state = 'pending')"
  const pairs: [string, string, string][] = [
    [
      'waiting deliveries of all endpoints',
      'SELECT coalesce(sum(pending_count), 0) FROM endpoint',
      `SELECT ${pending}`,
    ],
    [
      'waiting deliveries of all accounts',
      'SELECT coalesce(sum(pending_count), 0) FROM account_load',
      `SELECT ${pending}`,
    ],
    [
      'deliveries whose attempts are not as many as their rows',
      'SELECT count(*) FROM delivery d WHERE attempts <> (SELECT count(*) FROM attempt a WHERE a.delivery_id = d.id)',
      'SELECT 0',
    ],
  ]
  const usage = (kind: string) => `SELECT coalesce(sum(count), 0) FROM usage_day WHERE kind = '${kind}'`
  if (!eventsRemoved) {
    pairs.push(
      ['events received', usage('webhook_received'), "SELECT count(*) FROM event WHERE source <> 'test'"],
      ['events forwarded', usage('webhook_forwarded'), "SELECT count(*) FROM delivery WHERE state = 'delivered'"],
    )
  }
  return pairs.flatMap(([what, counter, rows]) => {
    const [counted, found] = [one(counter), one(rows)]
    return counted === found ? [] : [`${what}: counted ${counted}, found ${found}`]
  })
}
