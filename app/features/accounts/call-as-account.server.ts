// Makes platform calls for a connected account with a valid token, which is renewed early and stored before use. The
// platform's refresh token is single use (facts: 2.2): two renewals at once, or a lost result, end the connection. So
// an account has one renewal at a time over all instances, and whoever waited uses what the other stored. A new pair that
// cannot be stored is kept in memory and stored later.
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
import { seconds } from '#app/lib/duration.ts'
import { type InTurn, isTurnError, turnsInMemory } from '#app/lib/in-turn.server.ts'
import type { Log } from '#app/lib/log.ts'
import { missingScope } from '#app/lib/missing-scope.ts'
import { pause } from '#app/lib/turns.server.ts'
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
  /** With `actingFor`, calls are made and recorded in the account's name, and each exchange passes the gate. */
  platformApi: PlatformApi & {
    actingFor?: (accountUuid: string, options: { gate: CallGate; counts: boolean }) => PlatformApi
  }
  /** The accounts' call budget. Default: a new one. */
  budget?: CallBudget
  /** For renewals. Default: in this process alone. */
  inTurn?: InTurn
}

type TokenResult = { outcome: 'token'; token: string; generation: number } | CallFailure

const NOT_CONNECTED = { outcome: 'not_connected', message: CREDENTIAL_MESSAGES.none } as const
const NOT_STORED = 'The renewed connection could not be stored. It will be tried again.'
const RECONNECT = { outcome: 'reconnect', message: CREDENTIAL_MESSAGES.reconnect } as const

/** Pauses between attempts to store a new pair: until it is stored, another instance asks with the used one. */
const SAVE_PAUSES = [seconds(1), seconds(4), seconds(10), seconds(15)]

