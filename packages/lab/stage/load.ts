// A proof's platform: sends events at a steady rate whatever the answers, and repeats those that were not answered 200.
import { Agent, request } from 'node:http'
import { pause, within } from './server.ts'

/** One subscription: the address and the object of its events. */
export interface Target {
  object: string
  forwardingUrl: string
}

export interface ProofLoad {
  /** Starts sending: first events without a 200, then new events. */
  begin(): void
  /** Stops sending; resolves when every call in flight is answered or cut off. */
  end(): Promise<void>
  /** Resolves with the first 200 since `begin`. */
  firstAcknowledged(withinMs: number): Promise<void>
  /** Repeats events without a 200, and sends no new ones, until all are answered. Resolves with the number left. */
  settleUp(withinMs: number): Promise<number>
  /** Records whose event was answered 200. */
  acknowledged: Set<string>
  /** Number of all events ever sent. */
  sent(): number
  /** Answers by status since the start; 0 = cut off without one. */
  statuses: Map<number, number>
  /** ms from the time an event was due to be sent to its 200. */
  latencies: number[]
  close(): void
}

interface Unanswered {
  record: string
  target: Target
}

/** Maximum number of calls in flight: the platform has its limits as well. */
const MOST_UNDER_WAY = 400
const TICK_MS = 5

/**
 * `connections`: persistent and reused, as by a proxy in front of us; or a new one for each event. `always`: headers of
 * every call.
 */
export function proofLoad(
  targets: readonly Target[],
  rate: number,
  newRecord: () => string,
  connections: 'kept' | 'new' = 'kept',
  always: Record<string, string> = {},
): ProofLoad {
  const agent = new Agent(connections === 'kept' ? { keepAlive: true, maxSockets: 128 } : { keepAlive: false })
  const acknowledged = new Set<string>()
  const statuses = new Map<number, number>()
  const latencies: number[] = []
  const again: Unanswered[] = []
  let made = 0
  let underWay = 0
  let timer: NodeJS.Timeout | undefined
  let onAcknowledged = () => {}
  let onIdle = () => {}

  function post({ record, target }: Unanswered, dueAt: number, repeated = false): void {
    underWay++
    let answered = false
    const end = (status: number) => {
      if (answered) return
      answered = true
      underWay--
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status === 200) {
        acknowledged.add(record)
        latencies.push(performance.now() - dueAt)
        onAcknowledged()
      } else {
        again.push({ record, target })
      }
      if (underWay === 0) onIdle()
    }
    const body = JSON.stringify({
      object: target.object,
      entry: [{ uuid: record, changed_fields: ['status'], time: '2026-01-05 09:00:00' }],
      resource_url: `https://api.servicem8.com/api_1.0/${target.object}/${record}.json`,
    })
    const headers = { ...always, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const call = request(target.forwardingUrl, { method: 'POST', agent, headers, timeout: 15_000 }, (answer) => {
      // The platform only reads the status: from here on the event is ours.
      end(answer.statusCode ?? 0)
      answer.on('error', () => {})
      answer.resume()
    })
    let late = false
    call.on('timeout', () => {
      late = true
      call.destroy()
    })
    call.on('error', () => {
      // A persistent connection that is closed at the moment of its reuse: every client opens another one.
      if (!answered && call.reusedSocket && !late && !repeated) {
        answered = true
        underWay--
        post({ record, target }, dueAt, true)
      } else end(0)
    })
    call.end(body)
  }

  function next(): Unanswered {
    const left = again.shift()
    if (left) return left
    const target = targets[made++ % targets.length]
    if (!target) throw new Error('there is nothing to send to')
    return { record: newRecord(), target }
  }

  function idle(): Promise<void> {
    if (underWay === 0) return Promise.resolve()
    return new Promise((done) => {
      onIdle = done
    })
  }

  return {
    begin() {
      const began = performance.now()
      let sent = 0
      timer = setInterval(() => {
        const due = Math.floor(((performance.now() - began) * rate) / 1000)
        while (sent < due && underWay < MOST_UNDER_WAY) post(next(), began + (++sent * 1000) / rate)
      }, TICK_MS)
    },
    async end() {
      clearInterval(timer)
      await idle()
    },
    firstAcknowledged(withinMs) {
      const first = new Promise<void>((done) => {
        onAcknowledged = done
      })
      const answers = () => [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
      return within(withinMs, first, () => `no event was answered 200 (answers so far: ${answers()})`)
    },
    async settleUp(withinMs) {
      const deadline = performance.now() + withinMs
      while (again.length > 0 && performance.now() < deadline) {
        const batch = again.splice(0, 100)
        for (const one of batch) post(one, performance.now())
        await idle()
        // Refused instead of cut off: the platform waits before it retries.
        if (again.length > 0) await pause(100)
      }
      return again.length
    },
    acknowledged,
    sent: () => made,
    statuses,
    latencies,
    close: () => agent.destroy(),
  }
}
