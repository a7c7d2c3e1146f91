import type { App } from '#app/context/app-context.ts'
import { type DeliveryView, deliveryView } from './delivery-detail.ts'

/** Loads one delivery with all its details. Null = the account has no such delivery. */
export async function loadDelivery(
  app: Pick<App, 'store' | 'clock' | 'settings'>,
  accountUuid: string,
  deliveryId: number,
): Promise<DeliveryView | null> {
  const stored = await app.store.events.findDelivery(accountUuid, deliveryId)
  return stored === null ? null : deliveryView(stored, app.clock.now(), app.settings.version)
}
