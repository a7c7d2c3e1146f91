// The people of a company, as the account page lists them.
import type { App } from '#app/context/app-context.ts'
import { type Asking, type OwnerAct, type OwnerRights, ownerActRefusal, type PeopleOfPage } from '#app/domain/people.ts'

/** `staffNames` asks the platform; only called if someone is listed. People without a name are shown by their id. */
export async function loadPeople(
  app: Pick<App, 'store' | 'clock'>,
  accountUuid: string,
  asking: Asking,
  staffNames: () => Promise<Record<string, string>>,
): Promise<PeopleOfPage> {
  const stored = await app.store.accounts.listPeople(accountUuid)
  const names = stored.length === 0 ? {} : await staffNames()
  const people = stored.map((person) => ({
    ...person,
    name: names[person.staffUuid] ?? `Staff member ${person.staffUuid.slice(0, 8)}`,
    you: person.staffUuid === asking.staffUuid,
  }))
  const owners = people.filter(({ role }) => role === 'owner').map(({ name }) => name)
  return { people, rights: { refusal: ownerActRefusal('roles', asking, app.clock.now()), owners } }
}

/** The rights for one act, for pages without the list. Calls `staffNames` only to name someone else. */
export async function loadOwnerRights(
  app: Pick<App, 'store' | 'clock'>,
  accountUuid: string,
  act: OwnerAct,
  asking: Asking,
  staffNames: () => Promise<Record<string, string>>,
): Promise<OwnerRights> {
  const refusal = ownerActRefusal(act, asking, app.clock.now())
  if (refusal === null || refusal === 'fresh') return { refusal, owners: [] }
  const { people } = await loadPeople(app, accountUuid, asking, staffNames)
  return { refusal, owners: people.filter(({ role }) => role === 'owner').map(({ name }) => name) }
}
