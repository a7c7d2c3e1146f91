// Compares a database file, after everything done to its server, with the events answered 200.
import Database from 'better-sqlite3'
import { pause } from './server.ts'

export interface FileFindings {
  /** "ok", or the first error in the file itself. */
  integrity: string
  events: number
  /** Acknowledged records that are not stored. */
  missing: string[]
  /** Acknowledged records that are stored but not delivered. */
  undelivered: string[]
  /** Records stored more than once. */
  storedTwice: number
  waiting: number
  /** Counters that differ from the rows, one sentence each. */
  wrongCounters: string[]
}

/** Opens the file read-only. `gone` = records that retention was allowed to remove: their absence is no error. */
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

/** Resolves when no delivery (to one of `urls`) is pending any more, or after `ms`: the findings show stuck ones. */
export async function untilNothingWaits(databaseFile: string, ms: number, urls?: readonly string[]): Promise<void> {
  const deadline = Date.now() + ms
  const sql = new Database(databaseFile, { readonly: true })
  try {
    const to = urls ? 'endpoint_id IN (SELECT id FROM endpoint WHERE url IN (SELECT value FROM json_each(?))) AND' : ''
    const oneWaits = sql.prepare<string[]>(`SELECT 1 FROM delivery WHERE ${to} state = 'pending' LIMIT 1`)
    const given = urls ? [JSON.stringify(urls)] : []
    while (oneWaits.get(...given) && Date.now() < deadline) await pause(200)
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

/** Counters are written together with the rows they count: they must agree after any number of crashes. */
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
      // The reason why a delivery ended without another attempt is also a row, but no attempt.
      `SELECT count(*) FROM delivery d WHERE attempts <> (SELECT count(*) FROM attempt a
         WHERE a.delivery_id = d.id AND a.outcome NOT IN ('expired', 'stopped'))`,
      'SELECT 0',
    ],
  ]
  const usage = (kind: string) => `SELECT coalesce(sum(count), 0) FROM usage_day WHERE kind = '${kind}'`
  if (!eventsRemoved) {
    pairs.push(
      ['events received', usage('webhook_received'), "SELECT count(*) FROM event WHERE source <> 'test'"],
      // A replay that overtook a pending delivery also settles it, with a reason; the event is sent once.
      [
        'events forwarded',
        usage('webhook_forwarded'),
        "SELECT count(*) FROM delivery WHERE state = 'delivered' AND state_reason IS NULL AND cause <> 'test'",
      ],
    )
  }
  return pairs.flatMap(([what, counter, rows]) => {
    const [counted, found] = [one(counter), one(rows)]
    return counted === found ? [] : [`${what}: counted ${counted}, found ${found}`]
  })
}
