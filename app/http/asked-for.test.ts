import { expect, test } from 'vitest'
import { isFetchedAhead, isOwnClick } from './asked-for.ts'

const request = (headers: Record<string, string>) => ({ headers: new Headers(headers) })

test('a press on a page of ours is one, whatever else leads here is none', () => {
  expect(isOwnClick(request({ 'sec-fetch-site': 'same-origin' }))).toBe(true)
  for (const site of ['cross-site', 'same-site', 'none'])
    expect(isOwnClick(request({ 'sec-fetch-site': site }))).toBe(false)
  expect(isOwnClick(request({}))).toBe(false)
  expect(isOwnClick(request({ 'sec-fetch-site': 'same-origin', 'sec-purpose': 'prefetch' }))).toBe(false)
})

test('what is fetched ahead says so in one of two ways', () => {
  expect(isFetchedAhead(request({ 'sec-purpose': 'prefetch;prerender' }))).toBe(true)
  expect(isFetchedAhead(request({ purpose: 'prefetch' }))).toBe(true)
  expect(isFetchedAhead(request({}))).toBe(false)
})
