// The people of an account and their roles.
import { and, asc, count, eq } from 'drizzle-orm'
import type { Role } from '#app/domain/people.ts'
import type { Clock } from '#app/lib/clock.ts'
import { change, many, type Orm, one } from '../../orm.ts'
import { accountPerson } from '../../schema.ts'
import type { AccountStore } from '../../store/accounts.ts'
import type { Connections } from '../connections.ts'

export function peopleStore({ db, orm }: Connections, clock: Clock) {
  return {
    admitPerson: db.write(function* (accountUuid, staffUuid) {
      const known = yield* roleOf(orm, accountUuid, staffUuid)
      if (known) return known
      const role = (yield* ownersOf(orm, accountUuid)) === 0 ? 'owner' : 'member'
      yield* change(orm.insert(accountPerson).values({ accountUuid, staffUuid, role, since: clock.now() }))
      return role
    }),

    listPeople: db.read(function* (accountUuid) {
      const people = orm.select().from(accountPerson).where(eq(accountPerson.accountUuid, accountUuid))
      const rows = yield* many(people.orderBy(asc(accountPerson.since), asc(accountPerson.staffUuid)))
      return rows.map(({ staffUuid, role, since }) => ({ staffUuid, role: role as Role, since }))
    }),

    changeRole: db.write(function* (accountUuid, staffUuid, role) {
      const known = yield* roleOf(orm, accountUuid, staffUuid)
      if (!known) return 'unknown'
      if (known === role) return 'same'
      if (known === 'owner' && (yield* ownersOf(orm, accountUuid)) === 1) return 'last_owner'
      yield* change(orm.update(accountPerson).set({ role }).where(isPerson(accountUuid, staffUuid)))
      return 'changed'
    }),
  } satisfies Partial<AccountStore>
}

/** The role of a session's person; `staffUuid` null = unknown. Without a named owner, everyone acts as one. */
export function* roleFor(orm: Orm, accountUuid: string, staffUuid: string | null): Generator<unknown, Role> {
  const known = staffUuid === null ? null : yield* roleOf(orm, accountUuid, staffUuid)
  return known ?? ((yield* ownersOf(orm, accountUuid)) === 0 ? 'owner' : 'member')
}

function* roleOf(orm: Orm, accountUuid: string, staffUuid: string): Generator<unknown, Role | null> {
  const columns = { role: accountPerson.role }
  const person = yield* one(orm.select(columns).from(accountPerson).where(isPerson(accountUuid, staffUuid)))
  return (person?.role as Role | undefined) ?? null
}

function* ownersOf(orm: Orm, accountUuid: string): Generator<unknown, number> {
  const owners = and(eq(accountPerson.accountUuid, accountUuid), eq(accountPerson.role, 'owner'))
  return (yield* one(orm.select({ n: count() }).from(accountPerson).where(owners)))?.n ?? 0
}

function isPerson(accountUuid: string, staffUuid: string) {
  return and(eq(accountPerson.accountUuid, accountUuid), eq(accountPerson.staffUuid, staffUuid))
}
