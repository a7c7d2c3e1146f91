// Counts CSP violations and logs each kind now and then: a curious extension reports hundreds of times per page.
import type { App } from '#app/context/app-context.ts'
import type { Millis } from '#app/lib/clock.ts'
import { hours } from '#app/lib/duration.ts'
import type { Violation } from './csp-report.ts'

/** Kinds counted separately; the others are counted together. */
const MOST_KINDS = 200
const SAID_EVERY = hours(1)
const OTHER: Violation = { directive: 'other', blocked: 'other' }

interface Kind extends Violation {
  count: number
  saidAt: Millis
}

const kindsOf = new WeakMap<object, Map<string, Kind>>()

/** Counts since the start; logs a kind when it first occurs, then once an hour while it continues. */
export function noteViolations(app: Pick<App, 'clock' | 'log'>, violations: readonly Violation[]): void {
  const kinds = kindsOf.get(app.clock) ?? new Map<string, Kind>()
  kindsOf.set(app.clock, kinds)
  for (const violation of violations) {
    const known = kinds.has(keyOf(violation)) || kinds.size < MOST_KINDS
    const { directive, blocked } = known ? violation : OTHER
    const key = keyOf({ directive, blocked })
    const kind = kinds.get(key) ?? { directive, blocked, count: 0, saidAt: Number.NEGATIVE_INFINITY }
    kinds.set(key, kind)
    kind.count += 1
    if (app.clock.now() - kind.saidAt < SAID_EVERY) continue
    kind.saidAt = app.clock.now()
    app.log.warn({ directive, blocked, count: kind.count }, 'csp.violated')
  }
}

function keyOf({ directive, blocked }: Violation): string {
  return `${directive} ${blocked}`
}
