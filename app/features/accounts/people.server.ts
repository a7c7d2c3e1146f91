// The people of a firm as the account page lists them.
import type { App } from '#app/app-context.ts'
import { type Asking, ownerActRefusal, type PeopleOfPage } from './people.ts'

/** `staffNames` asks the platform, and is called only when somebody is listed. A person without a name is shown by their id. */
export async function loadPeople(
  app: Pick<App, 'store' | 'clock'>,
  accountUuid: string,
  asking: Asking,
  staffNames: () => Promise<Record<string, string>>,
): Promise<PeopleOfPage> {
  const people = await app.store.listPeople(accountUuid)
  const names = people.length === 0 ? {} : await staffNames()
  return {
    people: people.map((person) => ({
      ...person,
      name: names[person.staffUuid] ?? `Staff member ${person.staffUuid.slice(0, 8)}`,
      you: person.staffUuid === asking.staffUuid,
    })),
    changeable: ownerActRefusal('roles', asking, app.clock.now()) === null,
  }
}
