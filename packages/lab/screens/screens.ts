// Every screen worth checking, and how an account gets content on each of them. Shared by the screenshots and by anyone
// who wants to see a change at all widths.
import type { APIRequestContext } from '@playwright/test'
import { fieldValue } from '#tests/support/scriptless-browser.ts'
import { furnishListening } from './listening-stage.ts'

/** A screen by its address; `open` lists what to press before the screenshot. */
export interface Screen {
  name: string
  path: string
  /** Text of summary lines or buttons to press first. */
  open?: readonly string[]
  /** A line that the first view begins with. */
  scrollTo?: string
  /** For a visitor who is not signed in. */
  stranger?: true
}

/** Signs in over HTTP as one of the pretend platform's firms. Returns the account's id. */
export async function signInFirm(request: APIRequestContext, server: { origin: string }, firm = 0): Promise<string> {
  const start = await (await request.get(`${server.origin}/sandbox`)).text()
  const account = [...new Set([...start.matchAll(/accountUUID=([0-9a-f-]{36})/g)].map((found) => found[1]))][firm]
  if (!account) throw new Error('no account on the start page of the sandbox')
  const consent = await request.get(`${server.origin}/api/oauth/authorize?accountuuid=${account}&token=fieldhook`)
  await request.post(`${server.origin}/sandbox/servicem8/oauth/authorize`, {
    form: { ticket: fieldValue(await consent.text(), 'ticket'), account, decision: 'accept' },
    headers: { origin: server.origin, 'sec-fetch-site': 'same-origin' },
  })
  return account
}

/**
 * Creates webhooks in every state, automations with a history, and successful and failed deliveries. Waits until the
 * log shows them. Returns the screens.
 */
