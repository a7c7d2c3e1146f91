// The baseline: a bare `node:http` handler that writes the same three rows per event into the same tables (event, body,
// delivery), one transaction per turn of the event loop, `synchronous=FULL`, and answers after the commit. With
// `forward` it then posts each event to its address with undici. It keeps no counters, looks nothing up, checks no
// duplicates but the unique index, signs nothing, schedules nothing fairly, and never stores the result of a forward.
import { randomUUID } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent } from 'undici'
import { openClient } from '#db/sqlite/client.server.ts'
import type { BareInput } from './wire.ts'

const { database, forward } = JSON.parse(process.argv[2] ?? '{}') as BareInput
const { sql } = openClient(database, 'db/migrations')
sql.pragma('synchronous = FULL')

interface Place {
  accountUuid: string
  endpointId: number
  url: string
}
interface Arrival {
  res: ServerResponse
  place: Place
  uuid: string
  fields: string[]
  body: string
}

const places = new Map(
  (
    sql
      .prepare(
        `SELECT s.token_sealed AS token, e.account_uuid AS accountUuid, e.id AS endpointId, e.url
         FROM subscription s JOIN endpoint e ON e.account_uuid = s.account_uuid`,
      )
      .all() as (Place & { token: string })[]
  ).map((row) => [row.token, row]),
)

const insertEvent = sql.prepare(
  `INSERT INTO event (id, account_uuid, subscription_id, source, object, object_uuid, changed_fields, received_at, dedupe)
   VALUES (?, ?, NULL, 'object', 'job', ?, ?, ?, ?)`,
)
const insertBody = sql.prepare('INSERT INTO event_body (seq, body) VALUES (?, ?)')
const insertDelivery = sql.prepare(
  `INSERT INTO delivery (event_seq, endpoint_id, account_uuid, object_uuid, cause, cause_no, state, due_at, deadline_at,
     attempts, steps, created_at)
   VALUES (?, ?, ?, ?, 'live', 0, 'pending', ?, ?, 0, 0, ?)`,
)
const insertAll = sql.transaction((arrivals: Arrival[]) => {
  const now = Date.now()
  for (const { place, uuid, fields, body } of arrivals) {
    const { lastInsertRowid } = insertEvent.run(
      randomUUID(),
      place.accountUuid,
      uuid,
      JSON.stringify(fields),
      now,
      uuid,
    )
    insertBody.run(lastInsertRowid, body)
    insertDelivery.run(lastInsertRowid, place.endpointId, place.accountUuid, uuid, now, now + 72 * 3_600_000, now)
  }
})

const RECEIVED = '{"received":true}'
let arrivals: Arrival[] = []

function commit(): void {
  const batch = arrivals
  arrivals = []
  insertAll.immediate(batch)
  for (const { res } of batch) {
    res.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': RECEIVED.length })
    res.end(RECEIVED)
  }
  if (forward) {
    waiting.push(...batch)
    sendMore()
  }
}

const agent = new Agent({ connections: 4, pipelining: 1 })
const waiting: Arrival[] = []
let sending = 0

function sendMore(): void {
  while (sending < (forward?.slots ?? 0)) {
    const next = waiting.shift()
    if (!next) return
    sending++
    void send(next)
  }
}

async function send({ place, body }: Arrival): Promise<void> {
  const { origin, pathname } = new URL(place.url)
  const answer = await agent.request({
    origin,
    path: pathname,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  await answer.body.text()
  sending--
  sendMore()
}

const server = createServer((req, res) => {
  const place = places.get((req.url ?? '').slice('/hooks/platform/'.length))
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  req.on('end', () => {
    const body = Buffer.concat(chunks).toString('utf8')
    const [entry] = (JSON.parse(body) as { entry: { uuid: string; changed_fields: string[] }[] }).entry
    if (!place || !entry) {
      res.writeHead(404).end()
      return
    }
    if (arrivals.length === 0) setImmediate(commit)
    arrivals.push({ res, place, uuid: entry.uuid, fields: entry.changed_fields, body })
  })
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('disconnect', () => process.exit(0))
