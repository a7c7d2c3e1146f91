// `/webhook_subscriptions`: subscribe (object and event kind, and the old path), list, delete. Form-urlencoded only.
import { randomBytes, randomUUID } from 'node:crypto'
import { zoneOf } from '../accounts.server.ts'
import { type Answer, jsonAnswer } from '../http.server.ts'
import { callable, type Poster } from '../post.server.ts'
import type { Stage } from '../state.server.ts'
import type { SubscriptionView } from '../world.ts'
import { EVENTS, fieldsOf, findWebhookObject, scopeOfEvent } from './catalog.ts'
import { endSubscription } from './deliveries.server.ts'
import { localText } from './local-time.ts'
import { type AccountRequest, formOf, hasScope, scopeMessage } from './wire-request.ts'

const MAX_OBJECT = 64
const MAX_UNIQUE_ID = 100
const MAX_SUBSCRIPTIONS = 200

type Wanted =
  | { outcome: 'ok'; kind: 'object' | 'event'; subject: string; fields: string[]; scope: string | undefined }
  | { outcome: 'refused'; answer: Answer }

/** Everything below `/webhook_subscriptions`; null for an unknown path. */
export async function webhookCall(stage: Stage, poster: Poster, request: AccountRequest): Promise<Answer | null> {
  const [, , part = ''] = request.path.split('/')
  switch (`${request.method} ${part === '' ? '/' : part === 'object' || part === 'event' ? part : '{uuid}'}`) {
    case 'POST object':
      return subscribe(stage, poster, request, wantedObject(request), request.account.options.oneSubscriptionPerObject)
    case 'POST event':
      return subscribe(stage, poster, request, wantedEvent(request), false)
    case 'POST /':
      return subscribe(stage, poster, request, wantedObject(request), true)
    case 'GET /':
      return list(request)
    case 'DELETE /':
      return deleteByContent(stage, request)
    case 'DELETE {uuid}':
      return deleteByUuid(stage, request, part)
    default:
      return null
  }
}

function refusal(status: number, message: string): Answer {
  return jsonAnswer(status, { success: false, message })
}

function wantedObject(request: AccountRequest): Wanted {
  const form = formOf(request)
  const name = form.get('object')?.trim() ?? ''
  if (name === '') return refuse('Please specify an object for subscription')
  const { undocumentedWebhooks } = request.account.options
  const object = name.length <= MAX_OBJECT ? findWebhookObject(name, undocumentedWebhooks) : null
  if (!object) return refuse(`Object ${name.slice(0, MAX_OBJECT)} does not support subscription`)
  const fields = [...new Set((form.get('fields') ?? '').split(',').map((field) => field.trim()))]
  const known = fieldsOf(object.key)
  // The message does not name the invalid field, as on the real service.
  if (fields.some((field) => !known.has(field))) return refuse('"" is not a valid field for subscription')
  return { outcome: 'ok', kind: 'object', subject: object.key, fields, scope: object.scopes.read }
}

function wantedEvent(request: AccountRequest): Wanted {
  const event = formOf(request).get('event')?.trim().toLowerCase() ?? ''
  if (event === '') return refuse('Please specify an event for subscription')
  if (!EVENTS.includes(event)) return refuse(`Event ${event.slice(0, MAX_OBJECT)} does not support subscription`)
  return { outcome: 'ok', kind: 'event', subject: event, fields: [], scope: scopeOfEvent(event) }
}

function refuse(message: string): Wanted {
  return { outcome: 'refused', answer: refusal(400, message) }
}

