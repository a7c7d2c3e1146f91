// Compares counters with the rows they count, and rows with the model. Each query returns the differences.
import type { Client } from '#db/sqlite/client.server.ts'
import type { Model } from './model.ts'

const ATTEMPT = "a.outcome NOT IN ('expired', 'stopped')"

const QUESTIONS: Record<string, string> = {
  'what waits, per endpoint': `SELECT p.id AS endpoint, p.pending_count AS counter, count(d.id) AS rows
    FROM endpoint p LEFT JOIN delivery d ON d.endpoint_id = p.id AND d.state = 'pending'
    GROUP BY p.id HAVING counter <> rows`,
  'what waits, per account': `SELECT w.uuid, coalesce(l.pending_count, 0) AS counter, w.waiting AS rows,
      coalesce(l.pending_bytes, 0) AS counted_bytes, w.bytes AS bytes
    FROM (SELECT a.uuid, count(d.id) AS waiting, coalesce(sum(length(b.body)), 0) AS bytes FROM account a
      LEFT JOIN delivery d ON d.account_uuid = a.uuid AND d.state = 'pending' LEFT JOIN event_body b ON b.seq = d.event_seq
      GROUP BY a.uuid) w LEFT JOIN account_load l ON l.account_uuid = w.uuid
    WHERE counter <> w.waiting OR counted_bytes <> w.bytes`,
  'attempts of a delivery': `SELECT d.id AS delivery, d.attempts AS counter, count(a.id) AS rows
    FROM delivery d LEFT JOIN attempt a ON a.delivery_id = d.id AND ${ATTEMPT}
    GROUP BY d.id HAVING counter <> rows`,
  'events, per endpoint and hour': `SELECT h.endpoint_id AS endpoint, h.hour, h.events AS counter,
      (SELECT count(*) FROM delivery d WHERE d.endpoint_id = h.endpoint_id AND d.cause = 'live'
        AND d.created_at / 3600000 = h.hour) AS rows
    FROM endpoint_hour h WHERE counter <> rows`,
  'attempts, per endpoint and hour': `SELECT h.endpoint_id AS endpoint, h.hour, h.delivered AS delivered, h.failed AS failed,
      h.duration_sum_ms AS total_ms, h.duration_max_ms AS longest_ms, r.*
    FROM endpoint_hour h LEFT JOIN (SELECT a.endpoint_id, (a.at + a.duration_ms) / 3600000 AS hour,
        sum(a.outcome = 'delivered') AS good, sum(a.outcome <> 'delivered') AS bad,
        sum(a.duration_ms * (a.outcome = 'delivered')) AS ms, max(a.duration_ms * (a.outcome = 'delivered')) AS most
      FROM attempt a WHERE ${ATTEMPT} GROUP BY 1, 2) r
      ON r.endpoint_id = h.endpoint_id AND r.hour = h.hour
    WHERE h.delivered <> coalesce(r.good, 0) OR h.failed <> coalesce(r.bad, 0)
      OR h.duration_sum_ms <> coalesce(r.ms, 0) OR h.duration_max_ms <> coalesce(r.most, 0)`,
  'attempts counted in no hour': `SELECT a.id AS attempt FROM attempt a WHERE ${ATTEMPT} AND NOT EXISTS
    (SELECT 1 FROM endpoint_hour h WHERE h.endpoint_id = a.endpoint_id AND h.hour = (a.at + a.duration_ms) / 3600000)`,
  'events received, per account and day': `SELECT e.account_uuid, e.received_at / 86400000 AS day, count(*) AS rows,
      coalesce((SELECT count FROM usage_day u WHERE u.account_uuid = e.account_uuid AND u.day = e.received_at / 86400000
        AND u.kind = 'webhook_received'), 0) AS counter
    FROM event e WHERE e.source <> 'test' GROUP BY 1, 2 HAVING counter <> rows`,
  'events forwarded, per account and day': `SELECT u.account_uuid, u.day, u.count AS counter,
      (SELECT count(*) FROM delivery d WHERE d.account_uuid = u.account_uuid AND d.state = 'delivered'
        AND d.state_reason IS NULL AND d.cause <> 'test' AND d.settled_at / 86400000 = u.day) AS rows
    FROM usage_day u WHERE u.kind = 'webhook_forwarded' AND counter <> rows`,
  'events forwarded, in all': `SELECT (SELECT count(*) FROM delivery WHERE state = 'delivered' AND state_reason IS NULL
        AND cause <> 'test') AS rows,
      coalesce((SELECT sum(count) FROM usage_day WHERE kind = 'webhook_forwarded'), 0) AS counter WHERE counter <> rows`,
  'deliveries of a replay': `SELECT r.id AS replay, r.made, r.delivered, r.undelivered, count(d.id) AS rows,
      coalesce(sum(d.state = 'delivered'), 0) AS good, coalesce(sum(d.state IN ('expired', 'stopped')), 0) AS bad
    FROM replay r LEFT JOIN delivery d ON d.cause = 'replay' AND d.cause_no = r.id AND d.endpoint_id = r.endpoint_id
    GROUP BY r.id HAVING r.made <> rows OR r.delivered <> good OR r.undelivered <> bad`,
  'ends without a moment, or a moment without an end': `SELECT id AS delivery, state, settled_at FROM delivery
    WHERE (state = 'pending') <> (settled_at IS NULL)`,
  'ends without a sentence in the log': `SELECT d.id AS delivery, d.state FROM delivery d
    WHERE d.state IN ('expired', 'stopped') AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.delivery_id = d.id
      AND a.sentence <> '' AND a.outcome NOT IN ('delivered') AND (${ATTEMPT} OR a.outcome = d.state))`,
  'events without a body': 'SELECT e.seq FROM event e LEFT JOIN event_body b ON b.seq = e.seq WHERE b.seq IS NULL',
}

