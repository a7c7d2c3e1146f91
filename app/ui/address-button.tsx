import { Form, useLocation } from '@remix-run/react'
import { forwardRef } from 'react'
import { Button, type ButtonProps } from './button.tsx'
import { HiddenFields } from './form/sent-values.tsx'

export interface AddressButtonProps extends Omit<ButtonProps, 'type' | 'name' | 'value'> {
  /** The query to request the page with, e.g. `{ accountUUID: '…', edit: '3' }`. */
  query: Record<string, string>
  /** The target on that page, e.g. `webhook-3`. */
  anchor?: string
}

/** A button that requests the page with another query. A click handler may take over and prevent that. */
export const AddressButton = forwardRef<HTMLButtonElement, AddressButtonProps>(function AddressButton(
  { query, anchor, ...button },
  ref,
) {
  const { pathname } = useLocation()
  return (
    <Form method="get" action={anchor ? `${pathname}#${anchor}` : pathname} preventScrollReset className="contents">
      <HiddenFields values={query} />
      <Button {...button} ref={ref} type="submit" />
    </Form>
  )
})
