// Every call of the product with input of every wrong kind: an answer in words, never a fault of ours. `npm run fuzz` sends more.
import { expect, test } from 'vitest'
import { fuzz } from '#lab/fuzz/wrong-calls.ts'

test('wrong input is answered in words by every call, and the server stands', async () => {
  const found = await fuzz({ seed: 7, each: 6 })
  expect(found.broken).toEqual([])
  expect(found.complaints).toEqual([])
  expect(found.tooSlow).toEqual([])
  expect(found.calls).toBeGreaterThan(1_000)
})
