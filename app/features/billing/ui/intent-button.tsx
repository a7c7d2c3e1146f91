import { Form, useNavigation } from '@remix-run/react'
import { Button, type ButtonProps } from '#app/ui/button.tsx'
import type { SubscriptionIntent } from '../payment-answer.ts'

interface IntentButtonProps extends Omit<ButtonProps, 'type' | 'pending' | 'name' | 'value'> {
  intent: SubscriptionIntent
  /** The answer belongs to a tab of its own: the provider's pages are not shown inside others. */
  newTab?: boolean
}

/** A button that asks the page for one thing: a form of its own, so that it works without scripts. */
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

/** Is this wish on its way? */
export function useIsAsking(intent: SubscriptionIntent): boolean {
  const { state, formData } = useNavigation()
  return state !== 'idle' && formData?.get('intent') === intent
}
