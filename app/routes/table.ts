// Every address of the product and its module. Other addresses do not exist. Plain entries instead of the route()
// helper: the server also reads this table, to log patterns instead of addresses.
import type { RouteConfigEntry } from '@remix-run/route-config'

const at = (path: string, file: string): RouteConfigEntry => ({ path, file: `routes/${file}` })

/** The pages below a page: one module for all, an address for each, so that others stay unknown. */
const below = (path: string, parts: readonly string[], file: string): RouteConfigEntry[] =>
  parts.map((part) => ({ ...at(`${path}/${part}`, file), id: `${path}-${part}` }))

export default [
  // Pages. Both addresses are the webhook manager.
  { path: '/', file: 'routes/pages/manager.tsx', id: 'start' },
  { path: 'fieldhook', file: 'routes/pages/manager.tsx', id: 'manager' },
  at('fieldhook/log', 'pages/manager-log.ts'),
  at('fieldhook/replay', 'pages/manager-replay.ts'),
  at('fieldhook/curl', 'pages/manager-curl.ts'),
  at('webhook-activity', 'pages/activity.tsx'),
  at('webhooks/:id', 'pages/webhook.tsx'),
  at('deliveries', 'pages/deliveries.tsx'),
  at('deliveries/:id', 'pages/delivery.tsx'),
  at('automation', 'pages/automation.tsx'),
  at('automation/runs', 'pages/automation-runs.tsx'),
  at('automation/runs/:id', 'pages/automation-run.tsx'),
  at('automation/templates', 'pages/automation-templates.ts'),
  at('automation/templates/:id', 'pages/automation-template.tsx'),
  at('subscription', 'pages/subscription.tsx'),
  at('automation/preview', 'pages/automation-preview.ts'),
  at('automation/settings', 'pages/automation-settings.tsx'),
  at('account', 'account/account.tsx'),
  ...below('account', ['sessions', 'activity', 'retention', 'export', 'erase'], 'account/account-part.tsx'),
  at('link', 'pages/link.tsx'),
  at('api-reference', 'reference/api-reference.tsx'),
  ...below(
    'api-reference',
    [
      ...['general', 'forward', 'other-addresses', 'accounts', 'sessions-and-data', 'webhooks', 'forwarding-rules'],
      ...['notices', 'events-and-deliveries', 'automations', 'templates', 'pick-lists', 'subscription', 'operating'],
      'this-reference',
    ],
    'reference/api-reference-part.tsx',
  ),
  at('operator', 'pages/operator.tsx'),

  // Signing in
  at('api/oauth/authorize', 'sign-in/authorize.ts'),
  at('api/oauth/callback', 'sign-in/callback.ts'),
  at('sign-out', 'sign-in/sign-out.ts'),
  at('launch', 'launch.ts'),

  // The platform calls us
  at('hooks/platform/:token', 'hooks/platform-events.ts'),
  at('hooks/servicem8', 'hooks/signed-opening.ts'),

  // The payment provider calls us
  at('hooks/stripe', 'hooks/payment-events.ts'),

  // Files that a rule created, for holders of the address
  at('documents/:token', 'documents.ts'),

  // JSON calls: their own paths are defined in api/*-calls.server.ts
  at('api/*', 'api/calls.ts'),

  // Operations
  at('healthz', 'ops/healthz.ts'),
  at('readyz', 'ops/readyz.ts'),
  at('.well-known/security.txt', 'ops/security-text.ts'),
  at('csp-report', 'ops/csp-report.ts'),
  at('metrics', 'ops/metrics.ts'),

  at('*', 'pages/not-found.tsx'),
] satisfies RouteConfigEntry[]
