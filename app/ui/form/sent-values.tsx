import { useNavigation } from '@remix-run/react'
import { GO, WAS } from '#app/lib/one-form.ts'
import { useOwnerForm } from './one-form.tsx'

type Values = Readonly<Record<string, string>>

/** The values a form sends besides its controls. `was` = what these hold as saved; missing = it has none. */
export function HiddenFields({ values, was }: { values: Values; was?: Values }) {
  const form = useOwnerForm()
  const sent = was && form ? { ...values, [WAS]: String(new URLSearchParams(was)) } : values
  return Object.entries(sent).map(([name, value]) => (
    <input key={name} type="hidden" form={was && form} name={name} value={value} />
  ))
}

/** The same in a form that asks for another state of the page. */
export function WayFields({ query, anchor }: { query: Values; anchor: string }) {
  return <HiddenFields values={useOwnerForm() ? { [GO]: anchor, ...query } : query} was={{}} />
}

/** Whether a form with these values is being sent. */
export function useIsSending(values: Values): boolean {
  const { state, formData } = useNavigation()
  if (state === 'idle' || !formData) return false
  return Object.entries(values).every(([name, value]) => formData.get(name) === value)
}
