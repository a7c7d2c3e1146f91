import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { PlatformRecord } from '../platform.ts'
import { createListReader } from './long-list.server.ts'

/** What looks like the end of a record, in every place of a text where it can stand. */
const TRAPS = ['},{"uuid":', '},{', '"},{"a":1},{"', '}\\},{"x":', 'ends with },{', '\\"},{\\"uuid\\":']
const record = (n: number) => ({
  uuid: `u${n}`,
  job_description: `${TRAPS[n % TRAPS.length]}${'text é '.repeat(20)}${TRAPS[(n + 1) % TRAPS.length]}`,
  badges: [{ uuid: 'b', name: TRAPS[n % TRAPS.length] }, { uuid: 'c' }],
  [`f${n % 7}`]: n,
})
const list = Array.from({ length: 6_000 }, (_, n) => record(n))

/** Hands the text over in pieces, as it arrives; tells the longest that was waiting. */
async function readArriving(text: string, sizes: readonly number[], keep = (one: PlatformRecord) => one) {
  const reader = createListReader(keep)
  let rest = ''
  let longest = 0
  for (let from = 0, n = 0; from < text.length; n += 1) {
    const size = sizes[n % sizes.length] ?? text.length
    rest = await reader.take(rest + text.slice(from, from + size))
    longest = Math.max(longest, rest.length)
    from += size
  }
  return { records: reader.end(rest), longest }
}

it('is the same list, read while it arrives with turns for everybody else between the pieces', async () => {
  const text = JSON.stringify(list)
  expect(text.length).toBeGreaterThan(1_500_000)
  let turns = 0
  let ticking = setImmediate(function tick() {
    turns++
    ticking = setImmediate(tick)
  })
  const { records, longest } = await readArriving(text, [65_536])
  clearImmediate(ticking)
  expect(records).toEqual(list)
  expect(turns).toBeGreaterThan(0)
  // No more of it waits than two pieces and what came last.
  expect(longest).toBeLessThan(600_000)
})

it('is the same however it is cut on its way', async () => {
  const text = JSON.stringify(list)
  const sizes = fc.array(fc.integer({ min: 1_000, max: 700_000 }), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(sizes, async (of) => {
      expect((await readArriving(text, of)).records).toEqual(list)
    }),
    { numRuns: 8 },
  )
})

it('keeps of each record what is asked for, and nothing that is no record', async () => {
  const text = JSON.stringify([...list, null, 'x', [1]])
  const { records } = await readArriving(text, [65_536], ({ uuid }) => ({ uuid }))
  expect(records).toEqual(list.map(({ uuid }) => ({ uuid })))
})

it('leaves short ones, other spellings and what is no list to be read as a whole', async () => {
  const long = 'x'.repeat(600_000)
  for (const text of [
    JSON.stringify(list.slice(0, 3)),
    JSON.stringify({ message: long }),
    `[{"uuid":"${long}`,
    JSON.stringify(list, null, 1),
  ]) {
    const reader = createListReader((one) => one)
    expect(await reader.take(text)).toBe(text)
    expect(reader.end(text)).toBeUndefined()
  }
})

it('is no list when its end is missing, or followed by something', async () => {
  const text = JSON.stringify(list)
  for (const broken of [text.slice(0, -1), text.slice(0, 900_000), `${text}x`, `${text.slice(0, -1)},]`]) {
    expect((await readArriving(broken, [65_536])).records).toBeNull()
  }
})
