// The built server and the headers it believes and sends.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runTimeOf } from '#tests/support/run-time.ts'
import { scriptlessBrowser } from '#tests/support/scriptless-browser.ts'
import { type ServerProcess, startServerProcess } from '#tests/support/server-process.ts'
import { firstDemoAccount, signIn } from '#tests/support/signed-in-server.ts'

let server: ServerProcess
beforeAll(async () => {
  server = await startServerProcess({ SECURITY_CONTACT: 'mailto:security@example.com' })
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
    expect(new URL(answer.headers.get('location') ?? '/', server.origin).origin).toBe(server.origin)
  }
})

test('the reference of the calls is for anybody: a page without the product’s scripts, and a document that is kept for a while', async () => {
  for (const [path, script] of [
    ['/api-reference', 'reference-places'],
    ['/api-reference/webhooks', 'copy-code'],
  ]) {
    const page = await ask(path ?? '')
    const html = await page.text()
    expect(page.status).toBe(200)
    expect(page.headers.get('set-cookie')).toBeNull()
    const scripts = [...html.matchAll(/<script[^>]*>/g)].map(([tag]) => tag)
    expect(scripts).toEqual([`<script src="/${script}.js" defer="">`])
    expect(html).toContain(`<meta property="og:image" content="${server.origin}/social.png"/>`)
    expect((await ask(`/${script}.js`)).status).toBe(200)
  }
  expect((await ask('/api-reference/nonsense')).status).toBe(404)
  const { headers } = await ask('/api/openapi.json', { method: 'HEAD' })
  expect(headers.get('cache-control')).toBe('public, max-age=300')
  expect(headers.get('access-control-allow-origin')).toBeNull()
})

describe('a page for somebody without a session', () => {
  /** A message that cannot be read sends the request the long way. */
  const LONG_WAY = 'flash=unreadable'
  const drawn = async (path: string, cookie = '') => {
    // To a searcher the router sends the page at once, and not in pieces.
    const headers = { 'user-agent': 'Googlebot', ...(cookie !== '' && { cookie }) }
    const answer = await ask(path, { headers })
    const policy = answer.headers.get('content-security-policy') ?? ''
    const nonce = policy.match(/'nonce-([^']+)'/)?.[1] ?? '?'
    const html = await answer.text()
    expect(html.split(`nonce="${nonce}"`).length).toBeGreaterThan(3)
    const said = ['content-type', 'cache-control', 'vary'].map((name) => answer.headers.get(name))
    return { status: answer.status, said, html: html.replaceAll(nonce, 'nonce') }
  }

  test('is the page that the router draws, byte for byte, whatever the address says', async () => {
    const odd = encodeURIComponent(`a"b'c&<d>\\é\u2028%20+`)
    const queries = [
      '?accountUUID=a:b.c_d-E',
      '?accountuuid=ABCDEFAB-0000-4000-8000-000000000000&admin=yes',
      `?accountUUID=ext-1&token=${odd}`,
      `?x=${odd}&accountUUID=ext-1&token=fieldhook&y='%22%3Cscript%3E`,
    ]
    for (const path of ['/fieldhook', '/automation', '/automation/runs', '/deliveries', '/account', '/subscription']) {
      for (const query of queries) {
        for (const cookie of ['', 'sid-top=over']) {
          const short = await drawn(path + query, cookie)
          // With a slash behind it the address is the same to the router, and none that is kept.
          const long = await drawn(`${path}/${query}`, cookie)
          expect([path + query, short.html]).toEqual([path + query, long.html.replaceAll(`"${path}/?`, `"${path}?`)])
          expect([path, short.status, short.said]).toEqual([path, long.status, long.said])
        }
      }
    }
    for (const path of ['/', '/fieldhook', '/automation', '/wp-login.php', `/nothing/a%22b%20c?x=${odd}`]) {
      expect([path, await drawn(path)]).toEqual([path, await drawn(path, LONG_WAY)])
    }
  })

  test('costs much less than what the router’s costs, also with a session that is over', async () => {
    const MUCH_LESS = 0.5
    const cost = async (path: string, cookie: string) => {
      const before = runTimeOf(server.pid)
      for (let n = 0; n < 30; n++) await (await ask(path, { headers: { cookie } })).arrayBuffer()
      const after = runTimeOf(server.pid)
      return before === null || after === null ? null : after - before
    }
    for (const [short, long] of [
      ['/fieldhook?accountUUID=a', '/fieldhook/?accountUUID=a'],
      ['/automation?accountUUID=a', '/automation/?accountUUID=a'],
    ] as const) {
      for (const cookie of ['', 'sid-top=over']) {
        // The first round warms up. A collection of garbage in one of the others must not decide: one of three is enough.
        const ratios: number[] = []
        for (let round = 0; round < 4 && !ratios.some((ratio) => ratio < MUCH_LESS); round++) {
          const [little, much] = [await cost(short, cookie), await cost(long, cookie)]
          // Where the system does not tell, there is nothing to compare.
          if (little !== null && much !== null && round > 0) ratios.push(little / much)
        }
        if (ratios.length > 0) expect(Math.min(...ratios), `${short} with "${cookie}"`).toBeLessThan(MUCH_LESS)
      }
    }
  })

  test('is the router’s for whoever has a session', async () => {
    const browser = scriptlessBrowser(server.origin)
    const account = await firstDemoAccount(browser)
    await signIn(browser, account)
    expect((await browser.get(`/fieldhook?accountUUID=${account}`)).text).toContain('Webhook Manager')
    expect((await browser.get('/')).text).toContain('Webhook Manager')
    expect((await drawn(`/fieldhook?accountUUID=${account}`)).html).toContain('Connect to ServiceM8')
  })
})

