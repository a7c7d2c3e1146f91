// All attacks of one hostile tenant and one stranger, run at once: each at the rate that one ordinary machine can
// sustain, so that none starves the others. In starting order.
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { fieldValue } from '#tests/support/scriptless-browser.ts'
import { type Random, wholeFrom } from '../report/arguments.ts'
import { asker } from './ask.ts'
import { rawRequest, slowReader, unfinishedBody } from './sockets.ts'
import type { SiegeField } from './wire.ts'

export interface Attack {
  name: string
  perSecond: number
  /** Maximum number in parallel. */
  most: number
  /** In waves: active for the first `lasts` of every `every` seconds. */
  wave?: { every: number; lasts: number }
  /** Performs one attack; returns its result for counting: "429". Starts with "!" when it must not have happened. */
  act(): Promise<string>
}

const TENANT = '198.51.100.7'
const STRANGER = '198.51.100.66'
const KB = 1024

export function attacksOn(field: SiegeField, random: Random): Attack[] {
  const { port, account, cookie, token, victim } = field
  const ask = asker(port)
  const own = {
    cookie,
    origin: `http://localhost:${port}`,
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/json',
  }
  const hook = `/hooks/platform/${token}`
  /** One address from a network of 2^64. */
  const someAddress = () =>
    `2001:db8:66:66:${Array.from({ length: 4 }, () => wholeFrom(random, 0, 65_535).toString(16)).join(':')}`
  const stranger = () => (random() < 0.5 ? STRANGER : someAddress())
  const tenant = async (method: string, path: string, body?: string, headers: Record<string, string> = {}) =>
    ask({ method, path, from: TENANT, headers: { ...own, ...headers }, ...(body !== undefined && { body }) })
  const said = async (asked: ReturnType<typeof ask>) => (await asked).said
  let turn = 0
  const inTurn = <Kind>(kinds: readonly Kind[]): Kind => kinds[turn++ % kinds.length] as Kind

  const misspelt = rule(account, Array(4).fill(manualEmail('{zq}'.repeat(5_000))))
  const pasted = new URLSearchParams({
    act: 'import',
    json: JSON.stringify({
      rules: [1, 2].map(() => JSON.parse(rule(account, Array(9).fill(manualEmail(names(20_000)))))),
    }),
  }).toString()
  const hostileHtml = rule(account, [
    htmlEmail(
      '<a title=">" href="javascript&#00000000058;alert(1)">x</a><img title=">" src="x" onerror="alert(1)">'.repeat(
        190,
      ),
    ),
  ])
  const forms = [128 * KB, 32 * KB].map((bytes) => 'a[]&'.repeat(bytes / 4))
  const page = `/automation?accountUUID=${account}`

  return [
    {
      name: 'misspelt placeholders, 20,000 in a rule of 80 KB',
      perSecond: 0.5,
      most: 4,
      act: async () => (await tenant('POST', '/api/automation', misspelt)).said,
    },
    {
      name: 'misspelt placeholders, an import of 380 KB',
      perSecond: 0.2,
      most: 2,
      act: async () =>
        (await tenant('POST', page, pasted, { 'content-type': 'application/x-www-form-urlencoded' })).said,
    },
    {
      name: 'forms of a[]& at the ingress, 32 and 128 KB',
      perSecond: 2,
      most: 8,
      act: async () =>
        said(
          ask({
            method: 'POST',
            path: hook,
            from: TENANT,
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            body: inTurn(forms),
          }),
        ),
    },
    {
      name: '200 entries in a call of 256 KB',
      perSecond: 1,
      most: 4,
      act: async () => said(ask({ method: 'POST', path: hook, from: TENANT, body: manyEntries() })),
    },
    {
      name: 'answers that nobody reads, 100 asked for ahead',
      perSecond: 4,
      most: 100,
      act: () => slowReader(port, inTurn(['/', '/fieldhook', '/api-reference']), stranger()),
    },
    {
      name: '1,900 unfinished bodies at an unknown address',
      perSecond: 200,
      most: 1_900,
      wave: { every: 60, lasts: 9.5 },
      act: () => unfinishedBody(port, `/hooks/platform/${randomBytes(8).toString('hex')}`, stranger()),
    },
    {
      name: 'forged and foreign openings',
      perSecond: 3,
      most: 8,
      act: () => inTurn([forgedOpening, foreignLaunch, graftedLaunch])(),
    },
    {
      name: '5,000 records of 6 KB and e-mail templates of 120 KB of <',
      perSecond: 0.5,
      most: 4,
      act: async () =>
        (
          await tenant(
            'GET',
            inTurn([page, `/api/servicem8/jobs/${account}`, `/api/servicem8/email-templates/${account}`]),
          )
        ).said,
    },
    {
      name: 'anonymous requests for pages, readiness and numbers',
      perSecond: 40,
      most: 40,
      act: async () =>
        said(
          ask({
            method: 'GET',
            path: inTurn(['/', '/fieldhook', '/readyz', '/metrics', '/api-reference', '/nothing']),
            from: stranger(),
          }),
        ),
    },
    {
      name: "refusals in a victim's name, from one IPv6 network",
      perSecond: 10,
      most: 20,
      act: async () =>
        said(
          ask(
            inTurn([
              { method: 'GET', path: `/api/webhooks?accountUUID=${victim}`, from: someAddress() },
              {
                method: 'POST',
                path: `/api/automation?accountUUID=${victim}`,
                from: someAddress(),
                headers: { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' },
                body: '{}',
              },
            ]),
          ),
        ),
    },
    { name: 'e-mail HTML that hides a script', perSecond: 0.5, most: 4, act: hiddenScript },
    {
      name: 'TRACE, OPTIONS *, whole addresses, two hosts and foreign ones',
      perSecond: 5,
      most: 10,
      act: () => rawRequest(port, inTurn(oddRequests(port))),
    },
  ]

  /** The rest of the record is 250 KB: storing it with each entry would take 50 MB. */
  function manyEntries(): string {
    const entry = Array.from({ length: 200 }, () => ({ uuid: randomUUID(), changed_fields: ['status'] }))
    const call = { object: 'job', entry, resource_url: 'https://api.servicem8.com/api_1.0/job/x.json', note: '' }
    const room = 256 * KB - JSON.stringify(call).length
    return JSON.stringify({ ...call, note: 'x'.repeat(room) })
  }

  async function forgedOpening(): Promise<string> {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const claims = { auth: { accountUUID: victim, staffUUID: randomUUID() }, eventName: 'open', iat: Date.now() / 1000 }
    const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
    const jwt = `${signed}.${createHmac('sha256', 'sandbox-secret').update(signed).digest('base64url')}`
    const answer = await ask({ method: 'POST', path: '/hooks/servicem8', from: stranger(), body: jwt })
    return answer.said === '200' ? '!a forged opening was believed' : answer.said
  }

  async function foreignLaunch(): Promise<string> {
    const headers = {
      origin: 'https://elsewhere.example',
      'sec-fetch-site': 'cross-site',
      'content-type': 'application/x-www-form-urlencoded',
    }
    const body = `ticket=${randomBytes(32).toString('base64url')}`
    return said(ask({ method: 'POST', path: '/launch', from: stranger(), headers, body }))
  }

  /** A ticket of the attacker's own account, posted by our own page: as when a foreign page sends a browser there. */
  async function graftedLaunch(): Promise<string> {
    const jwt = await openingOf(field.platformPort)
    const opened = await ask({ method: 'POST', path: '/hooks/servicem8', from: TENANT, body: jwt })
    const ticket = fieldValue(opened.text, 'ticket')
    if (ticket === '') return `${opened.said}, no ticket`
    const launched = await ask({
      method: 'POST',
      path: '/launch',
      from: '192.0.2.44',
      headers: {
        origin: own.origin,
        'sec-fetch-site': 'same-origin',
        'sec-fetch-dest': 'document',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: `ticket=${ticket}`,
    })
    const cookies = String(launched.headers['set-cookie'] ?? '')
    return /\bsid=[\w-]{20,}/.test(cookies)
      ? '!a foreign page signed a browser in to an account of its own'
      : launched.said
  }

  async function hiddenScript(): Promise<string> {
    const made = await tenant('POST', '/api/automation', hostileHtml)
    if (made.said !== '201') return made.said
    // The answer lists the removed parts beside the rule.
    const { id, actions } = JSON.parse(made.text) as { id: number; actions: unknown }
    await tenant('DELETE', `/api/automation/${id}`)
    return /javascript|&#0*58|onerror/i.test(JSON.stringify(actions))
      ? '!e-mail HTML was kept with a script in it'
      : '201, made safe'
  }
}

function rule(accountUUID: string, actions: unknown[]): string {
  return JSON.stringify({ accountUUID, name: 'x', triggerSource: 'manual_endpoint', actions })
}

function manualEmail(customBody: string): unknown {
  return {
    type: 'send_email',
    parameters: { contentType: 'manual', to: 'a@b.example', customSubject: 'x', customBody },
  }
}

function htmlEmail(customHtmlBody: string): unknown {
  const parameters = { contentType: 'html', to: 'a@b.example', customHtmlSubject: 'x', customHtmlBody }
  return { type: 'send_email', parameters }
}

/** As many misspelt names as fit. */
function names(length: number): string {
  return '{zq}'.repeat(length / 4)
}

function oddRequests(port: number): string[] {
  const own = `Host: localhost:${port}\r\n`
  return [
    `TRACE / HTTP/1.1\r\n${own}\r\n`,
    `OPTIONS * HTTP/1.1\r\n${own}\r\n`,
    `GET http://localhost:${port}/fieldhook HTTP/1.1\r\n${own}\r\n`,
    'GET /fieldhook HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n',
    `GET /fieldhook HTTP/1.1\r\n${own}Host: elsewhere.example\r\n\r\n`,
  ].map((text) => text.replace('\r\n\r\n', `\r\nFly-Client-IP: ${STRANGER}\r\n\r\n`))
}

function openingOf(platformPort: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request({ port: platformPort, host: '127.0.0.1', path: '/opening' }, (answer) => {
      let text = ''
      answer.on('data', (part: Buffer) => {
        text += part
      })
      answer.on('end', () => resolve(text))
    })
    call.on('error', reject)
    call.end()
  })
}
