// Caches what the platform's callback addresses belong to, briefly: a burst uses the same address again and again, and
// each read of the file takes locks (4 % of the work for an event: measured).
import type { Millis } from '#app/lib/clock.ts'
import type { Ingress } from '../../store/events.ts'

/** ms that an overlapping process's newer data may go unnoticed. */
const REMEMBERED = 1_000
const MOST = 2_000

let changes = 0

/** Clears the cache. Call after every commit of a write to subscriptions. */
export function noteSubscriptionChange(): void {
  changes++
}

/** Calls it for a store function that writes subscriptions; when it fails too, because it may still have committed. */
export function changingSubscriptions<A extends unknown[], T>(
  write: (...args: A) => Promise<T>,
): (...args: A) => Promise<T> {
  return async (...args) => {
    try {
      return await write(...args)
    } finally {
      noteSubscriptionChange()
    }
  }
}

/** Calls at once for one address share a read. Unknown addresses are forgotten as soon as their read ends. */
export function knownIngress(find: (tokenHash: string) => Promise<Ingress | undefined>) {
  // Reads, not results: one that began before a change is dropped with it, although it ends later.
  const known = new Map<string, Promise<Ingress | undefined>>()
  let seenChanges = changes
  let until: Millis = 0

  async function read(tokenHash: string): Promise<Ingress | null> {
    const reading = find(tokenHash)
    known.set(tokenHash, reading)
    let found: Ingress | undefined
    try {
      found = await reading
    } finally {
      if (!found && known.get(tokenHash) === reading) known.delete(tokenHash)
    }
    return found ?? null
  }

  return async (tokenHash: string, now: Millis): Promise<Ingress | null> => {
    if (seenChanges !== changes || now >= until || now < until - REMEMBERED || known.size >= MOST) {
      known.clear()
      seenChanges = changes
      until = now + REMEMBERED
    }
    const remembered = known.get(tokenHash)
    return remembered ? ((await remembered) ?? null) : read(tokenHash)
  }
}
