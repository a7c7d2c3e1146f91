// The second fifty of the hundred weeks of automation-weeks.test.ts.
import { expect, test } from 'vitest'
import { simulatedWeek } from '#tests/support/simulated-week.server.ts'
import { onServer } from '#tests/support/test-app.server.ts'

// A week takes two seconds, on a server five.
const SEEDS = Array.from({ length: onServer ? 5 : 50 }, (_, index) => index + 51)

test.each(SEEDS)(
  'week %i: nothing is missed, nothing repeated, nobody is told about what was there before',
  async (seed) => {
    const { violations, trail, events, messages, runs } = await simulatedWeek({ seed })
    if (violations.length > 0) console.log(`${trail.join('\n')}\nSeed ${seed}`)
    expect(violations).toEqual([])
    expect(events.dropped + events.repeated).toBeGreaterThan(10)
    expect(messages).toBeGreaterThan(10)
    expect(runs).toBeGreaterThan(50)
  },
  30_000,
)
