// What was done to the rows, and by which act of the store.
import type { AttemptReport } from '#db/store/deliveries.ts'
import type { ModelEndpoint } from './endpoint.ts'
import { type DeliveryRow, KEPT_FOR, type ModelDelivery } from './model.ts'

/** What the triggers wrote down, in order. */
export type Logged =
  | { kind: 'event'; seq: number; account: string; object: string; record: string; dedupe: string; receivedAt: number }
  | { kind: 'delivery'; row: DeliveryRow }
  | { kind: 'change'; before: DeliveryRow; row: DeliveryRow }
  | {
      kind: 'attempt'
      deliveryId: number
      seq: number | null
      outcome: string
      status: number | null
      sentence: string
    }
  | { kind: 'deleted'; id: number }

export interface Act {
  name: string
  process: string
  /** Attempts that are written down in it, each by its process. */
  reports: readonly { process: string; report: AttemptReport }[]
  /** So long the owner may not know of it: it learns at its next beat what others do. 0 = it does it itself. */
  lagMs: number
  now: number
}

/** Nothing ends before its 72 hours, and those do not run while nothing could be sent. */
export function judgeDeadline(
  delivery: ModelDelivery,
  endpoint: ModelEndpoint,
  now: number,
  grace: number,
  wrong: (why: string) => void,
): void {
  const returned = endpoint.state === 'active' && delivery.createdAt < endpoint.stateSince
  const deadline = Math.max(delivery.deadlineAt, returned ? endpoint.stateSince + KEPT_FOR : 0)
  if (now < deadline + grace) wrong(`given up ${deadline + grace - now} ms too early`)
}
