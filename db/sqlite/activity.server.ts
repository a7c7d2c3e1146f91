import type { Clock } from '#app/lib/clock.ts'
import type { ActivityStore } from '../store/activity.ts'
import type { Client } from './client.server.ts'

export function activityStore(_client: Client, _clock: Clock): ActivityStore {
  throw new Error('being written')
}
