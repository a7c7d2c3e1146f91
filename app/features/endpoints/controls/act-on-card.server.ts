// Handles the buttons of a card: pause, resume, start again, test, send again, replay, and rotate the secret.
import type { App } from '#app/context/app-context.ts'
import { type EndpointKey, keyOf, parseEndpointKey, refOf } from '#app/domain/endpoint-key.ts'
import { holdReason } from '#app/domain/quarantine.ts'
import { unlessHeld } from '#app/features/events/search-view.ts'
import type { Flash } from '#app/lib/flash.ts'
import type { EndpointFacts, EndpointRecord } from '#db/store/endpoints.ts'
import { parseWebhookId } from '../endpoint.ts'
import { KIND_TEXTS, kindOf, type Thing } from '../endpoint-kinds.ts'
import { type EndpointApp, updateEndpoint } from '../endpoints.server.ts'
import {
  failedFlash,
  goneSentence,
  HEALTH_PLACE,
  notTestedFlash,
  pausedFlash,
  REPLAY_CANCELLED,
  REPLAY_OVER,
  replayStartedFlash,
  resultPlace,
  resumedFlash,
  SENT_AGAIN,
  secretFlash,
  startedFlash,
  startedWithoutFlash,
  testedFlash,
  tooMany,
} from './control-text.ts'
import type { DeliveryControls } from './delivery-controls.server.ts'
import { missedSince, readReplayForm } from './replay-request.ts'
import { cancelReplay, startReplay } from './replay-webhook.server.ts'
import { rotateSecret } from './rotate-secret.server.ts'
import { testWebhook } from './test-webhook.server.ts'

export const CARD_INTENTS = [
  'pause',
  'resume',
  'start_again',
  'test',
  'send_again',
  'replay',
  'cancel_replay',
  'rotate_secret',
] as const

export type CardIntent = (typeof CARD_INTENTS)[number]

export function isCardIntent(text: string | undefined): text is CardIntent {
  return CARD_INTENTS.some((intent) => intent === text)
}

/** The message for the next page, and whether that page opens the card's signing secret. */
export interface CardAct {
  flash: Flash
  secretOf?: EndpointKey
  /** The delivery that shows what a test sent. */
  tested?: number
}

type CardApp = EndpointApp & Pick<App, 'store' | 'secrets' | 'settings' | 'clock' | 'log' | 'wakeDeliveries'>

interface Press {
  app: CardApp
  controls: DeliveryControls
  accountUuid: string
  record: EndpointRecord
  thing: Thing
  values: Record<string, string>
}

/** Names the action that failed: "Failed to …". */
const DOING: Record<CardIntent, (thing: Thing) => string> = {
  pause: (thing) => `pause ${thing}`,
  resume: (thing) => `resume ${thing}`,
  start_again: (thing) => `start ${thing} again`,
  test: () => 'send test webhook',
  send_again: () => 'send again',
  replay: () => 'send again',
  cancel_replay: () => 'cancel',
  rotate_secret: () => 'make a new signing secret',
}

/**
 * Runs the action of a button. `values` hold `id` (the card's) and, by intent, `missed` = yes (start_again: also send
 * the missed events), `delivery` (send_again), `since`, `status`, `objectUuid` (replay), `replay` (cancel_replay).
 * `place` = where the button is, when it is not on the card.
 */
export async function actOnCard(
  app: CardApp,
  controls: DeliveryControls,
  accountUuid: string,
  intent: CardIntent,
  values: Record<string, string>,
): Promise<CardAct> {
  const key = parseEndpointKey(values.id ?? '')
  const { thing } = KIND_TEXTS[kindOf(key)]
  const record = key === null ? null : await app.store.endpoints.findEndpoint(accountUuid, refOf(key))
  if (!record) return gone(intent, thing)
  const act = await PRESSES[intent]({ app, controls, accountUuid, record, thing, values })
  const keepsTitle = SENDS[intent]
  const hold = keepsTitle === undefined ? null : holdReason(app.settings, record.accountHold?.reason)
  act.flash = unlessHeld(act.flash, hold, keepsTitle ? act.flash.title : undefined)
  const part = PLACES[intent]
  if (part === null) return act
  const at = values.place === HEALTH_PLACE ? HEALTH_PLACE : resultPlace(keyOf(record), part)
  return { ...act, flash: { ...act.flash, at } }
}

/** Presses that send: whether their title is true as well while the account is on hold. */
const SENDS: Partial<Record<string, boolean>> = { resume: true, start_again: true, send_again: false, replay: false }

/** Where the card shows the result; null for a press far from its buttons, whose result is a toast. */
const PLACES: Record<CardIntent, Parameters<typeof resultPlace>[1] | null> = {
  pause: 'buttons',
  resume: 'buttons',
  start_again: 'buttons',
  test: 'buttons',
  send_again: null,
  replay: 'buttons',
  cancel_replay: null,
  rotate_secret: 'secret',
}

const PRESSES: Record<CardIntent, (press: Press) => Promise<CardAct>> = {
  pause: (press) => setActive(press, 'pause', false),
  resume: (press) => setActive(press, 'resume', true),
  start_again: startAgain,
  test: sendTest,
  send_again: sendAgain,
  replay: beginReplay,
  cancel_replay: endReplay,
  rotate_secret: newSigningSecret,
}

