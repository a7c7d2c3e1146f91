// The abusive process beside the soak: receivers that misbehave, senders of a byte a second, junk.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type HostileBehaviour, startHostileReceivers } from '#tests/support/hostile-receivers.server.ts'
import { junkFlood } from './junk.ts'
import { slowSenders } from './slow-senders.ts'
import type { AbuseMessage, AbuseOrder } from './wire.ts'

const BEHAVIOURS: readonly HostileBehaviour[] = [
  'never-answers',
  'drips-headers',
  'drips-body',
  'huge-body',
  'gzip-bomb',
  'half-closes',
  'closes-in-answer',
  'resets',
  'resets-in-answer',
  'floods-interim',
  'bad-chunk',
  'not-http',
  'many-headers',
  'huge-headers',
  'long-text',
  'redirects-to-metadata',
  'refuses',
  'tls-expired',
  'tls-self-signed',
  'tls-not-spoken',
  'tls-silent',
  'tls-resets',
]
const STATUSES = [410, 429, 500, 503] as const

const zoo = await startHostileReceivers()
let refusals = 0
const refusing = createServer((req, res) => {
  req.resume()
  refusals++
  const status = Number(req.url?.slice(1)) || 500
  res.writeHead(status, status === 429 ? { 'retry-after': '30' } : {}).end('no')
})
await new Promise<void>((done) => refusing.listen(0, '127.0.0.1', done))
const { port } = refusing.address() as AddressInfo

let slow: ReturnType<typeof slowSenders> | null = null
let junk: ReturnType<typeof junkFlood> | null = null

process.on('message', (order: AbuseOrder | { do: 'tell' }) => {
  if (order.do === 'begin') {
    slow = slowSenders(order)
    junk = junkFlood(order)
    return
  }
  const counts = {
    slowOpened: slow?.opened() ?? 0,
    slowOpen: slow?.open() ?? 0,
    slowLongestMs: slow?.longestMs() ?? 0,
    junk: junk?.sent() ?? 0,
    answers: Object.fromEntries(junk?.answers ?? []),
    hostileRequests: BEHAVIOURS.reduce((sum, one) => sum + zoo.requests(one), 0) + refusals,
  }
  tell({ at: 'told', counts })
})
process.on('disconnect', () => process.exit())
tell({
  at: 'listening',
  urls: [...BEHAVIOURS.map(zoo.url), ...STATUSES.map((status) => `http://127.0.0.1:${port}/${status}`)],
  hostPorts: [...zoo.hostPorts, `127.0.0.1:${port}`],
})

function tell(message: AbuseMessage): void {
  process.send?.(message)
}
