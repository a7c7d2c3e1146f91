import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { askShortly } from './servicem8-http.server.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Answers in turn; the times at which it was asked are noted. */
function asking(answers: number[]) {
  const askedAt: number[] = []
  const first: boolean[] = []
  const began = performance.now()
  const ask = async (isFirst: boolean) => {
    askedAt.push(performance.now() - began)
    first.push(isFirst)
    return answers.shift() ?? 0
  }
  return { ask, askedAt, first }
}
const isPassing = (status: number) => status === 503

test('what failed in passing is asked again, after pauses that chance makes longer', async () => {
  vi.spyOn(Math, 'random').mockReturnValueOnce(0).mockReturnValueOnce(0.5)
  const { ask, askedAt, first } = asking([503, 503, 200])
  const answer = askShortly({ ask, isPassing })
  await vi.advanceTimersByTimeAsync(5_000)
  expect(await answer).toBe(200)
  expect(askedAt).toEqual([0, 200, 800])
  expect(first).toEqual([true, false, false])
})

test('the third answer is the last, whatever it says', async () => {
  const { ask, askedAt } = asking([503, 503, 503, 200])
  const answer = askShortly({ ask, isPassing })
  await vi.advanceTimersByTimeAsync(5_000)
  expect(await answer).toBe(503)
  expect(askedAt).toHaveLength(3)
})

test('any other answer is the only one', async () => {
  const { ask, askedAt } = asking([404, 200])
  expect(await askShortly({ ask, isPassing })).toBe(404)
  expect(askedAt).toHaveLength(1)
})

test('nothing is asked again once it is called off, and what is known by then is the answer', async () => {
  const stopping = new AbortController()
  const { ask, askedAt } = asking([503, 200])
  const answer = askShortly({ ask, isPassing, signal: stopping.signal })
  await vi.advanceTimersByTimeAsync(100)
  stopping.abort()
  expect(await answer).toBe(503)
  expect(askedAt).toHaveLength(1)

  const late = asking([503, 200])
  expect(await askShortly({ ...late, isPassing, signal: stopping.signal })).toBe(503)
  expect(late.askedAt).toHaveLength(1)
})

test('a bug is thrown at once', async () => {
  let asked = 0
  const ask = async () => {
    asked += 1
    throw new TypeError('a bug')
  }
  await expect(askShortly({ ask, isPassing })).rejects.toThrow('a bug')
  expect(asked).toBe(1)
})
