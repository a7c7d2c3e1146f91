import type { App } from '#app/context/app-context.ts'
import { wasSent } from '#app/domain/deliveries/attempt-timing.ts'
import { type NamesOf, recordName } from '#app/domain/record-name.ts'
import type { Millis } from '#app/lib/clock.ts'
import { type DeliveryView, deliveryView } from './delivery-detail.ts'

/** Loads one delivery with all its details. Null = the account has no such delivery. `namesOf` = for a page. */
export async function loadDelivery(
  app: Pick<App, 'store' | 'clock' | 'settings'>,
  accountUuid: string,
  deliveryId: number,
  namesOf?: NamesOf,
): Promise<DeliveryView | null> {
  const stored = await app.store.events.findDelivery(accountUuid, deliveryId)
  if (stored === null) return null
  const { object, objectUuid } = stored
  await namesOf?.(accountUuid, [{ object, recordUuid: objectUuid }])
  const nameAt = async (at: Millis) => {
    const [known] = await app.store.records.knownOf(accountUuid, [{ object, recordUuid: objectUuid }], at)
    return recordName(object, known ?? null)
  }
  const now = app.clock.now()
  const sentAt = stored.attempts.find(({ outcome }) => wasSent(outcome))?.at ?? now
  return deliveryView(stored, await nameAt(now), now, app.settings.version, await nameAt(sentAt))
}
