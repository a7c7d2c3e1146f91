import { Form } from '@remix-run/react'
import type { EndpointKey } from '#app/domain/endpoint-key.ts'
import { Button, type ButtonProps } from '#app/ui/button.tsx'
import { HiddenFields, useIsSending } from '#app/ui/form/sent-values.tsx'
import type { ManagerAccount } from './manager-address.ts'

interface CardButtonProps extends Omit<ButtonProps, 'type' | 'pending' | 'name' | 'value'> {
  /** The intent for the page's action. */
  intent: string
  /** Identifies the card: a webhook's id, or a rule's key. */
  webhookId: EndpointKey
  account: ManagerAccount
  /** Additional form values for the action. */
  values?: Record<string, string>
}

/** A button with one action on one webhook or rule. It has its own form, so it works without scripts. */
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

/** The hidden fields of every form on a card. */
export function CardFields({ account, values }: { account: ManagerAccount; values: Record<string, string> }) {
  return <HiddenFields values={{ ...values, accountUUID: account.accountUUID }} />
}
