// The proof's platform: an open loop over all instances. What was not answered 200 is sent again, to the next one.
import { Agent, request } from 'node:http'
import { moment } from '../fair/receivers.ts'
import type { Target } from '../stage/load.ts'
import { pause } from '../stage/server.ts'
import { eventBody, recordName } from './event.ts'
import type { Arrival } from './receivers.ts'

export interface Sent {
  /** Index of its target. */
  target: number
  /** `moment`s: when it was to be sent, when it was answered 200, when it first arrived. */
  dueAt: number
  acknowledgedAt: number | null
  arrivedAt: number | null
  arrivals: number
}

export interface Answered {
  /** `moment` at which it was sent. */
  at: number
  /** ms until the answer. */
  ms: number
  /** 0 = cut off, or not answered in time. */
  status: number
}

export interface LoadOptions {
  targets: readonly Target[]
  /** Origins; event n of a target goes to the next one each time. */
  origins: readonly string[]
  /** Events are about this many records of each target; missing = each about one of its own. */
  records?: number
  /** Called for each answer. */
  onAnswer?(instance: number, answered: Answered): void
}

/** The platform gives up an answer after this time. */
const ANSWERED_WITHIN = 10_000
const AGAIN_AFTER = 1_000
const FROM = { 'fly-client-ip': '203.0.113.5' }
const TICK_MS = 5

export type ClusterLoad = ReturnType<typeof clusterLoad>

export function clusterLoad({ targets, origins, records, onAnswer = () => {} }: LoadOptions) {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  const sent: Sent[] = []
  const statuses = new Map<number, number>()
  let underWay = 0
  let waitingAgain = 0
  let repeated = 0
  let arrivedOnce = 0
  let timer: NodeJS.Timeout | undefined

  function instanceFor(event: number, tries: number): number {
    // Each account's events go to every instance in turn.
    return (event + Math.floor(event / targets.length) + tries) % origins.length
  }

  function post(event: number, tries: number, again = false): void {
    const one = sent[event]
    const target = one && targets[one.target]
    if (!target) throw new Error('there is nothing to send')
    const instance = instanceFor(event, tries)
    const record = records === undefined ? event : one.target * records + (Math.floor(event / targets.length) % records)
    const body = eventBody(target.object, recordName(record), event)
    const at = moment()
    underWay++
    let answered = false
    const end = (status: number) => {
      if (answered) return
      answered = true
      underWay--
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      onAnswer(instance, { at, ms: moment() - at, status })
      if (status === 200) one.acknowledgedAt ??= moment()
      else sendAgain(event, tries + 1)
    }
    const headers = { ...FROM, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const address = `${origins[instance]}${new URL(target.forwardingUrl).pathname}`
    const call = request(address, { method: 'POST', agent, headers, timeout: ANSWERED_WITHIN }, (answer) => {
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
      if (!answered && call.reusedSocket && !late && !again) {
        answered = true
        underWay--
        post(event, tries, true)
      } else end(0)
    })
    call.end(body)
  }

  function sendAgain(event: number, tries: number): void {
    repeated++
    waitingAgain++
    setTimeout(() => {
      waitingAgain--
      post(event, tries)
    }, AGAIN_AFTER)
  }

  function sendNew(dueAt: number): number {
    const event = sent.length
    sent.push({ target: event % targets.length, dueAt, acknowledgedAt: null, arrivedAt: null, arrivals: 0 })
    post(event, 0)
    return event
  }

  return {
    sent,
    statuses,
    /** Events per second, whatever the answers. */
    begin(rate: number): void {
      const began = moment()
      let made = 0
      timer = setInterval(() => {
        const due = Math.floor(((moment() - began) * rate) / 1_000)
        while (made < due) sendNew(began + (++made * 1_000) / rate)
      }, TICK_MS)
    },
    /** As fast as they arrive: at most `window` events are sent and have not arrived. Resolves after `ms`. */
    async through(window: number, ms: number): Promise<void> {
      const until = moment() + ms
      const before = sent.length - arrivedOnce
      while (moment() < until) {
        while (sent.length - arrivedOnce - before < window) sendNew(moment())
        await pause(TICK_MS)
      }
    },
    end(): void {
      clearInterval(timer)
    },
    /** What a receiver's helper tells. */
    arrived(arrivals: readonly Arrival[]): void {
      for (const [event, , at] of arrivals) {
        const one = sent[event]
        if (!one) continue
        if (one.arrivals++ === 0) arrivedOnce++
        one.arrivedAt ??= at
      }
    },
    /** Resolves with the number of events that were not answered 200 by then. Call `end` before. */
    async settleUp(withinMs: number): Promise<number> {
      const until = moment() + withinMs
      while ((underWay > 0 || waitingAgain > 0) && moment() < until) await pause(20)
      return sent.filter(({ acknowledgedAt }) => acknowledgedAt === null).length
    },
    /** Resolves with the number of acknowledged events that did not arrive in that time. */
    async stillMissing(withinMs: number, without: ReadonlySet<number>): Promise<number> {
      const until = moment() + withinMs
      const isMissing = ({ target, acknowledgedAt, arrivedAt }: Sent) =>
        acknowledgedAt !== null && arrivedAt === null && !without.has(target)
      const missing = () => sent.filter(isMissing).length
      while (missing() > 0 && moment() < until) await pause(100)
      return missing()
    },
    sentAgain: () => repeated,
    close: () => agent.destroy(),
  }
}
