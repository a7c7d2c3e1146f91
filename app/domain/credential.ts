// What clients may read and send about credentials, and when tokens are refreshed.
import { z } from 'zod'
import { iso, type Millis } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'
import { ACCOUNT_ID_MESSAGES, readAccountId } from './account-id.ts'

/** A token is refreshed this long before it expires. */
const EARLY = minutes(5)

export function needsRenewal(expiresAt: Millis, now: Millis): boolean {
  return now >= expiresAt - EARLY
}

export const CREDENTIAL_MESSAGES = {
  none: 'No authentication credentials found',
  reconnect: 'ServiceM8 no longer accepts this connection. Please sign in again.',
  notYours: 'These tokens do not belong to this account.',
} as const

/** The place of a secret in the store: its ciphertext opens nowhere else. */
export function tokenPlace(accountUuid: string, column: 'access_token' | 'refresh_token'): string {
  return `credential|${accountUuid}|${column}`
}

/** The documented client sends this as both tokens for an unknown account. */
const PLACEHOLDER = 'placeholder'

/** An id in a body: required, normalized. */
const accountIdField = z
  .string({ error: ACCOUNT_ID_MESSAGES.required })
  .trim()
  .min(1, ACCOUNT_ID_MESSAGES.required)
  .transform((raw, context) => {
    const id = readAccountId(raw)
    if (id === null) context.addIssue({ code: 'custom', message: 'Invalid input' })
    return id ?? z.NEVER
  })

/** ECMAScript knows no later one: it could be stored and never shown. Epoch ms. */
const LAST_DATE = 8_640_000_000_000_000

const ACCESS_TOKEN_REQUIRED = 'Access Token is required'
const tokenField = z.string({ error: ACCESS_TOKEN_REQUIRED }).trim().min(1, ACCESS_TOKEN_REQUIRED).max(4096)
const fitsHeader = (token: string) => /^[ -~]*$/.test(token)

export const credentialBody = z.strictObject({
  accountUUID: accountIdField,
  accessToken: tokenField.refine(fitsHeader, 'Access Token has a character that no token can have'),
  refreshToken: z.string().trim().max(4096).nullish(),
  /** ISO 8601 or epoch ms; only trusted for real tokens. */
  expiresAt: z
    .union([z.iso.datetime({ offset: true }), z.number().int().nonnegative().max(LAST_DATE, 'Invalid input')])
    .nullish(),
})

export type CredentialBody = z.output<typeof credentialBody>

export function isPlaceholder(body: CredentialBody): boolean {
  return body.accessToken === PLACEHOLDER && body.refreshToken === PLACEHOLDER
}

export function expiryOf(body: CredentialBody, fallback: Millis): Millis {
  if (typeof body.expiresAt === 'number') return body.expiresAt
  return typeof body.expiresAt === 'string' ? Date.parse(body.expiresAt) : fallback
}

export const mappingBody = z.strictObject({ externalAccountUUID: accountIdField, internalAccountUUID: accountIdField })

export const linkBody = z.strictObject({
  externalAccountUUID: accountIdField,
  token: z.string({ error: 'Token is required' }).trim().min(1, 'Token is required').max(8192),
})

/** The response about credentials. Shows only whether tokens exist; they never leave the server. */
export interface CredentialAnswer {
  accountUUID: string
  accessToken: 'connected' | typeof PLACEHOLDER
  refreshToken: 'connected' | typeof PLACEHOLDER
  expiresAt: string
}

export function credentialAnswer(
  accountUUID: string,
  kind: 'connected' | typeof PLACEHOLDER,
  expiresAt: Millis,
): CredentialAnswer {
  return { accountUUID, accessToken: kind, refreshToken: kind, expiresAt: iso(expiresAt) }
}
