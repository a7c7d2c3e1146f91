// The short version of `npm run prove:listening`: a few of its weeks.
import { expect, test } from 'vitest'
import { listeningWeek } from '#lab/listening/weeks.server.ts'

const NOTHING_WRONG = {
  wrong: [],
  afterAnswer: 0,
  repeated: 0,
  falseReceipts: 0,
  dearLooks: 0,
  lostAnswers: 0,
  toldTwice: 0,
}

test.each([2])(
  'week %i: nobody is written to after an answer, nothing is repeated, every receipt is true',
  async (seed) => {
    const found = await listeningWeek({ seed, steps: 100 })
    expect(found).toMatchObject(NOTHING_WRONG)
    expect(found.messages).toBeGreaterThan(10)
    expect(found.answers).toBeGreaterThan(5)
    expect(found.deaths).toBeGreaterThan(3)
    expect(found.receipts).toBeGreaterThan(5)
  },
)

test('the judge notices when the last look is taken away', async () => {
  const found = await listeningWeek({ seed: 1, steps: 100, withoutLastLook: true })
  expect(found.afterAnswer).toBeGreaterThan(0)
})