test('what browsers and searchers ask for is there', async () => {
  for (const [path, type] of [
    ['/robots.txt', 'text/plain'],
    ['/.well-known/security.txt', 'text/plain'],
    ['/manifest.webmanifest', 'application/manifest+json'],
    ['/social.png', 'image/png'],
    ['/icon-512.png', 'image/png'],
    ['/favicon.ico', 'image/'],
  ] as const) {
    const answer = await ask(path, { method: 'HEAD' })
    expect([path, answer.status, answer.headers.get('content-type')?.startsWith(type)]).toEqual([path, 200, true])
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

test('what says nothing about being kept is kept by nobody; three pages with long forms by their own browser alone', async () => {
  const forms = ['/', '/fieldhook', '/automation', '/automation/settings', '/fieldhook.data']
  const files = ['/favicon.svg', (await (await ask('/fieldhook')).text()).match(/\/assets\/[\w.-]+\.css/)?.[0] ?? '']
  for (const [paths, caching] of [
    [forms, 'private, no-cache'],
    [
      ['/deliveries', '/deliveries/1', '/automation/runs', '/account', '/subscription', '/none', '/webhook-activity'],
      'no-store',
    ],
    [['/api/accounts', '/api/none', '/fieldhook/log', '/account.data', '/sign-out', '/healthz', '/readyz'], 'no-store'],
  ] as const) {
    for (const path of paths) expect([path, (await ask(path)).headers.get('cache-control')]).toEqual([path, caching])
  }
  for (const path of files) expect((await ask(path)).headers.get('cache-control')).toMatch(/^public, max-age=\d+/)
})

test('a report of what a policy forbade is taken from anybody, with whatever cookies, and answered with nothing', async () => {
  const page = await ask('/fieldhook')
  expect(page.headers.get('reporting-endpoints')).toBe('csp="/csp-report"')
  const answer = await ask('/csp-report', {
    method: 'POST',
    headers: { 'content-type': 'application/csp-report', origin: 'null', cookie: 'sid=x' },
    body: '{"csp-report":{"effective-directive":"script-src-elem","blocked-uri":"https://evil.example/a?b"}}',
  })
  expect([answer.status, await answer.text(), answer.headers.get('set-cookie')]).toEqual([204, '', null])
  // Its line comes through a pipe of its own.
  await expect.poll(() => server.output()).toContain('"blocked":"https://evil.example"')
})

test('asking first whether another site may call is answered with nothing that allows it', async () => {
  const answer = await ask('/api/webhooks', {
    method: 'OPTIONS',
    headers: { origin: 'https://evil.example', 'access-control-request-method': 'DELETE' },
  })
  for (const [name] of answer.headers) expect(name).not.toMatch(/^access-control-/)
})