export function createCallAsAccount(app: CallDependencies): CallAsAccount {
  const renewals = new Map<string, Promise<TokenResult>>()
  /** Token pairs that the platform issued but the store failed to save, by account: the only copy of a connection. */
  const unsaved = new Map<string, { generation: number; tokens: PlatformTokens }>()
  const budget = app.budget ?? createCallBudget(app)
  const inTurn = app.inTurn ?? turnsInMemory()

  return async (accountUuid, call, { priority = 'screen', counts = false } = {}) => {
    const first = await usableToken(accountUuid, null)
    if (first.outcome !== 'token') return notAsked(first)
    const gate = budget.gateOf(accountUuid, priority)
    const api = app.platformApi.actingFor?.(accountUuid, { gate, counts }) ?? app.platformApi
    const result = await call(api, first.token)
    if (result.outcome !== 'unauthorized') return noted(app, accountUuid, first, result)
    const next = await usableToken(accountUuid, first.generation)
    return next.outcome === 'token' ? noted(app, accountUuid, next, await call(api, next.token)) : notAsked(next)
  }

  /** `rejected` = the generation whose token the platform just refused: it needs renewal, whatever its expiry says. */
  async function usableToken(accountUuid: string, rejected: number | null): Promise<TokenResult> {
    const held = await app.store.findCredential(accountUuid)
    const ready = tokenIn(held, rejected)
    if (ready) return ready
    const running = renewals.get(accountUuid)
    if (running) return running
    const renewal = inTurn(`token:${accountUuid}`, () => renew(accountUuid, rejected))
      .catch((error: unknown) => withoutTurn(app.log, accountUuid, error))
      .finally(() => renewals.delete(accountUuid))
    renewals.set(accountUuid, renewal)
    return renewal
  }

  /** Returns the result when no renewal is needed, otherwise null: that is decided at once, before the token is opened. */
  function tokenIn(held: CredentialRow | null, rejected: number | null): TokenResult | Promise<TokenResult> | null {
    if (!held) return NOT_CONNECTED
    // Another instance may have given up with the used token: the pair that we hold still connects.
    if (unsaved.get(held.accountUuid)?.generation === held.generation) return null
    if (held.state === 'reconnect') return RECONNECT
    if (held.generation === rejected || needsRenewal(held.expiresAt, app.clock.now())) return null
    return heldToken(held)
  }

  async function heldToken(held: CredentialRow): Promise<TokenResult> {
    return { outcome: 'token', token: await unsealToken(app, held, 'access_token'), generation: held.generation }
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
    // Renewal starts before the token expires: while it still works, platform trouble does not affect the caller.
    const stillGood = () => held.generation !== rejected && app.clock.now() < held.expiresAt
    const refreshToken = await unsealToken(app, held, 'refresh_token')
    // A connection stored from outside without a refresh token ends with its access token.
    if (refreshToken === '') return stillGood() ? heldToken(held) : giveUp(held, CREDENTIAL_MESSAGES.reconnect)

    const refreshed = await app.oauth.refresh(refreshToken)
    if (refreshed.outcome === 'ok') return save(held, refreshed.value, SAVE_PAUSES)
    if (refreshed.outcome === 'unauthorized') return giveUp(held, refreshed.message)
    const fields = { account: held.accountUuid, outcome: refreshed.outcome, status: refreshed.status }
    app.log.warn(fields, 'credential.renewal_failed')
    if (stillGood()) return heldToken(held)
    // Refused for our own app (a wrong secret): that says nothing about the record of the call.
    const ofOurs = refreshed.outcome === 'refused' || refreshed.outcome === 'forbidden'
    return ofOurs ? { outcome: 'unavailable', status: null, message: refreshed.message } : refreshed
  }

  async function save(
    held: CredentialRow,
    tokens: PlatformTokens,
    [next, ...later]: readonly number[] = [],
  ): Promise<TokenResult> {
    const { accountUuid, generation } = held
    try {
      const sealed = await sealTokens(app, accountUuid, { ...tokens, scope: tokens.scope || held.scope })
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
      if (next === undefined) return { outcome: 'unavailable', status: null, message: NOT_STORED }
      await pause(app.clock, next)
      return save(held, tokens, later)
    }
  }

  async function giveUp(held: CredentialRow, reason: string): Promise<TokenResult> {
    const marked = await app.store.markReconnect(held.accountUuid, held.generation, reason)
    if (marked === 'changed_meanwhile') return afterAnother(held.accountUuid)
    app.log.warn({ account: held.accountUuid, generation: held.generation }, 'credential.reconnect_needed')
    return RECONNECT
  }

  /** Someone signed in during our renewal: their tokens are newer, so ours are discarded. */
  async function afterAnother(accountUuid: string): Promise<TokenResult> {
    const held = await app.store.findCredential(accountUuid)
    if (!held) return NOT_CONNECTED
    return held.state === 'reconnect' ? RECONNECT : heldToken(held)
  }
}

/** Stores a missing permission, so that the pages can offer to ask for it. Never fails the call. */
async function noted<Result extends { outcome: string }>(
  app: CallDependencies,
  accountUuid: string,
  { generation }: { generation: number },
  result: Result,
): Promise<Result> {
  const scope = result.outcome === 'forbidden' && 'message' in result ? missingScope(String(result.message)) : null
  if (scope === null) return result
  await app.store.noteRefusedScope(accountUuid, generation, scope).catch((error: unknown) => {
    app.log.warn({ account: accountUuid, error }, 'credential.scope_not_noted')
  })
  return result
}

/** Another instance is still renewing: its answer is not known, and a second renewal would end the connection. */
function withoutTurn(log: Log, accountUuid: string, error: unknown): TokenResult {
  if (!isTurnError(error)) throw error
  log.warn({ account: accountUuid, error }, 'credential.renewal_waits')
  return { outcome: 'unavailable', status: null, message: 'The connection is being renewed. Please try again soon.' }
}

/** For calls that automations make: every call counts as used. */
export function countedCalls(callAsAccount: CallAsAccount): CallAsAccount {
  return (accountUuid, call, options) => callAsAccount(accountUuid, call, { ...options, counts: true })
}

/** Without a token the platform was not called, or answered 401, so the action was certainly not done. */
function notAsked<Failure extends Exclude<TokenResult, { outcome: 'token' }>>(failure: Failure): Failure {
  return failure.outcome === 'unavailable' ? { ...failure, undone: true } : failure
}
