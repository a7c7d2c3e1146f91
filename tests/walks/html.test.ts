// The HTML of every page as the server sends it, read by a validator: elements where they may stand, nothing after the end of the
// document, ids once, references that lead somewhere, sections with a name.
import { Window } from 'happy-dom'
import { HtmlValidate, StaticConfigLoader } from 'html-validate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scriptlessBrowser } from '#tests/support/scriptless-browser.ts'
import { type SignedInServer, startSignedInServer } from '#tests/support/signed-in-server.ts'

const validator = new HtmlValidate(
  new StaticConfigLoader({
    root: true,
    extends: ['html-validate:standard'],
    rules: {
      'no-missing-references': 'error',
      // How it is written is the renderer's affair.
      'attribute-boolean-style': 'off',
      'attribute-empty-style': 'off',
      'doctype-style': 'off',
      'void-style': 'off',
      'no-inline-style': 'off',
      'no-trailing-whitespace': 'off',
    },
  }),
)

let stage: SignedInServer
let pages: string[]

beforeAll(async () => {
  stage = await startSignedInServer({ REQUESTS_PER_MINUTE: '100000' })
  const { accountUUID: account, browser, server } = stage
  const make = async (path: string, body: unknown) => {
    const made = await browser.json('POST', path, body)
    if (made.status >= 300) throw new Error(`${path}: ${made.status} ${JSON.stringify(made.body)}`)
    return made.body as { id: number; forwardingUrl: string }
  }
  const callback_url = `${server.origin}/sandbox/receiver/demo`
  const webhook = await make('/api/webhooks', { accountUUID: account, object: 'job', callback_url })
  await make('/api/webhooks', { accountUUID: account, object: 'jobcontact', callback_url: 'https://hooks.slack.com/x' })
  await make(`/api/forwarding-rules?accountUUID=${account}`, {
    name: 'Accounts office',
    objectType: 'job',
    forwardUrl: `${callback_url}?status=500`,
    fieldFilters: 'status',
  })
  const rule = await make('/api/automation', {
    accountUUID: account,
    name: 'Thank you',
    triggerSource: 'webhook',
    object: 'job',
    triggerType: 'job_updated',
    conditions: [{ field: 'status', operator: 'equals', value: 'Completed' }],
    actions: [
      { type: 'send_sms', parameters: { to: '{entry.0.contact_mobile}', message: 'Thank you!' } },
      { type: 'create_task', parameters: { title: 'Call back' } },
    ],
  })
  const jobs = (await browser.json('GET', `/api/servicem8/jobs/${account}`)).body as { uuid: string }[]
  const uuid = jobs[0]?.uuid ?? ''
  await fetch(webhook.forwardingUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      object: 'job',
      entry: [{ uuid, changed_fields: ['status'], time: '2026-01-05 09:00:00' }],
      resource_url: `https://api.servicem8.com/api_1.0/job/${uuid}.json`,
    }),
  })
  const called = await make('/api/automation', {
    accountUUID: account,
    name: 'Called',
    triggerSource: 'manual_endpoint',
    actions: [{ type: 'create_task', parameters: { title: 'Call back' } }],
  })
  await browser.json('POST', `/api/automation/${called.id}/run`, { recordUuid: uuid })
  const log = (await browser.json('GET', `/api/automation-logs/${account}`)).body as { id: number }[]
  const delivery = await firstDelivery()
  const by = `?accountUUID=${account}`
  pages = [
    `/fieldhook${by}`,
    ...['edit', 'confirmDelete', 'log', 'replay', 'secret'].map((step) => `/fieldhook${by}&${step}=${webhook.id}`),
    `/fieldhook${by}&edit=rule-1&admin=yes`,
    `/webhook-activity${by}`,
    `/deliveries${by}`,
    `/deliveries/${delivery?.id}${by}`,
    `/automation${by}`,
    `/automation${by}&edit=${rule.id}`,
    `/automation${by}&tab=templates`,
    `/automation${by}&tab=api&admin=yes`,
    `/automation${by}&logs=open`,
    `/automation/settings${by}`,
    `/automation/runs${by}`,
    `/automation/runs/${log[0]?.id}${by}`,
    `/automation/runs${by}&view=upcoming`,
    `/automation/runs${by}&view=why`,
    `/subscription${by}`,
    `/account${by}`,
    ...['sessions', 'activity', 'retention', 'export', 'erase'].map((part) => `/account/${part}${by}`),
    `/operator${by}&admin=yes`,
    '/api-reference',
    '/api-reference/webhooks',
    '/api-reference/forward',
    '/no/such/page',
    '/sandbox',
  ]
})

afterAll(() => stage.server.dispose())

async function firstDelivery(): Promise<{ id: number } | undefined> {
  for (let tries = 0; tries < 100; tries++) {
    const { body } = await stage.browser.json('GET', `/api/deliveries?accountUUID=${stage.accountUUID}`)
    const found = Array.isArray(body) ? body : ((body as { deliveries?: { id: number }[] }).deliveries ?? [])
    if (found.length > 0) return found[0]
    await new Promise((next) => setTimeout(next, 100))
  }
  throw new Error('nothing was delivered')
}

async function faultsOf(html: string): Promise<string[]> {
  const { results } = await validator.validateString(html)
  const faults = results.flatMap(({ messages }) =>
    messages.map(
      ({ ruleId, message, line, column, selector }) => `${ruleId}: ${message} (${line}:${column} ${selector ?? ''})`,
    ),
  )
  if (!/<\/html>\s*$/.test(html)) faults.push('something stands behind the end of the document')
  const { document } = new Window()
  document.write(html)
  for (const section of document.querySelectorAll('section')) {
    if (!section.querySelector('h1, h2, h3, h4, h5, h6'))
      faults.push(`a section without a heading: ${section.className} ${section.textContent.slice(0, 60)}`)
  }
  return faults
}

test('the validator sees what it is here for', async () => {
  const page = (body: string, behind = '') =>
    `<!DOCTYPE html><html lang="en"><head><title>x</title></head><body>${body}</body></html>${behind}`
  expect(await faultsOf(page('<main><h1>x</h1></main>'))).toEqual([])
  const planted = [
    page('<figure><div><figcaption>x</figcaption></div><p>y</p></figure>'),
    page('<p>x</p>', '<script>1</script>'),
    page('<section><p>x</p></section>'),
    page('<p id="a">x</p><p id="a">y</p>'),
    page('<ul><div>x</div></ul>'),
    page('<p><div>x</div></p>'),
    page('<label for="nowhere">x</label>'),
    page('<button type="button"><a href="/">x</a></button>'),
  ]
  const unseen: string[] = []
  for (const html of planted) if ((await faultsOf(html)).length === 0) unseen.push(html)
  expect(unseen).toEqual([])
})

test('every page of an account that has something on it', async () => {
  const faults: string[] = []
  for (const path of pages) {
    const { text } = await stage.browser.get(path)
    for (const fault of await faultsOf(text)) faults.push(`${path}: ${fault}`)
  }
  expect(faults).toEqual([])
})

describe('what a stranger gets', () => {
  test.each([
    '/',
    '/fieldhook?accountUUID=somebody',
    '/automation?accountUUID=somebody',
    '/launch',
    '/api/oauth/callback',
  ])('%s', async (path) => {
    const { text } = await scriptlessBrowser(stage.server.origin).get(path)
    expect(await faultsOf(text)).toEqual([])
  })
})
