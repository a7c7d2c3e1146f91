import { forwardRef } from 'react'
import { AddressButton, type AddressButtonProps } from '#app/ui/address-button.tsx'
import { Button } from '#app/ui/button.tsx'
import { useHydrated } from '#app/ui/hydrated.tsx'
import { GO, PRESS } from '../../page/act-on-rule.ts'
import { FORM } from '../form-preview.ts'

/** A link to another state of the page. Until scripts run, a press submits the rule form too, so no input is lost. */
export const WayButton = forwardRef<HTMLButtonElement, AddressButtonProps>(function WayButton(props, ref) {
  const hydrated = useHydrated()
  const { query, anchor = '', ...button } = props
  if (hydrated) return <AddressButton {...props} ref={ref} />
  const value = new URLSearchParams({ act: GO, query: String(new URLSearchParams(query)), anchor })
  return <Button {...button} ref={ref} type="submit" form={FORM} name={PRESS} value={String(value)} />
})
