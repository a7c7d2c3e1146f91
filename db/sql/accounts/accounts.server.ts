import { and, count, eq, lt, lte, sql } from 'drizzle-orm'
import type { Clock } from '#app/lib/clock.ts'
import { mapId } from '../../acts.ts'
import { account, credential, placeholderMarker } from '../../schema.ts'
import type { AccountStore, CredentialRow } from '../../store/accounts.ts'
import type { Client } from '../../sqlite/client.server.ts'
import { finish } from '../hot/step.server.ts'
import { peopleStore } from './accounts-people.server.ts'
import { dropMappingOf, idRows, lookUpId, putTokens, type Writer } from './accounts-rows.server.ts'
import { sessionStore } from './accounts-sessions.server.ts'

/** Anyone can create a marker, so their number is limited. */
const MOST_MARKERS = 10_000

const MOST_SCOPES_NOTED = 20

/** A token refresh brings no new permissions, so refused scopes stay refused. */
const REFUSED_SCOPES = sql<
  string | null
>`CASE WHEN ${credential.state} = 'connected' THEN ${credential.stateReason} END`

export function accountStore(client: Client, clock: Clock): AccountStore {
  const { db } = client
  const write = <T>(work: (tx: Writer) => T): T => db.transaction(work, { behavior: 'immediate' })

  // Every request and every step of a rule runs this query.
  const found = db
    .select({ uuid: account.uuid, name: account.name, timezone: account.timezone })
    .from(account)
    .where(eq(account.uuid, sql.placeholder('accountUuid')))
    .prepare()

  return {
    ...sessionStore(client, clock),
    ...peopleStore(client, clock),

    async findAccount(accountUuid) {
      return found.get({ accountUuid }) ?? null
    },

    async resolveAccountId(id) {
      const found = lookUpId(db, id)
      return found.isAccount ? id : found.mappedTo
    },

    async ensureAccount(row) {
      write((tx) => {
        const now = clock.now()
        const inserted = tx
          .insert(account)
          .values({ ...row, createdAt: now, updatedAt: now })
          .onConflictDoNothing()
          .run()
        if (inserted.changes > 0) dropMappingOf(tx, row.uuid)
      })
    },

    async describeAccount({ uuid, name, timezone }) {
      db.update(account).set({ name, timezone, updatedAt: clock.now() }).where(eq(account.uuid, uuid)).run()
    },

    async findCredential(accountUuid) {
      const row = db.select().from(credential).where(eq(credential.accountUuid, accountUuid)).get()
      return row ? { ...row, state: row.state as CredentialRow['state'] } : null
    },

    async saveCredential(accountUuid, tokens) {
      write((tx) => putTokens(tx, accountUuid, tokens, clock.now()))
    },

    async replaceTokens(accountUuid, generation, tokens) {
      const replaced = db
        .update(credential)
        .set({
          ...tokens,
          state: 'connected',
          stateReason: REFUSED_SCOPES,
          generation: generation + 1,
          updatedAt: clock.now(),
        })
        .where(and(eq(credential.accountUuid, accountUuid), eq(credential.generation, generation)))
        .run()
      return replaced.changes > 0 ? 'replaced' : 'changed_meanwhile'
    },

    async markReconnect(accountUuid, generation, reason) {
      // Keeps the generation: no token was replaced, and a later sign-in increases it.
      const marked = db
        .update(credential)
        .set({ state: 'reconnect', stateReason: reason, updatedAt: clock.now() })
        .where(and(eq(credential.accountUuid, accountUuid), eq(credential.generation, generation)))
        .run()
      return marked.changes > 0 ? 'marked' : 'changed_meanwhile'
    },

    async noteRefusedScope(accountUuid, scope) {
      write((tx) => {
        const held = tx.select().from(credential).where(eq(credential.accountUuid, accountUuid)).get()
        const noted = (held?.stateReason ?? '').split(' ').filter(Boolean)
        if (held?.state !== 'connected' || noted.includes(scope) || noted.length >= MOST_SCOPES_NOTED) return
        tx.update(credential)
          .set({ stateReason: [...noted, scope].join(' ') })
          .where(eq(credential.accountUuid, accountUuid))
          .run()
      })
    },

    async accountsIdleSince(moment) {
      const idle = and(eq(credential.state, 'connected'), lt(credential.updatedAt, moment))
      const rows = db.select({ uuid: credential.accountUuid }).from(credential).where(idle).all()
      return rows.map((row) => row.uuid)
    },

    async mapAccountId(externalId, accountUuid, limit, decide) {
      return write((tx) => finish(mapId(idRows(tx, clock.now()), { externalId, accountUuid, limit }, decide)))
    },

    async markPlaceholder(externalId, expiresAt) {
      const now = clock.now()
      write((tx) => {
        tx.delete(placeholderMarker).where(lte(placeholderMarker.expiresAt, now)).run()
        const held = tx.select({ n: count() }).from(placeholderMarker).get()?.n ?? 0
        if (held >= MOST_MARKERS) return
        tx.insert(placeholderMarker).values({ externalId, createdAt: now, expiresAt }).onConflictDoNothing().run()
      })
    },

    async findPlaceholder(externalId) {
      const row = db.select().from(placeholderMarker).where(eq(placeholderMarker.externalId, externalId)).get()
      return row && row.expiresAt > clock.now() ? row.expiresAt : null
    },
  }
}
