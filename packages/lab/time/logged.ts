// Changes of rows, and the act of the store that made them.
import type { AttemptReport } from '#db/store/deliveries.ts'
import type { ModelEndpoint } from './endpoint.ts'
import { type DeliveryRow, KEPT_FOR, type ModelDelivery } from './model.ts'

/** The triggers' log, in order. */
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
  /** Attempts stored by the act, each with its process. */
  reports: readonly { process: string; report: AttemptReport }[]
  /** How long the owner may not know of the act: it learns of others' acts at its next beat. 0 = its own act. */
  lagMs: number
  now: number
}

/** Nothing ends before its 72 hours, and those pause while nothing can be sent. */
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
