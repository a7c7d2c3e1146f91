// Fills a running server's file with an account after weeks of use: events of every object it forwards, spread over
// twenty days, nearly all delivered, some at the second attempt, a few given up, a few pending.
import Database from 'better-sqlite3'
import { v7 as timeOrderedUuid } from 'uuid'
import { days, hours } from '#app/lib/duration.ts'

interface EndpointToFill {
  id: number
  objectType: string
  url: string
}

const RECORDS = 5_000
const BATCH = 5_000
/** One of this many events is given up, fails at first, or is pending. */
const GIVEN_UP = 500
const SECOND_TRY = 20
const WAITS = 2_000

/** A server may be using `file`: written in batches, one transaction each. */
export function fillAccount(input: { file: string; accountUuid: string; events: number; now: number }): void {
  const { accountUuid, events, now } = input
  const sql = new Database(input.file)
  sql.pragma('busy_timeout = 20000')
  sql.pragma('synchronous = OFF')
  const endpoints = sql
    .prepare<[string], EndpointToFill>(
      "SELECT id, object_type AS objectType, url FROM endpoint WHERE account_uuid = ? AND state = 'active' ORDER BY id",
    )
    .all(accountUuid)
  const addEvent = sql.prepare(
    `INSERT INTO event (id, account_uuid, source, object, object_uuid, changed_fields, received_at, dedupe)
     VALUES (?, ?, 'object', ?, ?, '["status","edit_date"]', ?, ?)`,
  )
  const addBody = sql.prepare('INSERT INTO event_body (seq, body) VALUES (?, ?)')
  const addDelivery = sql.prepare(
    `INSERT INTO delivery (event_seq, endpoint_id, account_uuid, object_uuid, cause, cause_no, state, state_reason, due_at,
       deadline_at, attempts, steps, last_code, created_at, settled_at)
     VALUES (?, ?, ?, ?, 'live', 0, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const addAttempt = sql.prepare(
    `INSERT INTO attempt (delivery_id, account_uuid, endpoint_id, url, number, at, duration_ms, dns_ms, connect_ms, tls_ms,
       first_byte_ms, outcome, status_code, sentence, peer_ip, response_body)
     VALUES (?, ?, ?, ?, ?, ?, ?, 4, 12, 30, 40, ?, ?, ?, '203.0.113.9', 'ok')`,
  )
  const addHour = sql.prepare(
    `INSERT INTO endpoint_hour (endpoint_id, hour, events, delivered, failed, duration_sum_ms, duration_max_ms)
     VALUES (?, ?, 1, 1, 0, 86, 86)
     ON CONFLICT (endpoint_id, hour) DO UPDATE SET events = events + 1, delivered = delivered + 1,
       duration_sum_ms = duration_sum_ms + 86`,
  )
  const setEndpoint = sql.prepare(
    `UPDATE endpoint SET last_success_at = ?, last_attempt_at = ?, last_code = 200, last_sentence = 'Delivered.',
       pending_count = pending_count + ? WHERE id = ?`,
  )
  const waiting = new Map<number, number>()

  function add(n: number): void {
    const endpoint = endpoints[n % endpoints.length]
    if (!endpoint) throw new Error('the account forwards nothing')
    const at = Math.round(now - days(20) * (1 - (n + 1) / events))
    const record = recordUuid(n)
    const id = timeOrderedUuid({ msecs: at })
    const seq = Number(addEvent.run(id, accountUuid, endpoint.objectType, record, at, `fill-${n}`).lastInsertRowid)
    const entry = [{ uuid: record, changed_fields: ['status', 'edit_date'], time: new Date(at).toISOString() }]
    const resource_url = `https://api.servicem8.com/api_1.0/${endpoint.objectType}/${record}.json`
    addBody.run(seq, JSON.stringify({ object: endpoint.objectType.toUpperCase(), entry, resource_url }))
    const waits = n % WAITS === 0
    const givenUp = n % GIVEN_UP === 1
    const tries = givenUp || n % SECOND_TRY === 0 ? 2 : 1
    const state = waits ? 'pending' : givenUp ? 'expired' : 'delivered'
    const delivery = addDelivery.run(
      seq,
      endpoint.id,
      accountUuid,
      record,
      state,
      givenUp ? 'Not delivered within 72 hours.' : null,
      waits ? now + hours(1) : at,
      now + hours(72),
      tries,
      tries - 1,
      state === 'delivered' ? 200 : 500,
      at,
      waits ? null : at,
    )
    for (let number = 1; number <= tries; number++) {
      const delivered = state === 'delivered' && number === tries
      const [outcome, code, sentence] = delivered
        ? ['delivered', 200, 'Delivered: your address answered 200.']
        : ['http_error', 500, 'Your address answered 500. The receiving system reported an error.']
      const { id: endpointId, url } = endpoint
      addAttempt.run(delivery.lastInsertRowid, accountUuid, endpointId, url, number, at, 86, outcome, code, sentence)
    }
    if (waits) waiting.set(endpoint.id, (waiting.get(endpoint.id) ?? 0) + 1)
    addHour.run(endpoint.id, Math.floor(at / hours(1)))
  }

  const addBatch = sql.transaction((from: number, to: number) => {
    for (let n = from; n < to; n++) add(n)
  })
  for (let from = 0; from < events; from += BATCH) addBatch.immediate(from, Math.min(events, from + BATCH))
  for (const { id } of endpoints) setEndpoint.run(now, now, waiting.get(id) ?? 0, id)
  sql.close()
}

function recordUuid(n: number): string {
  return `5f1c3a52-7a33-4f0e-9c41-${String(n % RECORDS).padStart(12, '0')}`
}
