import { matchRoutes } from '@remix-run/react'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ACCOUNT_PARTS } from '#app/domain/account-address.ts'
import { REFERENCE_PARTS } from '#app/features/reference/reference-places.ts'
import { CALL_PATHS } from './api/calls.server.ts'
import { allPatterns, pathFinder, routePatterns } from './route-patterns.ts'
import routes from './table.ts'

const patternFor = routePatterns(CALL_PATHS)
const TABLE = [...routes.map(({ path = '' }) => path), ...CALL_PATHS].map((path) => ({
  path: `/${path}`.replace(/^\/+/, '/'),
}))

/** What the router itself would say. */
function asRouted(path: string): string {
  const found = matchRoutes(TABLE, path)?.at(-1)?.route.path ?? '/*'
  return found === '/*' && path.startsWith('/assets/') ? '/assets/*' : found
}

test('the pages below a page are those that the pages themselves know', () => {
  const below = (path: string) =>
    routes.flatMap(({ path: one = '' }) => (one.startsWith(`${path}/`) ? [one.slice(path.length + 1)] : []))
  expect(below('account')).toEqual([...ACCOUNT_PARTS])
  expect(below('api-reference')).toEqual([...REFERENCE_PARTS])
})

test.each([
  ['/', '/'],
  ['/hooks/platform/abc', '/hooks/platform/:token'],
  ['/api/webhooks/test', '/api/webhooks/test'],
  ['/API/Webhooks/12/', '/api/webhooks/:key'],
  ['/api/nowhere/at/all', '/api/*'],
  ['/api', '/api/*'],
  ['/assets/look-1.js', '/assets/*'],
  ['/hooks/platform/', '/*'],
  ['/nowhere', '/*'],
  ['/%61pi/webhooks', '/api/webhooks'],
  ['/%61pi/%zz', '/*'],
])('%s is logged as %s', (path, pattern) => {
  expect(patternFor(path)).toBe(pattern)
})

test('it names the route that the router would choose', () => {
  const words = [...new Set(allPatterns(CALL_PATHS).flatMap((pattern) => pattern.split('/')))].filter(
    (word) => word !== '*',
  )
  const segment = fc.oneof(fc.constantFrom(...words), fc.constantFrom('', 'x', 'API', '%61pi', 'a%2Fb', '12'))
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 6 }), fc.boolean(), (segments, slash) => {
      const path = `/${segments.join('/')}${slash ? '/' : ''}`
      // An address that begins with two slashes names another host.
      fc.pre(!path.startsWith('//'))
      expect(patternFor(path)).toBe(asRouted(path))
    }),
    { numRuns: 3_000 },
  )
})

test('what stands where a path has names is handed on as it was written, decoded', () => {
  const find = pathFinder(['api/:list/:id', 'api/things/test', 'api/things/:id'])
  expect(find('/API/Things/A%20b%2Fc/')).toEqual({ path: 'api/things/:id', params: { id: 'A b/c' } })
  expect(find('/api/things/test')).toEqual({ path: 'api/things/test', params: {} })
  expect(find('/api/other/%zz')).toEqual({ path: 'api/:list/:id', params: { list: 'other', id: '%zz' } })
  expect([find('/api'), find('/api//7'), find('/api/things/7/more')]).toEqual([null, null, null])
})
