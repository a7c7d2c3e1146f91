// Everything that was ever found against the product, all at once for a moment and at a fifth of the pace: nobody else loses anything.
// `npm run prove:siege` goes on for ten minutes at full pace, and compares waits with those of a quiet phase.
import { beforeAll, expect, test } from 'vitest'
import { besiege, type Siege } from '#tests/proofs/siege.ts'
import { judgeSiege } from '#tests/support/siege-judge.ts'
import { bundleTs } from '../../scripts/run-ts.mjs'

let siege: Siege

beforeAll(async () => {
  const programs = {
    attack: await bundleTs('tests/proofs/siege-attack.ts'),
    platform: await bundleTs('tests/proofs/siege-platform.ts'),
  }
  const wish = { seconds: 14, quiet: 2, rate: 50, seed: 1, only: [], pace: 0.2, control: null, controlOnly: false }
  siege = await besiege(programs, wish, { line: () => undefined })
}, 120_000)

test('each attack reaches the server, and none gets what it is after', () => {
  expect(siege.attacks.filter(({ answers }) => Object.keys(answers).length === 0).map(({ name }) => name)).toEqual([])
  expect(siege.attacks.length).toBeGreaterThan(10)
  expect(siege.breaches).toEqual([])
})

test('ordinary accounts lose nothing, are refused nothing and see their pages; the process stays within its memory', () => {
  // How long they wait is compared where a quiet phase is long enough to compare with.
  const faults = judgeSiege(siege).filter(({ name, met }) => met === false && name !== 'times the quiet p99')
  expect(faults).toEqual([])
  expect(siege.besieged.length).toBeGreaterThan(500)
})
