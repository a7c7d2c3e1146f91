import { useNavigation } from '@remix-run/react'

type Values = Readonly<Record<string, string>>

/** What a form sends beside its controls. */
export function HiddenFields({ values }: { values: Values }) {
  return Object.entries(values).map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />)
}

/** Is a form with these values on its way? */
export function useIsSending(values: Values): boolean {
  const { state, formData } = useNavigation()
  if (state === 'idle' || !formData) return false
  return Object.entries(values).every(([name, value]) => formData.get(name) === value)
}
