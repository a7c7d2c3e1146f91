// Keys of private apps: the account's owner creates one in the settings, an integration sends it as `X-API-Key`.
import { hashToken, newToken } from '#app/lib/token.server.ts'
import type { AccountState, Stage } from '../state.server.ts'

const KEEP = 20

/** Returns the key itself; it cannot be read again. */
export function makeApiKey(stage: Stage, account: AccountState): string {
  const key = `smk-${newToken()}`
  account.apiKeys = [...account.apiKeys, { hash: hashToken(key), madeAt: stage.clock.now() }].slice(-KEEP)
  stage.commit()
  return key
}

/** Null for '' and for an unknown key. */
export function findAccountByKey(stage: Stage, key: string): AccountState | null {
  if (!key.startsWith('smk-')) return null
  const hash = hashToken(key)
  const accounts = [...stage.state.accounts.values()]
  return accounts.find((account) => account.apiKeys.some((one) => one.hash === hash)) ?? null
}
