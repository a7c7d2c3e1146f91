// Response schemas of the calls for accounts, sessions and an account's own data. The reference shows them, and tests
// check real answers against them.
import { z } from 'zod'
import { moment } from '#app/contract/operation.ts'
import type { CredentialAnswer } from '#app/domain/credential.ts'
import { AUDIT_OUTCOMES } from '../audit/audit.ts'
import type { sessionJson } from './open-sessions.ts'

const hasToken = z.boolean().describe('True when ServiceM8 accepts its connection.')
export const accountState = z.object({ accountUUID: z.string(), hasToken })

const token = z.enum(['connected', 'placeholder']).describe('Real tokens never leave the server.')
export const credential = z.object({
  accountUUID: z.string(),
  accessToken: token,
  refreshToken: token,
  expiresAt: moment,
}) satisfies z.ZodType<CredentialAnswer>

export const mapping = z.object({
  externalAccountUUID: z.string().describe('The id an address carries.'),
  internalAccountUUID: z.string().describe("The account's own uuid at ServiceM8."),
})

export const openSession = z.object({
  id: z.string().describe('Ends the session; opens none.'),
  since: moment,
  lastSeen: moment,
  endsAt: moment.describe('Unless it is used again before. ISO 8601, UTC.'),
  how: z.enum(['signed_in', 'opened_in_servicem8']),
  current: z.boolean().describe('The browser that asks.'),
}) satisfies z.ZodType<ReturnType<typeof sessionJson>>

const auditEntry = z.object({
  id: z.int(),
  at: moment,
  actor: z.enum(['session', 'staff', 'platform', 'system', 'stranger']),
  action: z.string().describe('A word for programs, like `webhook.created`.'),
  words: z.string().describe('The same as a sentence.'),
  target: z.string().describe('What it was done to; may be empty.'),
  outcome: z.enum(AUDIT_OUTCOMES),
  ip: z.string().nullable(),
  detail: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .describe('Small facts, without e-mail addresses, telephone numbers and keys.'),
})
export const auditPage = z.object({
  entries: z.array(auditEntry),
  next: z.int().nullable().describe('Goes on as `before`; null = there are no older ones.'),
})

export const exported = z
  .object({ format: z.object({ name: z.string(), version: z.int(), product: z.string() }), exportedAt: moment })
  .catchall(z.unknown())
  .describe('`account`, `connection`, `plan`, `settings`, `webhooks`, `events`, `runs` and more: see the description.')

export const eraseBody = z.strictObject({
  name: z.string({ error: 'Type the name of the account.' }).max(300, 'Type the name of the account.'),
})
