import { expect, test } from 'vitest'
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import type { CredentialRow } from '#db/store/accounts.ts'
import { sealTokens, unsealToken } from './sealed-tokens.server.ts'

const secrets = createSecretBox(`k1:${Buffer.alloc(32, 7).toString('base64')}`)
const tokens = { accessToken: 'access', refreshToken: 'refresh', expiresAt: 5, scope: 'vendor' }
const row = async (accountUuid: string): Promise<CredentialRow> => ({
  ...(await sealTokens({ secrets }, 'leeds', tokens)),
  accountUuid,
  state: 'connected',
  stateReason: null,
  generation: 1,
  createdAt: 0,
  updatedAt: 0,
})

test('tokens come back from their own column, with when they end and what they are for', async () => {
  expect(await sealTokens({ secrets }, 'leeds', tokens)).toMatchObject({ expiresAt: 5, scope: 'vendor' })
  expect(await unsealToken({ secrets }, await row('leeds'), 'access_token')).toBe('access')
  expect(await unsealToken({ secrets }, await row('leeds'), 'refresh_token')).toBe('refresh')
})

test('they open in no other account and in no other column', async () => {
  for (const column of ['access_token', 'refresh_token'] as const) {
    await expect(unsealToken({ secrets }, await row('york'), column)).rejects.toThrow('belongs to another place')
    const { accessTokenSealed, refreshTokenSealed, ...rest } = await row('leeds')
    const crossed = { ...rest, accessTokenSealed: refreshTokenSealed, refreshTokenSealed: accessTokenSealed }
    await expect(unsealToken({ secrets }, crossed, column)).rejects.toThrow('belongs to another place')
  }
})
