// Names by uuid, so sentences show names where rules and records hold ids.
import type { App } from '#app/context/app-context.ts'
import { namesOfLists } from '#app/features/automations/rules/form-lists.ts'
import { loadFormLists } from './form-lists.server.ts'
import { keptFor } from './lookups.server.ts'
import { bytesOf } from './lookups.ts'

/** The lists whose ids a rule's sentence can name. Customers are named one by one: there are too many. */
const NAMED = ['queues', 'staff', 'categories', 'badges', 'document-templates'] as const

/** If a list cannot be read, its ids stay without names; no error is shown, and for a minute nothing is asked again. */
export async function loadKnownNames(
  app: Pick<App, 'callAsAccount' | 'clock' | 'store'>,
  accountUuid: string,
): Promise<Record<string, string>> {
  const { lists } = await keptFor(
    app,
    { accountUuid, list: 'names' },
    () => loadFormLists(app, accountUuid, NAMED),
    // Lists that were read are kept by themselves.
    ({ lists, failures }) => (failures.length === 0 ? null : bytesOf(Object.values(lists).flat())),
  )
  return namesOfLists(lists)
}
