// Caches what the platform's callback addresses belong to, briefly: a burst uses the same address again and again, and
// each read of the file takes locks (4 % of the work for an event: measured).
import type { Millis } from '#app/lib/clock.ts'
import type { Ingress } from '../../store/events.ts'

/** ms that an overlapping process's newer data may go unnoticed. */
const REMEMBERED = 1_000
const MOST = 2_000

let changes = 0

/** Call with every write to subscriptions, inside its transaction: clears the cache. */
export function noteSubscriptionChange(): void {
  changes++
}

/** `find` reads the file. Unknown addresses are never cached. */
export function knownIngress(find: (tokenHash: string) => Ingress | undefined) {
  const known = new Map<string, Ingress>()
  let seenChanges = changes
  let until: Millis = 0
  return (tokenHash: string, now: Millis): Ingress | null => {
    if (seenChanges !== changes || now >= until || now < until - REMEMBERED || known.size >= MOST) {
      known.clear()
      seenChanges = changes
      until = now + REMEMBERED
    }
    const remembered = known.get(tokenHash)
    if (remembered) return remembered
    const found = find(tokenHash)
    if (found) known.set(tokenHash, found)
    return found ?? null
  }
}
