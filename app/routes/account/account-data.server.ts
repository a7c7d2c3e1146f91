// The people of an account, for its pages.
import type { App } from '#app/context/app-context.ts'
import { loadPeople } from '#app/features/accounts/people.server.ts'
import { staffNames } from '#app/features/automations/settings/automation-settings.server.ts'
import type { OwnAccount } from '../pages/own-account.server.ts'

/** The people with what the reader may do, and their names by uuid. */
export async function namedPeople(app: App, found: OwnAccount) {
  const { uuid } = found.account
  const people = await loadPeople(app, uuid, found, () => staffNames(app, uuid))
  const names: Record<string, string> = Object.fromEntries(people.people.map((one) => [one.staffUuid, one.name]))
  return { people, names }
}
