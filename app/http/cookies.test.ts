import { expect, test } from 'vitest'
import {
  endedCookie,
  endedSessionCookie,
  flashCookie,
  flashCookieName,
  readCookies,
  rememberedCookie,
  rememberedCookieName,
  sessionCookie,
  sessionCookieName,
  signInCookiePrefix,
} from './cookies.ts'

test('over https a tab has a Lax cookie of its host, a frame a partitioned one that crosses sites', () => {
  expect(sessionCookie('tab', true, 'T')).toBe(
    '__Host-sid-top=T; Path=/; Max-Age=86400; HttpOnly; SameSite=Lax; Secure',
  )
  expect(sessionCookie('frame', true, 'T')).toBe(
    '__Host-sid=T; Path=/; Max-Age=86400; HttpOnly; SameSite=None; Secure; Partitioned',
  )
})

test('over plain http both are Lax and have plain names', () => {
  expect(sessionCookie('tab', false, 'T')).toBe('sid-top=T; Path=/; Max-Age=86400; HttpOnly; SameSite=Lax')
  expect(sessionCookie('frame', false, 'T')).toBe('sid=T; Path=/; Max-Age=86400; HttpOnly; SameSite=Lax')
})

test('a session ends with the same name and flags', () => {
  expect(endedSessionCookie('tab', true)).toBe('__Host-sid-top=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure')
  expect(endedSessionCookie('frame', true)).toBe(
    '__Host-sid=; Path=/; Max-Age=0; HttpOnly; SameSite=None; Secure; Partitioned',
  )
  expect(endedSessionCookie('frame', false)).toBe('sid=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax')
  expect(endedCookie('__Host-sign-in-1', true)).toBe(
    '__Host-sign-in-1=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure',
  )
})

test('a message for the next page lasts five minutes, an empty one ends it', () => {
  expect(flashCookie(true, 'x')).toBe(
    '__Host-flash=x; Path=/; Max-Age=300; HttpOnly; SameSite=None; Secure; Partitioned',
  )
  expect(flashCookie(false, '')).toBe('flash=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax')
})

test('an account is remembered for the visit, or for as long as browsers keep anything', () => {
  expect(rememberedCookie('preferred', true, 'a')).toBe(
    '__Host-account=a; Path=/; HttpOnly; SameSite=None; Secure; Partitioned',
  )
  expect(rememberedCookie('last', false, 'a')).toBe('last-account=a; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax')
})

test('every name is bound to the host over https', () => {
  const names = (secure: boolean) => [
    sessionCookieName('tab', secure),
    sessionCookieName('frame', secure),
    flashCookieName(secure),
    rememberedCookieName('preferred', secure),
    rememberedCookieName('last', secure),
    signInCookiePrefix(secure),
  ]
  expect(names(false)).toEqual(['sid-top', 'sid', 'flash', 'account', 'last-account', 'sign-in'])
  expect(names(true)).toEqual(names(false).map((name) => `__Host-${name}`))
})

test('a Cookie header is read as browsers write it; of two with one name the first counts', () => {
  expect([...readCookies('a=1; b = "2 3" ;c=x=y;a=9')]).toEqual([
    ['a', '1'],
    ['b', '2 3'],
    ['c', 'x=y'],
  ])
  expect([...readCookies('f=a"b"; g="a"b')]).toEqual([
    ['f', 'a"b"'],
    ['g', '"a"b'],
  ])
  expect([...readCookies('d="; e="x')]).toEqual([
    ['d', '"'],
    ['e', '"x'],
  ])
})

test('a name of a neighbouring site is not trimmed to one that only we can set', () => {
  for (const space of ['\u00a0', '\u2003', '\ufeff', '\u0085']) {
    expect([...readCookies(`${space}__Host-sid=theirs; __Host-sid${space}=theirs; __Host-sid=ours`)]).toEqual([
      ['__Host-sid', 'ours'],
    ])
  }
})

test('what has no name or no value is left out', () => {
  expect([...readCookies(null)]).toEqual([])
  expect([...readCookies('; =x;y; a=')]).toEqual([['a', '']])
  expect([...readCookies('b=1;=2;yz')]).toEqual([['b', '1']])
})
