import { useNavigation } from '@remix-run/react'

type Values = Readonly<Record<string, string>>

/** The values a form sends besides its controls. */
export function HiddenFields({ values }: { values: Values }) {
  return Object.entries(values).map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />)
}

/** Whether a form with these values is being sent. */
export function useIsSending(values: Values): boolean {
  const { state, formData } = useNavigation()
  if (state === 'idle' || !formData) return false
  return Object.entries(values).every(([name, value]) => formData.get(name) === value)
}
