// Which category an action means: by its id, or by its name where a rule was written or imported so.
import type { AccountCallResult } from '#app/adapters/platform.ts'
import { isActive, type Values, valuesOf } from '../records/fact-rows.ts'
import { folded, isUuid } from '../records/field-value.ts'
import type { ReadOnlyPlatform } from './action.server.ts'
import { shorten } from './failure-words.ts'

type FoundCategory =
  | { outcome: 'found'; uuid: string }
  | { outcome: 'gone'; sentence: string }
  | { outcome: 'failed'; trouble: Exclude<AccountCallResult<never>, { outcome: 'ok' }> }

const GONE =
  'The category of this automation no longer exists in ServiceM8. Open the automation and choose another one.'

/** `wanted`: an id or a name, not empty. */
export async function findCategory(read: ReadOnlyPlatform, wanted: string): Promise<FoundCategory> {
  const word = wanted.trim()
  const listed = await read.list('category')
  if (listed.outcome !== 'ok') return { outcome: 'failed', trouble: listed }
  const isMeant = isUuid(word)
    ? ({ uuid }: Values) => uuid?.toLowerCase() === word.toLowerCase()
    : ({ name }: Values) => folded(name ?? '') === folded(word)
  const found = listed.value.map(valuesOf).find((row) => isActive(row) && isMeant(row))
  if (found?.uuid) return { outcome: 'found', uuid: found.uuid }
  const sentence = isUuid(word)
    ? GONE
    : `There is no category called "${shorten(word, 60)}" in ServiceM8. Open the automation and choose one.`
  return { outcome: 'gone', sentence }
}
