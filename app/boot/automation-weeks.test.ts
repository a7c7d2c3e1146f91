// Four weeks in pretend time, each with its own weather, one of each kind of week; `npm run prove:weeks` runs a hundred. One that
// fails prints its seed and what happened.
import { expect, test } from 'vitest'
import { simulatedWeek } from '#tests/support/simulated-week.server.ts'
import { onServer } from '#tests/support/test-app.server.ts'

test.each([1, 2, 3, 4])(
  'week %i: nothing is missed, nothing repeated, nobody is told about what was there before',
  async (seed) => {
    const { violations, trail, events, messages, runs } = await simulatedWeek({ seed })
    if (violations.length > 0) console.log(`${trail.join('\n')}\nSeed ${seed}`)
    expect(violations).toEqual([])
    expect(events.dropped + events.repeated).toBeGreaterThan(10)
    expect(messages).toBeGreaterThan(10)
    expect(runs).toBeGreaterThan(50)
  },
)

const MISSING = [
  { sabotage: 'ledger', says: /went out twice/ },
  { sabotage: 'sweep', says: /set nothing off|nobody was told/ },
] as const

// Without the ledger every look starts runs again, on a server for minutes.
test.each(onServer ? MISSING.slice(1) : MISSING)(
  'the judge notices when the $sabotage is taken away',
  async ({ sabotage, says }) => {
    const { violations } = await simulatedWeek({ seed: 10, sabotage })
    expect(violations).toContainEqual(expect.stringMatching(says))
  },
)
