// The users' addresses: they answer, answer late or never, and record what arrived when, how often, under which
// webhook-id, and how much of it at the same time.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { moment } from '../fair/receivers.ts'
import { createChance } from '../stage/chance.ts'
import { numberOf, recordOf } from './event.ts'
import { tell } from './helper.ts'

/** An arrival: the event's number, the address's index, `moment`. */
export type Arrival = [event: number, index: number, at: number]

export interface Parallel {
  /** The most calls at once to one address, and about one record at one address. */
  mostOfAddress: number
  mostOfRecord: number
  /** Events that came under more than one `webhook-id`. */
  differentIds: number
}

/** Arrivals are told this often. ms */
const TELL_EVERY = 200

/** One port for each address. */
export async function openReceivers(count: number) {
  const chance = createChance(1, 'answers')
  const hanging = new Set<number>()
  const unanswered = new Set<ServerResponse>()
  const ids = new Map<string, string>()
  const ofAddress = new Map<number, number>()
  const ofRecord = new Map<string, number>()
  let parallel: Parallel = { mostOfAddress: 0, mostOfRecord: 0, differentIds: 0 }
  let arrivals: Arrival[] = []

  function begun<Key>(counts: Map<Key, number>, key: Key): number {
    const now = (counts.get(key) ?? 0) + 1
    counts.set(key, now)
    return now
  }
  function ended<Key>(counts: Map<Key, number>, key: Key): void {
    const left = (counts.get(key) ?? 1) - 1
    if (left === 0) counts.delete(key)
    else counts.set(key, left)
  }
  function receive(index: number, body: string, webhookId: string, response: ServerResponse): void {
    const event = numberOf(body)
    const record = `${index} ${recordOf(body)}`
    arrivals.push([event, index, moment()])
    const key = `${event} ${index}`
    if ((ids.get(key) ?? webhookId) !== webhookId) parallel.differentIds++
    ids.set(key, webhookId)
    parallel.mostOfAddress = Math.max(parallel.mostOfAddress, begun(ofAddress, index))
    parallel.mostOfRecord = Math.max(parallel.mostOfRecord, begun(ofRecord, record))
    let over = false
    const end = () => {
      if (over) return
      over = true
      ended(ofAddress, index)
      ended(ofRecord, record)
    }
    response.on('close', () => {
      unanswered.delete(response)
      end()
    })
    if (hanging.has(index)) unanswered.add(response)
    else
      setTimeout(
        () => {
          // From here on the sender may begin the next one.
          end()
          response.writeHead(200, { 'content-type': 'text/plain' }).end('thank you')
        },
        chance.whole(2, 20),
      )
  }
  async function listen(index: number): Promise<number> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () =>
        receive(index, Buffer.concat(chunks).toString(), String(request.headers['webhook-id']), response),
      )
    })
    // Longer than the engine keeps a connection: which side closes first is not tested here.
    server.keepAliveTimeout = 60_000
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', 1024, done))
    return (server.address() as AddressInfo).port
  }
  setInterval(() => {
    if (arrivals.length > 0) tell(arrivals.splice(0))
  }, TELL_EVERY)
  const ports = await Promise.all(Array.from({ length: count }, (_, index) => listen(index)))
  return {
    ports,
    /** These addresses never answer from now on; all others do. */
    hang(indexes: readonly number[]): void {
      hanging.clear()
      for (const index of indexes) hanging.add(index)
      for (const response of unanswered) response.destroy()
    },
    parallel: () => parallel,
    forget(): void {
      parallel = { mostOfAddress: 0, mostOfRecord: 0, differentIds: 0 }
      arrivals = []
      ids.clear()
    },
  }
}
