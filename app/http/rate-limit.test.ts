import { describe, expect, it } from 'vitest'
import { fixedClock } from '#app/lib/clocks.server.ts'
import { createRateLimiter } from '#app/lib/rate-limiter.ts'
import { requireRate } from './rate-limit.server.ts'

describe('a limit', () => {
  it('lets its number through at once and refills evenly', () => {
    const clock = fixedClock()
    const limiter = createRateLimiter({ clock, perMinute: 10 })
    for (let n = 0; n < 10; n += 1) expect(limiter.take('a')).toEqual({ outcome: 'taken' })
    expect(limiter.take('a')).toEqual({ outcome: 'wait', ms: 6000 })
    clock.advance(4000)
    expect(limiter.take('a')).toEqual({ outcome: 'wait', ms: 2000 })
    clock.advance(2000)
    expect(limiter.take('a')).toEqual({ outcome: 'taken' })
    expect(limiter.take('a')).toEqual({ outcome: 'wait', ms: 6000 })
  })

  it('counts each key by itself and never saves up more than its number', () => {
    const clock = fixedClock()
    const limiter = createRateLimiter({ clock, perMinute: 1 })
    limiter.take('a')
    expect(limiter.take('b')).toEqual({ outcome: 'taken' })
    clock.advance(3_600_000)
    expect(limiter.take('a')).toEqual({ outcome: 'taken' })
    expect(limiter.take('a')).toMatchObject({ outcome: 'wait' })
  })

  it('takes several at once or none of them, and lets more than a minute’s worth wait no longer than it takes to fill', () => {
    const clock = fixedClock()
    const limiter = createRateLimiter({ clock, perMinute: 60, burst: 5 })
    expect(limiter.take('a', 4)).toEqual({ outcome: 'taken' })
    expect(limiter.take('a', 3)).toEqual({ outcome: 'wait', ms: 2000 })
    expect(limiter.take('a')).toEqual({ outcome: 'taken' })
    clock.advance(5000)
    expect(limiter.take('a', 100)).toEqual({ outcome: 'taken' })
    expect(limiter.take('a')).toEqual({ outcome: 'wait', ms: 1000 })
  })

  it('takes nothing from anybody when the clock is set back', () => {
    let now = 10_000_000
    const clock = { ...fixedClock(), now: () => now }
    const limiter = createRateLimiter({ clock, perMinute: 2 })
    limiter.take('a')
    now -= 3_600_000
    expect(limiter.take('a')).toEqual({ outcome: 'taken' })
    expect(limiter.take('a')).toEqual({ outcome: 'wait', ms: 30_000 })
  })

  it('remembers a bounded number of keys and forgets the one unseen the longest', () => {
    const limiter = createRateLimiter({ clock: fixedClock(), perMinute: 1, maxKeys: 2 })
    limiter.take('a')
    limiter.take('b')
    limiter.take('a')
    limiter.take('c')
    expect(limiter.size()).toBe(2)
    expect(limiter.take('a')).toMatchObject({ outcome: 'wait' })
    expect(limiter.take('b')).toEqual({ outcome: 'taken' })
  })
})

describe('the limit of a call', () => {
  it('answers 429 with Retry-After', async () => {
    const app = { clock: fixedClock() }
    for (let n = 0; n < 5; n += 1) requireRate(app, 'link', '192.0.2.1')
    const thrown = await Promise.resolve()
      .then(() => requireRate(app, 'link', '192.0.2.1'))
      .catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(Response)
    const answer = thrown as Response
    expect(answer.status).toBe(429)
    expect(answer.headers.get('retry-after')).toBe('12')
    expect(await answer.json()).toEqual({ message: 'Too many requests. Please try again in 12 s.' })
    expect(() => requireRate(app, 'link', '192.0.2.2')).not.toThrow()
    expect(() => requireRate(app, 'credentials', '192.0.2.1')).not.toThrow()
  })
})
