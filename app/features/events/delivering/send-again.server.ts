// Actions on request: send a delivery again, send everything since a moment, send a test sample.
import { setImmediate } from 'node:timers/promises'
import type { App } from '#app/context/app-context.ts'
import { RETRY_FOR, type Verdict } from '#app/domain/deliveries/delivery.ts'
import type { ReplayRequest } from '#app/domain/deliveries/stored-delivery.ts'
import { NO_ROOM_FOR_REPLAYS } from '#app/domain/space.ts'
import type { AttemptReport } from '#db/store/deliveries.ts'
import type { IncomingEvent } from '#db/store/events.ts'
import { whyNotAgain } from '../delivery-detail.ts'
import { chooseEndpoints } from '../fan-out.ts'
import { NO_LONGER_KEPT } from '../search-view.ts'

type AgainApp = Pick<App, 'store' | 'clock' | 'log' | 'wakeDeliveries'>

type RetryOutcome =
  | { outcome: 'sent'; deliveryId: number }
  | { outcome: 'not_found' }
  | { outcome: 'no_address' | 'body_gone'; message: string }

/**
 * Sends one delivery again immediately, even if its endpoint is held, as a new delivery with its own 72 hours. The old
 * one keeps retrying; the first success ends both.
 */
export async function sendAgain(app: AgainApp, accountUuid: string, deliveryId: number): Promise<RetryOutcome> {
  const retry = await app.store.deliveries.retryDelivery(accountUuid, deliveryId, app.clock.now(), RETRY_FOR)
  switch (retry.outcome) {
    case 'created':
    case 'waiting':
      app.log.info({ deliveryId: retry.deliveryId, of: deliveryId }, 'delivery.asked_again')
      app.wakeDeliveries(retry.endpointId)
      return { outcome: 'sent', deliveryId: retry.deliveryId }
    case 'not_found':
      return retry
    case 'no_address':
    case 'body_gone': {
      const found = await app.store.events.findDelivery(accountUuid, deliveryId)
      return { ...retry, message: (found && whyNotAgain(found)) ?? NO_LONGER_KEPT }
    }
  }
}

type ReplayOutcome =
  | { outcome: 'started'; count: number; replayId: number }
  | { outcome: 'not_found' }
  | { outcome: 'no_address' | 'no_room'; message: string }

/** Sends everything since a moment again, after live deliveries. Not with storage nearly full. */
export async function replaySince(
  app: AgainApp & Pick<App, 'space'>,
  accountUuid: string,
  endpointId: number,
  request: ReplayRequest,
): Promise<ReplayOutcome> {
  const count = await countReplayed(app, accountUuid, endpointId, request)
  if (count === null) return { outcome: 'not_found' }
  if (!app.space.switches().newReplays) return { outcome: 'no_room', message: NO_ROOM_FOR_REPLAYS }
  const replayId = await app.store.deliveries.startReplay(accountUuid, endpointId, request, count, app.clock.now())
  if (replayId === null) return { outcome: 'no_address', message: 'The webhook has no address to send to.' }
  app.log.info({ replayId, endpointId, count }, 'replay.started')
  app.wakeDeliveries(endpointId)
  return { outcome: 'started', count, replayId }
}

/** Counts the events a replay would send, or at least `enough`, in pages that yield to events. Null = the account has no such endpoint. */
export async function countReplayed(
  { store }: Pick<App, 'store'>,
  accountUuid: string,
  endpointId: number,
  request: ReplayRequest,
  enough = Number.POSITIVE_INFINITY,
): Promise<number | null> {
  let count = 0
  let from: number | null = null
  do {
    const page: Awaited<ReturnType<typeof store.deliveries.findReplayableEvents>> =
      await store.deliveries.findReplayableEvents(accountUuid, endpointId, request, from)
    if (!page) return null
    count += page.events.filter((event) => chooseEndpoints(event, [page.endpoint]).length > 0).length
    from = page.next
    await setImmediate()
  } while (from !== null && count < enough)
  return count
}

/** Returns false when the replay does not exist or has ended. Its unsent deliveries end as "stopped". */
export async function cancelReplay(app: AgainApp, accountUuid: string, replayId: number): Promise<boolean> {
  const replay = await app.store.deliveries.findReplay(accountUuid, replayId)
  if (!replay || !(await app.store.deliveries.cancelReplay(accountUuid, replayId, app.clock.now()))) return false
  app.wakeDeliveries(replay.endpointId)
  return true
}

/** Makes and records one attempt for a delivery now, whatever its endpoint's state. Null = it is not waiting. */
export type DeliverNow = (deliveryId: number) => Promise<AttemptReport | null>

type TestOutcome =
  | { outcome: 'tested'; deliveryId: number; success: boolean; verdict: Verdict; durationMs: number }
  | { outcome: 'not_found' }

/** Sends a sample to one endpoint once, through the normal delivery code, and returns the result. */
export async function sendTest(
  app: Pick<App, 'store' | 'clock'> & { deliverNow: DeliverNow },
  accountUuid: string,
  endpointId: number,
  sample: Pick<IncomingEvent, 'object' | 'objectUuid' | 'changedFields' | 'body'>,
): Promise<TestOutcome> {
  const deliveryId = await app.store.events.createTestDelivery(accountUuid, endpointId, sample, app.clock.now())
  if (deliveryId === null) return { outcome: 'not_found' }
  const report = await app.deliverNow(deliveryId)
  if (report?.result.kind !== 'sent') throw new Error(`the sample ${deliveryId} was not sent`)
  const { verdict, durationMs } = report.result
  return { outcome: 'tested', deliveryId, success: verdict.outcome === 'delivered', verdict, durationMs }
}
