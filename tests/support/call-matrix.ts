// Long: one table of every address of the product, how it is called, and what a stranger and another account get for an account’s
// ids. A route that is not here fails the walk: whoever adds one says here who may call it.

import type { MatrixCall, OwnedIds } from './matrix-call.ts'
import { PAGE_BUTTONS } from './page-buttons.ts'

export type { MatrixCall, OwnedIds } from './matrix-call.ts'

type Ways = Pick<MatrixCall, 'stranger' | 'other'>

const OWN: Ways = { stranger: 401, other: 404 }
const PAGE: Ways = { stranger: 'page', other: 'page' }
const by = ({ account }: OwnedIds) => `?accountUUID=${account}`

function call(
  method: MatrixCall['method'],
  route: string,
  path: (ids: OwnedIds) => string,
  ways: Ways = OWN,
  body?: (ids: OwnedIds) => unknown,
): MatrixCall {
  return { method, route, path, ...ways, ...(body ? { body } : {}) }
}

/** Ends something the other calls need: only strangers and others try it. */
function ending(...given: Parameters<typeof call>): MatrixCall {
  return { ...call(...given), ownerSkips: true }
}

export const MATRIX: readonly MatrixCall[] = [
  // The buttons of the pages
  ...PAGE_BUTTONS,
  // To everybody but an operator neither the page nor its button is there.
  ending(
    'POST',
    'operator',
    (ids) => `/operator${by(ids)}&admin=yes`,
    PAGE,
    (ids) => ({
      intent: 'end_sessions',
      account: ids.account,
    }),
  ),

  // Pages
  call('GET', '/', (ids) => `/${by(ids)}`, PAGE),
  call('GET', 'fieldhook', (ids) => `/fieldhook${by(ids)}`, PAGE),
  call('GET', 'fieldhook/log', (ids) => `/fieldhook/log${by(ids)}&object=job`, PAGE),
  call('GET', 'fieldhook/replay', (ids) => `/fieldhook/replay${by(ids)}&id=${ids.webhook}`, PAGE),
  call('GET', 'fieldhook/curl', (ids) => `/fieldhook/curl${by(ids)}&delivery=${ids.delivery}`, PAGE),
  call('GET', 'webhook-activity', (ids) => `/webhook-activity${by(ids)}`, PAGE),
  call('GET', 'webhooks/:id', (ids) => `/webhooks/${ids.webhook}${by(ids)}`, PAGE),
  call('GET', 'deliveries', (ids) => `/deliveries${by(ids)}`, PAGE),
  call('GET', 'deliveries/:id', (ids) => `/deliveries/${ids.delivery}${by(ids)}`, PAGE),
  call('GET', 'automation', (ids) => `/automation${by(ids)}`, PAGE),
  call('POST', 'automation/look', (ids) => `/automation/look${by(ids)}`),
  call('GET', 'automation/settings', (ids) => `/automation/settings${by(ids)}`, PAGE),
  call('GET', 'automation/runs', (ids) => `/automation/runs${by(ids)}`, PAGE),
  call('GET', 'automation/runs/:id', (ids) => `/automation/runs/${ids.run}${by(ids)}`, PAGE),
  call('GET', 'automation/templates', (ids) => `/automation/templates${by(ids)}`, PAGE),
  call('GET', 'link', (ids) => `/link${by(ids)}&token=${'x'.repeat(43)}&to=/fieldhook`, PAGE),
  call('GET', 'account', (ids) => `/account${by(ids)}`, PAGE),
  call('GET', 'operator', (ids) => `/operator${by(ids)}&admin=yes`, PAGE),
  call('GET', 'subscription', (ids) => `/subscription${by(ids)}`, PAGE),

  // JSON calls
  call('GET', 'api/credentials/:id', (ids) => `/api/credentials/${ids.account}`, { stranger: 404, other: 404 }),
  call(
    'POST',
    'api/credentials',
    () => '/api/credentials',
    { stranger: 401, other: 403 },
    (ids) => ({
      accountUUID: ids.account,
      accessToken: 'planted',
      refreshToken: 'planted',
      expiresAt: '2030-01-01T00:00:00Z',
    }),
  ),
  call(
    'POST',
    'api/account-mapping',
    () => '/api/account-mapping',
    OWN,
    (ids) => ({
      externalAccountUUID: 'taken-by-a-stranger',
      internalAccountUUID: ids.account,
    }),
  ),
  call('GET', 'api/account-mapping/:id', (ids) => `/api/account-mapping/${ids.account}`, { stranger: 404, other: 404 }),
  call(
    'POST',
    'api/account-link',
    () => '/api/account-link',
    { stranger: 403, other: 403 },
    (ids) => ({
      externalAccountUUID: ids.account,
      token: 'x'.repeat(43),
    }),
  ),
  call('GET', 'api/webhooks', (ids) => `/api/webhooks${by(ids)}`),
  call(
    'POST',
    'api/webhooks',
    () => '/api/webhooks',
    OWN,
    (ids) => ({
      callback_url: 'https://elsewhere.example/in',
      object: 'job',
      fields: '',
      active: true,
      accountUUID: ids.account,
    }),
  ),
  call('GET', 'api/webhooks/:key', (ids) => `/api/webhooks/${ids.account}`),
  call(
    'PUT',
    'api/webhooks/:key',
    (ids) => `/api/webhooks/${ids.webhook}`,
    OWN,
    () => ({ fields: 'status' }),
  ),
  ending('DELETE', 'api/webhooks/:key', (ids) => `/api/webhooks/${ids.webhook}`),
  call(
    'POST',
    'api/webhooks/test',
    () => '/api/webhooks/test',
    OWN,
    (ids) => ({ id: ids.webhook }),
  ),
  call('POST', 'api/webhooks/compare', (ids) => `/api/webhooks/compare${by(ids)}`),
  call(
    'POST',
    'api/webhooks/:id/replay',
    (ids) => `/api/webhooks/${ids.webhook}/replay`,
    OWN,
    () => ({
      since: '2026-01-01T00:00:00Z',
      dryRun: true,
    }),
  ),
  call('GET', 'api/webhooks/:id/replay/:replayId', (ids) => `/api/webhooks/${ids.webhook}/replay/1`),
  ending('POST', 'api/webhooks/:id/rotate-secret', (ids) => `/api/webhooks/${ids.webhook}/rotate-secret`),
  call('POST', 'api/webhooks/:id/check', (ids) => `/api/webhooks/${ids.webhook}/check`),
  call('GET', 'api/notices', (ids) => `/api/notices${by(ids)}`),
  call('POST', 'api/notices/:id/dismiss', () => '/api/notices/1/dismiss'),
  call('GET', 'api/notice-settings', (ids) => `/api/notice-settings${by(ids)}`),
  call(
    'PUT',
    'api/notice-settings',
    (ids) => `/api/notice-settings${by(ids)}`,
    OWN,
    () => ({
      byMail: true,
      email: 'stranger@example.com',
    }),
  ),
  call('GET', 'api/forwarding-rules', (ids) => `/api/forwarding-rules${by(ids)}`),
  call(
    'POST',
    'api/forwarding-rules',
    (ids) => `/api/forwarding-rules${by(ids)}`,
    OWN,
    () => ({
      name: 'planted',
      objectType: 'job',
      forwardUrl: 'https://elsewhere.example/in',
      active: true,
      fieldFilters: '',
    }),
  ),
  call(
    'PUT',
    'api/forwarding-rules/:id',
    (ids) => `/api/forwarding-rules/${ids.rule}`,
    OWN,
    () => ({ active: false }),
  ),
  ending('DELETE', 'api/forwarding-rules/:id', (ids) => `/api/forwarding-rules/${ids.rule}`),
  call('POST', 'api/forwarding-rules/:id/test', (ids) => `/api/forwarding-rules/${ids.rule}/test`),
  call('POST', 'api/forwarding-rules/:id/check', (ids) => `/api/forwarding-rules/${ids.rule}/check`),
  call(
    'POST',
    'api/forwarding-rules/:id/replay',
    (ids) => `/api/forwarding-rules/${ids.rule}/replay`,
    OWN,
    () => ({
      since: '2026-01-01T00:00:00Z',
      dryRun: true,
    }),
  ),
  call('GET', 'api/forwarding-rules/:id/replay/:replayId', (ids) => `/api/forwarding-rules/${ids.rule}/replay/1`),
  ending('POST', 'api/forwarding-rules/:id/rotate-secret', (ids) => `/api/forwarding-rules/${ids.rule}/rotate-secret`),
  call('GET', 'api/deliveries', (ids) => `/api/deliveries${by(ids)}`),
  call('GET', 'api/deliveries/:id', (ids) => `/api/deliveries/${ids.delivery}${by(ids)}`),
  call('POST', 'api/deliveries/:id/retry', (ids) => `/api/deliveries/${ids.delivery}/retry`),
  call('GET', 'api/webhook-logs/:accountUUID/:objectType', (ids) => `/api/webhook-logs/${ids.account}/job`),
  call('GET', 'api/webhook-activity', (ids) => `/api/webhook-activity${by(ids)}`),
  call('GET', 'api/api-activity', (ids) => `/api/api-activity${by(ids)}`),
  call('GET', 'api/automation', (ids) => `/api/automation${by(ids)}`),
  call(
    'POST',
    'api/automation',
    () => '/api/automation',
    OWN,
    (ids) => ({ accountUUID: ids.account, name: 'planted' }),
  ),
  call(
    'PUT',
    'api/automation/:id',
    (ids) => `/api/automation/${ids.automation}`,
    OWN,
    () => ({ active: false }),
  ),
  ending('DELETE', 'api/automation/:id', (ids) => `/api/automation/${ids.automation}`),
  call(
    'POST',
    'api/automation/:id/run',
    (ids) => `/api/automation/${ids.automation}/run`,
    OWN,
    () => ({ preview: true }),
  ),
  call(
    'POST',
    'api/automation/:id/trigger',
    (ids) => `/api/automation/${ids.automation}/trigger?key=${'x'.repeat(43)}`,
    { stranger: 404, other: 404 },
    () => ({ job_uuid: '00000000-0000-4000-8000-000000000000', date: '2026-01-05' }),
  ),
  call('GET', 'api/automation-logs/:accountUUID', (ids) => `/api/automation-logs/${ids.account}`),
  call('GET', 'api/automation-settings', (ids) => `/api/automation-settings${by(ids)}`),
  call(
    'PUT',
    'api/automation-settings',
    (ids) => `/api/automation-settings${by(ids)}`,
    OWN,
    () => ({}),
  ),
  call('GET', 'api/mutes', (ids) => `/api/mutes${by(ids)}`),
  call(
    'POST',
    'api/mutes',
    (ids) => `/api/mutes${by(ids)}`,
    OWN,
    () => ({}),
  ),
  ending('DELETE', 'api/mutes/:id', (ids) => `/api/mutes/${ids.mute}`),
  call(
    'POST',
    'api/automation-templates',
    () => '/api/automation-templates?admin=yes',
    OWN,
    (ids) => ({ accountUUID: ids.account }),
  ),
  call(
    'POST',
    'api/automation-templates/:id/copy',
    (ids) => `/api/automation-templates/${ids.template}/copy`,
    OWN,
    (ids) => ({
      accountUUID: ids.account,
    }),
  ),
  call('POST', 'api/subscription/:accountUUID', (ids) => `/api/subscription/${ids.account}`),
  call('GET', 'api/subscription/:accountUUID', (ids) => `/api/subscription/${ids.account}`),
  ending(
    'POST',
    'api/subscription/:accountUUID/upgrade',
    (ids) => `/api/subscription/${ids.account}/upgrade`,
    OWN,
    () => ({
      newPlan: 'premium',
      prorated: false,
    }),
  ),
  ending(
    'POST',
    'api/create-payment-intent/:accountUUID',
    (ids) => `/api/create-payment-intent/${ids.account}`,
    OWN,
    () => ({
      amount: 500,
    }),
  ),
  call('GET', 'api/servicem8/:list/:accountUUID', (ids) => `/api/servicem8/jobs/${ids.account}`),
  call('GET', 'api/audit', (ids) => `/api/audit${by(ids)}`),
  call('GET', 'api/sessions', (ids) => `/api/sessions${by(ids)}`),
  ending('DELETE', 'api/sessions/:id', () => `/api/sessions/${'x'.repeat(22)}`),
  {
    ...ending(
      'POST',
      'api/sessions/end-all',
      (ids) => `/api/sessions/end-all${by(ids)}`,
      OWN,
      () => ({}),
    ),
    signsOut: true,
  },
  call('GET', 'api/export', (ids) => `/api/export${by(ids)}`),
  ending(
    'POST',
    'api/erase',
    (ids) => `/api/erase${by(ids)}`,
    OWN,
    () => ({ name: 'not its name' }),
  ),
  call('GET', 'api/operator', (ids) => `/api/operator${by(ids)}&admin=yes`),
  call('GET', 'api/admin/test-api/:accountUUID/:apiName', (ids) => `/api/admin/test-api/${ids.account}/jobs?admin=yes`),
]

/** Routes that serve no account's own things to a session, each with the reason. */
export const OPEN_ROUTES: Readonly<Record<string, string>> = {
  'api/oauth/authorize': 'leads to the platform; what comes back decides whose session it is',
  'api/oauth/callback': 'takes a code that only the browser with the state can use',
  'sign-out': 'ends the session of whoever calls',
  launch: 'takes a one-time ticket',
  'hooks/platform/:token': 'the token says whose event it is',
  'hooks/servicem8': 'the signature says whose opening it is',
  'hooks/stripe': 'the signature says that it is the provider',
  'documents/:token': 'the sealed token says which document',
  'api/accounts': 'answers the accounts of the session',
  'api/automation-templates': 'the library is for everybody; making one is in the matrix',
  'api/openapi.json': 'the same for everybody',
  'api-reference': 'the same for everybody',
  '.well-known/security.txt': 'the same for everybody',
  'api/*': 'nothing is there',
  healthz: 'says that the process lives',
  readyz: 'says that it is ready; details want the metrics token',
  metrics: 'wants the metrics token',
  'csp-report': 'takes what browsers report of our pages, from anybody, and answers nothing',
  '*': 'the 404 page',
}
