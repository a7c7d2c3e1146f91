import { Form } from '@remix-run/react'
import { createContext, type ReactNode, useContext } from 'react'
import { PRESS } from '#app/lib/one-form.ts'
import { useHydrated } from '../hydrated.tsx'

const Owner = createContext<string | undefined>(undefined)

interface OneFormProps {
  /** Id of the form; null = to each control its own; missing = an empty one is drawn here. */
  id?: string | null
  children: ReactNode
}

/** Until scripts run, all controls inside belong to one form: no button loses what was typed elsewhere. */
export function OneForm({ id, children }: OneFormProps) {
  const hydrated = useHydrated()
  return (
    <Owner.Provider value={hydrated || id === null ? undefined : (id ?? 'one-form')}>
      {hydrated || id !== undefined ? null : (
        <Form id="one-form" method="post" noValidate>
          {/* Enter in a field presses the first button: the server finds the form that was typed into. */}
          <button type="submit" name={PRESS} value="" hidden tabIndex={-1} aria-hidden />
        </Form>
      )}
      {children}
    </Owner.Provider>
  )
}

/** The form that a control belongs to; undefined = the one it stands in. */
export function useOwnerForm(): string | undefined {
  return useContext(Owner)
}

/** Makes a button send `values`, or its own form, together with the rest of the page. */
export function usePress(values: Record<string, string> = {}): { form?: string; name?: string; value?: string } {
  const form = useOwnerForm()
  return form === undefined ? {} : { form, name: PRESS, value: String(new URLSearchParams(values)) }
}
