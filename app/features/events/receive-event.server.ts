// A call of the platform, from its text to the answer: challenge echoed, event on disk before 200, everything else refused
// in a way that makes the platform do the right thing (facts: servicem8 4.3 to 4.7). Both entrances, the route module and the
// short way before it, come here.
import { hash } from 'node:crypto'
import type { App } from '#app/context/app-context.ts'
import type { NewApiActivity } from '#db/store/activity.ts'
import type { IncomingEvent, Ingress } from '#db/store/events.ts'
import { assertNever } from '../../lib/assert-never.ts'
import { hashToken, newToken } from '../../lib/token.server.ts'
import { LARGEST_BODY, type PlatformEvent, readPlatformCall } from './event.ts'

export { LARGEST_BODY }

export interface PlatformCall {
  /** The secret part of our address. */
  token: string
  method: string
  /** Without the question mark. */
  query: string
  body: string
  /** True when the body was larger than LARGEST_BODY and is not all here. */
  truncated: boolean
  remoteIp: string | null
  userAgent: string | null
}

export interface PlatformAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

type ReceiveApp = Pick<App, 'store' | 'clock' | 'log' | 'acceptEvent' | 'space'>

/** Takes so many events out of what one address may bring. In how many ms there is room again; null = they were taken. */
export type EventBrake = (subscriptionId: number, events: number) => number | null

/**
 * Answers one call to `/hooks/platform/{token}`. Never throws. The status says to the platform: 200 done · 400 unreadable ·
 * 404 unknown address · 405 not a POST · 410 deleted subscription (only ever from a row that says so) · 413 too large ·
 * 429 more events a second than `brake` lets one address bring, or this account has too much waiting, or more than its share of
 * storage that is nearly full · 503 could not be stored, send again.
 */
export async function receivePlatformCall(
  app: ReceiveApp,
  call: PlatformCall,
  brake: EventBrake = () => null,
): Promise<PlatformAnswer> {
  const found = await findIngress(app, call)
  return 'status' in found ? found : receiveFrom(app, found, call, brake)
}

/** Whose address it is, or the answer to a call that needs no reading: 404, 405, 410, 503. Never throws. */
export async function findIngress(
  app: Pick<ReceiveApp, 'store' | 'clock' | 'log'>,
  call: Pick<PlatformCall, 'method' | 'token'>,
): Promise<Ingress | PlatformAnswer> {
  if (call.method !== 'POST') return refuse(405, 'This address takes POST.', { allow: 'POST' })
  // Unlike any token we make: saves hash and lookup.
  if (!/^[\w-]{43}$/.test(call.token)) return refuse(404, 'Not found')
  let ingress: Ingress | null
  try {
    ingress = await app.store.findIngress(hashToken(call.token))
  } catch (error) {
    app.log.error({ error }, 'ingress.lookup_failed')
    return unavailable()
  }
  if (!ingress || (ingress.state === 'replaced' && (ingress.endsAt ?? 0) <= app.clock.now())) {
    return refuse(404, 'Not found')
  }
  if (ingress.state === 'deleted') return refuse(410, 'This subscription was deleted.')
  return ingress
}

/** Answers a call to an address that `findIngress` knows. Never throws. */
export async function receiveFrom(
  app: ReceiveApp,
  ingress: Ingress,
  call: PlatformCall,
  brake: EventBrake,
): Promise<PlatformAnswer> {
  if (call.truncated) return refuse(413, 'Larger than 256 KB.')

  const message = readPlatformCall(call)
  const ms = brake(ingress.subscriptionId, message.kind === 'events' ? message.events.length : 1)
  if (ms !== null) {
    const wait = Math.max(1, Math.ceil(ms / 1000))
    return refuse(429, 'Too many events at once. Send them again.', { 'retry-after': String(wait) })
  }
  switch (message.kind) {
    case 'challenge':
      recordChallenge(app, ingress, call)
      return answer(200, 'text/plain; charset=utf-8', message.challenge)
    case 'unreadable':
    case 'too_large': {
      const status = message.kind === 'too_large' ? 413 : 400
      app.log.warn({ subscriptionId: ingress.subscriptionId, reason: message.reason }, `ingress.${message.kind}`)
      record(app, ingress, call, {
        activityType: 'webhook',
        requestData: `A call about ${ingress.object}, ${call.body.length} characters.`,
        responseData: message.reason,
        statusCode: status,
      })
      return refuse(status, message.reason)
    }
    case 'events':
      return acceptAll(app, ingress, message.events)
    default:
      return assertNever(message)
  }
}

async function acceptAll(app: ReceiveApp, ingress: Ingress, events: PlatformEvent[]): Promise<PlatformAnswer> {
  const receivedAt = app.clock.now()
  const { subscriptionId, accountUuid } = ingress
  const outcome = await acceptEvents(
    app,
    events.map((event) =>
      incoming(event, {
        accountUuid,
        subscriptionId,
        source: event.source,
        // Our own row says what the address is for; only a subscription to named events leaves the object open.
        object: ingress.object.includes('.') ? event.object : ingress.object,
        receivedAt,
      }),
    ),
  )
  switch (outcome) {
    case 'stored':
      app.log.debug({ subscriptionId, events: events.length }, 'ingress.received')
      return RECEIVED
    case 'over_limit':
      app.log.warn({ accountUuid, subscriptionId }, 'ingress.over_limit')
      return refuse(429, 'There are too many events of this account.', { 'retry-after': '60' })
    case 'rejected':
      return refuse(400, 'The event could not be stored.')
    case 'unavailable':
      return unavailable()
    default:
      return assertNever(outcome)
  }
}

