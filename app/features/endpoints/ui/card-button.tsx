import { Form } from '@remix-run/react'
import type { EndpointKey } from '#app/domain/endpoint-key.ts'
import { Button, type ButtonProps } from '#app/ui/button.tsx'
import { HiddenFields, useIsSending } from '#app/ui/form/sent-values.tsx'
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
  return <HiddenFields values={{ ...values, accountUUID: account.accountUUID }} />
}