export async function furnish(
  request: APIRequestContext,
  server: { origin: string },
  account: string,
  /** Another account without any activity. */
  newcomer: string,
): Promise<Screen[]> {
  const { origin } = server
  const headers = { origin, 'sec-fetch-site': 'same-origin', 'x-admin-mode': 'true' }
  const call = async (method: 'GET' | 'POST' | 'PUT', path: string, data?: object) => {
    const answer = await request.fetch(`${origin}${path}`, { method, headers, ...(data && { data }) })
    if (!answer.ok()) throw new Error(`${method} ${path}: ${answer.status()} ${await answer.text()}`)
    return answer.json()
  }
  const press = (what: string, form: Record<string, string>) =>
    request.post(`${origin}/sandbox/console/${what}`, { form: { back: '/sandbox', ...form }, headers: { origin } })
  const receiver = (name: string) => `${origin}/sandbox/receiver/${name}`
  const webhook = (object: string, callback_url: string, fields = '') =>
    call('POST', '/api/webhooks', { accountUUID: account, object, callback_url, fields })

  const job = await webhook('job', receiver('demo'))
  await webhook('note', `${receiver('broken')}?status=500`, 'note')
  const company = await webhook('company', receiver('customers'))
  await webhook('jobactivity', '')
  await call('POST', `/api/forwarding-rules?accountUUID=${account}`, {
    name: 'Accounts office',
    objectType: 'job',
    forwardUrl: receiver('office'),
    fieldFilters: 'status,completion_date',
  })
  await call('PUT', `/api/webhooks/${company.id}`, { active: false })

  const actions = [{ type: 'create_task', parameters: { title: 'Call back about job {entry.0.generated_job_id}' } }]
  const rule = { accountUUID: account, triggerSource: 'webhook', object: 'job', triggerType: 'job_updated' }
  const completed = [{ field: 'status', operator: 'equals', value: 'Completed' }]
  const text = 'Hi {entry.0.contact_first_name or "there"}, your job {entry.0.generated_job_id} is done. Thank you!'
  const thanks = await call('POST', '/api/automation', {
    ...rule,
    name: 'Thank the customer when a job is done',
    conditions: completed,
    actions: [{ type: 'send_sms', parameters: { to: '{entry.0.contact_mobile}', message: text } }, ...actions],
  })
  await call('POST', '/api/automation', {
    ...rule,
    name: 'Big jobs need a second look',
    conditions: [{ field: 'total_invoice_amount', operator: 'greater_than', value: '5000' }],
    actions,
  })
  await call('POST', '/api/automation', {
    accountUUID: account,
    name: 'Quotes nobody answered',
    triggerSource: 'api_polling',
    apiEndpoint: '/api_1.0/job.json',
    pollInterval: 'daily',
    conditions: [{ field: 'status', operator: 'equals', value: 'Quote' }],
    actions,
  })

  const jobs = await request.get(`${origin}/sandbox`).then((answer) => answer.text())
  const ids = [...new Set([...jobs.matchAll(/jobs\/([0-9a-f-]{36})\/status/g)].map((found) => found[1] ?? ''))]
  await furnishListening({ request, origin, account, call, press }, [ids[0] ?? '', ids[1] ?? ''])
  for (const id of ids.slice(0, 4)) await press(`accounts/${account}/jobs/${id}/status`, { status: 'Completed' })
  await press(`accounts/${account}/jobs/${ids[0]}/note`, { text: 'The customer asks for a call after four.' })
  await call('POST', `/api/automation/${thanks.id}/run`, { bypassConditions: true })
  let deliveries: { id: number }[] = []
  for (let tries = 0; tries < 100 && deliveries.length < 6; tries++) {
    await new Promise((next) => setTimeout(next, 100))
    const found = await call('GET', `/api/deliveries?accountUUID=${account}`)
    deliveries = Array.isArray(found) ? found : found.deliveries
  }
  const runs = await call('GET', `/api/automation-logs/${account}`)
  const by = `?accountUUID=${account}`
  const run = runs.at(-1)?.id ?? 1
  return [
    { name: 'gate', path: `/fieldhook${by}`, stranger: true },
    { name: 'manager-new', path: `/fieldhook?accountUUID=${newcomer}` },
    { name: 'automations-new', path: `/automation?accountUUID=${newcomer}` },
    { name: 'runs-new', path: `/automation/runs?accountUUID=${newcomer}` },
    { name: 'manager', path: `/fieldhook${by}` },
    { name: 'manager-edit', path: `/fieldhook${by}&edit=${job.id}` },
    { name: 'manager-log', path: `/fieldhook${by}&log=${job.id}` },
    { name: 'manager-delete', path: `/fieldhook${by}&confirmDelete=${job.id}` },
    { name: 'manager-replay', path: `/fieldhook${by}&replay=${job.id}` },
    { name: 'activity', path: `/webhook-activity${by}` },
    { name: 'deliveries', path: `/deliveries${by}` },
    { name: 'delivery', path: `/deliveries/${deliveries[0]?.id ?? 1}${by}` },
    { name: 'automations', path: `/automation${by}` },
    { name: 'notices', path: `/automation${by}` },
    { name: 'answers', path: `/automation/runs${by}` },
    {
      name: 'receipts',
      path: `/automation/runs${by}&text=${encodeURIComponent('Thank you for choosing')}`,
      scrollTo: 'Newest first.',
    },
    { name: 'automation-form', path: `/automation${by}&edit=${thanks.id}` },
    { name: 'automation-templates', path: `/automation${by}&tab=templates` },
    { name: 'automation-template', path: `/automation/templates/16${by}` },
    { name: 'automation-api', path: `/automation${by}&tab=api&admin=yes` },
    { name: 'automation-settings', path: `/automation/settings${by}` },
    { name: 'runs', path: `/automation/runs${by}` },
    { name: 'run', path: `/automation/runs/${run}${by}` },
    { name: 'runs-upcoming', path: `/automation/runs${by}&view=upcoming` },
    { name: 'runs-why', path: `/automation/runs${by}&view=why` },
    { name: 'subscription', path: `/subscription${by}` },
    { name: 'account', path: `/account${by}` },
    ...['sessions', 'activity', 'retention', 'export', 'erase'].map((part) => ({
      name: `account-${part}`,
      path: `/account/${part}${by}`,
    })),
    { name: 'operator', path: `/operator${by}&admin=yes` },
    { name: 'api-reference', path: '/api-reference' },
    { name: 'api-reference-webhooks', path: '/api-reference/webhooks' },
    { name: 'not-found', path: '/no/such/page' },
    { name: 'sandbox', path: '/sandbox' },
  ]
}
