import type { Clock } from '#app/lib/clock.ts'
import type { AccountStore } from '../store/accounts.ts'
import type { Client } from './client.server.ts'

export function accountStore(_client: Client, _clock: Clock): AccountStore {
  throw new Error('being written')
}
