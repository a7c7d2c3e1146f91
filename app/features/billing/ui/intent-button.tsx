import { Form, useNavigation } from '@remix-run/react'
import { Button, type ButtonProps } from '#app/ui/button.tsx'
import type { SubscriptionIntent } from '../payment-answer.ts'

interface IntentButtonProps extends Omit<ButtonProps, 'type' | 'pending' | 'name' | 'value'> {
  intent: SubscriptionIntent
  /** Opens the answer in a new tab: the provider's pages do not load in frames. */
  newTab?: boolean
}

/** A button for one intent of the page. It has its own form, so it works without scripts. */
export function IntentButton({ intent, newTab = false, ...button }: IntentButtonProps) {
  const pending = useIsAsking(intent)
  return (
    <Form
      method="post"
      preventScrollReset
      className="contents"
      {...(newTab ? { target: '_blank', reloadDocument: true } : {})}
    >
      <input type="hidden" name="intent" value={intent} />
      <Button {...button} type="submit" pending={pending} />
    </Form>
  )
}

/** Whether this intent is being submitted. */
export function useIsAsking(intent: SubscriptionIntent): boolean {
  const { state, formData } = useNavigation()
  return state !== 'idle' && formData?.get('intent') === intent
}
