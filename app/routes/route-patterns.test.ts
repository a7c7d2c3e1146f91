import { matchRoutes } from '@remix-run/react'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { allPatterns, routePatterns } from './route-patterns.ts'
import routes from './table.ts'

const patternFor = routePatterns()

/** What the router itself would say. */
function asRouted(path: string): string {
  const table = routes.map((route) => ({ path: `/${route.path ?? ''}`.replace(/^\/+/, '/') }))
  const found = matchRoutes(table, path)?.at(-1)?.route.path ?? '/*'
  return found === '/*' && path.startsWith('/assets/') ? '/assets/*' : found
}

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
  const words = [...new Set(allPatterns().flatMap((pattern) => pattern.split('/')))].filter((word) => word !== '*')
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
