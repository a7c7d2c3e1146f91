// The minimal loop: the least that a durable forwarder can do. `node:http`, one grouped insert of one row per event
// (WAL, FULL) before the answer, one post with undici, one row updated with its result. One address per token.
import { mkdirSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { Agent } from 'undici'
import type { MinimalInput } from './wire.ts'

const { database, urls } = JSON.parse(process.argv[2] ?? '{}') as MinimalInput
mkdirSync(dirname(database), { recursive: true })
const sql = new Database(database)
sql.pragma('journal_mode = WAL')
sql.pragma('synchronous = FULL')
sql.exec('CREATE TABLE event (id INTEGER PRIMARY KEY, url TEXT, body TEXT, state INTEGER)')

interface Arrival {
  res: ServerResponse
  url: string
  body: string
}

const insert = sql.prepare('INSERT INTO event (url, body, state) VALUES (?, ?, 0)')
const update = sql.prepare('UPDATE event SET state = 1 WHERE id = ?')
const writeAll = sql.transaction((arrivals: Arrival[], ended: number[]) => {
  for (const id of ended) update.run(id)
  return arrivals.map(({ url, body }) => Number(insert.run(url, body).lastInsertRowid))
})

const agent = new Agent({ connections: 4, pipelining: 1 })
const RECEIVED = '{"received":true}'
let arrivals: Arrival[] = []
let ended: number[] = []
let planned = false

function plan(): void {
  if (planned) return
  planned = true
  setImmediate(() => {
    planned = false
    const [batch, results] = [arrivals, ended]
    ;[arrivals, ended] = [[], []]
    const ids = writeAll.immediate(batch, results)
    batch.forEach((arrival, at) => {
      arrival.res.writeHead(200, { 'content-type': 'application/json', 'content-length': RECEIVED.length })
      arrival.res.end(RECEIVED)
      void send(ids[at] ?? 0, arrival)
    })
  })
}

async function send(id: number, { url, body }: Arrival): Promise<void> {
  const { origin, pathname } = new URL(url)
  const headers = { 'content-type': 'application/json' }
  const answer = await agent.request({ origin, path: pathname, method: 'POST', headers, body })
  await answer.body.dump()
  ended.push(id)
  plan()
}

const server = createServer((req, res) => {
  const url = urls[Number((req.url ?? '').split('/').at(-1))]
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  req.on('end', () => {
    if (!url) {
      res.writeHead(404).end()
      return
    }
    arrivals.push({ res, url, body: Buffer.concat(chunks).toString('utf8') })
    plan()
  })
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('disconnect', () => process.exit(0))
