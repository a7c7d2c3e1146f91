// The audit log's contents: actors, actions and outcomes, and its retention.
import type { Millis } from '#app/lib/clock.ts'
import { days } from '#app/lib/duration.ts'

/** Older entries are deleted. */
export const AUDIT_KEPT = days(400)

/** Refusals of strangers are kept for less time and in limited number, because anyone can cause them. */
export const REFUSED_KEPT = days(90)

export const MOST_REFUSED_KEPT = { nobodys: 20_000, accounts: 100_000 } as const

export type AuditActor = 'session' | 'staff' | 'platform' | 'system' | 'stranger'

export type AuditOutcome = 'done' | 'refused' | 'failed'

/** Small facts; texts are masked when stored. */
export type AuditDetail = Readonly<Record<string, string | number | boolean | null>>

export const AUDIT_GROUPS = {
  access: 'Sign-in and access',
  connection: 'Connection to ServiceM8',
  webhooks: 'Webhooks and forwarding rules',
  automations: 'Automations and limits',
  messages: 'Messages sent',
  payments: 'Subscription and payments',
  data: 'Export, erasure and tidying up',
} as const

export type AuditGroup = keyof typeof AUDIT_GROUPS

/** Every action with its group and its label. `{target}` is the target of the action. */
export const ACTIONS = {
  opened: ['access', 'Opened from inside ServiceM8'],
  'opening.refused': ['access', 'Opening from ServiceM8'],
  sign_in: ['access', 'Signed in through ServiceM8'],
  sign_out: ['access', 'Signed out'],
  'session.ended': ['access', 'Signed one browser out'],
  'sessions.ended': ['access', 'Signed out everywhere'],
  'call.refused': ['access', 'Request {target}'],
  'calls.refused': ['access', 'More refused requests'],
  'admin.call': ['access', 'Opened raw records as an admin: {target}'],
  'id.linked': ['connection', 'Linked the id {target}'],
  'connection.stored': ['connection', 'Connected to ServiceM8'],
  'connection.lost': ['connection', 'ServiceM8 ended the connection'],
  'webhook.created': ['webhooks', 'Created the webhook for {target}'],
  'webhook.changed': ['webhooks', 'Changed the webhook for {target}'],
  'webhook.deleted': ['webhooks', 'Deleted the webhook for {target}'],
  'webhook.restored': ['webhooks', 'Brought back the webhook for {target}'],
  'rule.created': ['webhooks', 'Created the forwarding rule {target}'],
  'rule.changed': ['webhooks', 'Changed the forwarding rule {target}'],
  'rule.deleted': ['webhooks', 'Deleted a forwarding rule for {target}'],
  'rule.restored': ['webhooks', 'Brought back a forwarding rule for {target}'],
  'sending.paused': ['webhooks', 'Paused sending to {target}'],
  'sending.resumed': ['webhooks', 'Resumed sending to {target}'],
  'secret.rotated': ['webhooks', 'Made a new signing secret for {target}'],
  'replay.started': ['webhooks', 'Started to resend events to {target}'],
  'replay.cancelled': ['webhooks', 'Stopped resending, {target}'],
  'delivery.again': ['webhooks', 'Resent {target}'],
  'mail.changed': ['webhooks', 'Changed the e-mail alerts'],
  'automation.created': ['automations', 'Created the automation {target}'],
  'automation.imported': ['automations', 'Imported automations'],
  'automation.changed': ['automations', 'Changed the automation {target}'],
  'automation.on': ['automations', 'Switched on the automation {target}'],
  'automation.off': ['automations', 'Switched off the automation {target}'],
  'automation.deleted': ['automations', 'Deleted the automation {target}'],
  'automation.restored': ['automations', 'Brought back the automation {target}'],
  'automation.key_renewed': ['automations', 'Made a new link for the automation {target}'],
  'automation.paused': ['automations', 'Paused automations'],
  'template.created': ['automations', 'Made the template {target}'],
  'limits.changed': ['automations', 'Changed the automation settings: {target}'],
  'customer.muted': ['automations', 'Stopped messages to {target}'],
  'customer.allowed': ['automations', 'Allowed messages again, {target}'],
  'run.started': ['automations', 'Ran the automation {target} by hand'],
  'run.again': ['automations', 'Repeated {target}'],
  'run.cancelled': ['automations', 'Cancelled {target}'],
  'run.released': ['automations', 'Released {target}'],
  'run.settled': ['automations', 'Settled a message: {target}'],
  'answer.settled': ['automations', 'Decided about an answer: {target}'],
  'message.sent': ['messages', 'Sent a message to {target}'],
  'message.tested': ['messages', 'Texted {target} to try a message'],
  'payment.changed': ['payments', 'Subscription changed: {target}'],
  'payment.renewal': ['payments', 'Early renewal: {target}'],
  'role.changed': ['access', 'Changed the role of {target}'],
  exported: ['data', 'Downloaded everything about this account'],
  'erasure.begun': ['data', 'Started to erase this account'],
  erased: ['data', 'This account was erased'],
  'keys.put_in_front': ['data', 'New encryption key in use: {target}'],
  'keys.lost': ['data', 'The encryption key {target} was lost: new signing secrets'],
  retention: ['data', 'Old data was removed'],
} as const satisfies Record<string, readonly [AuditGroup, string]>

export type AuditAction = keyof typeof ACTIONS

export const AUDIT_ACTIONS = Object.keys(ACTIONS) as AuditAction[]

export interface AuditEntry {
  id: number
  at: Millis
  /** Null for an unknown caller. */
  accountUuid: string | null
  actor: AuditActor
  staffUuid: string | null
  /** One of `AUDIT_ACTIONS`; entries of older versions may have others. */
  action: string
  target: string
  outcome: AuditOutcome
  ip: string | null
  detail: AuditDetail
}

export interface AuditQuery {
  /** Null = all actions. */
  actions: readonly AuditAction[] | null
  outcome: AuditOutcome | null
  since: Millis | null
  /** Before this moment. */
  until: Millis | null
  /** Only entries older than this one (keyset); null = from the newest. */
  before: number | null
  limit: number
}
