// What queues and people are called, by uuid: so that sentences say names where rules hold ids.
import type { App } from '#app/context/app-context.ts'
import { EMPTY_LISTS, namesOfLists } from '#app/features/automations/rules/form-lists.ts'
import { lookUpForForm } from './lookups.server.ts'

/** Lists that cannot be read leave the ids without names; nobody is told. */
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
