// Renders the rule form alone, with lists to choose from, for tests that use it like a person.
import type { ReactElement } from 'react'
import { aidsOf } from '#app/features/automations/form/form-aids.ts'
import { applyIntent, setValue } from '#app/features/automations/form/form-change.ts'
import { parseFormIntent } from '#app/features/automations/form/form-intent.ts'
import { emptyForm, type FormState } from '#app/features/automations/form/form-state.ts'
import type { AskedPreview } from '#app/features/automations/form/form-view.ts'
import { RuleFormPanel } from '#app/features/automations/form/ui/rule-form.tsx'
import { EMPTY_LISTS, type FormLists } from '#app/features/automations/rules/form-lists.ts'
import type { FieldErrors } from '#app/features/automations/rules/rule-form.ts'
import type { Flash } from '#app/lib/flash.ts'

/** Ids in ServiceM8's format: others are refused where it matters. */
const list = (name: string) =>
  [1, 2].map((number) => ({ uuid: `${hexOf(name)}-0000-4000-8000-00000000000${number}`, label: `${name} ${number}` }))
const hexOf = (name: string) => Buffer.from(name.slice(0, 4)).toString('hex').padEnd(8, '0')

/** Two of everything, so that each can be chosen and changed. */
const STAGE_LISTS: FormLists = {
  ...EMPTY_LISTS,
  queues: list('queue'),
  staff: list('staff'),
  companies: list('company'),
  jobs: list('job'),
  categories: list('category'),
  materials: list('material'),
  bundles: list('bundle'),
  documentTemplates: list('document'),
  emailTemplates: list('email').map((one) => ({ ...one, subject: 'Thank you', text: 'We are done.' })),
  smsTemplates: list('sms').map((one) => ({ ...one, text: 'We are done.' })),
}

export function stagedForm(
  state: FormState,
  {
    errors = {},
    beside,
    opened = '',
    person = '',
    preview,
    trouble = null,
  }: {
    errors?: FieldErrors
    beside?: ReactElement
    opened?: string
    person?: string
    preview?: AskedPreview
    trouble?: Flash | null
  } = {},
): ReactElement {
  const form = {
    state,
    saved: emptyForm(),
    at: '',
    errors,
    trouble,
    aids: aidsOf(state, []),
    rules: [],
    webhooks: [{ id: 4, objectType: 'job', label: 'Job', active: true }],
    ...(preview ? { preview } : {}),
  }
  return (
    <RuleFormPanel
      accountUUID="account-1"
      person={person}
      opened={opened}
      form={form}
      lists={STAGE_LISTS}
      beside={beside}
    />
  )
}

/** The form's state after these buttons (`add_step:send_sms`) and controls (`name=Call back`), in order. */
export function formAfter(steps: readonly string[], from: FormState = emptyForm()): FormState {
  return steps.reduce((state, step) => {
    const typed = /^([\w.]+)=(.*)$/s.exec(step)
    if (typed) return setValue(state, typed[1] ?? '', typed[2] ?? '', STAGE_LISTS)
    const intent = parseFormIntent(`form.${step}`)
    if (intent === null) throw new Error(`no such button: ${step}`)
    return applyIntent(state, intent)
  }, from)
}
