// The delivery engine's functions that a webhook's buttons need. The routes pass them in, bound to one account.
import type { ReplayRequest } from '#app/domain/deliveries/stored-delivery.ts'
import type { NoticeLimits } from '../notices/act-on-notices.server.ts'
import type { SendSample } from './test-webhook.server.ts'

export interface DeliveryControls extends NoticeLimits {
  /** Sends one delivery again, immediately. */
  sendAgain(deliveryId: number): Promise<
    | { outcome: 'sent'; deliveryId: number }
    | { outcome: 'not_found' }
    /** The endpoint has no address, or the body is no longer stored. */
    | { outcome: 'no_address' | 'body_gone'; message: string }
  >
  /** Stops counting at `enough`. */
  countReplay(endpointId: number, request: ReplayRequest, enough?: number): Promise<number | null>
  startReplay(
    endpointId: number,
    request: ReplayRequest,
  ): Promise<
    | { outcome: 'started'; count: number; replayId: number }
    | { outcome: 'not_found' }
    /** The endpoint has no address, or storage is nearly full. */
    | { outcome: 'no_address' | 'no_room'; message: string }
  >
  /** Returns false when the replay does not exist or has already ended. */
  cancelReplay(replayId: number): Promise<boolean>
  sendSample: SendSample
  /** Takes one of the few tests allowed per minute, or returns the ms until the next one. */
  takeTest(): { outcome: 'taken' } | { outcome: 'wait'; ms: number }
}
