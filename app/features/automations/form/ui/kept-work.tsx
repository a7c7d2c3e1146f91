// What is typed and not saved, kept in this browser tab until it is saved or discarded: it survives another page, Back
// and a reload. A UI module (.tsx), because it has side effects and runs only in a browser.
import { inStorage, keysOf } from '#app/ui/form/draft.ts'
import { type FormState, isSameForm, readKeptForm, withSwitchOf } from '../form-state.ts'

/** Where a browser refuses its storage (a strict frame), work still survives everything but a reload. */
const inMemory = new Map<string, string>()

const PREFIX = 'fieldhook.form.1.'

/** One account, one person ('' = unknown), one form: `new`, `edit-7`, `copy-3`. */
export function workKey(accountUUID: string, person: string, opened: string): string {
  return `${PREFIX}${[accountUUID, person, opened].map(encodeURIComponent).join('.')}`
}

const allKeys = () => [...inMemory.keys(), ...(inStorage(Object.keys) ?? [])]

const keptAt = (key: string) => keysOf(key, allKeys(), /\.[^.]*(?=\.[^.]*$)/)

/** Whether a form of this account is kept. */
export function hasWork(accountUUID: string): boolean {
  return allKeys().some((key) => key.startsWith(`${PREFIX}${encodeURIComponent(accountUUID)}.`))
}

/** `saved` = what it began from. */
export function keepWork(key: string, state: FormState, saved: FormState): void {
  const text = JSON.stringify({ state, saved })
  inMemory.set(key, text)
  inStorage((storage) => storage.setItem(key, text))
  keptAt(key).slice(1).forEach(drop)
}

export function forgetWork(key: string): void {
  keptAt(key).forEach(drop)
}

function drop(key: string): void {
  inMemory.delete(key)
  inStorage((storage) => storage.removeItem(key))
}

/** `stale` = the stored rule is another one than it began from. Null = nothing is kept. */
export function findWork(key: string, saved: FormState): { state: FormState; stale: boolean } | null {
  const [text] = keptAt(key).flatMap((one) => inMemory.get(one) ?? inStorage((storage) => storage.getItem(one)) ?? [])
  if (text === undefined) return null
  try {
    const kept = JSON.parse(text) as { state?: unknown; saved?: unknown }
    const [state, began] = [kept.state, kept.saved].map((one) => {
      const form = readKeptForm(one)
      return form && withSwitchOf(saved, form)
    })
    if (!state || !began || isSameForm(state, saved)) return null
    // The page says that it is stale: saving need not ask again.
    return { state: { ...state, opened: saved.opened }, stale: !isSameForm(began, saved) }
  } catch {
    return null
  }
}
