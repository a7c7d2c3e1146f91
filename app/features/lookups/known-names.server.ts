// What queues and people are called, by uuid: so that sentences say names where rules hold ids.
import type { App } from '#app/app-context.ts'
import { namesOfLists, toFormLists } from '../automations/form-lists.ts'
import { lookUp } from './lookups.server.ts'

/** Lists that cannot be read leave the ids without names; nobody is told. */
export async function loadKnownNames(
  app: Pick<App, 'callAsAccount' | 'clock' | 'store'>,
  accountUuid: string,
): Promise<Record<string, string>> {
  const [queues, staff] = await Promise.all([lookUp(app, accountUuid, 'queues'), lookUp(app, accountUuid, 'staff')])
  return namesOfLists(
    toFormLists({
      queues: queues.outcome === 'found' ? queues.records : [],
      staff: staff.outcome === 'found' ? staff.records : [],
    }),
  )
}
