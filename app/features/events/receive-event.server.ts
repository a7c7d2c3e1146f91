// Handles a platform call from its text to the result: echoes a challenge, or stores events on disk. The route module
// and the fast path before it both use it; `app/http/platform-answer.ts` turns the result into HTTP.
import type { SignedWebhookClaims } from '#app/adapters/servicem8/servicem8-signed.ts'
import type { App } from '#app/context/app-context.ts'
import type { NewApiActivity } from '#db/store/activity.ts'
import type { IncomingEvent, Ingress } from '#db/store/events.ts'
import { assertNever } from '../../lib/assert-never.ts'
import { hashToken, newToken } from '../../lib/token.server.ts'
import { type PlatformEvent, type Received, readPlatformCall } from './event.ts'

export interface PlatformCall {
  /** The secret part of our address. */
  token: string
  method: string
  /** Without the question mark. */
  query: string
  body: string
  /** True when the body exceeded LARGEST_BODY and is incomplete. */
  truncated: boolean
  remoteIp: string | null
  userAgent: string | null
}

type ReceiveApp = Pick<App, 'store' | 'clock' | 'log' | 'acceptEvent' | 'space'>

/** Takes `events` from an address's rate limit. Returns the ms until there is room again; null when taken. */
export type EventBrake = (subscriptionId: number, events: number) => number | null

/** Receives one call to `/hooks/platform/{token}`. Never throws. */
export async function receivePlatformCall(
  app: ReceiveApp,
  call: PlatformCall,
  brake: EventBrake = () => null,
): Promise<Received> {
  const found = await findIngress(app, call)
  return found.outcome === 'found' ? receiveFrom(app, found.ingress, call, brake) : found
}

/** Looks up the subscription of an address, or the result of a call that need not be parsed. Never throws. */
export async function findIngress(
  app: Pick<ReceiveApp, 'store' | 'clock' | 'log'>,
  call: Pick<PlatformCall, 'method' | 'token'>,
): Promise<
  | { outcome: 'found'; ingress: Ingress }
  | { outcome: 'wrong_method' | 'unknown_address' | 'deleted_subscription' | 'unavailable' }
> {
  if (call.method !== 'POST') return { outcome: 'wrong_method' }
  // We never create such a token, so skip the hash and the lookup.
  if (!/^[\w-]{43}$/.test(call.token)) return { outcome: 'unknown_address' }
  let ingress: Ingress | null
  try {
    ingress = await app.store.events.findIngress(hashToken(call.token))
  } catch (error) {
    app.log.error({ error }, 'ingress.lookup_failed')
    return { outcome: 'unavailable' }
  }
  if (!ingress || (ingress.state === 'replaced' && (ingress.endsAt ?? 0) <= app.clock.now())) {
    return { outcome: 'unknown_address' }
  }
  // Answer this only when the row says deleted: the platform then stops sending.
  if (ingress.state === 'deleted') return { outcome: 'deleted_subscription' }
  return { outcome: 'found', ingress }
}

/** Receives a call to an address that `findIngress` found. Never throws. */
export async function receiveFrom(
  app: ReceiveApp,
  ingress: Ingress,
  call: PlatformCall,
  brake: EventBrake,
): Promise<Received> {
  if (call.truncated) return { outcome: 'body_too_large' }

  const message = readPlatformCall(call)
  const waitMs = brake(ingress.subscriptionId, message.kind === 'events' ? message.events.length : 1)
  if (waitMs !== null) return { outcome: 'too_fast', waitMs }
  switch (message.kind) {
    case 'challenge':
      recordChallenge(app, ingress, call)
      return { outcome: 'challenged', challenge: message.challenge }
    case 'unreadable':
    case 'too_large':
      app.log.warn({ subscriptionId: ingress.subscriptionId, reason: message.reason }, `ingress.${message.kind}`)
      record(app, ingress, call, {
        activityType: 'webhook',
        requestData: `A call about ${ingress.object}, ${call.body.length} characters.`,
        responseData: message.reason,
        statusCode: message.kind === 'too_large' ? 413 : 400,
      })
      return { outcome: message.kind, reason: message.reason }
    case 'events':
      return acceptAll(app, ingress, message.events)
    default:
      return assertNever(message)
  }
}

async function acceptAll(app: ReceiveApp, ingress: Ingress, events: PlatformEvent[]): Promise<Received> {
  const receivedAt = app.clock.now()
  const { subscriptionId, accountUuid } = ingress
  const outcome = await acceptEvents(
    app,
    events.map((event) =>
      incoming(event, {
        accountUuid,
        subscriptionId,
        source: event.source,
        // Our own row determines the object; only a subscription to named events leaves it open.
        object: ingress.object.includes('.') ? event.object : ingress.object,
        receivedAt,
      }),
    ),
  )
  if (outcome === 'stored') app.log.debug({ subscriptionId, events: events.length }, 'ingress.received')
  if (outcome === 'over_limit') app.log.warn({ accountUuid, subscriptionId }, 'ingress.over_limit')
  return { outcome }
}

type Acceptance = 'stored' | 'over_limit' | 'rejected' | 'unavailable'

/** Stores a call's events and returns the worst outcome: the platform repeats the call, stored ones are recognised. */
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
    // 128 bits of the hash: small in the index, and unique among an account's events.
    dedupe: hashToken(event.identity ?? newToken()).slice(0, 22),
    body: event.body,
  }
}

type SignedEventOutcome =
  | { outcome: 'stored' | 'over_limit' | 'rejected' | 'unavailable' | 'unknown_account' }
  | { outcome: 'unreadable'; reason: string }

/** Receives a manifest webhook. The caller has verified its signature, which identifies the account, not the address. */
export async function receiveSignedEvent(app: ReceiveApp, claims: SignedWebhookClaims): Promise<SignedEventOutcome> {
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
  // Of an erased account a bare row may stay, without credentials. What comes while it is being erased is erased too.
  if (!(await app.store.accounts.findCredential(accountUuid))) return { outcome: 'unknown_account' }
  const receivedAt = app.clock.now()
  const outcome = await acceptEvents(
    app,
    message.events.map((event) =>
      incoming(event, { accountUuid, subscriptionId: null, source: 'signed', object: event.object, receivedAt }),
    ),
  )
  return { outcome }
}

/** Not awaited: the platform keeps its subscribe call open until it gets the echo. */
function recordChallenge(app: ReceiveApp, ingress: Ingress, call: PlatformCall): void {
  app.log.info({ subscriptionId: ingress.subscriptionId }, 'ingress.challenged')
  record(app, ingress, call, {
    activityType: 'challenge_response',
    requestData: `mode=subscribe, object ${ingress.object}`,
    responseData: 'The challenge, echoed.',
    statusCode: 200,
  })
}

type CallRecord = Pick<NewApiActivity, 'activityType' | 'requestData' | 'responseData' | 'statusCode'>

function record(
  app: ReceiveApp,
  { accountUuid }: Ingress,
  { userAgent, remoteIp }: PlatformCall,
  told: CallRecord,
): void {
  const called = { endpoint: '/hooks/platform/:token', method: 'POST', userAgent, remoteIp, durationMs: 0 }
  app.store.events
    .recordApiActivity({ accountUuid, ...called, ...told })
    .catch((error: unknown) => app.log.warn({ error }, 'activity.not_recorded'))
}