/** Compares every counter with its rows. */
export function audit(model: Model, { sql }: Client): void {
  for (const [name, question] of Object.entries(QUESTIONS)) {
    const [first] = sql.prepare<[], Record<string, unknown>>(question).all()
    if (first) model.violate(`counters and rows differ (${name}): ${JSON.stringify(first)}`)
  }
  const select = sql.prepare<[], { id: number; state: string; dueAt: number; attempts: number; deadlineAt: number }>(
    'SELECT id, state, due_at AS dueAt, attempts, deadline_at AS deadlineAt FROM delivery',
  )
  const rows = select.all()
  if (rows.length !== model.deliveries.size)
    model.violate(`${rows.length} deliveries instead of ${model.deliveries.size}`)
  for (const row of rows) {
    const { state, dueAt, attempts, deadlineAt } = model.deliveries.get(row.id) ?? row
    if (row.state !== state || row.dueAt !== dueAt || row.attempts !== attempts || row.deadlineAt !== deadlineAt) {
      model.violate(
        `delivery ${row.id} is ${JSON.stringify(row)} instead of ${JSON.stringify({ state, dueAt, attempts, deadlineAt })}`,
      )
    }
  }
  const duplicates = sql
    .prepare<[], { account: string; day: number; count: number }>(
      "SELECT account_uuid AS account, day, count FROM usage_day WHERE kind = 'duplicate'",
    )
    .all()
  const counted = new Map(duplicates.map(({ account, day, count }) => [`${account}|${day}`, count]))
  for (const key of new Set([...counted.keys(), ...model.counts.duplicates.keys()])) {
    const wanted = model.counts.duplicates.get(key) ?? 0
    if (counted.get(key) !== wanted)
      model.violate(`${counted.get(key)} duplicates counted for ${key} instead of ${wanted}`)
  }
}

/** Checks the file itself. */
export function auditFile(model: Model, { sql }: Client): void {
  const integrity = sql.pragma('integrity_check', { simple: true })
  if (integrity !== 'ok') model.violate(`the file is damaged: ${String(integrity)}`)
  if ((sql.pragma('foreign_key_check') as unknown[]).length > 0) model.violate('a foreign key leads nowhere')
}
