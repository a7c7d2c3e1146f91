// Writes events, deliveries and attempts directly into a test's database, for searches without a running engine.
import { v7 as timeOrderedUuid } from 'uuid'
import type { Client } from '#db/sqlite/client.server.ts'

export interface EventRow {
  account: string
  object?: string
  record?: string
  fields?: string[]
  receivedAt: number
  source?: 'object' | 'test'
  /** Null when the body is no longer stored. */
  body?: string | null
}

export interface DeliveryRow {
  account: string
  seq: number
  endpointId: number
  state?: 'pending' | 'delivered' | 'expired' | 'stopped'
  stateReason?: string | null
  cause?: 'live' | 'replay' | 'retry' | 'test'
  causeNo?: number
  dueAt?: number
  at?: number
  attempts?: AttemptRow[]
}

interface AttemptRow {
  /** Null when no answer came. */
  code?: number | null
  /** `expired` and `stopped` explain why nothing was sent; they are no attempts. */
  outcome?: string
  at?: number
  url?: string
  sentence?: string
  durationMs?: number
  timing?: [dns: number | null, connect: number | null, tls: number | null, firstByte: number | null]
  peerIp?: string | null
  responseBody?: string | null
}

let made = 0

export function deliveryRows({ sql }: Client) {
  const addEndpoint = sql.prepare(
    `INSERT INTO endpoint (account_uuid, object_type, field_filter, url, secret_sealed, state, state_since, breaker,
       hold_until, hold_reason, next_probe_at, breaker_probes, failure_streak, failure_events, redirect_streak,
       pending_count, created_at)
     VALUES (@account, 'job', '', @url, '', @state, 0, @breaker, @holdUntil, @holdReason, @nextProbeAt, 0, 0, '[]', 0, 0, 0)`,
  )
  const addEvent = sql.prepare(
    `INSERT INTO event (id, account_uuid, source, object, object_uuid, changed_fields, received_at, dedupe)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const addBody = sql.prepare('INSERT INTO event_body (seq, body) VALUES (?, ?)')
  const addDelivery = sql.prepare(
    `INSERT INTO delivery (event_seq, endpoint_id, account_uuid, object_uuid, cause, cause_no, state, state_reason, due_at,
       deadline_at, attempts, steps, last_code, created_at, settled_at)
     VALUES (@seq, @endpointId, @account, 'r', @cause, @causeNo, @state, @stateReason, @dueAt, CAST(@at AS bigint) + 259200000, @attempts, 0,
       @lastCode, @at, @settledAt)`,
  )
  const addAttempt = sql.prepare(
    `INSERT INTO attempt (delivery_id, account_uuid, endpoint_id, url, number, at, duration_ms, dns_ms, connect_ms, tls_ms,
       first_byte_ms, outcome, status_code, sentence, peer_ip, response_body)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return {
    endpoint(given: {
      account: string
      url?: string
      state?: string
      breaker?: 'closed' | 'open'
      holdUntil?: number | null
      holdReason?: string | null
      nextProbeAt?: number | null
    }): number {
      const { url = 'https://example.com/in', state = 'active', breaker = 'closed' } = given
      const { holdUntil = null, holdReason = null, nextProbeAt = null, account } = given
      const row = { account, url, state, breaker, holdUntil, holdReason, nextProbeAt }
      return Number(addEndpoint.run(row).lastInsertRowid)
    },

    event(given: EventRow): { seq: number; id: string } {
      const { account, object = 'job', record = 'r-1', fields = ['status'], receivedAt, source = 'object' } = given
      const { body = '{"object":"job"}' } = given
      made++
      const id = timeOrderedUuid({ msecs: receivedAt })
      const added = addEvent.run(id, account, source, object, record, JSON.stringify(fields), receivedAt, `row-${made}`)
      const seq = Number(added.lastInsertRowid)
      if (body !== null) addBody.run(seq, body)
      return { seq, id }
    },

    delivery(given: DeliveryRow): number {
      const { account, seq, endpointId, state = 'pending', stateReason = null, at = 0, attempts = [] } = given
      const { cause = 'live', causeNo = 0, dueAt = at } = given
      const tries = attempts.filter((one) => one.outcome !== 'expired' && one.outcome !== 'stopped')
      const settledAt = state === 'pending' ? null : at
      const lastCode = tries.at(-1)?.code ?? null
      const row = { seq, endpointId, account, cause, causeNo, state, stateReason, dueAt, at, lastCode, settledAt }
      const id = Number(addDelivery.run({ ...row, attempts: tries.length }).lastInsertRowid)
      attempts.forEach((one, index) => {
        const { code = null, url = 'https://example.com/in', sentence = 'It was said.', durationMs = 20 } = one
        const outcome = one.outcome ?? (code !== null && code < 300 ? 'delivered' : 'http_error')
        const [dns, connect, tls, firstByte] = one.timing ?? [null, null, null, null]
        const who = [id, account, endpointId, url, index + 1, one.at ?? at + index, durationMs]
        const { peerIp = null, responseBody = null } = one
        addAttempt.run(...who, dns, connect, tls, firstByte, outcome, code, sentence, peerIp, responseBody)
      })
      return id
    },
  }
}
