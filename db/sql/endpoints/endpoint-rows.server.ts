// Converts an endpoint's health to columns and back.
import type { EndpointHealth } from '#app/domain/deliveries/delivery.ts'
import type { EndpointLane } from '../../store/deliveries.ts'
import { shapeOf } from '../shape.server.ts'

type HealthColumns = Omit<EndpointHealth, 'failureEvents'> & { failureEvents: string }

/** For a SELECT from a table or alias `p`. */
export const HEALTH = shapeOf<HealthColumns>({
  state: 'p.state',
  stateReason: 'p.state_reason',
  stateSince: 'p.state_since',
  holdUntil: 'p.hold_until',
  holdReason: 'p.hold_reason',
  holdSince: 'p.hold_since',
  breaker: 'p.breaker',
  breakerProbes: 'p.breaker_probes',
  nextProbeAt: 'p.next_probe_at',
  failingSince: 'p.failing_since',
  failureStreak: 'p.failure_streak',
  failureEvents: 'p.failure_events',
  redirectStreak: 'p.redirect_streak',
  lastSuccessAt: 'p.last_success_at',
})

/** For a SELECT from `ENDPOINT_AND_PLAN`. */
export const HEALTH_COLUMNS = `p.id AS endpointId, p.account_uuid AS accountUuid, p.url, ${HEALTH.columns},
  own.hold_reason AS accountHold`

/** Joins the account's hold to the endpoint, so per-event reads need no second query. */
export const ENDPOINT_AND_PLAN = `endpoint p LEFT JOIN plan own ON own.account_uuid = p.account_uuid AND own.held_since IS NOT NULL`

export interface HealthRow extends HealthColumns {
  endpointId: number
  accountUuid: string
  url: string
  /** Why sending is on hold for the account; null = it is not. */
  accountHold: string | null
}

export function healthOf(row: HealthRow): EndpointHealth {
  const { endpointId: _id, accountUuid: _account, url: _url, accountHold: _hold, ...health } = row
  return healthFrom(health)
}

export function healthFrom(columns: HealthColumns): EndpointHealth {
  const { failureEvents } = columns
  return { ...columns, failureEvents: failureEvents === '[]' ? [] : (JSON.parse(failureEvents) as number[]) }
}

export function laneOf(row: HealthRow): EndpointLane {
  return {
    endpointId: row.endpointId,
    accountUuid: row.accountUuid,
    hasAddress: row.url !== '',
    accountHeld: row.accountHold !== null,
    health: healthOf(row),
  }
}
