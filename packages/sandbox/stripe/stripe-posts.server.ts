// Delivers signed events to the product: at once, with retries for three days while they fail; twice or out of order on
// demand.
import { createHash, createHmac } from 'node:crypto'
import type { Millis } from '#app/lib/clock.ts'
import { days, hours, minutes, seconds } from '#app/lib/duration.ts'
import type { Poster } from '../post.server.ts'
import type { Stage } from '../state.server.ts'
import { eventView } from './billing-views.ts'
import { matchesType } from './calls/account-calls.server.ts'
import { allOf, type EventPost, findIn, type StripeEvent } from './ledger.ts'

interface StripePosts {
  announce(event: StripeEvent): void
  /** Sends due events and sets one alarm for the others. */
  wake(): void
  /** Releases every held event. Returns how many. */
  release(): number
  /** Sends an event again to every subscribed endpoint. */
  resend(eventId: string): boolean
  /** Makes everything that waits for a retry due now. Returns how many. */
  retryNow(): number
  settled(): Promise<void>
  stop(): void
}

const AT_ONCE = 8
const KEEP_EVENTS = 1000
/** Delay after the n-th failed attempt. */
const RETRIES = [seconds(5), minutes(1), minutes(5), minutes(30), hours(2), hours(5), hours(10)]
const LATER_RETRIES = hours(12)
const GIVE_UP_AFTER = days(3)

export function createStripePosts(stage: Stage, poster: Poster): StripePosts {
  const ledger = stage.state.payments
  const flying = new Set<EventPost>()
  const waiting: (() => void)[] = []
  let cancelWake = () => {}
  let stopped = false

  function announce(event: StripeEvent): void {
    ledger.events.push(event)
    enqueue(event)
    trim()
    stage.touched()
    // One turn of the event loop later: the causing call is answered first, and related events are due together.
    setImmediate(wake)
  }

  function enqueue(event: StripeEvent): void {
    const now = stage.clock.now()
    const { duplicateEvents, holdEvents } = ledger.switches
    for (const endpoint of allOf(ledger.endpoints)) {
      if (!endpoint.enabledEvents.some((type) => matchesType(type, event.type))) continue
      for (let copy = 0; copy < (duplicateEvents ? 2 : 1); copy++) {
        ledger.posts.push({
          id: stage.nextId(),
          event: event.id,
          endpoint: endpoint.id,
          state: holdEvents ? 'held' : 'waiting',
          createdAt: now,
          nextAt: holdEvents ? null : now,
          attempts: [],
        })
      }
    }
  }

  function trim(): void {
    if (ledger.events.length <= KEEP_EVENTS) return
    ledger.events = ledger.events.slice(-KEEP_EVENTS)
    const kept = new Set(ledger.events.map((one) => one.id))
    ledger.posts = ledger.posts.filter((one) => kept.has(one.event))
  }

  function wake(): void {
    if (stopped) return
    cancelWake()
    cancelWake = () => {}
    const now = stage.clock.now()
    const line = ledger.posts.filter((one) => one.nextAt !== null && !flying.has(one))
    const due = inOrder(line.filter((one) => (one.nextAt ?? 0) <= now))
    const room = (ledger.switches.shuffleEvents ? 1 : AT_ONCE) - flying.size
    for (const post of due.slice(0, Math.max(0, room))) void attempt(post)
    const later = line.map((one) => one.nextAt ?? 0).filter((at) => at > now)
    if (later.length > 0) cancelWake = stage.clock.wake(Math.min(...later), wake)
    if (flying.size === 0) for (const tell of waiting.splice(0)) tell()
  }

  function inOrder(due: EventPost[]): EventPost[] {
    if (!ledger.switches.shuffleEvents) return due
    const rank = (post: EventPost) => createHash('sha256').update(`${post.event}/${post.id}`).digest('hex')
    return [...due].sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
  }

  async function attempt(post: EventPost): Promise<void> {
    flying.add(post)
    // Wait until a jumping clock has stopped: the signature contains its time, and an old one is refused.
    await Promise.resolve()
    const at = stage.clock.now()
    const event = ledger.events.find((one) => one.id === post.event)
    const endpoint = findIn(ledger.endpoints, post.endpoint)
    if (!event || !endpoint) {
      flying.delete(post)
      post.state = 'given_up'
      post.nextAt = null
      wake()
      return
    }
    const body = JSON.stringify(eventView(event, pendingOf(event)), null, 2)
    const posted = await poster.post(endpoint.url, {
      contentType: 'application/json; charset=utf-8',
      body,
      timeoutMs: stage.answerMs,
      headers: {
        'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
        'stripe-signature': signatureOf(body, endpoint.secret, at),
      },
    })
    flying.delete(post)
    if (stopped) return
    post.attempts.push({ at, status: posted.status, error: posted.error })
    settle(post, posted.status)
    stage.touched()
    wake()
  }

  function pendingOf(event: StripeEvent): number {
    const open = ledger.posts.filter((one) => one.event === event.id && one.state !== 'delivered')
    return new Set(open.map((one) => one.endpoint)).size
  }

  function settle(post: EventPost, status: number | null): void {
    const now = stage.clock.now()
    if (status !== null && status >= 200 && status < 300) {
      post.state = 'delivered'
      post.nextAt = null
      return
    }
    const next = now + (RETRIES[post.attempts.length - 1] ?? LATER_RETRIES)
    const over = next > post.createdAt + GIVE_UP_AFTER
    post.state = over ? 'given_up' : 'waiting'
    post.nextAt = over ? null : next
  }

  return {
    announce,
    wake,
    release() {
      const held = ledger.posts.filter((one) => one.state === 'held')
      for (const post of held) Object.assign(post, { state: 'waiting', nextAt: stage.clock.now() })
      stage.touched()
      setImmediate(wake)
      return held.length
    },
    resend(eventId) {
      const event = ledger.events.find((one) => one.id === eventId)
      if (!event) return false
      enqueue(event)
      stage.touched()
      setImmediate(wake)
      return true
    },
    retryNow() {
      const waitingOnes = ledger.posts.filter((one) => one.state === 'waiting')
      for (const post of waitingOnes) post.nextAt = stage.clock.now()
      stage.touched()
      setImmediate(wake)
      return waitingOnes.length
    },
    settled: () =>
      new Promise((resolve) => {
        if (stopped) return resolve()
        // Two turns of the event loop: newly announced events are sent first.
        setImmediate(() =>
          setImmediate(() => {
            waiting.push(resolve)
            wake()
          }),
        )
      }),
    stop() {
      stopped = true
      cancelWake()
      for (const tell of waiting.splice(0)) tell()
    },
  }
}

/** `t=…,v1=…`: HMAC-SHA256 over `t.body` with the whole secret. @param at the shared clock, in ms */
function signatureOf(body: string, secret: string, at: Millis): string {
  const t = Math.floor(at / 1000)
  return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`
}