function gone(intent: CardIntent, thing: Thing): CardAct {
  return failed(intent, thing, goneSentence(thing))
}

function failed(intent: CardIntent, thing: Thing, why: string): CardAct {
  return { flash: failedFlash(DOING[intent](thing), why) }
}

async function setActive(press: Press, intent: 'pause' | 'resume', active: boolean): Promise<CardAct> {
  const { app, accountUuid, record, thing } = press
  const changed = await updateEndpoint(app, accountUuid, keyOf(record), { active })
  if (changed.outcome === 'not_found') return gone(intent, thing)
  if (changed.outcome !== 'updated') return failed(intent, thing, changed.message)
  const { pendingCount: waiting, url } = record.endpoint
  return { flash: active ? resumedFlash(waiting, thing, url !== '') : pausedFlash(waiting, thing) }
}

async function startAgain({ app, controls, accountUuid, record, thing, values }: Press): Promise<CardAct> {
  const { endpoint } = record
  // Read this before the restart resets the state.
  const stoppedAt = stoppedSince(record)
  if (!(await app.store.deliveries.resumeEndpoint(accountUuid, endpoint.id, app.clock.now()))) {
    return gone('start_again', thing)
  }
  app.log.info({ account: accountUuid, endpoint: endpoint.id }, 'endpoint.started_again')
  const waiting = endpoint.pendingCount
  if (values.missed !== 'yes' || stoppedAt === null) {
    app.wakeDeliveries(endpoint.id)
    return { flash: startedFlash(waiting, 0, thing) }
  }
  // startReplay wakes the engine itself, for the replay and for the waiting deliveries.
  const started = await startReplay(app, controls, accountUuid, keyOf(record), missedSince(stoppedAt))
  if (started.outcome === 'started') return { flash: startedFlash(waiting, started.count, thing) }
  app.wakeDeliveries(endpoint.id)
  return { flash: 'message' in started ? startedWithoutFlash(started.message) : startedFlash(waiting, 0, thing) }
}

/** Returns when the endpoint stopped or began to fail without recovering; null when it did neither. */
export function stoppedSince({ endpoint }: Pick<EndpointFacts, 'endpoint'>): number | null {
  if (endpoint.state === 'stopped') return endpoint.stateSince
  return endpoint.state === 'failing' ? (endpoint.failingSince ?? endpoint.stateSince) : null
}

async function sendTest({ app, controls, accountUuid, record, thing }: Press): Promise<CardAct> {
  const taken = controls.takeTest()
  if (taken.outcome === 'wait') return { flash: notTestedFlash(tooMany('tests', taken.ms)) }
  const tested = await testWebhook(app, accountUuid, keyOf(record), controls.sendSample)
  if (tested.outcome === 'tested') return { flash: testedFlash(tested.result), tested: tested.result.deliveryId }
  return { flash: notTestedFlash(tested.outcome === 'no_address' ? tested.message : goneSentence(thing)) }
}

async function sendAgain({ controls, thing, values }: Press): Promise<CardAct> {
  const deliveryId = parseWebhookId(values.delivery ?? '')
  const sent = deliveryId === null ? NOT_FOUND : await controls.sendAgain(deliveryId)
  if (sent.outcome === 'sent') return { flash: SENT_AGAIN }
  return failed('send_again', thing, 'message' in sent ? sent.message : 'This event is no longer kept.')
}

const NOT_FOUND = { outcome: 'not_found' } as const

async function beginReplay({ app, controls, accountUuid, record, thing, values }: Press): Promise<CardAct> {
  const timezone = (await app.store.accounts.findAccount(accountUuid))?.timezone ?? 'UTC'
  const { since = '', status = '', objectUuid = '' } = values
  const read = readReplayForm({ since, status, objectUuid }, app.clock.now(), timezone)
  if (read.outcome === 'invalid') {
    return failed('replay', thing, Object.values(read.errors).flat().join(' '))
  }
  const started = await startReplay(app, controls, accountUuid, keyOf(record), read.request)
  if (started.outcome === 'started') {
    return { flash: replayStartedFlash(started.count, record.endpoint.state === 'paused' ? thing : null) }
  }
  return failed('replay', thing, 'message' in started ? started.message : goneSentence(thing))
}

async function endReplay({ app, controls, accountUuid, record, values }: Press): Promise<CardAct> {
  const replayId = parseWebhookId(values.replay ?? '')
  const ended = replayId === null ? null : await cancelReplay(app, controls, accountUuid, keyOf(record), replayId)
  return { flash: ended?.cancelled ? REPLAY_CANCELLED : REPLAY_OVER }
}

async function newSigningSecret({ app, accountUuid, record, thing }: Press): Promise<CardAct> {
  const rotated = await rotateSecret(app, accountUuid, keyOf(record))
  if (rotated.outcome === 'not_found') return gone('rotate_secret', thing)
  const timezone = (await app.store.accounts.findAccount(accountUuid))?.timezone ?? 'UTC'
  return { flash: secretFlash(rotated.previousUntil, app.clock.now(), timezone), secretOf: keyOf(record) }
}
