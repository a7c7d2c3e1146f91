// Where the platform's addresses lead, remembered for a moment: a burst asks for the same one again and again, and a look into the
// file takes locks each time (4 % of all that is done for an event: measured).
import type { Millis } from '#app/lib/clock.ts'
import type { Ingress } from '../../store/events.ts'

/** So long another process, which starts while this one ends, may know better. ms */
const REMEMBERED = 1_000
const MOST = 2_000

let changes = 0

/** Call with every write to subscriptions, inside its transaction: what is remembered of them is forgotten. */
export function noteSubscriptionChange(): void {
  changes++
}

/** `find` looks into the file. An address nobody knows is looked for each time. */
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
