import type { Clock } from '#app/lib/clock.ts'
import type { DeliveryStore } from '../store/deliveries.ts'
import type { Client } from './client.server.ts'

export function deliveryStore(_client: Client, _clock: Clock): DeliveryStore {
  throw new Error('being written')
}
