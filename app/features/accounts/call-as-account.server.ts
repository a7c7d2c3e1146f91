// Platform calls of a connected account, with a token that works: renewed early, once, in order, and stored before use.
// The platform's refresh token is single use (facts: 2.2): two renewals at once, or one whose result is lost, end the
// connection. So one renewal per account at a time, and a new pair that cannot be stored is kept and stored later.
import type {
  CallAsAccount,
  CallFailure,
  CallGate,
  PlatformApi,
  PlatformOAuth,
  PlatformTokens,
} from '#app/adapters/platform.ts'
import type { SecretBox } from '#app/adapters/secret-box.ts'
import { CREDENTIAL_MESSAGES, needsRenewal } from '#app/domain/credential.ts'
import type { Clock } from '#app/lib/clock.ts'
import type { Log } from '#app/lib/log.ts'
import { missingScope } from '#app/lib/missing-scope.ts'
import type { AccountStore, CredentialRow } from '#db/store/accounts.ts'
import type { ActivityStore } from '#db/store/activity.ts'
import { type CallBudget, createCallBudget } from './call-budget.server.ts'
import { sealTokens, unsealToken } from './sealed-tokens.server.ts'

interface CallDependencies {
  store: Pick<AccountStore, 'findCredential' | 'replaceTokens' | 'markReconnect' | 'noteRefusedScope'> &
    Partial<Pick<ActivityStore, 'recentApiCalls'>>
  clock: Clock
  log: Log
  secrets: SecretBox
  oauth: Pick<PlatformOAuth, 'refresh'>
  /** With `actingFor`, calls are made (and recorded) in the account's name, each exchange past the gate. */
  platformApi: PlatformApi & {
    actingFor?: (accountUuid: string, options: { gate: CallGate; counts: boolean }) => PlatformApi
  }
  /** The accounts' shares of calls. Default: its own. */
  budget?: CallBudget
}

type TokenResult = { outcome: 'token'; token: string; generation: number } | CallFailure

const NOT_CONNECTED = { outcome: 'not_connected', message: CREDENTIAL_MESSAGES.none } as const
const RECONNECT = { outcome: 'reconnect', message: CREDENTIAL_MESSAGES.reconnect } as const

