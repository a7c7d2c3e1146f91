import type { PlatformTokens } from '#app/adapters/platform.ts'
import type { SecretBox } from '#app/adapters/secret-box.ts'
import { tokenPlace } from '#app/domain/credential.ts'
import type { CredentialRow, SealedTokens } from '#db/store/accounts.ts'

interface Sealing {
  secrets: SecretBox
}

/** Encrypts tokens for storage, each bound to its account and column. */
export function sealTokens({ secrets }: Sealing, accountUuid: string, tokens: PlatformTokens): SealedTokens {
  return {
    accessTokenSealed: secrets.seal(tokenPlace(accountUuid, 'access_token'), tokens.accessToken),
    refreshTokenSealed: secrets.seal(tokenPlace(accountUuid, 'refresh_token'), tokens.refreshToken),
    expiresAt: tokens.expiresAt,
    scope: tokens.scope,
  }
}

/** Throws when the row was changed or belongs to another account. */
export function unsealToken(
  { secrets }: Sealing,
  row: CredentialRow,
  column: 'access_token' | 'refresh_token',
): string {
  const sealed = column === 'access_token' ? row.accessTokenSealed : row.refreshTokenSealed
  return secrets.open(tokenPlace(row.accountUuid, column), sealed)
}
