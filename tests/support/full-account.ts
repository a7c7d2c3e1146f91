// An account with a row of nearly every kind: everything an export must contain and an erasure must remove.
import { decideNamedAs } from '#app/domain/account-id.ts'
import { chooseEndpoints } from '#app/features/events/fan-out.ts'
import { DEFAULT_MAIL_CHOICE } from '#app/features/notices/notice-mail.ts'
import { hours } from '#app/lib/duration.ts'
import { hashToken, newToken } from '#app/lib/token.server.ts'
import type { WebhookWorld } from './webhook-world.server.ts'

/** Stored sealed in its credentials and signing secrets. */
const SECRET = 'nobody-may-read-this'

/** Inserts rows of all kinds. Returns the token of the account's platform address. */
export async function live(
  { app }: Pick<WebhookWorld, 'app'>,
  accountUuid: string,
): Promise<{ token: string; endpointId: number }> {
  const { store, clock, secrets } = app
  const at = clock.now()
  const token = newToken()
  const subscription = await store.endpoints.beginSubscription(accountUuid, {
    object: 'job',
    fields: 'status',
    tokenHash: hashToken(token),
    tokenSealed: await secrets.seal(`subscription|${accountUuid}|token`, token),
    at,
  })
  const { endpointId } = await store.endpoints.saveEndpoint(accountUuid, {
    kind: 'webhook',
    objectType: 'job',
    fields: '',
    url: 'https://receiver.example.com/in',
    fieldFilter: '',
    active: true,
    secretSealed: await secrets.seal(`endpoint|${accountUuid}|secret`, SECRET),
    subscription: { id: subscription, fields: 'status', replacedUntil: at },
    at,
  })
  await store.endpoints.saveEndpoint(accountUuid, {
    kind: 'extra',
    name: 'Second address',
    objectType: 'job',
    url: 'https://second.example.com/in?their=own',
    fieldFilter: '',
    active: true,
    secretSealed: 'sealed-second',
    subscription: null,
    at,
  })
  await store.accounts.saveCredential(accountUuid, {
    accessTokenSealed: await secrets.seal(`credential|${accountUuid}|access_token`, SECRET),
    refreshTokenSealed: await secrets.seal(`credential|${accountUuid}|refresh_token`, SECRET),
    expiresAt: at + hours(1),
    scope: 'vendor read_jobs',
  })
  await store.drafts.keepFormDraft(
    {
      accountUuid,
      tokenHash: hashToken(`draft-${accountUuid}`),
      formSealed: await secrets.seal(`form_draft|${accountUuid}|form`, SECRET),
      weight: SECRET.length,
      expiresAt: at + hours(2),
    },
    null,
    { ofAccount: 10, heaviest: 10_000 },
    at,
  )
  const definition = {
    description: '',
    trigger: { source: 'webhook', object: 'job', event: 'job_created' },
    conditions: [],
    grouping: null,
    steps: [],
    once: 'record',
    guards: {},
  }
  const automation = await store.automations.createAutomation(accountUuid, {
    name: 'Thank you',
    definition: definition as never,
    active: true,
    nextRunAt: null,
    baselined: true,
    triggerKey: { hash: `key-${accountUuid}`, sealed: 'sealed-key' },
    at,
  })
  const request = {
    automationId: automation,
    version: 1,
    source: 'webhook',
    object: 'job',
    recordUuids: ['job-1'],
    groupKey: null,
    triggerData: { source: 'webhook' } as never,
    ledger: [{ recordUuid: 'job-1', occurrence: 'x', expiresAt: null }],
    hop: 0,
    wakeAt: at,
    held: null,
    replayOf: null,
  } as const
  await store.runs.startRuns(accountUuid, [request], at)
  await store.accounts.mapAccountId(`ext-${accountUuid}`, accountUuid, 50, decideNamedAs)
  await store.runs.saveMute(
    accountUuid,
    { kind: 'company', recordUuid: 'company-1', until: null, name: 'Mrs Jones' },
    at,
  )
  await store.notices.saveMailChoice(accountUuid, { byMail: true, email: 'owner@example.com' }, DEFAULT_MAIL_CHOICE, at)
  await store.runs.saveAccountGuards(accountUuid, {} as never, at, { by: null, words: 'Quiet hours changed.' })
  await store.billing.ensurePlan(accountUuid, hours(24), at)
  await store.accounts.admitPerson(accountUuid, 'staff-1')
  await store.accounts.openSession({
    tokenHash: `session-${accountUuid}`,
    expiresAt: at + hours(9),
    account: { accountUuid, staffUuid: null, proof: 'oauth', provedAt: at },
    replaces: [],
    carryProofsSince: 0,
  })
  for (let n = 0; n < 3; n += 1) await arrive({ app }, accountUuid, subscription, n)
  await store.events.recordApiActivity({
    accountUuid,
    activityType: 'api_call',
    endpoint: '/api_1.0/job.json',
    method: 'GET',
    requestData: null,
    responseData: null,
    statusCode: 200,
    userAgent: null,
    remoteIp: null,
    durationMs: 1,
  })
  await store.audit.appendAudit({
    at,
    accountUuid,
    actor: 'session',
    staffUuid: null,
    action: 'sign_in',
    target: '',
    outcome: 'done',
    ip: null,
    detail: {},
  })
  return { token, endpointId }
}

/** Adds one more event of the account. */
export function arrive({ app }: Pick<WebhookWorld, 'app'>, accountUuid: string, subscriptionId: number, n: number) {
  return app.store.events.acceptEvents(
    [
      {
        accountUuid,
        subscriptionId,
        source: 'object',
        object: 'job',
        objectUuid: `job-${n}`,
        changedFields: ['status'],
        receivedAt: app.clock.now(),
        dedupe: `${accountUuid}-${n}`,
        body: `{"resource_url":"https://api.example.com","n":${n}}`,
      },
    ],
    {
      choose: chooseEndpoints,
      limit: { deliveries: 1_000, bytes: 1_000_000 },
      retryFor: hours(72),
      stoppedReason: 'stopped',
    },
  )
}