export function createCallAsAccount(app: CallDependencies): CallAsAccount {
  const renewals = new Map<string, Promise<TokenResult>>()
  /** Pairs the platform gave and the store did not take, by account: the only copy of a connection. */
  const unsaved = new Map<string, { generation: number; tokens: PlatformTokens }>()
  const budget = app.budget ?? createCallBudget(app)

  return async (accountUuid, call, { priority = 'screen', counts = false } = {}) => {
    const first = await usableToken(accountUuid, null)
    if (first.outcome !== 'token') return notAsked(first)
    const gate = budget.gateOf(accountUuid, priority)
    const api = app.platformApi.actingFor?.(accountUuid, { gate, counts }) ?? app.platformApi
    const result = await call(api, first.token)
    if (result.outcome !== 'unauthorized') return noted(accountUuid, result)
    const second = await usableToken(accountUuid, first.generation)
    return second.outcome === 'token' ? noted(accountUuid, await call(api, second.token)) : notAsked(second)
  }

  /** A permission that is missing is remembered, so that the pages can offer to ask for it. Never fails the call. */
  async function noted<Result extends { outcome: string }>(accountUuid: string, result: Result): Promise<Result> {
    const scope = result.outcome === 'forbidden' && 'message' in result ? missingScope(String(result.message)) : null
    if (scope === null) return result
    await app.store.noteRefusedScope(accountUuid, scope).catch((error: unknown) => {
      app.log.warn({ account: accountUuid, error }, 'credential.scope_not_noted')
    })
    return result
  }

  /** `rejected` = the generation whose token the platform just refused: whatever its expiry says, it needs renewal. */
  async function usableToken(accountUuid: string, rejected: number | null): Promise<TokenResult> {
    const held = await app.store.findCredential(accountUuid)
    const ready = tokenIn(held, rejected)
    if (ready) return ready
    const running = renewals.get(accountUuid)
    if (running) return running
    const renewal = renew(accountUuid, rejected).finally(() => renewals.delete(accountUuid))
    renewals.set(accountUuid, renewal)
    return renewal
  }

  /** The answer that needs no renewal, or null. */
  function tokenIn(held: CredentialRow | null, rejected: number | null): TokenResult | null {
    if (!held) return NOT_CONNECTED
    if (held.state === 'reconnect') return RECONNECT
    if (held.generation === rejected || needsRenewal(held.expiresAt, app.clock.now())) return null
    return heldToken(held)
  }

  function heldToken(held: CredentialRow): TokenResult {
    return { outcome: 'token', token: unsealToken(app, held, 'access_token'), generation: held.generation }
  }

  async function renew(accountUuid: string, rejected: number | null): Promise<TokenResult> {
    const held = await app.store.findCredential(accountUuid)
    const ready = tokenIn(held, rejected)
    if (ready || !held) return ready ?? NOT_CONNECTED

    const kept = unsaved.get(accountUuid)
    if (kept?.generation === held.generation) return save(held, kept.tokens)
    unsaved.delete(accountUuid)
    return refresh(held, rejected)
  }

  async function refresh(held: CredentialRow, rejected: number | null): Promise<TokenResult> {
    // Renewal begins before the token ends: while it still works, the platform's trouble is not the caller's.
    const stillGood = () => held.generation !== rejected && app.clock.now() < held.expiresAt
    const refreshToken = unsealToken(app, held, 'refresh_token')
    // Brought from outside without one: such a connection ends with its token.
    if (refreshToken === '') return stillGood() ? heldToken(held) : giveUp(held, CREDENTIAL_MESSAGES.reconnect)

    const refreshed = await app.oauth.refresh(refreshToken)
    if (refreshed.outcome === 'ok') return save(held, refreshed.value)
    if (refreshed.outcome === 'unauthorized') return giveUp(held, refreshed.message)
    const fields = { account: held.accountUuid, outcome: refreshed.outcome, status: refreshed.status }
    app.log.warn(fields, 'credential.renewal_failed')
    return stillGood() ? heldToken(held) : refreshed
  }

  async function save(held: CredentialRow, tokens: PlatformTokens): Promise<TokenResult> {
    const { accountUuid, generation } = held
    try {
      const scope = tokens.scope || held.scope
      const sealed = sealTokens(app, accountUuid, { ...tokens, scope })
      const replaced = await app.store.replaceTokens(accountUuid, generation, sealed)
      unsaved.delete(accountUuid)
      if (replaced === 'replaced') {
        app.log.info({ account: accountUuid, generation: generation + 1 }, 'credential.renewed')
        return { outcome: 'token', token: tokens.accessToken, generation: generation + 1 }
      }
      return afterAnother(accountUuid)
    } catch (error) {
      unsaved.set(accountUuid, { generation, tokens })
      app.log.error({ account: accountUuid, error }, 'credential.not_stored')
      return {
        outcome: 'unavailable',
        status: null,
        message: 'The renewed connection could not be stored. It will be tried again.',
      }
    }
  }

  async function giveUp(held: CredentialRow, reason: string): Promise<TokenResult> {
    const marked = await app.store.markReconnect(held.accountUuid, held.generation, reason)
    if (marked === 'changed_meanwhile') return afterAnother(held.accountUuid)
    app.log.warn({ account: held.accountUuid, generation: held.generation }, 'credential.reconnect_needed')
    return RECONNECT
  }

  /** Somebody signed in while we were asking: theirs is newer, and what we hold is not worth keeping. */
  async function afterAnother(accountUuid: string): Promise<TokenResult> {
    const held = await app.store.findCredential(accountUuid)
    if (!held) return NOT_CONNECTED
    return held.state === 'reconnect' ? RECONNECT : heldToken(held)
  }
}

/** For what automations do by themselves: every call made through it counts as used. */
export function countedCalls(callAsAccount: CallAsAccount): CallAsAccount {
  return (accountUuid, call, options) => callAsAccount(accountUuid, call, { ...options, counts: true })
}

/** Without a token the platform was not asked, or said 401: whatever was wanted was certainly not done. */
function notAsked<Failure extends Exclude<TokenResult, { outcome: 'token' }>>(failure: Failure): Failure {
  return failure.outcome === 'unavailable' ? { ...failure, undone: true } : failure
}
