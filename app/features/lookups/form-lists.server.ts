// Every pick-list that the rule form offers, at once. A list that cannot be read is empty, and its reason is told beside it.
import type { App } from '#app/app-context.ts'
import { type FormLists, toFormLists } from '../automations/form-lists.ts'
import { lookUp } from './lookups.server.ts'
import { LOOKUPS, type LookupName } from './lookups.ts'

export interface LoadedLists {
  lists: FormLists
  failures: { name: LookupName; message: string }[]
}

export async function loadFormLists(
  app: Pick<App, 'callAsAccount' | 'clock' | 'store'>,
  accountUuid: string,
): Promise<LoadedLists> {
  const looked = await Promise.all(
    LOOKUPS.map(async (name) => ({ name, answer: await lookUp(app, accountUuid, name) })),
  )
  const found = looked.flatMap(({ name, answer }) =>
    answer.outcome === 'found' ? [[name, answer.records] as const] : [],
  )
  const failures = looked.flatMap(({ name, answer }) =>
    answer.outcome === 'failed' ? [{ name, message: answer.message }] : [],
  )
  return { lists: toFormLists(Object.fromEntries(found)), failures }
}
