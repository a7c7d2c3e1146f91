// The built server as the network sees it: limits, headers, refusals, and what must not be there.
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scriptlessBrowser } from '#tests/support/scriptless-browser.ts'
import { type ServerProcess, startServerProcess } from '#tests/support/server-process.ts'
import { firstDemoAccount, signIn } from '#tests/support/signed-in-server.ts'

describe('in the sandbox', () => {
  let server: ServerProcess
  beforeAll(async () => {
    server = await startServerProcess({ LOG_LEVEL: 'info' })
  })
  afterAll(() => server.dispose())

  test('pages carry a policy without inline scripts or styles, and can be framed by the platform only', async () => {
    const answer = await fetch(`${server.origin}/fieldhook`)
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/script-src 'self' 'nonce-[^']+'/)
    expect(policy).toContain("style-src 'self'")
    expect(policy).not.toContain('unsafe')
    expect(policy).toContain("frame-ancestors 'self' https://*.servicem8.com")
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
    expect(answer.headers.get('x-powered-by')).toBeNull()
    const html = await answer.text()
    expect(html).not.toMatch(/ style="/)
    const nonce = policy.match(/'nonce-([^']+)'/)?.[1]
    const scripts = [...html.matchAll(/<script(?![^>]*\bsrc=)([^>]*)>/g)].map((match) => match[1])
    expect(scripts.length).toBeGreaterThan(0)
    expect(scripts.every((attributes) => attributes?.includes(`nonce="${nonce}"`))).toBe(true)
  })

  test('a request from another site is refused before anything runs, and cookies of a nameless one are ignored', async () => {
    const browser = scriptlessBrowser(server.origin)
    const accountUUID = await firstDemoAccount(browser)
    await signIn(browser, accountUUID)
    const foreign = await fetch(`${server.origin}/api/webhooks`, {
      method: 'POST',
      headers: { origin: 'https://evil.example', 'content-type': 'application/json' },
      body: '{}',
    })
    expect(foreign.status).toBe(403)
    const crossSite = await fetch(`${server.origin}/fieldhook`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'cross-site' },
      body: 'intent=delete&id=1',
    })
    expect(crossSite.status).toBe(403)
    const nameless = await fetch(`${server.origin}/api/webhooks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect(nameless.status).toBe(401)
    const own = await browser.json('GET', `/api/webhooks/${accountUUID}`)
    expect(own).toMatchObject({ status: 200, body: [] })
  })

  test('bodies of 1 MB, broken JSON and headers of 20 KB each have their answer', async () => {
    const big = 'x'.repeat(1024 * 1024)
    const browser = scriptlessBrowser(server.origin)
    const accountUUID = await firstDemoAccount(browser)
    await signIn(browser, accountUUID)
    expect(await browser.json('POST', '/api/webhooks', { object: big })).toMatchObject({ status: 413 })
    const made = await browser.json('POST', '/api/webhooks', { accountUUID, object: 'note', callback_url: '' })
    const { forwardingUrl } = made.body as { forwardingUrl: string }
    expect((await fetch(forwardingUrl, { method: 'POST', body: big })).status).toBe(413)
    expect((await fetch(forwardingUrl, { method: 'POST', body: '{"object":' })).status).toBe(400)
    expect((await fetch(`${server.origin}/hooks/platform/unknown`, { method: 'POST', body: '{}' })).status).toBe(404)
    const broken = await fetch(`${server.origin}/api/credentials`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.origin },
      body: '{"accountUUID":',
    })
    expect(broken.status).toBe(400)
    expect(await broken.json()).toEqual({ message: 'The body is not valid JSON.' })
    expect(
      await answerToRawRequest(
        server.origin,
        `GET / HTTP/1.1\r\nhost: localhost\r\nx-long: ${'y'.repeat(20_000)}\r\n\r\n`,
      ),
    ).toMatch(/^HTTP\/1\.1 4(00|31)/)
  })

  test('unknown paths and methods under /api answer JSON, anything else unknown the 404 page', async () => {
    const unknown = await fetch(`${server.origin}/api/nothing/here`)
    expect([unknown.status, await unknown.json()]).toEqual([404, { message: 'Not found' }])
    const method = await fetch(`${server.origin}/api/accounts`, {
      method: 'DELETE',
      headers: { origin: server.origin },
    })
    expect([method.status, method.headers.get('allow')]).toEqual([405, 'GET'])
    const page = await fetch(`${server.origin}/wp-login.php`)
    expect([page.status, (await page.text()).includes('404 Page Not Found')]).toEqual([404, true])
    const post = (path: string) =>
      fetch(server.origin + path, { method: 'POST', headers: { origin: server.origin, accept: 'text/html' } })
    const posted = await post('/wp-login.php')
    expect([posted.status, (await posted.text()).includes('404 Page Not Found')]).toEqual([404, true])
    const read = await (await post('/webhook-activity')).text()
    expect(read).toContain('<p>This page does not understand the request.</p>')
  })

  test('whoever comes with a browser reads a page, also where no page of ours is drawn', async () => {
    const headers = { accept: 'text/html,*/*;q=0.8', 'sec-fetch-site': 'cross-site' }
    const ask = async (path: string, init: RequestInit = {}) => {
      const answer = await fetch(server.origin + path, { ...init, headers: { ...headers, ...init.headers } })
      return {
        status: answer.status,
        html: answer.headers.get('content-type')?.startsWith('text/html'),
        text: await answer.text(),
      }
    }
    expect(await ask('/hooks/servicem8', { method: 'POST', body: 'unsigned' })).toMatchObject({
      status: 401,
      html: true,
      text: expect.stringContaining('<h1>Open Fieldhook again</h1>'),
    })
    expect(await ask('/sign-out', { method: 'POST' })).toMatchObject({ status: 403, html: true })
    for (const path of ['/%C3', '/assets/%C3'])
      expect(await ask(path)).toMatchObject({
        status: 400,
        html: true,
        text: expect.stringContaining('cannot be read'),
      })
    expect(await ask('/hooks/platform/whatever')).toMatchObject({
      status: 405,
      html: true,
      text: expect.stringContaining('This address is for ServiceM8'),
    })
    expect(await ask('/api/none')).toMatchObject({ status: 404, html: false })
    expect((await fetch(`${server.origin}/plain.css`)).headers.get('content-type')).toContain('text/css')
  })

  test('odd methods, targets and hosts end at the door; whoever watches may come by any name', async () => {
    const ask = (first: string, ...lines: string[]) =>
      answerToRawRequest(server.origin, `${first} HTTP/1.1\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`)
    const own = `Host: ${new URL(server.origin).host}`
    expect(await ask('TRACE /', own)).toMatch(/ 405 /)
    expect(await ask('PROPFIND /fieldhook', own)).toMatch(/ 405 /)
    expect(await ask('OPTIONS *', own)).toMatch(/ 400 /)
    expect(await ask(`GET ${server.origin}/fieldhook`, own)).toMatch(/ 400 /)
    expect(await ask('GET /fieldhook', own, 'Host: evil.example')).toMatch(/ 400 /)
    expect(await ask('GET /fieldhook', 'Host: evil.example')).toMatch(/^\S+ 421 [^<]+$/)
    const read = await ask('GET /fieldhook', 'Host: evil.example', 'Accept: text/html')
    expect(read).toContain(`<p>This is another address. Open ${server.origin} instead.</p>`)
    expect(await ask('GET /healthz', 'Host: 10.0.0.7:3000', 'Connection: close')).toMatch(/ 200 /)
  })

  test('the log holds patterns instead of addresses: no capability, no query', async () => {
    const secret = 'c2VjcmV0LWNhcGFiaWxpdHktdGhhdC1tdXN0LW5vdC1sZWFr'
    await fetch(`${server.origin}/hooks/platform/${secret}`, { method: 'POST', body: '{}' })
    await fetch(`${server.origin}/fieldhook?accountUUID=${secret}&token=${secret}`)
    await fetch(`${server.origin}/api/oauth/callback?code=${secret}&state=${secret}`, { redirect: 'manual' })
    await expect.poll(() => server.output()).toContain('"route":"/api/oauth/callback"')
    expect(server.output()).not.toContain(secret)
  })
})

describe('a stranger who uses more than a minute allows', () => {
  let server: ServerProcess
  beforeAll(async () => {
    server = await startServerProcess({ TRUST_PROXY: 'fly', CALLER_WORK_MS: '60' })
  })
  afterAll(() => server.dispose())

  test('is asked to wait, and nobody else is: not another caller, not an account, not the platform', async () => {
    const from = (ip: string, path = '/fieldhook', init: RequestInit = {}) =>
      fetch(`${server.origin}${path}`, { ...init, headers: { ...init.headers, 'fly-client-ip': ip } })
    const browser = scriptlessBrowser(server.origin)
    const accountUUID = await firstDemoAccount(browser)
    await signIn(browser, accountUUID)
    const made = await browser.json('POST', '/api/webhooks', { accountUUID, object: 'note', callback_url: '' })
    const { forwardingUrl } = made.body as { forwardingUrl: string }

    let refused: Response | null = null
    for (let n = 0; n < 1_000 && !refused; n++) {
      const answer = await from(`2001:db8:1:2::${n.toString(16)}`)
      if (answer.status === 429) refused = answer
    }
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused?.headers.get('content-security-policy')).toContain('frame-ancestors')
    expect((await from('2001:db8:1:2::1', '/wp-login.php')).status).toBe(429)
    expect((await from('2001:db8:1:3::1')).status).toBe(200)
    expect((await browser.json('GET', `/api/webhooks/${accountUUID}`)).status).toBe(200)
    const event = JSON.stringify({ object: 'note', entry: [{ uuid: 'record-1', time: 'now' }] })
    expect((await fetch(forwardingUrl, { method: 'POST', body: event })).status).toBe(200)
    const metrics = await (await fetch(`${server.origin}/metrics`)).text()
    expect(metrics).toMatch(/fieldhook_budget_refusals_total\{whose="caller",of="ms"\} [1-9]/)
    expect((await from('203.0.113.9', '/metrics')).status).toBe(401)
  })
})

describe('with the real platform', () => {
  let server: ServerProcess
  beforeAll(async () => {
    server = await startServerProcess({
      PLATFORM: 'servicem8',
      SERVICEM8_APP_ID: 'app',
      SERVICEM8_APP_SECRET: 'a-secret-of-the-developer-portal',
      SERVICEM8_API_URL: 'http://127.0.0.1:9',
      SERVICEM8_OAUTH_URL: 'http://127.0.0.1:9',
      SESSION_SECRET: randomBytes(32).toString('base64'),
      ENC_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    })
  })
  afterAll(() => server.dispose())

  test('the sandbox does not exist: its addresses are the same 404 page as any other', async () => {
    const plain = async (path: string) => {
      const answer = await fetch(server.origin + path)
      const text = (await answer.text()).replaceAll(path, '…').replace(/nonce="[^"]*"/g, '')
      return { status: answer.status, text }
    }
    const other = await plain('/nothing/at/all')
    expect(other.status).toBe(404)
    for (const path of [
      '/sandbox',
      '/sandbox/servicem8/oauth/authorize',
      '/sandbox/receiver/demo',
      '/sandbox/stripe.js',
      '/sandbox/stripe/v1/prices',
    ]) {
      const stage = await plain(path)
      expect(stage.status).toBe(404)
      expect(stage.text).not.toMatch(/pretend|Stage/)
    }
    expect((await plain('/fieldhook')).text).not.toContain('sandbox')
  })

  test('its database is not opened by a sandbox', async () => {
    const sandbox = startServerProcess({ ...server.database.env })
    await expect(sandbox).rejects.toThrow(/belongs to real firms, and this start is for the sandbox\. Set PLATFORM=/)
  })

  test('signing in while the platform is down ends at the gate with a sentence', async () => {
    const browser = scriptlessBrowser(server.origin)
    const start = await fetch(`${server.origin}/api/oauth/authorize?accountuuid=some-account&token=x`, {
      redirect: 'manual',
    })
    expect(start.status).toBe(302)
    const location = new URL(start.headers.get('location') ?? '')
    expect(location.origin).toBe('http://127.0.0.1:9')
    const cookie = start.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ')
    const back = await fetch(
      `${server.origin}/api/oauth/callback?code=abc&state=${location.searchParams.get('state')}`,
      {
        redirect: 'manual',
        headers: { cookie },
      },
    )
    expect(decodeURIComponent((back.headers.get('location') ?? '').replaceAll('+', ' '))).toContain(
      'ServiceM8 is not answering',
    )
    expect((await browser.json('GET', '/api/accounts')).body).toEqual([])
  })
})

function answerToRawRequest(origin: string, request: string): Promise<string> {
  return new Promise((done, fail) => {
    const { port } = new URL(origin)
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(request))
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk.toString()
    })
    socket.on('close', () => done(answer))
    socket.on('error', fail)
    socket.setTimeout(5_000, () => socket.destroy())
  })
}

test('a HOST that names no machine ends the start with one sentence', async () => {
  const start = startServerProcess({ HOST: 'nowhere.invalid' })
  await expect(start).rejects.toThrow(
    /Fieldhook cannot start:\nHOST nowhere\.invalid is not an address of this machine\.\s*$/,
  )
})
