import type { App } from '#app/context/app-context.ts'
import { recordName } from '#app/domain/record-name.ts'
import { type DeliveryView, deliveryView } from './delivery-detail.ts'

/** Loads one delivery with all its details. Null = the account has no such delivery. */
export async function loadDelivery(
  app: Pick<App, 'store' | 'clock' | 'settings'>,
  accountUuid: string,
  deliveryId: number,
): Promise<DeliveryView | null> {
  const stored = await app.store.events.findDelivery(accountUuid, deliveryId)
  if (stored === null) return null
  const { object, objectUuid } = stored
  const known = await app.store.records.knownOf(accountUuid, [{ object, recordUuid: objectUuid }])
  const name = recordName(object, known[0] ?? null)
  return deliveryView(stored, name, app.clock.now(), app.settings.version)
}
