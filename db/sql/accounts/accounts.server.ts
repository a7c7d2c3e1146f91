import { and, count, eq, lt, lte, sql } from 'drizzle-orm'
import type { Clock } from '#app/lib/clock.ts'
import { mapId } from '../../acts.ts'
import { built, change, many, one } from '../../orm.ts'
import { account, credential, placeholderMarker } from '../../schema.ts'
import type { AccountStore, CredentialRow } from '../../store/accounts.ts'
import type { Connections } from '../connections.ts'
import { peopleStore } from './accounts-people.server.ts'
import { dropMappingOf, idRows, putTokens } from './accounts-rows.server.ts'
import { sessionStore } from './accounts-sessions.server.ts'

/** Anyone can create a marker, so their number is limited. */
const MOST_MARKERS = 10_000

const MOST_SCOPES_NOTED = 20

/** A token refresh brings no new permissions, so refused scopes stay refused. */
const REFUSED_SCOPES = sql<
  string | null
>`CASE WHEN ${credential.state} = 'connected' THEN ${credential.stateReason} END`

export function accountStore(connections: Connections, clock: Clock): AccountStore {
  const { db, orm } = connections
  const ids = idRows(orm, clock)

  // Every request and every step of a rule runs this query.
  const { uuid, name, timezone } = account
  const mine = eq(uuid, sql.placeholder('accountUuid'))
  const found = built(() => orm.select({ uuid, name, timezone }).from(account).where(mine))

  return {
    ...sessionStore(connections, clock),
    ...peopleStore(connections, clock),

    findAccount: db.read(function* (accountUuid) {
      return (yield* one(found, { accountUuid })) ?? null
    }),

    resolveAccountId: db.read(function* (id) {
      const { isAccount, mappedTo } = yield* ids.lookUpId(id)
      return isAccount ? id : mappedTo
    }),

    ensureAccount: db.write(function* (row) {
      const now = clock.now()
      const dated = { ...row, createdAt: now, updatedAt: now }
      const inserted = yield* change(orm.insert(account).values(dated).onConflictDoNothing())
      if (inserted.changes > 0) yield* dropMappingOf(orm, row.uuid)
    }),

    describeAccount: db.write(function* ({ uuid, name, timezone }) {
      yield* change(orm.update(account).set({ name, timezone, updatedAt: clock.now() }).where(eq(account.uuid, uuid)))
    }),

    findCredential: db.read(function* (accountUuid) {
      const row = yield* one(orm.select().from(credential).where(eq(credential.accountUuid, accountUuid)))
      return row ? { ...row, state: row.state as CredentialRow['state'] } : null
    }),

    saveCredential: db.write((accountUuid, tokens) => putTokens(orm, accountUuid, tokens, clock.now())),

    replaceTokens: db.write(function* (accountUuid, generation, tokens) {
      const replaced = yield* change(
        orm
          .update(credential)
          .set({
            ...tokens,
            state: 'connected',
            stateReason: REFUSED_SCOPES,
            generation: generation + 1,
            updatedAt: clock.now(),
          })
          .where(and(eq(credential.accountUuid, accountUuid), eq(credential.generation, generation))),
      )
      return replaced.changes > 0 ? 'replaced' : 'changed_meanwhile'
    }),

    markReconnect: db.write(function* (accountUuid, generation, reason) {
      // Keeps the generation: no token was replaced, and a later sign-in increases it.
      const lost = { state: 'reconnect', stateReason: reason, updatedAt: clock.now() }
      const same = and(eq(credential.accountUuid, accountUuid), eq(credential.generation, generation))
      const marked = yield* change(orm.update(credential).set(lost).where(same))
      return marked.changes > 0 ? 'marked' : 'changed_meanwhile'
    }),

    noteRefusedScope: db.write(function* (accountUuid, generation, scope) {
      const mine = and(eq(credential.accountUuid, accountUuid), eq(credential.generation, generation))
      const held = yield* one(orm.select().from(credential).where(mine))
      const noted = (held?.stateReason ?? '').split(' ').filter(Boolean)
      if (held?.state !== 'connected' || noted.includes(scope) || noted.length >= MOST_SCOPES_NOTED) return
      const stateReason = [...noted, scope].join(' ')
      yield* change(orm.update(credential).set({ stateReason }).where(mine))
    }),

    accountsIdleSince: db.read(function* (moment) {
      const idle = and(eq(credential.state, 'connected'), lt(credential.updatedAt, moment))
      const rows = yield* many(orm.select({ uuid: credential.accountUuid }).from(credential).where(idle))
      return rows.map((row) => row.uuid)
    }),

    mapAccountId: db.write((externalId, accountUuid, limit, decide) =>
      mapId(ids, { externalId, accountUuid, limit }, decide),
    ),

    markPlaceholder: db.write(function* (externalId, expiresAt) {
      const now = clock.now()
      yield* change(orm.delete(placeholderMarker).where(lte(placeholderMarker.expiresAt, now)))
      const held = yield* one(orm.select({ n: count() }).from(placeholderMarker))
      if ((held?.n ?? 0) >= MOST_MARKERS) return
      yield* change(
        orm.insert(placeholderMarker).values({ externalId, createdAt: now, expiresAt }).onConflictDoNothing(),
      )
    }),

    findPlaceholder: db.read(function* (externalId) {
      const row = yield* one(orm.select().from(placeholderMarker).where(eq(placeholderMarker.externalId, externalId)))
      return row && row.expiresAt > clock.now() ? row.expiresAt : null
    }),
  }
}
