// What somebody typed into a form, kept while they look at other pages in the same tab.

import type { AccountLink } from '#app/domain/account-address.ts'

/** The text of each field by its name; a missing one is empty. */
type Texts = Readonly<Record<string, string>>

/** What was typed into each field, and over which saved text. */
type Kept = Readonly<Record<string, readonly [typed: string, over: string]>>

/** Whose drafts: another person of the account does not get them, unless one is unknown. The account is last. */
export const ownerOf = ({ accountUUID, person = '' }: AccountLink) => `${person} ${accountUUID}`

/** `account` = of `ownerOf`. */
const keyOf = (formId: string, account: string) => `draft ${formId} ${account}`

/**
 * Where the same is kept, `own` first: a person may be unknown to one session and named in the next, so only two named
 * ones stay apart. Of two others nobody knows whose it is: neither counts. `person` = that part of a key, with the sign
 * before it.
 */
export function keysOf(own: string, keys: readonly string[], person: RegExp): string[] {
  const isUnknown = (key: string) => person.exec(key)?.[0].length === 1
  const isSame = (key: string) =>
    key.replace(person, '') === own.replace(person, '') && (isUnknown(own) || isUnknown(key))
  const others = [...new Set(keys)].filter((key) => key !== own && isSame(key))
  return others.length > 1 ? [own] : [own, ...others]
}

const keptAt = (storage: Storage, own: string) => keysOf(own, Object.keys(storage), / \S*(?= \S+$)/)

/** Keeps what the form holds now and is not saved. Nothing typed = nothing kept. Returns whether something is. */
export function keepDraft(form: HTMLFormElement, account: string, saved: Texts): boolean {
  const typed: Kept = Object.fromEntries(
    changedIn(form, saved).map((field) => [field.name, [textOf(field), savedOf(field, saved)]]),
  )
  const text = JSON.stringify(typed)
  if (text === '{}') forgetDraft(form.id, account)
  else {
    inStorage((storage) => {
      const [own = '', ...others] = keptAt(storage, keyOf(form.id, account))
      // First: where there is no room, what was kept before stays.
      storage.setItem(own, text)
      for (const key of others) storage.removeItem(key)
    })
  }
  return text !== '{}'
}

/**
 * Puts what was kept into a form that nobody has changed yet, and opens what hides it; returns whether it did. A draft
 * survives whatever replaces the page while the form is sent, such as the gate or an error.
 */
export function restoreDraft(form: HTMLFormElement, account: string, saved: Texts): boolean {
  if (changedIn(form, saved).length > 0) return false
  const typed = inStorage((storage): Kept => {
    const [text = '{}'] = keptAt(storage, keyOf(form.id, account)).flatMap((key) => storage.getItem(key) ?? [])
    return JSON.parse(text)
  })
  if (!typed) return false
  for (const field of fieldsOf(form, saved)) {
    const [text, over] = typed[field.name] ?? []
    // What somebody saved meanwhile stands.
    if (text !== undefined && over === savedOf(field, saved)) put(field, text)
  }
  for (const field of changedIn(form, saved)) field.closest('details')?.setAttribute('open', '')
  // What was saved meanwhile is no draft any more.
  return keepDraft(form, account, saved)
}

function put(field: Typed, text: string) {
  if (isBox(field)) field.checked = field.value === text
  else field.value = text
}

/** Whether a form of this account is kept. */
export function hasDraft(account: string): boolean {
  const isOwn = (key: string) => key.startsWith('draft ') && key.endsWith(` ${account}`)
  return inStorage((storage) => Object.keys(storage).some(isOwn)) ?? false
}

/** The form was sent and accepted, or cancelled. */
export function forgetDraft(formId: string, account: string): void {
  inStorage((storage) => keptAt(storage, keyOf(formId, account)).forEach((key) => void storage.removeItem(key)))
}

function changedIn(form: HTMLFormElement, saved: Texts) {
  return fieldsOf(form, saved).filter(
    (field) => textOf(field) !== savedOf(field, saved) && !(field.type === 'radio' && textOf(field) === ''),
  )
}

type Typed = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

const isBox = (field: Typed): field is HTMLInputElement => field.type === 'checkbox' || field.type === 'radio'

const savedOf = (field: Typed, saved: Texts) => saved[field.name] ?? ''

/** A box without its tick says nothing. */
const textOf = (field: Typed) => (isBox(field) && !field.checked ? '' : field.value)

/** The fields a person types or chooses in; boxes and the like only if `saved` names them, no hidden ones. */
function fieldsOf(form: HTMLFormElement, saved: Texts): Typed[] {
  return [...form.elements].filter(
    (field): field is Typed =>
      field instanceof HTMLSelectElement ||
      ((field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) &&
        (Object.hasOwn(saved, field.name) || (['text', 'url'].includes(field.type) && field.name !== ''))),
  )
}

/** In a frame the browser may refuse its storage, or it is full: then nothing is kept there. */
export function inStorage<T>(act: (storage: Storage) => T): T | null {
  try {
    return act(window.sessionStorage)
  } catch {
    return null
  }
}
