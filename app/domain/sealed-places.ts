// The place of each sealed secret of an account: the name its ciphertext is bound to.
import { assertNever } from '#app/lib/assert-never.ts'
import { tokenPlace } from './credential.ts'

/** The store's column names. */
export const SEALED_COLUMNS = [
  'access_token',
  'refresh_token',
  'subscription_token',
  'signing_secret',
  'previous_signing_secret',
  'trigger_key',
] as const

export type SealedSecret = (typeof SEALED_COLUMNS)[number]

export function subscriptionTokenPlace(accountUuid: string): string {
  return `subscription|${accountUuid}|token`
}

export function triggerKeyPlace(accountUuid: string): string {
  return `automation|${accountUuid}|trigger`
}

/** A draft lives for hours, less than any key in ENC_KEYS: rotating keys leaves it as it is. */
export function formDraftPlace(accountUuid: string): string {
  return `form_draft|${accountUuid}|form`
}

export function sealedPlace(secret: SealedSecret, accountUuid: string): string {
  switch (secret) {
    case 'access_token':
    case 'refresh_token':
      return tokenPlace(accountUuid, secret)
    case 'subscription_token':
      return subscriptionTokenPlace(accountUuid)
    // Both hold the same secret at different times.
    case 'signing_secret':
    case 'previous_signing_secret':
      return signingSecretPlace(accountUuid)
    case 'trigger_key':
      return triggerKeyPlace(accountUuid)
    default:
      return assertNever(secret)
  }
}

/** Refuses a start that would make secrets unreadable. `missing` = keys in use that ENC_KEYS lacks. */
export function missingKeysSentence(
  missing: readonly { keyId: string; accountKeys: number; secrets: number }[],
): string {
  const parts = missing.map(({ keyId, accountKeys, secrets }) => {
    const what = [
      accountKeys > 0 ? `the keys of ${accountKeys} ${accountKeys === 1 ? 'account' : 'accounts'}` : '',
      secrets > 0 ? `${secrets} ${secrets === 1 ? 'secret' : 'secrets'}` : '',
    ]
    return `"${keyId}" (it still opens ${what.filter((part) => part !== '').join(' and ')})`
  })
  return `ENC_KEYS lacks ${parts.join(' and ')}. Put it back behind the first key. Remove it when \`npm run keys\` says so.`
}

/** What is sealed from now on would need a second key of that name. */
export function wrongKeySentence(name: string): string {
  return `ENC_KEYS holds another key named "${name}". Put the old one back. Is it lost? npm run keys -- --lost ${name}`
}

/** The place of an endpoint's signing secret: the name its ciphertext is bound to. */
export function signingSecretPlace(accountUuid: string): string {
  return `endpoint|${accountUuid}|secret`
}
