// Limits on concurrent attempts, overall and for endpoints that may hold a slot for long.

export interface LaneLimits {
  /** Attempts in flight at once, not counting those that drag. */
  slots: number
  /**
   * An attempt open for longer than `dragsAfterMs` drags: it releases its slot to others, for at most this many
   * attempts. So everyone else continues in the first seconds of an outage, before anything has failed.
   */
  dragging: number
  dragsAfterMs: number
  perAccount: number
  /** For an endpoint that has proved itself; every endpoint starts with 1. */
  perEndpoint: number
  /** Shared by all endpoints whose last attempt failed. */
  failing: number
  /** Shared by endpoints without a success since the start; the rest is reserved for those with one. */
  unproven: number
  replay: number
  /** Deliveries of an endpoint kept in memory. */
  window: number
}

export const LANE_LIMITS: LaneLimits = {
  slots: 256,
  dragging: 64,
  dragsAfterMs: 250,
  perAccount: 16,
  perEndpoint: 4,
  failing: 16,
  unproven: 192,
  replay: 16,
  window: 64,
}
