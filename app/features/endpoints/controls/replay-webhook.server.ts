// "Send everything since …" for the address of one webhook or rule: count, start once, view, cancel.
import type { App } from '#app/context/app-context.ts'
import type { ReplayRequest } from '#app/domain/deliveries/stored-delivery.ts'
import { type EndpointKey, refOf } from '#app/domain/endpoint-key.ts'
import type { ReplayRow } from '#db/store/deliveries.ts'
import { oneAtATime } from '../subscriptions/one-at-a-time.server.ts'
import type { DeliveryControls } from './delivery-controls.server.ts'
import { sameRequest } from './replay-request.ts'

type ReplayApp = Pick<App, 'store'>

export async function countReplay(
  app: ReplayApp,
  controls: Pick<DeliveryControls, 'countReplay'>,
  accountUuid: string,
  key: EndpointKey,
  request: ReplayRequest,
): Promise<number | null> {
  const record = await app.store.endpoints.findEndpoint(accountUuid, refOf(key))
  return record && controls.countReplay(record.endpoint.id, request)
}

type StartReplayOutcome = Awaited<ReturnType<DeliveryControls['startReplay']>> | { outcome: 'stopped'; message: string }

const STOPPED = 'The address answered 410. Press “Start again” on its card first.'
const FAILING = 'We had stopped trying this address. Press “Start again” on its card first.'

/**
 * Starts a replay. A second, identical request returns the running replay, so nothing is sent twice. One to an address
 * that answered 410 would end at once, and one to an address that was given up would wait: nothing would be sent.
 */
export function startReplay(
  app: ReplayApp,
  controls: Pick<DeliveryControls, 'startReplay'>,
  accountUuid: string,
  key: EndpointKey,
  request: ReplayRequest,
): Promise<StartReplayOutcome> {
  return oneAtATime(app.store, `replay|${accountUuid}`, async () => {
    const record = await app.store.endpoints.findEndpoint(accountUuid, refOf(key))
    if (!record) return { outcome: 'not_found' }
    const { state } = record.endpoint
    if (state === 'stopped' || state === 'failing')
      return { outcome: 'stopped', message: state === 'stopped' ? STOPPED : FAILING }
    const running = record.replays.find((replay) => replay.state === 'running' && sameRequest(replay, request))
    if (running) return { outcome: 'started', count: running.total, replayId: running.id }
    return controls.startReplay(record.endpoint.id, request)
  })
}

/** Returns null when this webhook or rule of this account has no such replay. */
export async function findReplay(
  app: ReplayApp,
  accountUuid: string,
  key: EndpointKey,
  replayId: number,
): Promise<ReplayRow | null> {
  const record = await app.store.endpoints.findEndpoint(accountUuid, refOf(key))
  const replay = record && (await app.store.deliveries.findReplay(accountUuid, replayId))
  return replay && replay.endpointId === record.endpoint.id ? replay : null
}

/** Returns the replay after the call; `cancelled` = this call cancelled it. Null when there is no such replay. */
export async function cancelReplay(
  app: ReplayApp,
  controls: Pick<DeliveryControls, 'cancelReplay'>,
  accountUuid: string,
  key: EndpointKey,
  replayId: number,
): Promise<{ replay: ReplayRow; cancelled: boolean } | null> {
  if (!(await findReplay(app, accountUuid, key, replayId))) return null
  const cancelled = await controls.cancelReplay(replayId)
  const replay = await findReplay(app, accountUuid, key, replayId)
  return replay && { replay, cancelled }
}
