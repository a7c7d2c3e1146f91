// Whatever takes text is tried by the growth trials (tests/walks/growth.test.ts), or a reason says why no stranger's text reaches it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ENTRANCES } from '#tests/support/growth/entrances.ts'
import { exportedFunctions, functionsTakingText, pureModules } from '#tests/support/growth/functions.ts'
import { shapesOf } from '#tests/support/growth/inputs.ts'
import { growthOf } from '#tests/support/growth/measure.ts'
import { LIMITS, OWN_TEXT, whyOwnText } from '#tests/support/growth/samples.ts'
import { isCallable } from '#tests/support/growth/trials.ts'
import { ROOT } from './planted-tree.ts'

const covered = new Set(ENTRANCES.flatMap(({ covers = [] }) => covers))

test('every exported function that takes text is tried for how its work grows, or a reason is written down', () => {
  const forgotten = functionsTakingText(ROOT).filter(
    (one) => !isCallable(one) && !covered.has(`${one.file} ${one.name}`) && whyOwnText(one) === null,
  )
  // Say in tests/support/growth how it is called: a type beside the text (samples.ts), an entrance (entrances.ts), or a reason.
  expect(forgotten.map(({ file, name }) => `${file} ${name}`)).toEqual([])
})

test('nothing is written down for what is not there any more', () => {
  const files = pureModules(ROOT)
  const known = new Set(
    files.flatMap((file) => [
      file,
      ...exportedFunctions(file, readFileSync(join(ROOT, file), 'utf8')).map(({ name }) => `${file} ${name}`),
    ]),
  )
  const places = [...Object.keys(OWN_TEXT), ...Object.keys(LIMITS), ...covered]
  expect(places.filter((place) => !known.has(place) && !files.some((file) => file.startsWith(`${place}/`)))).toEqual([])
})

test('a planted function is found, whatever it takes besides', () => {
  const found = exportedFunctions(
    'app/x.ts',
    'export function readIt(text: string, how: Unheard): void {}\nexport function count(n: number): void {}\nfunction own(text: string) {}',
  )
  expect(found.map(({ name }) => name)).toEqual(['readIt'])
  expect(found.map(isCallable)).toEqual([false])
})

/** Work that a machine's noise cannot hide: so many turns of an empty loop. */
function spin(turns: number): number {
  let sum = 0
  for (let n = 0; n < turns; n += 1) sum = (sum + n * 7) | 0
  return sum
}

test('work that grows with the square is found, work that grows evenly is not', () => {
  const limit = 4_000
  const [shape] = shapesOf(['a'])
  const trial = (turns: (length: number) => number, keeps: (length: number) => unknown = () => null) => ({
    limit,
    run: (length: number) => () => [spin(turns(shape?.make(length).length ?? 0)), keeps(length)],
  })
  expect(growthOf(trial((length) => 2 * length ** 2)).fault).toMatch(/^time grows|^too slow/)
  expect(growthOf(trial((length) => 2_000 * length)).fault).toBeNull()
  expect(
    growthOf(
      trial(
        () => 0,
        (length) => 'x'.repeat(length ** 2 / 4),
      ),
    ).fault,
  ).toMatch(/^keeps|^memory grows/)
  expect(
    growthOf(
      trial(
        () => 0,
        (length) => 'x'.repeat(length * 20),
      ),
    ).fault,
  ).toBeNull()
})
