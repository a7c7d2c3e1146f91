// Our subscriptions at the platform: one per account and object, each with its own secret address. A new one is created
// next to the old one and takes over in one step, so a failure at any point leaves the old one working.
import type { App } from '#app/context/app-context.ts'
import { type FieldNeed, fieldsToWatch } from '#app/domain/endpoints/watched-fields.ts'
import { findObjectKind, isPolled, objectLabel, otherSpellings } from '#app/domain/object-catalog.ts'
import { subscriptionTokenPlace } from '#app/domain/sealed-places.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { hours } from '#app/lib/duration.ts'
import { hashToken, newToken } from '#app/lib/token.server.ts'
import type { SubscriptionRow, SubscriptionSwitch } from '#db/store/endpoints.ts'
import { type FieldErrors, NO_CREDENTIALS } from '../endpoint.ts'
import { WIRE_NAMES } from '../endpoint-kinds.ts'
import {
  afterAccepted,
  afterRefused,
  type FieldSearch,
  isFieldRefusal,
  isObjectRefusal,
  nextTry,
  startSearch,
} from '../field-search.ts'

export type SubscriptionApp = Pick<
  App,
  'store' | 'clock' | 'log' | 'settings' | 'secrets' | 'callAsAccount' | 'beginPolling' | 'fieldsOfRule'
>

/** The platform retries for 72 hours, always to the address of the first try. */
export const REPLACED_VALID = hours(72)

export type SubscribeFailure =
  /** Nobody has signed in, or the sign-in has expired. */
  | { outcome: 'no_credentials'; message: string }
  /** The platform's own message, or ours when it gave none. `errors` = at the fields that it does not know. */
  | { outcome: 'platform_refused'; message: string; errors?: FieldErrors }

type PreparedSubscription = { outcome: 'ready'; subscription: SubscriptionSwitch } | SubscribeFailure

const INGRESS_PATH = '/hooks/platform/'

/** Our address that the platform posts to, for a token. */
function callbackAddress(origin: string, token: string): string {
  return `${origin}${INGRESS_PATH}${token}`
}

/** Extracts the token from one of our own addresses; null for any other address. */
export function tokenOfAddress(origin: string, address: string): string | null {
  const start = `${origin}${INGRESS_PATH}`
  return address.startsWith(start) ? address.slice(start.length) : null
}

/** Builds the address of a stored subscription from the encrypted copy of its token. */
export async function addressOf(app: Pick<App, 'secrets' | 'settings'>, row: SubscriptionRow): Promise<string> {
  const token = await app.secrets.open(subscriptionTokenPlace(row.accountUuid), row.tokenSealed)
  return callbackAddress(app.settings.origin, token)
}

/**
 * Subscribes at the platform with a new address and the union of the needed fields. Stores the row before the call,
 * because the challenge arrives during it. `ready` = the platform accepted; the caller switches to it together with its
 * own change. Otherwise nothing has changed and the active subscription stays. Call it through `oneAtATime`. `needs`
 * must not be empty.
 */
export async function prepareSubscription(
  app: SubscriptionApp,
  accountUuid: string,
  object: string,
  needs: readonly FieldNeed[],
): Promise<PreparedSubscription> {
  const wanted = fieldsToWatch(object, needs)
  const token = newToken()
  const id = await app.store.endpoints.beginSubscription(accountUuid, {
    object,
    fields: wanted.join(','),
    tokenHash: hashToken(token),
    tokenSealed: await app.secrets.seal(subscriptionTokenPlace(accountUuid), token),
    at: app.clock.now(),
  })
  const chosen = needs.flatMap((need) => need.fields)
  const answer = await subscribe(app, { accountUuid, object, wanted, chosen, token }).catch(async (error: unknown) => {
    await keepDoubtful(app, accountUuid, id)
    throw error
  })
  switch (answer.outcome) {
    case 'accepted':
      app.log.info(
        { account: accountUuid, object, subscription: id, fields: answer.fields.length },
        'subscription.accepted',
      )
      return {
        outcome: 'ready',
        subscription: { id, fields: answer.fields.join(','), replacedUntil: app.clock.now() + REPLACED_VALID },
      }
    case 'failed':
      app.log.warn(
        { account: accountUuid, object, subscription: id, reason: answer.failure.outcome },
        'subscription.refused',
      )
      // Without an answer it may be live at the platform: keep accepting its events until a comparison decides.
      if (answer.uncertain) await keepDoubtful(app, accountUuid, id)
      else await app.store.endpoints.dropPendingSubscription(accountUuid, id)
      return answer.failure
    default:
      return assertNever(answer)
  }
}

/**
 * Ensures one working subscription of the account for the object, with the union of all needed fields. Subscribes again
 * even when there is one: the platform updates and revives it. For callers that store nothing themselves. Call it
 * through `oneAtATime`.
 */
