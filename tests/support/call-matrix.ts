// Long: every address of the product, how to call it, and what a stranger and another account get for an account’s ids.
// A missing route fails the walk: its author defines here who may call it. JSON calls define it themselves.
import { DEMO_ACCOUNT, type Named, type Operation } from '#app/contract/operation.ts'
import { ACCOUNT_PARTS } from '#app/domain/account-address.ts'
import { REFERENCE_PARTS } from '#app/features/reference/reference-places.ts'
import { REFERENCE } from '#app/routes/api/calls.server.ts'
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

/** A call that ends something the other calls need: only strangers and others make it. */
function ending(...given: Parameters<typeof call>): MatrixCall {
  return { ...call(...given), ownerSkips: true }
}

/** The path value for each kind of id in a call. */
const idOf = (ids: OwnedIds): Record<Named, string | number> => ({
  ...ids,
  notice: 1,
  answer: 1,
  replay: 1,
  session: 'x'.repeat(22),
})

/** Calls besides DELETE that would end something the next calls need. */
const ENDING = new Set(['rotateWebhookSecret', 'rotateForwardingRuleSecret', 'beginPayment', 'upgrade', 'eraseAccount'])

/** Bodies that cover more than the reference's example. */
const BODIES: Readonly<Record<string, (ids: OwnedIds) => unknown>> = {
  saveCredentials: ({ account }) => ({
    accountUUID: account,
    accessToken: 'planted',
    refreshToken: 'planted',
    expiresAt: '2030-01-01T00:00:00Z',
  }),
  linkAccount: ({ account }) => ({ externalAccountUUID: account, token: 'x'.repeat(43) }),
  testWebhook: ({ webhook }) => ({ id: webhook }),
  changeWebhook: () => ({ fields: 'status' }),
}

/** Whether a call reads or changes anything of an account. */
function namesSomething({ parameters = [], body }: Operation): boolean {
  return body !== undefined || parameters.some(({ names }) => names !== undefined)
}

/** A row from the call's definition: who may call, which ids it names, and its example as the body. */
export function rowOf({ id, method, path, who, parameters = [], body, refusals = {} }: Operation): MatrixCall {
  const stranger = who === 'key' ? 404 : refusals[401] === null ? 404 : who !== 'anyone' || refusals[401] ? 401 : 403
  const query = parameters.filter((one) => one.in === 'query' && (one.required || one.names))
  return {
    method,
    route: path,
    path: (ids) => {
      const standsFor = (name: string) => {
        const found = parameters.find((one) => one.name === name)
        return String(found?.names ? idOf(ids)[found.names] : (found?.example ?? 'x'))
      }
      const asked = query.map(({ name }) => `${name}=${standsFor(name)}`).concat(who === 'admin' ? ['admin=yes'] : [])
      return `/${path.replaceAll(/:(\w+)/g, (_all, name) => standsFor(name))}${asked.length > 0 ? `?${asked.join('&')}` : ''}`
    },
    ...(body && {
      body: (ids: OwnedIds) =>
        BODIES[id]?.(ids) ?? {
          ...JSON.parse(JSON.stringify(body.example).replaceAll(DEMO_ACCOUNT, ids.account)),
          ...('accountUUID' in body.fields && id !== 'changeAutomation' && { accountUUID: ids.account }),
        },
    }),
    stranger,
    other: who === 'anyone' ? 403 : 404,
    ...((method === 'DELETE' || ENDING.has(id) || id === 'endAllSessions') && { ownerSkips: true as const }),
    ...(id === 'endAllSessions' && { signsOut: true as const }),
  }
}

export const MATRIX: readonly MatrixCall[] = [
  // The buttons of the pages
  ...PAGE_BUTTONS,
  // Only an operator sees the page and its button.
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
  call('POST', 'automation/preview', (ids) => `/automation/preview${by(ids)}`),
  call('GET', 'automation/settings', (ids) => `/automation/settings${by(ids)}`, PAGE),
  call('GET', 'automation/runs', (ids) => `/automation/runs${by(ids)}`, PAGE),
  call('GET', 'automation/runs/:id', (ids) => `/automation/runs/${ids.run}${by(ids)}`, PAGE),
  call('GET', 'automation/templates', (ids) => `/automation/templates${by(ids)}`, PAGE),
  call('GET', 'automation/templates/:id', (ids) => `/automation/templates/${ids.template}${by(ids)}`, PAGE),
  call('GET', 'link', (ids) => `/link${by(ids)}&token=${'x'.repeat(43)}&to=/fieldhook`, PAGE),
  call('GET', 'account', (ids) => `/account${by(ids)}`, PAGE),
  ...ACCOUNT_PARTS.map((part) => call('GET', `account/${part}`, (ids) => `/account/${part}${by(ids)}`, PAGE)),
  call('GET', 'operator', (ids) => `/operator${by(ids)}&admin=yes`, PAGE),
  call('GET', 'subscription', (ids) => `/subscription${by(ids)}`, PAGE),

  ...REFERENCE.operations.filter(namesSomething).map(rowOf),
]

/** Routes that give a session nothing of an account's own, each with the reason. */
export const OPEN_ROUTES: Readonly<Record<string, string>> = {
  'api/oauth/authorize': 'leads to the platform; what comes back decides whose session it is',
  'api/oauth/callback': 'takes a code that only the browser with the state can use',
  'sign-out': 'ends the session of whoever calls',
  launch: 'takes a one-time ticket',
  'hooks/platform/:token': 'the token says whose event it is',
  'hooks/servicem8': 'the signature says whose opening it is',
  'hooks/stripe': 'the signature says that it is the provider',
  'documents/:token': 'the sealed token says which document',
  'api-reference': 'the same for everybody',
  ...Object.fromEntries(REFERENCE_PARTS.map((part) => [`api-reference/${part}`, 'the same for everybody'])),
  '.well-known/security.txt': 'the same for everybody',
  'api/*': 'its calls are in the matrix by themselves; elsewhere nothing is there',
  healthz: 'says that the process lives',
  readyz: 'says that it is ready; details want the metrics token',
  metrics: 'wants the metrics token',
  'csp-report': 'takes what browsers report of our pages, from anybody, and answers nothing',
  '*': 'the 404 page',
}
