// Single operations on accounts, ids and credentials, for use inside a transaction.
import { count, eq } from 'drizzle-orm'
import type { IdRows } from '../../acts.ts'
import { account, accountMapping, credential } from '../../schema.ts'
import type { AccountRow, SealedTokens } from '../../store/accounts.ts'
import type { Db } from '../../sqlite/client.server.ts'
import { done } from '../hot/step.server.ts'

/** The database, or a transaction on it. */
export type Writer = Pick<Db, 'select' | 'insert' | 'update' | 'delete'>

export function lookUpId(tx: Pick<Db, 'select'>, id: string): { isAccount: boolean; mappedTo: string | null } {
  const isAccount = tx.select({ uuid: account.uuid }).from(account).where(eq(account.uuid, id)).get() !== undefined
  const columns = { uuid: accountMapping.accountUuid }
  const mapped = tx.select(columns).from(accountMapping).where(eq(accountMapping.externalId, id)).get()
  return { isAccount, mappedTo: mapped?.uuid ?? null }
}

/** Reads and writes ids. `limit`: maximum mappings per account. */
export function idRows(tx: Writer, now: number): IdRows {
  return {
    lookUpId: (id) => done(lookUpId(tx, id)),
    addMapping(externalId, accountUuid, limit) {
      const owned = eq(accountMapping.accountUuid, accountUuid)
      const held = tx.select({ n: count() }).from(accountMapping).where(owned).get()?.n ?? 0
      if (held >= limit) return done('full')
      tx.insert(accountMapping).values({ externalId, accountUuid, createdAt: now }).run()
      return done('mapped')
    },
  }
}

/** Creates the account or updates its name and zone. */
export function putAccount(tx: Writer, row: AccountRow, now: number): void {
  tx.insert(account)
    .values({ ...row, createdAt: now, updatedAt: now })
    .onConflictDoUpdate({ target: account.uuid, set: { name: row.name, timezone: row.timezone, updatedAt: now } })
    .run()
  dropMappingOf(tx, row.uuid)
}

/** Removes an older mapping of the account's own uuid: once the account is known, its uuid means itself. */
export function dropMappingOf(tx: Writer, accountUuid: string): void {
  tx.delete(accountMapping).where(eq(accountMapping.externalId, accountUuid)).run()
}

export function putTokens(tx: Writer, accountUuid: string, tokens: SealedTokens, now: number): void {
  const columns = { generation: credential.generation }
  const held = tx.select(columns).from(credential).where(eq(credential.accountUuid, accountUuid)).get()
  const set = {
    ...tokens,
    state: 'connected',
    stateReason: null,
    generation: (held?.generation ?? 0) + 1,
    updatedAt: now,
  }
  tx.insert(credential)
    .values({ accountUuid, createdAt: now, ...set })
    .onConflictDoUpdate({ target: credential.accountUuid, set })
    .run()
}
