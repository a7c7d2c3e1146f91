// Names of queues and people by uuid, so sentences show names where rules hold ids.
import type { App } from '#app/context/app-context.ts'
import { EMPTY_LISTS, namesOfLists } from '#app/features/automations/rules/form-lists.ts'
import { lookUpForForm } from './lookups.server.ts'

/** If a list cannot be read, its ids stay without names; no error is shown. */
export async function loadKnownNames(
  app: Pick<App, 'callAsAccount' | 'clock' | 'store'>,
  accountUuid: string,
): Promise<Record<string, string>> {
  const [queues, staff] = await Promise.all([
    lookUpForForm(app, accountUuid, 'queues'),
    lookUpForForm(app, accountUuid, 'staff'),
  ])
  return namesOfLists({
    ...EMPTY_LISTS,
    queues: queues.outcome === 'found' ? queues.rows : [],
    staff: staff.outcome === 'found' ? staff.rows : [],
  })
}