export async function ensureSubscription(
  app: SubscriptionApp,
  accountUuid: string,
  object: string,
  needs: readonly FieldNeed[],
): Promise<{ outcome: 'subscribed'; fields: string[] } | SubscribeFailure> {
  if (isPolled(object)) {
    const begun = await beginPolling(app, accountUuid, object)
    return begun.outcome === 'looking' ? { outcome: 'subscribed', fields: fieldsToWatch(object, needs) } : begun
  }
  const prepared = await prepareSubscription(app, accountUuid, object, needs)
  if (prepared.outcome !== 'ready') return prepared
  const { subscription } = prepared
  await app.store.endpoints.switchSubscription(accountUuid, { ...subscription, at: app.clock.now() })
  return { outcome: 'subscribed', fields: subscription.fields.split(',') }
}

/**
 * Starts polling, for objects the platform sends no webhooks for. Asks the platform once, so that missing read
 * permission is refused before anything is stored.
 */
export async function beginPolling(
  app: Pick<App, 'beginPolling'>,
  accountUuid: string,
  object: string,
): Promise<{ outcome: 'looking' } | SubscribeFailure> {
  const begun = await app.beginPolling(accountUuid, object)
  return begun.outcome === 'no_credentials' ? { outcome: 'no_credentials', message: NO_CREDENTIALS } : begun
}

async function keepDoubtful(app: SubscriptionApp, accountUuid: string, id: number): Promise<void> {
  const at = app.clock.now()
  await app.store.endpoints.updateSubscription(accountUuid, id, {
    state: 'replaced',
    stateReason: 'the platform did not answer; it may have it',
    endsAt: at + REPLACED_VALID,
    at,
  })
}

interface SubscribeInput {
  accountUuid: string
  object: string
  wanted: readonly string[]
  /** Fields that someone chose by name. */
  chosen: readonly string[]
  token: string
}

type SubscribeAnswer =
  | { outcome: 'accepted'; fields: string[] }
  | { outcome: 'failed'; failure: SubscribeFailure; uncertain: boolean }

/** Repeats the call until the platform accepts a list of fields, or refuses for another reason than the fields. */
async function subscribe(app: SubscriptionApp, input: SubscribeInput): Promise<SubscribeAnswer> {
  const spellings = [input.object, ...otherSpellings(input.object)]
  const doubtful = isDoubtful(input.object)
  let search: FieldSearch = startSearch(input.wanted)
  let spelling = 0
  let refusal = ''
  for (let fields = nextTry(search); fields !== null; fields = nextTry(search)) {
    const answer = await ask(app, input, spellings[spelling] ?? input.object, fields)
    if (answer.outcome === 'ok') {
      search = afterAccepted(search)
      continue
    }
    const fieldRefusal = answer.outcome === 'refused' && isFieldRefusal(answer.message)
    if (fieldRefusal) {
      refusal = answer.message
      search = afterRefused(search, { message: answer.message, chosen: input.chosen, doubtful })
      continue
    }
    if (answer.outcome === 'refused' && isObjectRefusal(answer.message) && spelling < spellings.length - 1) {
      spelling += 1
      continue
    }
    // Keep what the platform already accepted; the list can grow later.
    if (search.accepted.length > 0) break
    return { outcome: 'failed', failure: toFailure(answer), uncertain: answer.outcome === 'unavailable' }
  }
  if (search.accepted.length > 0) return { outcome: 'accepted', fields: [...search.accepted].sort() }
  const names = input.wanted.slice(0, 5).join(', ')
  const none = `ServiceM8 knows none of these fields of ${objectLabel(input.object)}: ${names}.`
  const errors = { [WIRE_NAMES.webhook.fields]: [none], [WIRE_NAMES.extra.fields]: [none] }
  const failure = { outcome: 'platform_refused' as const, message: `${none} It said: ${refusal}`, errors }
  return { outcome: 'failed', failure, uncertain: false }
}

function ask(app: SubscriptionApp, { accountUuid, token }: SubscribeInput, object: string, fields: string[]) {
  const callbackUrl = callbackAddress(app.settings.origin, token)
  return app.callAsAccount(accountUuid, (api, accessToken) =>
    api.subscribeObject(accessToken, { object, fields, callbackUrl }),
  )
}

function isDoubtful(object: string): (field: string) => boolean {
  const kind = findObjectKind(object)
  if (!kind) return () => false
  return (field) => kind.doubtful.includes(field) || !kind.watchFields.includes(field)
}

type FailedCall = Exclude<Awaited<ReturnType<typeof ask>>, { outcome: 'ok' }>

function toFailure(answer: FailedCall): SubscribeFailure {
  if (answer.outcome === 'not_connected' || answer.outcome === 'reconnect') {
    return { outcome: 'no_credentials', message: NO_CREDENTIALS }
  }
  if (answer.message.trim() !== '') return { outcome: 'platform_refused', message: answer.message }
  const message =
    answer.outcome === 'unavailable'
      ? 'ServiceM8 did not answer. Nothing was changed; please try again in a minute.'
      : `ServiceM8 refused the subscription (${answer.status}). Nothing was changed.`
  return { outcome: 'platform_refused', message }
}
