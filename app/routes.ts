// Every address of the product and the module that answers it. What is not here does not exist.
// Plain entries instead of the route() helper: the server reads this table too, to log patterns instead of addresses.
import type { RouteConfigEntry } from '@remix-run/route-config'

const at = (path: string, file: string): RouteConfigEntry => ({ path, file: `routes/${file}` })

export default [
  // Pages. Both addresses are the webhook manager.
  { path: '/', file: 'routes/pages/manager.tsx', id: 'start' },
  { path: 'fieldhook', file: 'routes/pages/manager.tsx', id: 'manager' },
  at('fieldhook/log', 'pages/manager-log.ts'),
  at('fieldhook/replay', 'pages/manager-replay.ts'),
  at('fieldhook/curl', 'pages/manager-curl.ts'),
  at('webhook-activity', 'pages/activity.tsx'),

  // Signing in
  at('api/oauth/authorize', 'sign-in/authorize.ts'),
  at('api/oauth/callback', 'sign-in/callback.ts'),
  at('sign-out', 'sign-in/sign-out.ts'),
  at('launch', 'launch.ts'),

  // The platform calls us
  at('hooks/platform/:token', 'hooks/platform-events.ts'),
  at('hooks/servicem8', 'hooks/signed-opening.ts'),

  // JSON calls
  at('api/credentials', 'api/credentials.ts'),
  at('api/credentials/:id', 'api/credentials-of-account.ts'),
  at('api/accounts', 'api/accounts.ts'),
  at('api/account-mapping', 'api/account-mapping.ts'),
  at('api/account-mapping/:id', 'api/account-mapping-of-id.ts'),
  at('api/account-link', 'api/account-link.ts'),
  at('api/webhooks', 'api/webhooks.ts'),
  at('api/webhooks/test', 'api/webhooks-test.ts'),
  at('api/webhooks/:key', 'api/webhooks-by-id.ts'),
  at('api/webhooks/:id/replay', 'api/webhooks-replay.ts'),
  at('api/webhooks/:id/replay/:replayId', 'api/webhooks-replay-progress.ts'),
  at('api/webhooks/:id/rotate-secret', 'api/webhooks-rotate-secret.ts'),
  at('api/deliveries/:id/retry', 'api/deliveries-retry.ts'),
  at('api/webhook-logs/:accountUUID/:objectType', 'api/webhook-logs.ts'),
  at('api/webhook-activity', 'api/webhook-activity.ts'),
  at('api/api-activity', 'api/api-activity.ts'),
  at('api/*', 'api/unknown.ts'),

  // Operations
  at('healthz', 'ops/healthz.ts'),
  at('readyz', 'ops/readyz.ts'),

  at('*', 'pages/not-found.tsx'),
] satisfies RouteConfigEntry[]
