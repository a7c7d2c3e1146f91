// Single operations on accounts, ids and credentials, for use inside a transaction.
import { count, eq } from 'drizzle-orm'
import type { Clock } from '#app/lib/clock.ts'
import type { IdRows } from '../../acts.ts'
import { change, type Orm, one } from '../../orm.ts'
import { account, accountMapping, credential } from '../../schema.ts'
import type { AccountRow, SealedTokens } from '../../store/accounts.ts'

/** Reads and writes ids. */
export function idRows(orm: Orm, clock: Clock): IdRows {
  return {
    *lookUpId(id) {
      const known = yield* one(orm.select({ uuid: account.uuid }).from(account).where(eq(account.uuid, id)))
      const columns = { uuid: accountMapping.accountUuid }
      const mapped = yield* one(orm.select(columns).from(accountMapping).where(eq(accountMapping.externalId, id)))
      return { isAccount: known !== undefined, mappedTo: mapped?.uuid ?? null }
    },
    *addMapping(externalId, accountUuid, limit) {
      const owned = eq(accountMapping.accountUuid, accountUuid)
      const held = yield* one(orm.select({ n: count() }).from(accountMapping).where(owned))
      if ((held?.n ?? 0) >= limit) return 'full'
      yield* change(orm.insert(accountMapping).values({ externalId, accountUuid, createdAt: clock.now() }))
      return 'mapped'
    },
  }
}

/** Creates the account or updates its name and zone. */
export function* putAccount(orm: Orm, row: AccountRow, now: number): Generator<unknown, void> {
  const set = { name: row.name, timezone: row.timezone, updatedAt: now }
  const made = { ...row, createdAt: now, updatedAt: now }
  yield* change(orm.insert(account).values(made).onConflictDoUpdate({ target: account.uuid, set }))
  yield* dropMappingOf(orm, row.uuid)
}

/** Removes an older mapping of the account's own uuid: once the account is known, its uuid means itself. */
export function* dropMappingOf(orm: Orm, accountUuid: string): Generator<unknown, void> {
  yield* change(orm.delete(accountMapping).where(eq(accountMapping.externalId, accountUuid)))
}

export function* putTokens(orm: Orm, accountUuid: string, tokens: SealedTokens, now: number): Generator<unknown, void> {
  const columns = { generation: credential.generation }
  const held = yield* one(orm.select(columns).from(credential).where(eq(credential.accountUuid, accountUuid)))
  const set = {
    ...tokens,
    state: 'connected',
    stateReason: null,
    generation: (held?.generation ?? 0) + 1,
    updatedAt: now,
  }
  const made = { accountUuid, createdAt: now, ...set }
  yield* change(orm.insert(credential).values(made).onConflictDoUpdate({ target: credential.accountUuid, set }))
}
