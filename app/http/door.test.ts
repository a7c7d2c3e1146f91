import { expect, test } from 'vitest'
import { fixedClock } from '#app/lib/clocks.server.ts'
import { sessionCookie } from './cookies.ts'
import { createSessionBrake } from './door.server.ts'
import { toPlatformAnswer } from './platform-answer.ts'
import { brakeUnknown } from './unknown-address.server.ts'

function brakeOf(perMinute: number) {
  const clock = fixedClock()
  const settings = { origin: 'https://fieldhook.test' } as never
  return { clock, brake: createSessionBrake({ clock, settings }, perMinute) }
}

const withSession = (token: string) => ({ headers: { cookie: sessionCookie('tab', true, token).split(';')[0] ?? '' } })

test('one browser makes so many requests a minute, others are not held up by it', () => {
  const { clock, brake } = brakeOf(300)
  for (let n = 0; n < 300; n += 1) expect(brake(withSession('a'))).toBeNull()
  expect(brake(withSession('a'))).toEqual({
    status: 429,
    message: 'Too many requests. Please try again in 1 s.',
    headers: { 'Retry-After': '1' },
  })
  expect(brake(withSession('b'))).toBeNull()
  clock.advance(1_000)
  expect(brake(withSession('a'))).toBeNull()
})

test('a page with two polls every two seconds, and somebody clicking, is never asked to wait', () => {
  const { clock, brake } = brakeOf(300)
  for (let second = 0; second < 600; second += 1) {
    for (let n = 0; n < 3; n += 1) expect(brake(withSession('a'))).toBeNull()
    clock.advance(1_000)
  }
})

test('a frame and a tab of one browser count together, however the cookies are ordered by the browser', () => {
  const { brake } = brakeOf(60)
  const tab = sessionCookie('tab', true, 't').split(';')[0]
  const frame = sessionCookie('frame', true, 'f').split(';')[0]
  for (let n = 0; n < 30; n += 1) {
    expect(brake({ headers: { cookie: `${tab}; ${frame}` } })).toBeNull()
    expect(brake({ headers: { cookie: `${frame}; other=1; ${tab}` } })).toBeNull()
  }
  expect(brake({ headers: { cookie: `${tab}; ${frame}` } })).toMatchObject({ status: 429 })
})

test('a made-up cookie beside the real one does not begin to count anew', () => {
  const { brake } = brakeOf(60)
  const tab = sessionCookie('tab', true, 't').split(';')[0]
  const beside = (n: number) => ({
    headers: { cookie: `${tab}; ${sessionCookie('frame', true, `made-up-${n}`).split(';')[0]}` },
  })
  for (let n = 0; n < 60; n += 1) expect(brake(beside(n))).toBeNull()
  expect(brake(beside(60))).toMatchObject({ status: 429 })
})

test('without a session nothing is counted here', () => {
  const { brake } = brakeOf(60)
  for (let n = 0; n < 200; n += 1) expect(brake({ headers: { cookie: 'flash=x' } })).toBeNull()
  for (let n = 0; n < 200; n += 1) expect(brake({ headers: {} })).toBeNull()
})

test('guessing addresses is slowed down, and whoever knows one is not', () => {
  const app = { clock: fixedClock() }
  const unknown = { outcome: 'unknown_address' } as const
  const stored = { outcome: 'stored' } as const
  const gone = { outcome: 'deleted_subscription' } as const
  for (let n = 0; n < 20; n += 1) expect(brakeUnknown(app, '192.0.2.1', unknown)).toBe(unknown)
  expect(toPlatformAnswer(brakeUnknown(app, '192.0.2.1', unknown))).toMatchObject({
    status: 429,
    headers: { 'content-type': 'application/json; charset=utf-8', 'retry-after': '3' },
    body: '{"message":"Too many requests. Please try again in 3 s."}',
  })
  expect(brakeUnknown(app, '192.0.2.1', stored)).toBe(stored)
  expect(brakeUnknown(app, '192.0.2.1', gone)).toBe(gone)
  expect(brakeUnknown(app, '192.0.2.2', unknown)).toBe(unknown)
  // The addresses of one IPv6 customer are one caller.
  for (let n = 0; n < 20; n += 1) brakeUnknown(app, `2001:db8:1:2::${n}`, unknown)
  expect(brakeUnknown(app, '2001:db8:1:2::ffff', unknown).outcome).toBe('guessing')
})
