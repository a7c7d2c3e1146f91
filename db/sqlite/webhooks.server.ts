import type { Clock } from '#app/lib/clock.ts'
import type { WebhookStore } from '../store/webhooks.ts'
import type { Client } from './client.server.ts'

export function webhookStore(_client: Client, _clock: Clock): WebhookStore {
  throw new Error('being written')
}
