import type { Millis } from '#app/lib/clock.ts'

export interface AccountRow {
  uuid: string
  name: string
  timezone: string
}

export interface CredentialRow {
  accountUuid: string
  accessTokenSealed: string
  refreshTokenSealed: string
  expiresAt: Millis
  scope: string
  state: 'connected' | 'reconnect'
  stateReason: string | null
  /** Grows with every replacement; a writer names the one it read. */
  generation: number
}

/** Accounts, their credentials, the ids that lead to them, sessions, sign-in attempts and one-time tickets. */
export interface AccountStore {
  findAccount(accountUuid: string): Promise<AccountRow | null>
  findCredential(accountUuid: string): Promise<CredentialRow | null>
}
