// The delivery engine's use cases for a webhook's buttons and calls: bound to one account.
import type { App } from '#app/context/app-context.ts'
import type { DeliveryControls } from '#app/features/endpoints/controls/delivery-controls.server.ts'
import {
  cancelReplay,
  countReplayed,
  replaySince,
  sendAgain,
  sendTest,
} from '#app/features/events/delivering/send-again.server.ts'
import { takeRate } from '#app/http/rate-limit.server.ts'

export function deliveryControls(app: App, accountUuid: string): DeliveryControls {
  return {
    sendAgain: (deliveryId) => sendAgain(app, accountUuid, deliveryId),
    countReplay: (endpointId, wanted, enough) => countReplayed(app, accountUuid, endpointId, wanted, enough),
    startReplay: (endpointId, wanted) => replaySince(app, accountUuid, endpointId, wanted),
    cancelReplay: (replayId) => cancelReplay(app, accountUuid, replayId),
    async sendSample(endpointId, sample) {
      const sent = await sendTest(app, accountUuid, endpointId, sample)
      if (sent.outcome === 'not_found') return null
      const { deliveryId, success, verdict, durationMs } = sent
      return {
        deliveryId,
        success,
        statusCode: verdict.statusCode,
        responseTime: durationMs,
        error: success ? null : verdict.sentence,
      }
    },
    takeTest: () => takeRate(app, 'test', accountUuid),
    takeCheck: () => takeRate(app, 'check', accountUuid),
    takeCompare: () => takeRate(app, 'compare', accountUuid),
  }
}
