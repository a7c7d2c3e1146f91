// What a webhook's buttons ask of the delivery engine. Handed in by the routes, already bound to one account.
import type { NoticeLimits } from '../notices/act-on-notices.server.ts'
import type { ReplayRequest } from './replay-request.ts'
import type { SendSample } from './test-webhook.server.ts'

export interface DeliveryControls extends NoticeLimits {
  /** Sends one delivery again, at once. */
  sendAgain(deliveryId: number): Promise<
    | { outcome: 'sent'; deliveryId: number }
    | { outcome: 'not_found' }
    /** There is nowhere to send it, or what would be sent is no longer kept. */
    | { outcome: 'no_address' | 'body_gone'; message: string }
  >
  countReplay(endpointId: number, request: ReplayRequest): Promise<number | null>
  startReplay(
    endpointId: number,
    request: ReplayRequest,
  ): Promise<
    | { outcome: 'started'; count: number; replayId: number }
    | { outcome: 'not_found' }
    /** There is nowhere to send it, or storage is nearly full. */
    | { outcome: 'no_address' | 'no_room'; message: string }
  >
  /** False = there is none, or it has ended. */
  cancelReplay(replayId: number): Promise<boolean>
  sendSample: SendSample
  /** One more test of the few a minute; or how many ms until the next. */
  takeTest(): { outcome: 'taken' } | { outcome: 'wait'; ms: number }
}
