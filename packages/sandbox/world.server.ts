// Creates the World over a stage: reading, a person's changes, openings, faults, the add-on's grants and keys.
import { accountView, fillWithSeed, recordsOf } from './accounts.server.ts'
import { DEFAULT_OPTIONS } from './default-options.ts'
import { createPeople } from './people.server.ts'
import type { Poster } from './post.server.ts'
import { makeApiKey } from './servicem8/api-keys.server.ts'
import { addonUrl, type DeliveryEngine, endSubscription } from './servicem8/deliveries.server.ts'
import { failureReason, INACTIVE_AFTER } from './servicem8/delivery-schedule.ts'
import { issueGrant } from './servicem8/grants.server.ts'
import { postOpening, signOpening } from './servicem8/opening.server.ts'
import type { AccountState, Keeper, Stage } from './state.server.ts'
import type { PaymentsWorld } from './stripe/payments-world.ts'
import type { SeedAccount, SubscriptionView, World } from './world.ts'

function endSubscriptions(account: AccountState, which: (one: SubscriptionView) => boolean): void {
  for (const one of account.subscriptions) if (!one.deleted && which(one)) endSubscription(account, one)
}

export function createWorld(
  stage: Stage,
  keeper: Keeper,
  poster: Poster,
  engine: DeliveryEngine,
  payments: PaymentsWorld,
  seed: readonly SeedAccount[],
): World {
  const { state, clock } = stage

  /** The account must exist: callers get the uuid from `accounts()`. */
  function getAccount(accountUuid: string): AccountState {
    const account = state.accounts.get(accountUuid)
    if (!account) throw new Error(`the sandbox has no account ${accountUuid}`)
    return account
  }

  const newestFirst = <T>(list: readonly T[] | undefined): T[] => (list ? [...list].reverse() : [])

  return {
    origin: stage.origin,
    baseUrl: stage.baseUrl,
    appId: stage.appId,
    clock,
    payments,
    ...createPeople(stage),

    accounts: () => [...state.accounts.values()].map((account) => accountView(state, account, clock.now())),
    findAccount(accountUuid) {
      const account = state.accounts.get(accountUuid)
      return account ? accountView(state, account, clock.now()) : null
    },
    records(accountUuid, object) {
      const account = state.accounts.get(accountUuid)
      return account ? recordsOf(account, object) : []
    },
    findRecord: (accountUuid, object, uuid) => state.accounts.get(accountUuid)?.records.get(object)?.get(uuid) ?? null,
    fileOf(accountUuid, attachmentUuid) {
      const file = state.accounts.get(accountUuid)?.files.get(attachmentUuid)
      return file ? { name: file.name, type: file.type, bytes: Buffer.from(file.base64, 'base64') } : null
    },
    outbox: (accountUuid) => newestFirst(state.accounts.get(accountUuid)?.outbox),
    subscriptions: (accountUuid) => [...(state.accounts.get(accountUuid)?.subscriptions ?? [])],
    deliveries: (accountUuid, limit = 100) =>
      newestFirst(state.accounts.get(accountUuid)?.deliveries.slice(-Math.max(1, limit))),
    connections: (accountUuid) =>
      newestFirst(state.grants.filter((grant) => grant.accountUuid === accountUuid)).map((grant) => ({
        id: grant.id,
        accountUuid,
        scope: grant.scope,
        grantedAt: grant.grantedAt,
        accessExpiresAt: Math.max(0, ...grant.access.map((one) => one.expiresAt)),
        refreshes: grant.refreshes,
        revoked: grant.revoked,
      })),
    apiKeys: (accountUuid) => newestFirst(state.accounts.get(accountUuid)?.apiKeys).map((one) => one.madeAt),
    revision: keeper.revision,
    onChange: keeper.onChange,

    async signOpening(accountUuid, input) {
      return { jwt: await signOpening(stage, getAccount(accountUuid), input), postTo: addonUrl(stage) }
    },
    async postOpening(accountUuid, input) {
      const account = state.accounts.get(accountUuid)
      if (!account) return { status: null, contentType: '', location: '', body: '', error: 'There is no such account' }
      return postOpening(stage, poster, await signOpening(stage, account, input), addonUrl(stage))
    },

    options: (accountUuid) => ({ ...(state.accounts.get(accountUuid)?.options ?? DEFAULT_OPTIONS) }),
    setOptions(accountUuid, patch) {
      Object.assign(getAccount(accountUuid).options, patch)
      keeper.commit()
    },
    faults: () => [...state.faults],
    addFault(rule) {
      const fault = {
        id: stage.nextId(),
        accountUuid: rule.accountUuid ?? null,
        method: rule.method?.toUpperCase() ?? '*',
        path: rule.path ?? '*',
        effect: rule.effect,
        left: Math.max(1, rule.times ?? 1),
      }
      state.faults = [...state.faults, fault]
      keeper.commit()
      return fault
    },
    clearFaults(accountUuid) {
      state.faults = accountUuid === undefined ? [] : state.faults.filter((one) => one.accountUuid !== accountUuid)
      keeper.commit()
    },

    grant: (accountUuid, scope) => issueGrant(stage, getAccount(accountUuid), scope),
    removeAddon(accountUuid) {
      for (const grant of state.grants) if (grant.accountUuid === accountUuid) grant.revoked = true
      endSubscriptions(getAccount(accountUuid), (one) => !one.byKey)
      keeper.commit()
    },
    makeApiKey: (accountUuid) => makeApiKey(stage, getAccount(accountUuid)),
    removeApiKeys(accountUuid) {
      const account = getAccount(accountUuid)
      account.apiKeys = []
      endSubscriptions(account, (one) => one.byKey === true)
      keeper.commit()
    },
    expireAccessTokens(accountUuid) {
      for (const grant of state.grants) if (grant.accountUuid === accountUuid) grant.access = []
      keeper.commit()
    },
    deactivateSubscription(accountUuid, subscriptionUuid, reason) {
      const found = state.accounts.get(accountUuid)?.subscriptions.find((one) => one.uuid === subscriptionUuid)
      if (!found || found.deleted) return false
      found.active = false
      found.lastFailureReason = reason ?? failureReason(INACTIVE_AFTER)
      found.lastFailureAt = clock.now()
      keeper.commit()
      return true
    },
    retryDeliveriesNow(accountUuid) {
      const account = getAccount(accountUuid)
      const waiting = account.deliveries.filter((one) => one.nextAt !== null)
      for (const delivery of waiting) delivery.nextAt = clock.now()
      account.slowUntil = 0
      keeper.touched()
      engine.wake()
      return waiting.length
    },
    async settled() {
      await engine.settled()
      await payments.settled()
    },

    advanceClock(ms) {
      clock.advance(ms)
      state.clockOffset = Math.max(state.clockOffset, clock.offset())
      keeper.commit()
    },
    resetRecords(accountUuid) {
      const account = getAccount(accountUuid)
      const first = seed.find((one) => one.vendor.uuid === accountUuid)
      if (first) fillWithSeed(account, first, clock.now())
      account.outbox = []
      account.lateHistory = []
      account.deliveries = []
      account.slowUntil = 0
      account.slowSteps = 0
      keeper.commit()
    },
  }
}
