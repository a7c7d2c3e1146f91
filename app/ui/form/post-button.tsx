import { Form } from '@remix-run/react'
import { Button, type ButtonProps } from '../button.tsx'
import { HiddenFields, useIsSending } from './sent-values.tsx'

export interface PostButtonProps extends Omit<ButtonProps, 'type' | 'pending' | 'name' | 'value'> {
  /** What it sends to the current page. */
  values: Readonly<Record<string, string>>
  /** Opens the answer in a new tab: for pages that do not load in frames. */
  newTab?: boolean
}

/** A button with its own form that posts to the current page, so it works without scripts. */
export function PostButton({ values, newTab = false, ...button }: PostButtonProps) {
  const pending = useIsSending(values)
  return (
    <Form
      method="post"
      preventScrollReset
      className="contents"
      {...(newTab ? { target: '_blank', reloadDocument: true } : {})}
    >
      <HiddenFields values={values} />
      <Button {...button} type="submit" pending={pending} />
    </Form>
  )
}
