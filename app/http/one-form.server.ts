// Reads what a page sends that may be one form (`app/ui/form/one-form.tsx`), and keeps what was typed and not sent.
import type { App } from '#app/context/app-context.ts'
import { emptyForm } from '#app/features/automations/form/form-state.ts'
import { findDraft, keepDraft } from '#app/features/automations/preview/form-drafts.server.ts'
import { GO, PRESS, WAS } from '#app/lib/one-form.ts'
import { readFields } from './guards.server.ts'

interface OneFormSent {
  /** What was pressed; null = Enter, and not clear in which form. */
  pressed: URLSearchParams | null
  /** The other forms by `formKey`; null = nothing unsaved. Empty when scripts run. */
  others: Map<string, URLSearchParams | null>
}

/** Each form in it begins with its intent. */
export function readOneForm(sent: URLSearchParams): OneFormSent {
  const press = sent.get(PRESS)
  if (press === null) return { pressed: sent, others: new Map() }
  const forms: URLSearchParams[] = []
  let own: URLSearchParams | undefined
  for (const [name, value] of sent) {
    if (name === 'intent' || name === GO) forms.push(new URLSearchParams())
    if (name === PRESS) own = press === '' ? forms.at(-1) : readFields(press)
    else forms.at(-1)?.append(name, value)
  }
  const typed = forms.filter(isUnsaved)
  const pressed = own ?? (typed.length === 1 ? typed[0] : undefined)
  const others = forms.filter((form) => form !== pressed && form.has('intent'))
  const unsaved = others.map((form) => [formKey(form), typed.includes(form) ? form : null] as const)
  pressed?.delete(WAS)
  return { pressed: pressed ?? null, others: new Map(unsaved) }
}

/** Names a form of a page by what it does, and to what. */
function formKey(form: URLSearchParams): string {
  return `${form.get('intent')} ${form.get('id') ?? ''}`
}

const HIDDEN = new Set(['intent', 'id', 'accountUUID', 'all', GO, WAS])

function isUnsaved(form: URLSearchParams): boolean {
  const said = (values: URLSearchParams) =>
    [...values]
      .filter(([name, value]) => value !== '' && !HIDDEN.has(name))
      .map((one) => one.join('=').replaceAll('\r\n', '\n'))
      .sort()
      .join('&')
  return said(form) !== said(new URLSearchParams(form.get(WAS) ?? ''))
}

/** Another state of a page: what `query` opens, at its `go`. */
export function anotherState(path: string, query: Iterable<[string, string]>, draft: string | null): string {
  const { [GO]: anchor = '', ...rest } = Object.fromEntries(query)
  const search = new URLSearchParams({ ...rest, draft: draft ?? '' })
  if (draft === null) search.delete('draft')
  return `${path}?${search}${/^[\w-]+$/.test(anchor) ? `#${anchor}` : ''}`
}

type DraftApp = Pick<App, 'store' | 'clock' | 'secrets'>

interface Typed {
  /** Token for the address; null = nothing is kept. */
  draft: string | null
  /** The values of each form. */
  others: Record<string, string>[]
}

export async function findTyped(app: DraftApp, accountUuid: string, draft: string | null): Promise<Typed> {
  const beside = (await findDraft(app, accountUuid, draft))?.beside ?? {}
  return { draft, others: Object.values(beside).map((form) => Object.fromEntries(new URLSearchParams(form))) }
}

/** Adds what was sent to what was kept before; what was pressed is no longer among it. */
export async function keepTyped(
  app: DraftApp,
  accountUuid: string,
  { pressed, others }: OneFormSent,
  before: string | null,
): Promise<Typed> {
  const kept = new Map<string, string>(Object.entries((await findDraft(app, accountUuid, before))?.beside ?? {}))
  if (pressed) kept.delete(formKey(pressed))
  for (const [key, form] of others) kept.set(key, form?.toString() ?? '')
  const beside = Object.fromEntries([...kept].filter(([, form]) => form !== ''))
  const isNone = Object.keys(beside).length === 0
  const draft = isNone ? null : await keepDraft(app, accountUuid, { ...emptyForm(), beside }, before)
  return findTyped(app, accountUuid, draft)
}
