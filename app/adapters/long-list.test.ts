import { expect, it } from 'vitest'
import { readLongList } from './long-list.server.ts'

/** What looks like the end of a record, in every place of a text where it can stand. */
const TRAPS = ['},{"uuid":', '},{', '"},{"a":1},{"', '}\\},{"x":', 'ends with },{', '\\"},{\\"uuid\\":']
const record = (n: number) => ({
  uuid: `u${n}`,
  job_description: `${TRAPS[n % TRAPS.length]}${'text é '.repeat(20)}${TRAPS[(n + 1) % TRAPS.length]}`,
  badges: [{ uuid: 'b', name: TRAPS[n % TRAPS.length] }, { uuid: 'c' }],
  [`f${n % 7}`]: n,
})
const list = Array.from({ length: 6_000 }, (_, n) => record(n))

it('is the same list, read in pieces with turns for everybody else between them', async () => {
  const text = JSON.stringify(list)
  expect(text.length).toBeGreaterThan(1_500_000)
  let turns = 0
  const ticking = setInterval(() => turns++, 0)
  const read = await readLongList(text)
  clearInterval(ticking)
  expect(read).toEqual(list)
  expect(turns).toBeGreaterThan(0)
})

it('leaves short ones, other spellings and what is no list to be read as a whole', async () => {
  const long = 'x'.repeat(600_000)
  expect(await readLongList(JSON.stringify(list.slice(0, 3)))).toBeUndefined()
  expect(await readLongList(JSON.stringify({ message: long }))).toBeUndefined()
  expect(await readLongList(`[{"uuid":"${long}`)).toBeUndefined()
  expect(await readLongList(JSON.stringify(list, null, 1))).toBeUndefined()
})
