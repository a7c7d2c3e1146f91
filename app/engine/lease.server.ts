// One owner at a time: a lease in the database that must be renewed, so two processes never send the same delivery.
import type { OperationsStore } from '#db/store/operations.ts'
import type { Clock, Millis } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { MakeOwnership, Ownership, OwnershipUse } from './ownership.ts'
import { createSteadyLoop } from './steady-loop.server.ts'

export interface LeaseInput {
  store: Pick<OperationsStore, 'findLease' | 'acquireLease' | 'releaseLease'>
  clock: Clock
  log: Log
  owner: string
  /** Is that owner known to have ended? Then its lease can be taken before it expires. */
  isGone(owner: string): boolean
  /** ms between renewals; default 3 s. A lease that is not renewed lasts a little over three of them. */
  beatMs?: number
}

const BEAT_MS = 3_000
/** A lease survives one or two missed renewals. */
const BEATS_PER_LEASE = 10 / 3
/** No new work starts in this fraction of a beat before expiry: another process's clock may be slightly ahead. */
const MARGIN = 1 / 3

/** One process does the work for every account, as long as it holds the lease of that name. */
export function heldByLease(input: LeaseInput): MakeOwnership {
  return (use) => createLease(input, use)
}

const everybody = () => true

function createLease(input: LeaseInput, { name, onHeld }: OwnershipUse): Ownership {
  const { store, clock, log, owner, beatMs = BEAT_MS } = input
  const leaseMs = Math.round(beatMs * BEATS_PER_LEASE)
  let heldUntil: Millis | null = null
  let ready = false

  async function acquire(now: Millis): Promise<boolean> {
    if (await store.acquireLease(name, owner, now, now + leaseMs, null)) return true
    const holder = await store.findLease(name)
    if (!holder || !input.isGone(holder.owner)) return false
    log.info({ lease: name, from: holder.owner }, 'lease.inherited')
    return store.acquireLease(name, owner, now, now + leaseMs, holder.owner)
  }

  const loop = createSteadyLoop({
    name: `lease.${name}`,
    clock,
    log,
    // Retry soon: nothing is sent while it fails.
    ceilingMs: beatMs,
    async run() {
      const now = clock.now()
      if (await acquire(now)) {
        const taken = !ready
        heldUntil = now + leaseMs - Math.round(beatMs * MARGIN)
        if (taken) log.info({ lease: name, owner }, 'lease.taken')
        await onHeld(taken ? everybody : null)
        ready = true
      } else {
        if (ready) log.warn({ lease: name, owner }, 'lease.lost')
        heldUntil = null
        ready = false
      }
      return now + beatMs
    },
  })

  return {
    start: loop.start,
    owns: () => true,
    holds: (now) => ready && heldUntil !== null && now < heldUntil,
    async release() {
      await loop.stop()
      const held = heldUntil !== null
      heldUntil = null
      ready = false
      if (!held) return
      // It expires by itself, and what is still to close must not wait for a full disk.
      const note = (error: unknown): void => log.warn({ lease: name, error }, 'lease.not_released')
      await store.releaseLease(name, owner).catch(note)
    },
    lastRunAt: loop.lastRunAt,
    turns: loop.turns,
  }
}
