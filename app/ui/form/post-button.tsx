import { Form } from '@remix-run/react'
import { forwardRef } from 'react'
import { Button, type ButtonProps } from '../button.tsx'
import { usePress } from './one-form.tsx'
import { HiddenFields, useIsSending } from './sent-values.tsx'

export interface PostButtonProps extends Omit<ButtonProps, 'type' | 'name' | 'value'> {
  /** What it sends to the current page. */
  values: Readonly<Record<string, string>>
  /** Opens the answer in a new tab: for pages that do not load in frames. */
  newTab?: boolean
}

/** A button with its own form that posts to the current page, so it works without scripts. */
export const PostButton = forwardRef<HTMLButtonElement, PostButtonProps>(function PostButton(
  { values, newTab = false, ...button },
  ref,
) {
  const pending = useIsSending(values)
  const press = usePress(values)
  return (
    <Form
      method="post"
      preventScrollReset
      className="contents"
      {...(newTab ? { target: '_blank', reloadDocument: true } : {})}
    >
      <HiddenFields values={values} />
      <Button pending={pending} {...button} {...press} ref={ref} type="submit" />
    </Form>
  )
})

interface SubmitButtonProps extends Omit<ButtonProps, 'type'> {
  /** What it sends with the page's one form; missing = its own form. */
  values?: Record<string, string>
}

/** The button of a form with controls. */
export const SubmitButton = forwardRef<HTMLButtonElement, SubmitButtonProps>(function SubmitButton(props, ref) {
  const { values, ...button } = props
  return <Button {...button} {...usePress(values)} ref={ref} type="submit" />
})
