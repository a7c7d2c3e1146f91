import type { Clock } from '#app/lib/clock.ts'
import type { OperationsStore } from '../store/operations.ts'
import type { Client } from './client.server.ts'

export function operationsStore(_client: Client, _clock: Clock): OperationsStore {
  throw new Error('being written')
}
