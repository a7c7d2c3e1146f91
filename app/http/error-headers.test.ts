import type { EntryContext } from '@remix-run/node'
import { describe, expect, test } from 'vitest'
import { addErrorHeaders } from './error-headers.ts'

const manifest = {
  routes: {
    root: { path: '', hasAction: false },
    start: { path: '/', hasAction: true },
    activity: { path: 'webhook-activity', hasAction: false },
    webhook: { path: 'webhooks/:id', hasAction: true },
  },
}

function headersOf(status: number, pattern: string, own: Record<string, Headers> = {}) {
  const headers = new Headers({ 'Cache-Control': 'no-store' })
  const staticHandlerContext = { loaderHeaders: { root: new Headers({ ETag: 'x' }) }, actionHeaders: own }
  addErrorHeaders(headers, status, pattern, { manifest, staticHandlerContext } as unknown as EntryContext)
  return Object.fromEntries(headers)
}

describe('a refused page', () => {
  test('says when to try again, and nothing else of what the refusal brought', () => {
    const own = { erase: new Headers({ 'Retry-After': '9', 'Content-Type': 'application/json' }) }
    expect(headersOf(429, '/account/erase', own)).toEqual({ 'cache-control': 'no-store', 'retry-after': '9' })
    expect(headersOf(413, '/webhooks/:id')).toEqual({ 'cache-control': 'no-store' })
  })

  test('with 405 says which methods its address takes', () => {
    expect(headersOf(405, '/webhook-activity').allow).toBe('GET, HEAD')
    expect(headersOf(405, '/').allow).toBe('GET, HEAD, POST')
    expect(headersOf(405, '/webhooks/:id').allow).toBe('GET, HEAD, POST')
    expect(headersOf(405, '/*').allow).toBe('GET, HEAD')
  })
})
