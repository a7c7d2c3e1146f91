// The pick-lists of the rule form. A list that cannot be read is empty, with its reason beside it.
import type { App } from '#app/context/app-context.ts'
import { EMPTY_LISTS, FORM_LIST } from '#app/features/automations/rules/form-lists.ts'
import { type LookedUpForForm, lookUpForForm } from './lookups.server.ts'
import { LISTS, LOOKUPS, type LookupName } from './lookups.ts'

/** Reads short lists in parallel, long ones one at a time: only one raw long list is in memory. */
export async function loadFormLists(
  app: Pick<App, 'callAsAccount' | 'clock' | 'store'>,
  accountUuid: string,
  names: readonly LookupName[] = LOOKUPS,
) {
  const ask = async (name: LookupName) => [name, await lookUpForForm(app, accountUuid, name)] as const
  const oneByOne = async () => {
    const found: (readonly [LookupName, LookedUpForForm])[] = []
    for (const name of names) if (!LISTS[name].isShort) found.push(await ask(name))
    return found
  }
  const [short, long] = await Promise.all([
    Promise.all(names.filter((name) => LISTS[name].isShort).map(ask)),
    oneByOne(),
  ])
  const looked = [...short, ...long]
  const found = looked.flatMap(([name, answer]) =>
    answer.outcome === 'found' ? [[FORM_LIST[name], answer.rows] as const] : [],
  )
  const failures = names.flatMap((name) => {
    const answer = looked.find(([one]) => one === name)?.[1]
    return answer?.outcome === 'failed' ? [{ ...answer, name }] : []
  })
  return { lists: { ...EMPTY_LISTS, ...Object.fromEntries(found) }, failures }
}
