// How slots are shared: so many at once, and of those so many for whoever might not give them back soon.

export interface LaneLimits {
  /** Attempts in flight at once, not counting those that drag. */
  slots: number
  /**
   * An attempt open for longer than `dragsAfterMs` drags: it no longer keeps a slot from others, up to so many of them. That is
   * what lets everybody else pass in the first seconds of an outage, before anything has failed.
   */
  dragging: number
  dragsAfterMs: number
  perAccount: number
  /** Of one endpoint that has proved itself; every endpoint starts with 1. */
  perEndpoint: number
  /** Shared by all endpoints whose last attempt failed. */
  failing: number
  /** Shared by all endpoints that have not succeeded since the start: the rest is kept for those that have. */
  unproven: number
  replay: number
  /** Items of an endpoint held in memory. */
  window: number
}

export const LANE_LIMITS: LaneLimits = {
  slots: 64,
  dragging: 64,
  dragsAfterMs: 250,
  perAccount: 16,
  perEndpoint: 4,
  failing: 16,
  unproven: 48,
  replay: 16,
  window: 64,
}
