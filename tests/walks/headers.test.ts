// The built server and the headers it believes and sends.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scriptlessBrowser } from '#tests/support/scriptless-browser.ts'
import { type ServerProcess, startServerProcess } from '#tests/support/server-process.ts'
import { firstDemoAccount } from '#tests/support/signed-in-server.ts'

let server: ServerProcess
beforeAll(async () => {
  server = await startServerProcess()
})
afterAll(() => server.dispose())

const ask = (path: string, init: RequestInit = {}) => fetch(`${server.origin}${path}`, { redirect: 'manual', ...init })

test.each(['/fieldhook', '/api/accounts', '/api/webhooks', '/healthz', '/does-not-exist'])(
  "the router's old data parameter is refused on %s, whatever the method and whoever asks",
  async (path) => {
    for (const [method, address] of [
      ['GET', `${path}?_data=root`],
      ['POST', `${path}?accountUUID=x&_data=routes%2Fapi%2Faccounts`],
    ] as const) {
      const answer = await ask(address, {
        method,
        headers: { 'sec-fetch-site': 'same-origin', origin: server.origin },
        ...(method === 'POST' && { body: '{}' }),
      })
      expect([address, answer.status]).toEqual([address, 403])
    }
  },
)

test('an address of two slashes or none at all is answered, not a fault', async () => {
  for (const path of ['//', '//evil.example/fieldhook', '/%', '/%2e%2e/%2e%2e/etc/passwd']) {
    const answer = await ask(path)
    expect([path, answer.status < 500]).toEqual([path, true])
    expect(answer.headers.get('location') ?? '').not.toContain('evil')
  }
})

test('no header says which site this is: addresses come from the configuration', async () => {
  const account = await firstDemoAccount(scriptlessBrowser(server.origin))
  const lies = {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-for': '127.0.0.1',
    forwarded: 'host=evil.example',
    'x-original-url': '/api/admin/test-api/x/jobs',
    'x-rewrite-url': '/api/admin/test-api/x/jobs',
  }
  for (const path of ['/', `/fieldhook?accountUUID=${account}`, `/api/oauth/authorize?accountUUID=${account}`]) {
    const answer = await ask(path, { headers: lies })
    const said = `${answer.headers.get('location')} ${answer.headers.get('set-cookie')} ${await answer.text()}`
    expect(said).not.toContain('evil.example')
  }
  // The origin is judged against the configured one, whatever a proxy claims.
  const foreign = await ask('/api/webhooks', {
    method: 'POST',
    headers: { ...lies, origin: 'https://evil.example', 'content-type': 'application/json' },
    body: '{}',
  })
  expect(foreign.status).toBe(403)
})

test('every answer carries the headers, calls are never kept, and nobody else may read them', async () => {
  for (const path of ['/', '/fieldhook', '/api/accounts', '/api/none', '/none', '/healthz', '/hooks/platform/none']) {
    const { headers } = await ask(path, { headers: { origin: 'https://evil.example' } })
    const of = (name: string) => headers.get(name)
    expect([path, of('x-content-type-options'), of('referrer-policy')]).toEqual([path, 'nosniff', 'no-referrer'])
    expect([path, of('access-control-allow-origin'), of('x-powered-by')]).toEqual([path, null, null])
    if (path.startsWith('/api/')) {
      expect([path, of('cache-control')]).toEqual([path, 'no-store'])
      expect(of('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
    }
    if (!path.startsWith('/hooks/')) expect(of('cross-origin-opener-policy')).toBe('same-origin-allow-popups')
  }
})

test('asking first whether another site may call is answered with nothing that allows it', async () => {
  const answer = await ask('/api/webhooks', {
    method: 'OPTIONS',
    headers: { origin: 'https://evil.example', 'access-control-request-method': 'DELETE' },
  })
  for (const [name] of answer.headers) expect(name).not.toMatch(/^access-control-/)
})
