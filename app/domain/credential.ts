// What clients may read and send about credentials, and when tokens are refreshed.
import { z } from 'zod'
import { iso, type Millis } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'
import { ACCOUNT_ID_MESSAGES, readAccountId } from './account-id.ts'
import { WANTED } from './wanted.ts'

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
    if (id === null) context.addIssue({ code: 'custom', message: 'Must be the id of an account' })
    return id ?? z.NEVER
  })

/** ECMAScript knows no later one: it could be stored and never shown. Epoch ms. */
const LAST_DATE = 8_640_000_000_000_000

const ACCESS_TOKEN_REQUIRED = 'Access Token is required'
const tooLong = (most: number) => `At most ${most.toLocaleString('en')} characters`
const tokenField = (required: string, most: number) =>
  z.string({ error: required }).trim().min(1, required).max(most, tooLong(most))
const fitsHeader = (token: string) => /^[ -~]*$/.test(token)

const MOMENT_WANTED = 'Must be like 2030-01-01T00:00:00Z, or milliseconds since 1970'
const millis = z.int(MOMENT_WANTED).min(0, MOMENT_WANTED).max(LAST_DATE, MOMENT_WANTED)

export const credentialBody = z.strictObject({
  accountUUID: accountIdField,
  accessToken: tokenField(ACCESS_TOKEN_REQUIRED, 4096).refine(
    fitsHeader,
    'Access Token has a character that no token can have',
  ),
  refreshToken: z.string(WANTED.text).trim().max(4096, tooLong(4096)).nullish(),
  /** ISO 8601 or epoch ms; only trusted for real tokens. */
  expiresAt: z.union([z.iso.datetime({ offset: true, error: MOMENT_WANTED }), millis], MOMENT_WANTED).nullish(),
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
  token: tokenField('Token is required', 8192),
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