async function subscribe(
  stage: Stage,
  poster: Poster,
  request: AccountRequest,
  wanted: Wanted,
  replaceSameObject: boolean,
): Promise<Answer> {
  if (wanted.outcome === 'refused') return wanted.answer
  const { account } = request
  const form = formOf(request)
  const callbackUrl = form.get('callback_url')?.trim() ?? ''
  const uniqueId = form.get('unique_id')?.trim() ?? ''
  if (!hasScope(request, wanted.scope)) return refusal(403, scopeMessage(wanted.scope ?? ''))
  if (callbackUrl === '') return refusal(400, 'Please specify a callback_url for subscription')
  if (uniqueId.length > MAX_UNIQUE_ID) return refusal(400, `unique_id may hold at most ${MAX_UNIQUE_ID} characters`)
  if (!callable(callbackUrl, stage.origin)) {
    return refusal(400, 'callback_url cannot be reached: the pretend platform calls addresses of this machine only')
  }
  // A private app gets no challenge.
  const failure = request.byKey ? null : await challengeFailure(stage, poster, callbackUrl)
  if (failure !== null) return refusal(400, `Challenge verification of the callback URL failed (${failure})`)

  const same = account.subscriptions.find(
    (one) =>
      !one.deleted &&
      isOf(request, one) &&
      one.kind === wanted.kind &&
      one.subject === wanted.subject &&
      (replaceSameObject || one.callbackUrl === callbackUrl || (uniqueId !== '' && one.uniqueId === uniqueId)),
  )
  const fresh = {
    callbackUrl,
    fields: wanted.fields,
    active: true,
    lastFailureReason: null,
    lastFailureAt: null,
    failingSince: null,
  }
  if (same) Object.assign(same, fresh, uniqueId === '' ? {} : { uniqueId })
  else {
    account.subscriptions.push({
      uuid: randomUUID(),
      accountUuid: account.uuid,
      kind: wanted.kind,
      subject: wanted.subject,
      uniqueId,
      deleted: false,
      createdAt: stage.clock.now(),
      ...(request.byKey && { byKey: true as const }),
      ...fresh,
    })
    account.subscriptions = withoutOldest(account.subscriptions)
  }
  stage.commit()
  return jsonAnswer(200, { success: true })
}

/** Null when the address echoed the challenge, else a description of its answer. */
async function challengeFailure(stage: Stage, poster: Poster, callbackUrl: string): Promise<string | null> {
  const challenge = randomBytes(24).toString('hex')
  const posted = await poster.post(callbackUrl, {
    contentType: 'application/x-www-form-urlencoded',
    body: new URLSearchParams({ mode: 'subscribe', challenge }).toString(),
    timeoutMs: stage.answerMs,
  })
  if (posted.status === 200 && posted.answer === challenge) return null
  return posted.status === null ? posted.error : `status ${posted.status}`
}

/** The add-on sees its own subscriptions, private apps see theirs. */
function isOf(request: AccountRequest, subscription: SubscriptionView): boolean {
  return request.byKey === (subscription.byKey ?? false)
}

/** Above the limit, ended subscriptions are removed first. */
function withoutOldest(list: SubscriptionView[]): SubscriptionView[] {
  if (list.length <= MAX_SUBSCRIPTIONS) return list
  const oldest = list.find((one) => one.deleted) ?? list[0]
  return list.filter((one) => one !== oldest)
}

function list(request: AccountRequest): Answer {
  const status = request.query.get('status') ?? 'active'
  const { account } = request
  const zone = zoneOf(account)
  const shown = account.subscriptions.filter((one) => {
    if (!isOf(request, one)) return false
    if (status === 'all') return true
    return status === 'inactive' ? !one.active : one.active
  })
  return jsonAnswer(
    200,
    shown.map((one) => ({
      uuid: one.uuid,
      type: one.kind,
      ...(one.kind === 'object' ? { object: one.subject, fields: one.fields } : { event: one.subject }),
      callback_url: one.callbackUrl,
      unique_id: one.uniqueId,
      active: one.active,
      last_failure_reason: one.lastFailureReason,
      last_failure_at: one.lastFailureAt === null ? null : localText(one.lastFailureAt, zone),
    })),
  )
}

function deleteByUuid(stage: Stage, request: AccountRequest, uuid: string): Answer {
  const found = request.account.subscriptions.find(
    (one) => one.uuid === uuid.toLowerCase() && !one.deleted && isOf(request, one),
  )
  if (!found) return refusal(404, 'No matching webhook found')
  endSubscription(request.account, found)
  stage.commit()
  return jsonAnswer(200, { success: true })
}

/** The old path: by object alone, or by event, callback and unique id. */
function deleteByContent(stage: Stage, request: AccountRequest): Answer {
  const form = formOf(request)
  const object = form.get('object') ?? ''
  const event = form.get('event') ?? ''
  if (object === '' && event === '') return refusal(400, 'Please specify an object for subscription')
  const subject = object === '' ? event.toLowerCase() : (findWebhookObject(object)?.key ?? '')
  const callbackUrl = form.get('callback_url')
  const uniqueId = form.get('unique_id')
  const found = request.account.subscriptions.filter(
    (one) =>
      !one.deleted &&
      isOf(request, one) &&
      one.subject === subject &&
      (callbackUrl === null || one.callbackUrl === callbackUrl) &&
      (uniqueId === null || one.uniqueId === uniqueId),
  )
  if (found.length === 0) return refusal(404, 'No matching webhook found')
  for (const one of found) endSubscription(request.account, one)
  stage.commit()
  return jsonAnswer(200, { success: true })
}
