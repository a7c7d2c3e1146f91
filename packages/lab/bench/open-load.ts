// A separate process: an open-loop generator and the receivers, on one clock. Every event has a planned time and is
// posted then, whatever became of the ones before; both of its times count from there.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent } from 'undici'
import {
  monotonicMs,
  numberOf,
  type OpenMessage,
  type OpenOrder,
  type OpenResult,
  requestFor,
  spreadOf,
  templateFor,
} from './wire.ts'

const ADDRESSES = Number(process.argv[2])
/** As many receivers do, these close a connection that is idle this long. */
const IDLE_MS = 5_000
const MOST_THINKING_MS = 50
/** After the load, the rest is waited for as long as something still arrives. */
const SILENCE_MS = 3_000
/** A sceptic's sender has no more than this. */
const agent = new Agent({ connections: 128, pipelining: 1, headersTimeout: 60_000 })

let number = 0
let arrivedAt = new Map<number, number>()
let again = 0
let lastArrival = 0
let hanging = 0

const listen = (server: Server, host: string) =>
  new Promise<string>((done) => server.listen(0, host, () => done(`${host}:${(server.address() as AddressInfo).port}`)))

/** Answers after 0 to 50 ms, each event after another time. */
function receiver(index: number): Server {
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const event = numberOf(Buffer.concat(chunks), 0)
      if (event === null || index < hanging) return event === null ? res.end() : undefined
      if (arrivedAt.has(event)) again++
      else arrivedAt.set(event, monotonicMs())
      lastArrival = monotonicMs()
      setTimeout(() => res.end(), (event * 7_919) % MOST_THINKING_MS)
    })
  })
  server.keepAliveTimeout = IDLE_MS
  return server
}

async function offer({ port, tokens, path, perSecond, seconds, hang = 0 }: OpenOrder): Promise<OpenResult> {
  hanging = hang
  arrivedAt = new Map()
  again = 0
  const origin = `http://127.0.0.1:${port}`
  const templates = tokens.map((token) => ({ path: `${path}${token}`, template: templateFor(token, port) }))
  const first = number + 1
  const plannedAt: number[] = []
  const answers: (number | null)[] = []
  const statuses: Record<string, number> = {}
  const waiting: Promise<void>[] = []
  async function post(at: number, index: number): Promise<void> {
    const one = templates[index % templates.length]
    if (!one) return
    const request = requestFor(one.template, ++number, at)
    const body = request.subarray(request.indexOf('\r\n\r\n') + 4)
    const headers = { 'content-type': 'application/json' }
    try {
      const answer = await agent.request({ origin, path: one.path, method: 'POST', headers, body })
      await answer.body.dump()
      statuses[answer.statusCode] = (statuses[answer.statusCode] ?? 0) + 1
      answers[index] = answer.statusCode === 200 ? monotonicMs() - at : null
    } catch {
      statuses.cut = (statuses.cut ?? 0) + 1
      answers[index] = null
    }
  }
  const from = monotonicMs()
  const end = from + seconds * 1_000
  for (let now = from; now < end; now = monotonicMs()) {
    for (let at = from + (plannedAt.length * 1_000) / perSecond; at <= now && at < end; ) {
      waiting.push(post(at, plannedAt.length))
      plannedAt.push(at)
      at = from + (plannedAt.length * 1_000) / perSecond
    }
    await pause(1)
  }
  tell({ at: 'offered' })
  const endedAt = monotonicMs()
  const arrivedInTime = arrivedAt.size
  await Promise.all(waiting)
  const lateMs = monotonicMs() - endedAt
  lastArrival = Math.max(lastArrival, monotonicMs())
  const due = answers.filter((one, index) => one !== null && index % ADDRESSES >= hang).length
  while (arrivedAt.size < due && monotonicMs() - lastArrival < SILENCE_MS) await pause(20)
  const healthy = (index: number) => index % ADDRESSES >= hang
  const times = plannedAt.map((at, index) => ({
    second: Math.floor((at - from) / 1_000),
    counts: healthy(index),
    ack: answers[index] ?? null,
    delay: (arrivedAt.get(first + index) ?? Number.POSITIVE_INFINITY) - at,
  }))
  const part = (from: number, to: number) => {
    const some = times.filter(({ second, counts }) => counts && second >= from && second < to)
    return {
      ackMs: spreadOf(some.flatMap(({ ack }) => ack ?? [])),
      delayMs: spreadOf(some.flatMap(({ ack, delay }) => (ack === null ? [] : delay))),
    }
  }
  return {
    offered: plannedAt.length,
    acknowledged: answers.filter((one) => one !== null).length,
    statuses,
    arrivedInTime,
    arrived: arrivedAt.size,
    due,
    again,
    leftMs: Math.max(0, lastArrival - endedAt),
    lateMs,
    ...part(0, seconds),
    firstFive: part(0, 5),
    curve: Array.from({ length: seconds }, (_, second) => part(second, second + 1)),
  }
}

function tell(message: OpenMessage): void {
  process.send?.(message)
}

process.on('disconnect', () => process.exit(0))
process.on('message', (order: OpenOrder) => {
  offer(order).then(
    (result) => tell({ at: 'done', result }),
    (error) => {
      console.error(error)
      process.exit(1)
    },
  )
})

const hosts: string[] = []
for (let index = 0; index < ADDRESSES; index++) hosts.push(await listen(receiver(index), `127.0.1.${index + 1}`))
// A generator that is still being compiled would count its own slowness.
const echo = createServer((req, res) => {
  req.resume().on('end', () => res.end())
})
const port = Number((await listen(echo, '127.0.0.1')).split(':')[1])
await offer({ port, tokens: ['0'], path: '/', perSecond: 2_000, seconds: 4 })
echo.close()
number = 0
tell({ at: 'listening', hosts })
