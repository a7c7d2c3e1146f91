import { Form, useNavigation } from '@remix-run/react'
import type { EndpointKey } from '#app/domain/endpoint-key.ts'
import { Button, type ButtonProps } from '#app/ui/button.tsx'
import type { ManagerAccount } from './manager-address.ts'

interface CardButtonProps extends Omit<ButtonProps, 'type' | 'pending' | 'name' | 'value'> {
  /** What the page's action is asked to do. */
  intent: string
  /** The card: a webhook's id, or a rule's key. */
  webhookId: EndpointKey
  account: ManagerAccount
  /** What else it needs to know. */
  values?: Record<string, string>
}

/** A button that does one thing to one webhook or rule: a form of its own, so that it works without scripts. */
export function CardButton({ intent, webhookId, account, values = {}, ...button }: CardButtonProps) {
  const sent = { intent, id: String(webhookId), ...values }
  const pending = useIsSending(sent)
  return (
    <Form method="post" preventScrollReset className="contents">
      <CardFields account={account} values={sent} />
      <Button {...button} type="submit" pending={pending} />
    </Form>
  )
}

/** What every form of a card carries along. */
export function CardFields({ account, values }: { account: ManagerAccount; values: Record<string, string> }) {
  return (
    <>
      {Object.entries({ ...values, accountUUID: account.accountUUID }).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
    </>
  )
}

/** Is the form with these values on its way? */
export function useIsSending(values: Record<string, string>): boolean {
  const { state, formData } = useNavigation()
  if (state === 'idle' || !formData) return false
  return Object.entries(values).every(([name, value]) => formData.get(name) === value)
}
