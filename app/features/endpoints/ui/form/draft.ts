// What somebody typed into a form for a new endpoint, kept while they look at other pages in the same tab.

interface Typed {
  [name: string]: string
}

const keyOf = (formId: string, account: string) => `draft ${formId} ${account}`

/** Keeps what the form holds now. Nothing typed = nothing kept. */
export function keepDraft(form: HTMLFormElement, account: string): void {
  const typed: Typed = {}
  for (const field of fieldsOf(form)) if (field.value !== '') typed[field.name] = field.value
  const text = JSON.stringify(typed)
  inStorage((storage) =>
    text === '{}' ? storage.removeItem(keyOf(form.id, account)) : storage.setItem(keyOf(form.id, account), text),
  )
}

/**
 * Puts what was kept into a form that is still empty. `isTaken` = a webhook for this object was made meanwhile: then it is
 * forgotten. So a draft survives whatever replaces the page while the form is sent, such as the gate or an error.
 */
export function restoreDraft(form: HTMLFormElement, account: string, isTaken: (object: string) => boolean): void {
  const fields = fieldsOf(form)
  if (fields.some(({ value }) => value !== '')) return
  const typed = inStorage((storage): Typed => JSON.parse(storage.getItem(keyOf(form.id, account)) ?? '{}'))
  if (!typed) return
  if (isTaken(typed.object || typed.customObject || '')) forgetDraft(form.id, account)
  else for (const field of fields) field.value = typed[field.name] ?? ''
}

/** The forms of the page that keep what is typed: a new webhook, another address. */
const FORM_IDS = ['create-webhook', 'add-rule']

/** Whether a form of this account is kept. */
export function hasDraft(account: string): boolean {
  return FORM_IDS.some((id) => inStorage((storage) => storage.getItem(keyOf(id, account))) !== null)
}

/** The form was sent and accepted. */
export function forgetDraft(formId: string, account: string): void {
  inStorage((storage) => storage.removeItem(keyOf(formId, account)))
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
