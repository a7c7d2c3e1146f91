// What somebody typed into a form for a new endpoint, kept while they look at other pages in the same tab.

interface Typed {
  [name: string]: string
}

const keyOf = (formId: string, account: string) => `draft ${formId} ${account}`
/** What was sent when the page was replaced: the next page knows whether it was taken. */
const sentKeyOf = (formId: string, account: string) => `sent ${keyOf(formId, account)}`

/** Keeps what the form holds now. Nothing typed = nothing kept. */
export function keepDraft(form: HTMLFormElement, account: string): void {
  const typed: Typed = {}
  for (const field of fieldsOf(form)) if (field.value !== '') typed[field.name] = field.value
  const text = JSON.stringify(typed)
  inStorage((storage) =>
    text === '{}' ? storage.removeItem(keyOf(form.id, account)) : storage.setItem(keyOf(form.id, account), text),
  )
}

/** Puts what was kept into a form that is still empty. A page with a form shows that what was sent was taken. */
export function restoreDraft(form: HTMLFormElement, account: string): void {
  inStorage((storage) => storage.removeItem(sentKeyOf(form.id, account)))
  const fields = fieldsOf(form)
  if (fields.some(({ value }) => value !== '')) return
  const typed = inStorage((storage): Typed => JSON.parse(storage.getItem(keyOf(form.id, account)) ?? '{}'))
  if (!typed) return
  for (const field of fields) field.value = typed[field.name] ?? ''
}

/** The form was sent and its page is gone: forgotten, unless the session was over (`reviveDrafts`). */
export function setDraftAside(formId: string, account: string): void {
  inStorage((storage) => {
    const text = storage.getItem(keyOf(formId, account))
    if (text !== null) storage.setItem(sentKeyOf(formId, account), text)
    storage.removeItem(keyOf(formId, account))
  })
}

/** The session was over, so what was sent was not taken. Returns whether anything of the account is kept. */
export function reviveDrafts(formIds: readonly string[], account: string): boolean {
  const revive = (storage: Storage, id: string) => {
    const sent = storage.getItem(sentKeyOf(id, account))
    if (sent !== null) storage.setItem(keyOf(id, account), sent)
    storage.removeItem(sentKeyOf(id, account))
    return storage.getItem(keyOf(id, account)) !== null
  }
  return inStorage((storage) => formIds.map((id) => revive(storage, id)).includes(true)) ?? false
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
