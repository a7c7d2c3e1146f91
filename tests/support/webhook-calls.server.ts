// Calls the JSON routes directly, each in a session: the server around them is tested elsewhere.
import type { ActionFunctionArgs } from '@remix-run/node'
import type { App } from '#app/context/app-context.ts'
import type { DeliveryControls } from '#app/features/endpoints/controls/delivery-controls.server.ts'
import { sessionCookieName } from '#app/http/cookies.ts'
import { hours } from '#app/lib/duration.ts'
import { hashToken } from '#app/lib/token.server.ts'
import { deliveryControls } from '#app/routes/delivery-controls.server.ts'
import { BRISBANE, LEEDS, ORIGIN, type WebhookWorld } from './webhook-world.server.ts'

/** Each account gets its own session, whose cookie is the account's uuid. */
export async function openSessions({ app, clock }: WebhookWorld): Promise<void> {
  for (const accountUuid of [LEEDS, BRISBANE]) {
    await app.store.accounts.openSession({
      tokenHash: hashToken(accountUuid),
      expiresAt: clock.now() + hours(8),
      account: { accountUuid, staffUuid: null, proof: 'oauth', provedAt: clock.now() },
      replaces: [],
      carryProofsSince: 0,
    })
  }
}

/** The delivery engine's part of a webhook's buttons, assembled as the routes do it. */
export function controlsOf({ app }: WebhookWorld, accountUuid = LEEDS): DeliveryControls {
  return deliveryControls(app as App, accountUuid)
}

export interface Call {
  method?: string
  /** The account of the session; null = no session. */
  as?: string | null
  body?: unknown
  params?: Record<string, string>
  headers?: Record<string, string>
}

export type Route = (args: ActionFunctionArgs) => Response | Promise<Response>

export async function callRoute(
  world: WebhookWorld,
  route: Route,
  path: string,
  { method = 'GET', as = LEEDS, body, params = {}, headers = {} }: Call = {},
) {
  const request = new Request(`${ORIGIN}${path}`, {
    method,
    headers: {
      ...(as !== null && { cookie: `${sessionCookieName('tab', true)}=${as}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const context = { app: world.app as App, clientIp: '203.0.113.9', nonce: '' }
  const response = await route({ request, params, context, unstable_pattern: path } as ActionFunctionArgs)
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: text === '' ? null : JSON.parse(text) }
}

/** Inserts an event of LEEDS without recipients. Returns its seq. */
export function insertEvent(world: WebhookWorld, object: string, uuid = 'r-1'): number {
  const { sql } = world.client
  const { lastInsertRowid } = sql
    .prepare(
      `INSERT INTO event (id, account_uuid, source, object, object_uuid, changed_fields, received_at, dedupe)
       VALUES (?, ?, 'object', ?, ?, '["status"]', ?, ?)`,
    )
    .run(uuid, LEEDS, object, uuid, world.clock.now(), `${object}-${uuid}`)
  sql.prepare(`INSERT INTO event_body (seq, body) VALUES (?, '{"object":"job"}')`).run(lastInsertRowid)
  return Number(lastInsertRowid)
}

/** Its trial has ended, and nothing is sent. */
export function holdAccount(world: WebhookWorld, accountUuid = LEEDS): void {
  world.client.sql
    .prepare(
      `INSERT INTO plan (account_uuid, status, trial_started_at, trial_ends_at, cancel_at_period_end, payment_attempt,
         held_since, hold_reason, created_at, updated_at) VALUES (?, 'trial', 1, 1, 0, 0, ?, 'trial_ended', 1, 1)
       ON CONFLICT (account_uuid) DO UPDATE SET held_since = excluded.held_since, hold_reason = excluded.hold_reason`,
    )
    .run(accountUuid, world.clock.now())
}

/** Inserts an event's delivery to LEEDS's first endpoint. Returns the delivery's id. */
export function insertDelivery(
  world: WebhookWorld,
  eventSeq: number,
  state: 'pending' | 'delivered' | 'expired' | 'stopped',
): number {
  const { sql } = world.client
  const now = world.clock.now()
  const { lastInsertRowid } = sql
    .prepare(
      `INSERT INTO delivery (event_seq, endpoint_id, account_uuid, object_uuid, cause, cause_no, state, due_at, deadline_at,
         attempts, steps, created_at, settled_at)
       VALUES (@eventSeq, 1, @account, 'r', 'live', 0, @state, @now, @deadline, 1, 1, @now, @settledAt)`,
    )
    .run({ eventSeq, account: LEEDS, state, now, deadline: now + 9, settledAt: state === 'pending' ? null : now })
  if (state === 'pending') sql.prepare('UPDATE endpoint SET pending_count = pending_count + 1 WHERE id = 1').run()
  return Number(lastInsertRowid)
}

/** Records a call from LEEDS to the platform. */
export function recordCall(world: WebhookWorld): Promise<void> {
  return world.app.store.events.recordApiActivity({
    accountUuid: LEEDS,
    activityType: 'api_call',
    endpoint: '/webhook_subscriptions',
    method: 'GET',
    requestData: null,
    responseData: '1 record',
    statusCode: 200,
    userAgent: null,
    remoteIp: null,
    durationMs: 5,
  })
}
