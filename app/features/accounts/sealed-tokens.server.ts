import type { PlatformTokens } from '#app/adapters/platform.ts'
import type { SecretBox } from '#app/adapters/secret-box.ts'
import { tokenPlace } from '#app/domain/credential.ts'
import type { CredentialRow, SealedTokens } from '#db/store/accounts.ts'

interface Sealing {
  secrets: SecretBox
}

/** Encrypts tokens for storage, each bound to its account and column. */
export async function sealTokens(
  { secrets }: Sealing,
  accountUuid: string,
  tokens: PlatformTokens,
): Promise<SealedTokens> {
  return {
    accessTokenSealed: await secrets.seal(tokenPlace(accountUuid, 'access_token'), tokens.accessToken),
    refreshTokenSealed: await secrets.seal(tokenPlace(accountUuid, 'refresh_token'), tokens.refreshToken),
    expiresAt: tokens.expiresAt,
    scope: tokens.scope,
  }
}

/** Rejects when the row was changed or belongs to another account. */
export function unsealToken(
  { secrets }: Sealing,
  row: CredentialRow,
  column: 'access_token' | 'refresh_token',
): Promise<string> {
  const sealed = column === 'access_token' ? row.accessTokenSealed : row.refreshTokenSealed
  return secrets.open(tokenPlace(row.accountUuid, column), sealed)
}
