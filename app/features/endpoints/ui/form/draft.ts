// What somebody typed into the form of an endpoint, kept while they look at other pages in the same tab.

/** The text of each field by its name; a missing one is empty. */
type Texts = Readonly<Record<string, string>>

const keyOf = (formId: string, account: string) => `draft ${formId} ${account}`

/** Keeps what the form holds now and is not saved. Nothing typed = nothing kept. Returns whether something is. */
export function keepDraft(form: HTMLFormElement, account: string, saved: Texts): boolean {
  const typed = Object.fromEntries(changedIn(form, saved).map(({ name, value }) => [name, value]))
  const text = JSON.stringify(typed)
  inStorage((storage) =>
    text === '{}' ? storage.removeItem(keyOf(form.id, account)) : storage.setItem(keyOf(form.id, account), text),
  )
  return text !== '{}'
}

/**
 * Puts what was kept into a form that nobody has changed yet; returns whether it did. `isTaken` = a webhook for this
 * object was made meanwhile: then it is forgotten. So a draft survives whatever replaces the page while the form is
 * sent, such as the gate or an error.
 */
export function restoreDraft(
  form: HTMLFormElement,
  account: string,
  saved: Texts,
  isTaken: (object: string) => boolean,
): boolean {
  if (changedIn(form, saved).length > 0) return false
  const typed = inStorage((storage): Texts => JSON.parse(storage.getItem(keyOf(form.id, account)) ?? '{}'))
  if (!typed) return false
  if (isTaken(typed.object || typed.customObject || '')) forgetDraft(form.id, account)
  else for (const field of fieldsOf(form)) field.value = typed[field.name] ?? field.value
  return changedIn(form, saved).length > 0
}

/** Whether a form of this account is kept. */
export function hasDraft(account: string): boolean {
  const isOwn = (key: string) => key.startsWith('draft ') && key.endsWith(` ${account}`)
  return inStorage((storage) => Object.keys(storage).some(isOwn)) ?? false
}

/** The form was sent and accepted, or cancelled. */
export function forgetDraft(formId: string, account: string): void {
  inStorage((storage) => storage.removeItem(keyOf(formId, account)))
}

function changedIn(form: HTMLFormElement, saved: Texts) {
  return fieldsOf(form).filter(({ name, value }) => value !== (saved[name] ?? ''))
}

/** The fields a person types or chooses in; no boxes, no hidden ones. */
function fieldsOf(form: HTMLFormElement): (HTMLInputElement | HTMLSelectElement)[] {
  return [...form.elements].filter(
    (field): field is HTMLInputElement | HTMLSelectElement =>
      field instanceof HTMLSelectElement ||
      (field instanceof HTMLInputElement && ['text', 'url'].includes(field.type) && field.name !== ''),
  )
}

/** In a frame the browser may refuse its storage: then nothing is kept. */
function inStorage<T>(act: (storage: Storage) => T): T | null {
  try {
    return act(window.sessionStorage)
  } catch {
    return null
  }
}
