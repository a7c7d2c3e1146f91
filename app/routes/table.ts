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
  at('webhooks/:id', 'pages/webhook.tsx'),
  at('deliveries', 'pages/deliveries.tsx'),
  at('deliveries/:id', 'pages/delivery.tsx'),
  at('automation', 'pages/automation.tsx'),
  at('automation/runs', 'pages/automation-runs.tsx'),
  at('automation/runs/:id', 'pages/automation-run.tsx'),
  at('automation/templates', 'pages/automation-templates.ts'),
  at('subscription', 'pages/subscription.tsx'),
  at('automation/look', 'pages/automation-look.ts'),
  at('automation/settings', 'pages/automation-settings.tsx'),
  at('account', 'pages/account.tsx'),
  at('link', 'pages/link.tsx'),
  at('api-reference', 'pages/api-reference.tsx'),
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

  // Files that a rule made, for whoever was given the address
  at('documents/:token', 'documents.ts'),

  // JSON calls
  at('api/credentials', 'api/accounts/credentials.ts'),
  at('api/credentials/:id', 'api/accounts/credentials-of-account.ts'),
  at('api/accounts', 'api/accounts/accounts.ts'),
  at('api/account-mapping', 'api/accounts/account-mapping.ts'),
  at('api/account-mapping/:id', 'api/accounts/account-mapping-of-id.ts'),
  at('api/account-link', 'api/accounts/account-link.ts'),
  at('api/webhooks', 'api/webhooks/webhooks.ts'),
  at('api/webhooks/test', 'api/webhooks/webhooks-test.ts'),
  at('api/webhooks/compare', 'api/webhooks/webhooks-compare.ts'),
  at('api/webhooks/:key', 'api/webhooks/webhooks-by-id.ts'),
  at('api/webhooks/:id/replay', 'api/webhooks/webhooks-replay.ts'),
  at('api/webhooks/:id/replay/:replayId', 'api/webhooks/webhooks-replay-progress.ts'),
  at('api/webhooks/:id/rotate-secret', 'api/webhooks/webhooks-rotate-secret.ts'),
  at('api/webhooks/:id/check', 'api/webhooks/webhooks-check.ts'),
  at('api/notices', 'api/webhooks/notices.ts'),
  at('api/notices/:id/dismiss', 'api/webhooks/notices-dismiss.ts'),
  at('api/notice-settings', 'api/webhooks/notice-settings.ts'),
  at('api/forwarding-rules', 'api/webhooks/forwarding-rules.ts'),
  at('api/forwarding-rules/:id', 'api/webhooks/forwarding-rules-by-id.ts'),
  at('api/forwarding-rules/:id/test', 'api/webhooks/forwarding-rules-test.ts'),
  at('api/forwarding-rules/:id/check', 'api/webhooks/forwarding-rules-check.ts'),
  at('api/forwarding-rules/:id/replay', 'api/webhooks/forwarding-rules-replay.ts'),
  at('api/forwarding-rules/:id/replay/:replayId', 'api/webhooks/forwarding-rules-replay-progress.ts'),
  at('api/forwarding-rules/:id/rotate-secret', 'api/webhooks/forwarding-rules-rotate-secret.ts'),
  at('api/deliveries', 'api/deliveries.ts'),
  at('api/deliveries/:id', 'api/deliveries-by-id.ts'),
  at('api/deliveries/:id/retry', 'api/deliveries-retry.ts'),
  at('api/webhook-logs/:accountUUID/:objectType', 'api/webhook-logs.ts'),
  at('api/webhook-activity', 'api/webhook-activity.ts'),
  at('api/api-activity', 'api/api-activity.ts'),
  at('api/automation', 'api/automations/automation.ts'),
  at('api/automation/:id', 'api/automations/automation-by-id.ts'),
  at('api/automation/:id/run', 'api/automations/automation-run.ts'),
  at('api/automation/:id/trigger', 'api/automations/automation-trigger.ts'),
  at('api/automation-logs/:accountUUID', 'api/automations/automation-logs.ts'),
  at('api/automation-settings', 'api/automations/automation-settings.ts'),
  at('api/mutes', 'api/automations/mutes.ts'),
  at('api/mutes/:id', 'api/automations/mutes-by-id.ts'),
  at('api/automation-templates', 'api/automations/automation-templates.ts'),
  at('api/automation-templates/:id/copy', 'api/automations/automation-template-copy.ts'),
  at('api/subscription/:accountUUID', 'api/subscription-of-account.ts'),
  at('api/subscription/:accountUUID/upgrade', 'api/subscription-upgrade.ts'),
  at('api/create-payment-intent/:accountUUID', 'api/create-payment-intent.ts'),
  at('api/audit', 'api/accounts/audit.ts'),
  at('api/sessions', 'api/accounts/sessions.ts'),
  at('api/sessions/end-all', 'api/accounts/sessions-end-all.ts'),
  at('api/sessions/:id', 'api/accounts/sessions-by-id.ts'),
  at('api/export', 'api/accounts/export.ts'),
  at('api/erase', 'api/accounts/erase.ts'),
  at('api/operator', 'api/operator.ts'),
  at('api/servicem8/:list/:accountUUID', 'api/servicem8-lookup.ts'),
  at('api/admin/test-api/:accountUUID/:apiName', 'api/admin-test-api.ts'),
  at('api/openapi.json', 'api/openapi.ts'),
  at('api/*', 'api/unknown.ts'),

  // Operations
  at('healthz', 'ops/healthz.ts'),
  at('readyz', 'ops/readyz.ts'),
  at('.well-known/security.txt', 'ops/security-text.ts'),
  at('csp-report', 'ops/csp-report.ts'),
  at('metrics', 'ops/metrics.ts'),

  at('*', 'pages/not-found.tsx'),
] satisfies RouteConfigEntry[]