type Acceptance = 'stored' | 'over_limit' | 'rejected' | 'unavailable'

/** All of one call, answered with the worst outcome: the platform repeats the call, and what was stored is recognised. */
async function acceptEvents(app: ReceiveApp, events: IncomingEvent[]): Promise<Acceptance> {
  const accountUuid = events[0]?.accountUuid ?? ''
  const bytes = events.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0)
  const room = app.space.admit(accountUuid, bytes, events.length)
  if (room !== 'admitted') return room === 'full' ? 'unavailable' : 'over_limit'
  const results = await Promise.allSettled(events.map((event) => app.acceptEvent(event)))
  app.space.settled(bytes, events.length)
  let worst: Acceptance = 'stored'
  for (const result of results) {
    if (result.status === 'rejected') {
      app.log.error({ error: result.reason }, 'ingress.not_committed')
      return 'unavailable'
    }
    switch (result.value.outcome) {
      case 'stored':
      case 'duplicate':
        break
      case 'over_limit':
        worst = 'over_limit'
        break
      case 'rejected':
        app.log.error({ reason: result.value.message }, 'ingress.event_rejected')
        if (worst === 'stored') worst = 'rejected'
        break
      default:
        assertNever(result.value)
    }
  }
  return worst
}

function incoming(
  event: PlatformEvent,
  from: Pick<IncomingEvent, 'accountUuid' | 'subscriptionId' | 'source' | 'object' | 'receivedAt'>,
): IncomingEvent {
  return {
    ...from,
    objectUuid: event.objectUuid,
    changedFields: event.changedFields,
    // 128 bits of the hash: short in the index, and no two events of an account share it.
    dedupe: digest(event.identity ?? newToken()).slice(0, 22),
    body: event.body,
  }
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url')
}

/** What a verified webhook of the manifest says: the account comes from the signature, not from an address. */
export interface SignedEventClaims {
  accountUuid: string
  object: string
  /** As sent: a list of `{uuid, changed_fields, time}`. */
  entry: unknown
  resourceUrl: string
}

export type SignedEventOutcome =
  | { outcome: 'stored' | 'over_limit' | 'rejected' | 'unavailable' | 'unknown_account' }
  | { outcome: 'unreadable'; reason: string }

/** Takes in a webhook of the manifest. The caller has verified its signature. */
export async function receiveSignedEvent(app: ReceiveApp, claims: SignedEventClaims): Promise<SignedEventOutcome> {
  const { accountUuid, object, entry, resourceUrl } = claims
  const message = readPlatformCall({
    query: '',
    body: JSON.stringify({ object, entry, resource_url: resourceUrl }),
  })
  if (message.kind !== 'events') {
    return {
      outcome: 'unreadable',
      reason: message.kind === 'challenge' ? 'A challenge is never signed.' : message.reason,
    }
  }
  if (!(await app.store.findAccount(accountUuid))) return { outcome: 'unknown_account' }
  const receivedAt = app.clock.now()
  const outcome = await acceptEvents(
    app,
    message.events.map((event) =>
      incoming(event, { accountUuid, subscriptionId: null, source: 'signed', object: event.object, receivedAt }),
    ),
  )
  return { outcome }
}

/** Not waited for: the platform is holding its subscribe call open for the echo. */
function recordChallenge(app: ReceiveApp, ingress: Ingress, call: PlatformCall): void {
  app.log.info({ subscriptionId: ingress.subscriptionId }, 'ingress.challenged')
  record(app, ingress, call, {
    activityType: 'challenge_response',
    requestData: `mode=subscribe, object ${ingress.object}`,
    responseData: 'The challenge, echoed.',
    statusCode: 200,
  })
}

type Told = Pick<NewApiActivity, 'activityType' | 'requestData' | 'responseData' | 'statusCode'>

function record(app: ReceiveApp, { accountUuid }: Ingress, { userAgent, remoteIp }: PlatformCall, told: Told): void {
  const called = { endpoint: '/hooks/platform/:token', method: 'POST', userAgent, remoteIp, durationMs: 0 }
  app.store
    .recordApiActivity({ accountUuid, ...called, ...told })
    .catch((error: unknown) => app.log.warn({ error }, 'activity.not_recorded'))
}

/** A stranger's text is on our host: nothing in an answer may run, be framed, kept or guessed to be something else. */
const COMMON_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

function answer(status: number, contentType: string, body: string, extra?: Record<string, string>): PlatformAnswer {
  return { status, headers: { 'content-type': contentType, ...COMMON_HEADERS, ...extra }, body }
}

const RECEIVED = answer(200, 'application/json; charset=utf-8', '{"received":true}')

/** The account has used up its minute. */
export function overBudget(ms: number): PlatformAnswer {
  const wait = Math.max(1, Math.ceil(ms / 1000))
  return refuse(429, 'Too much work at once. Send it again.', { 'retry-after': String(wait) })
}

/** More of this account (`one`), or of all, is under way than is held in memory. */
export function tooMuchUnderWay(whose: 'one' | 'all'): PlatformAnswer {
  return refuse(whose === 'one' ? 429 : 503, 'Too much at once. Send it again.', { 'retry-after': '10' })
}

function refuse(status: number, message: string, extra?: Record<string, string>): PlatformAnswer {
  return answer(status, 'application/json; charset=utf-8', JSON.stringify({ message }), extra)
}

function unavailable(): PlatformAnswer {
  return refuse(503, 'The event could not be stored. Send it again.', { 'retry-after': '10' })
}
