// Whatever takes text is tried by the growth trials (tests/walks/growth.test.ts), or a reason says why no stranger's text reaches it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ENTRANCES } from '#lab/growth/entrances.ts'
import { exportedFunctions, functionsTakingText, pureModules } from '#lab/growth/functions.ts'
import { growthOf } from '#lab/growth/measure.ts'
import { LIMITS, OWN_TEXT, whyOwnText } from '#lab/growth/samples.ts'
import { isCallable } from '#lab/growth/trials.ts'
import { ROOT } from './planted-tree.ts'

const covered = new Set(ENTRANCES.flatMap(({ covers = [] }) => covers))

test('every exported function that takes text is tried for how its work grows, or a reason is written down', () => {
  const forgotten = functionsTakingText(ROOT).filter(
    (one) => !isCallable(one) && !covered.has(`${one.file} ${one.name}`) && whyOwnText(one) === null,
  )
  // Say in packages/lab/growth how it is called: a type beside the text (samples.ts), an entrance (entrances.ts), or a reason.
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

test('work that grows with the square is found, work that grows evenly is not', () => {
  // The clock is the test's own: no machine is so busy that it judges otherwise.
  let ms = 0
  const growth = (costs: (length: number) => number, keeps: (length: number) => unknown = () => null) =>
    growthOf(
      {
        limit: 4_000,
        run: (length) => () => {
          ms += costs(length)
          return keeps(length)
        },
      },
      () => ms,
    ).fault
  expect(growth((length) => length ** 2 / 100_000)).toMatch(/^time grows 4\.0-fold/)
  expect(growth((length) => length ** 2 / 10_000)).toMatch(/^time grows 4\.0-fold/)
  expect(growth((length) => length / 100)).toBeNull()
  expect(growth((length) => length / 4)).toMatch(/^too slow/)
  expect(
    growth(
      () => 0,
      (length) => 'x'.repeat(length ** 2 / 4),
    ),
  ).toMatch(/^keeps|^memory grows/)
  expect(
    growth(
      () => 0,
      (length) => 'x'.repeat(length * 20),
    ),
  ).toBeNull()
})
