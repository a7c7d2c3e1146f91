// Fast path for ingress: answers platform calls before Express and Remix see them. Same use case as the route module
// `routes/hooks/platform-events.ts`; tests/walks hold both to the same behaviour.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { App } from '#app/context/app-context.ts'
import type { Admission } from '#app/engine/admission.ts'
import { LARGEST_BODY } from '#app/features/events/event.ts'
import { findIngress, receiveFrom } from '#app/features/events/receive-event.server.ts'
import type { Budgets } from '#app/http/budgets.server.ts'
import { eventBrakeOf } from '#app/http/event-brake.server.ts'
import { type Bodies, counter, createIntake, isLong, leaveBody } from '#app/http/intake.server.ts'
import { type PlatformOutcome, toPlatformAnswer } from '#app/http/platform-answer.ts'
import { isVisit } from '#app/http/refusal-page.ts'
import { brakeUnknown } from '#app/http/unknown-address.server.ts'

const ADDRESS = /^\/hooks\/platform\/([^/?#]+)\/?(?:\?([^#]*))?$/

/** A body that has not arrived by then never will: the platform itself waits 10 s for our answer. */
const BODY_WITHIN_MS = 10_000

/** ms. The fixed price of a usual call; only a slow read is charged by the clock, which counts other programs too. */
const USUAL_MS = 0.05
const LONG_MS = 2

/** Per account at once: bodies that never arrive would otherwise hold everyone's connections. */
const MOST_ARRIVING = 256

/** Overhead of one body part in bytes, and the number of parts kept before they are joined. */
const PART_BYTES = 256
const MOST_PARTS = 128

interface PlatformIngressOptions {
  clientIp(req: IncomingMessage): string
  /** Counts the bytes of bodies. Default: its own counter. */
  bodies?: Bodies
  /** The account's budget. Default: no limit. */
  budgets?: Pick<Budgets, 'overBy' | 'charge'>
  /** Is there time for another call, beside what is to be sent? Default: always. */
  admit?: Admission['admit']
  /** Time limit of a body in ms. */
  bodyWithinMs?: number
}

/** Returns a handler for node:http's listener: true = it has taken the request. */
export function createPlatformIngress(
  app: Pick<App, 'store' | 'clock' | 'log' | 'settings' | 'acceptEvent' | 'space'>,
  { clientIp, bodies = createIntake().bodies, budgets, admit, bodyWithinMs = BODY_WITHIN_MS }: PlatformIngressOptions,
): (req: IncomingMessage, res: ServerResponse) => boolean {
  const brake = eventBrakeOf(app)
  /** Bodies still arriving, by account. */
  const arriving = counter()

  async function answer(req: IncomingMessage, res: ServerResponse, token: string, query: string): Promise<void> {
    const method = req.method ?? ''
    // For an unknown address nothing is read; a long body stays unread until the address is known.
    const waits = isLong(req)
    if (waits) req.socket.pause()
    const found = await findIngress(app, { method, token })
    if (found.outcome !== 'found') {
      send(res, brakeUnknown(app, clientIp(req), found), false)
      return leaveBody(req)
    }
    const { ingress } = found
    const { accountUuid } = ingress
    const waitMs = budgets?.overBy('account', accountUuid, 'own') ?? null
    if (waitMs !== null) {
      send(res, { outcome: 'over_budget', waitMs }, false)
      return leaveBody(req)
    }
    // Most calls have arrived completely by now.
    const late = !req.complete
    if (late && arriving.add(accountUuid) > MOST_ARRIVING) {
      arriving.drop(accountUuid)
      send(res, { outcome: 'too_much_under_way', whose: 'one' }, false)
      return leaveBody(req)
    }
    if (waits) req.socket.resume()
    const held = holdFor(bodies, accountUuid)
    try {
      const body = await readBody(req, held, bodyWithinMs).finally(() => {
        if (late) arriving.drop(accountUuid)
      })
      if (body.outcome === 'aborted') return
      if (body.outcome === 'slow_body' || body.outcome === 'too_much_under_way') return send(res, body, true)
      const truncated = body.outcome === 'too_large'
      const call = {
        token,
        query,
        method,
        body: body.outcome === 'read' ? body.text : '',
        truncated,
        remoteIp: clientIp(req),
        userAgent: req.headers['user-agent'] ?? null,
      }
      // It runs synchronously up to its first await: that is the cost of reading a call.
      const began = performance.now()
      const received = receiveFrom(app, ingress, call, brake)
      const took = performance.now() - began
      const ms = took < LONG_MS ? USUAL_MS : took
      budgets?.charge('account', accountUuid, { ms, bytes: call.body.length })
      send(res, await received, truncated)
    } finally {
      held.give()
    }
  }

  return (req, res) => {
    const match = ADDRESS.exec(req.url ?? '')
    if (!match?.[1]) return false
    // A person with a browser: the route renders the page.
    if (isVisit({ method: req.method, url: req.url, accept: req.headers.accept })) return false
    const [, token, query = ''] = match
    const take = () =>
      answer(req, res, token, query).catch((error: unknown) => {
        app.log.error({ error }, 'ingress.failed')
        if (!res.headersSent) send(res, { outcome: 'unavailable' }, true)
      })
    const turn = admit?.(token) ?? true
    if (turn === true) void take()
    else {
      void turn.then((on) => {
        if (on) return take()
        send(res, { outcome: 'too_much_under_way', whose: 'all' }, false)
        leaveBody(req)
      })
    }
    return true
  }
}

/** `close`: the rest of the body is not read, so the connection cannot be reused. */
function send(res: ServerResponse, received: PlatformOutcome, close: boolean): void {
  if (res.destroyed) return
  const { status, headers, body } = toPlatformAnswer(received)
  res.writeHead(status, {
    ...headers,
    'content-length': Buffer.byteLength(body),
    ...(close && { connection: 'close' }),
  })
  res.end(body)
}

interface Held {
  /** Null = these bytes may be held as well. */
  take(bytes: number): 'one' | 'all' | null
  give(): void
}

function holdFor(bodies: Bodies, accountUuid: string): Held {
  let bytes = 0
  return {
    take(more) {
      const over = bodies.take(accountUuid, more)
      if (!over) bytes += more
      return over
    },
    give() {
      bodies.give(accountUuid, bytes)
      bytes = 0
    },
  }
}

type Body =
  | { outcome: 'read'; text: string }
  | { outcome: 'too_much_under_way'; whose: 'one' | 'all' }
  | { outcome: 'slow_body' }
  | { outcome: 'too_large' | 'aborted' }

function readBody(req: IncomingMessage, held: Held, withinMs: number): Promise<Body> {
  return new Promise((resolve) => {
    if (Number(req.headers['content-length'] ?? 0) > LARGEST_BODY) {
      resolve({ outcome: 'too_large' })
      return
    }
    let parts: Buffer[] = []
    let size = 0
    const end = (body: Body) => {
      clearTimeout(timer)
      req.off('data', onData)
      if (body.outcome !== 'read' && body.outcome !== 'aborted') req.pause()
      resolve(body)
    }
    const onData = (part: Buffer) => {
      size += part.length
      if (size > LARGEST_BODY) return end({ outcome: 'too_large' })
      const whose = held.take(part.length + PART_BYTES)
      if (whose) return end({ outcome: 'too_much_under_way', whose })
      parts.push(part)
      // When a body arrives byte by byte, the overhead of the parts would be many times their content.
      if (parts.length >= MOST_PARTS) parts = [Buffer.concat(parts)]
    }
    const timer = setTimeout(() => end({ outcome: 'slow_body' }), withinMs)
    req.on('data', onData)
    req.once('end', () => {
      const only = parts.length === 1 ? parts[0] : Buffer.concat(parts)
      end({ outcome: 'read', text: (only ?? Buffer.alloc(0)).toString('utf8') })
    })
    req.once('error', () => end({ outcome: 'aborted' }))
    req.once('close', () => end({ outcome: 'aborted' }))
  })
}
