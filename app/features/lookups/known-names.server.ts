// Names by uuid, so sentences show names where rules and records hold ids.
import type { App } from '#app/context/app-context.ts'
import { namesOfLists } from '#app/features/automations/rules/form-lists.ts'
import { loadFormLists } from './form-lists.server.ts'

/** The lists whose ids a rule's sentence can name. */
const NAMED = ['queues', 'staff', 'categories', 'badges', 'document-templates', 'companies'] as const

/** If a list cannot be read, its ids stay without names; no error is shown. */
export async function loadKnownNames(
  app: Pick<App, 'callAsAccount' | 'clock' | 'store'>,
  accountUuid: string,
): Promise<Record<string, string>> {
  return namesOfLists((await loadFormLists(app, accountUuid, NAMED)).lists)
}
