// The people of an account and their roles.
import { and, asc, eq, sql } from 'drizzle-orm'
import type { Role } from '#app/domain/people.ts'
import type { Clock } from '#app/lib/clock.ts'
import { accountPerson } from '../../schema.ts'
import type { AccountStore } from '../../store/accounts.ts'
import type { Client } from '../../sqlite/client.server.ts'
import type { Writer } from './accounts-rows.server.ts'

type PeopleStore = Pick<AccountStore, 'admitPerson' | 'listPeople' | 'changeRole'>
type Reader = Pick<Writer, 'select'>

export function peopleStore({ db }: Client, clock: Clock): PeopleStore {
  const write = <T>(work: (tx: Writer) => T): T => db.transaction(work, { behavior: 'immediate' })
  return {
    async admitPerson(accountUuid, staffUuid) {
      return write((tx) => {
        const known = roleOf(tx, accountUuid, staffUuid)
        if (known) return known
        const role = ownersOf(tx, accountUuid) === 0 ? 'owner' : 'member'
        tx.insert(accountPerson).values({ accountUuid, staffUuid, role, since: clock.now() }).run()
        return role
      })
    },

    async listPeople(accountUuid) {
      const rows = db
        .select()
        .from(accountPerson)
        .where(eq(accountPerson.accountUuid, accountUuid))
        .orderBy(asc(accountPerson.since), asc(accountPerson.staffUuid))
        .all()
      return rows.map(({ staffUuid, role, since }) => ({ staffUuid, role: role as Role, since }))
    },

    async changeRole(accountUuid, staffUuid, role) {
      return write((tx) => {
        const known = roleOf(tx, accountUuid, staffUuid)
        if (!known) return 'unknown'
        if (known === role) return 'same'
        if (known === 'owner' && ownersOf(tx, accountUuid) === 1) return 'last_owner'
        tx.update(accountPerson).set({ role }).where(isPerson(accountUuid, staffUuid)).run()
        return 'changed'
      })
    },
  }
}

/** The role of a session's person; `staffUuid` null = unknown. Without a named owner, everyone acts as one. */
export function roleFor(from: Reader, accountUuid: string, staffUuid: string | null): Role {
  const known = staffUuid === null ? null : roleOf(from, accountUuid, staffUuid)
  return known ?? (ownersOf(from, accountUuid) === 0 ? 'owner' : 'member')
}

function roleOf(from: Reader, accountUuid: string, staffUuid: string): Role | null {
  const person = from
    .select({ role: accountPerson.role })
    .from(accountPerson)
    .where(isPerson(accountUuid, staffUuid))
    .get()
  return (person?.role as Role | undefined) ?? null
}

function ownersOf(from: Reader, accountUuid: string): number {
  const owners = and(eq(accountPerson.accountUuid, accountUuid), eq(accountPerson.role, 'owner'))
  return from.select({ count: sql<number>`count(*)` }).from(accountPerson).where(owners).get()?.count ?? 0
}

function isPerson(accountUuid: string, staffUuid: string) {
  return and(eq(accountPerson.accountUuid, accountUuid), eq(accountPerson.staffUuid, staffUuid))
}
