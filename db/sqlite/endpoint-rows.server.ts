// An endpoint's health as columns, and back.
import type { EndpointHealth } from '#app/features/deliveries/endpoint-health.ts'
import type { EndpointLane } from '../store/deliveries.ts'

/** To be read from a table or alias called `p`. */
export const HEALTH_COLUMNS = `p.id AS endpointId, p.account_uuid AS accountUuid, p.url, p.state, p.state_reason AS stateReason,
  p.state_since AS stateSince, p.hold_until AS holdUntil, p.hold_reason AS holdReason, p.hold_since AS holdSince, p.breaker,
  p.breaker_probes AS breakerProbes, p.next_probe_at AS nextProbeAt, p.failing_since AS failingSince,
  p.failure_streak AS failureStreak, p.failure_events AS failureEvents, p.redirect_streak AS redirectStreak,
  p.last_success_at AS lastSuccessAt`

export interface HealthRow extends Omit<EndpointHealth, 'failureEvents'> {
  endpointId: number
  accountUuid: string
  url: string
  failureEvents: string
}

export function healthOf(row: HealthRow): EndpointHealth {
  const { endpointId: _id, accountUuid: _account, url: _url, failureEvents, ...health } = row
  return { ...health, failureEvents: failureEvents === '[]' ? [] : (JSON.parse(failureEvents) as number[]) }
}

export function laneOf(row: HealthRow): EndpointLane {
  return {
    endpointId: row.endpointId,
    accountUuid: row.accountUuid,
    hasAddress: row.url !== '',
    health: healthOf(row),
  }
}
