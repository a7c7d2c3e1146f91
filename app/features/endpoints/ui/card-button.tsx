import type { EndpointKey } from '#app/domain/endpoint-key.ts'
import { PostButton, type PostButtonProps } from '#app/ui/form/post-button.tsx'
import { HiddenFields } from '#app/ui/form/sent-values.tsx'
import type { EndpointView } from '../endpoint-view.ts'
import type { ManagerAccount } from './manager-address.ts'

/** What each part of a card is given. */
export interface CardProps {
  webhook: EndpointView
  account: ManagerAccount
}

interface CardButtonProps extends Omit<PostButtonProps, 'values'> {
  /** The intent for the page's action. */
  intent: string
  /** Identifies the card: a webhook's id, or a rule's key. */
  webhookId: EndpointKey
  account: ManagerAccount
  /** Additional form values for the action. */
  values?: Record<string, string>
}

/** A button with one action on one webhook or rule. */
export function CardButton({ intent, webhookId, account, values = {}, ...button }: CardButtonProps) {
  const { accountUUID } = account
  return <PostButton {...button} values={{ intent, id: String(webhookId), ...values, accountUUID }} />
}

/** The hidden fields of every form on a card. */
export function CardFields({ account, values }: { account: ManagerAccount; values: Record<string, string> }) {
  return <HiddenFields values={{ ...values, accountUUID: account.accountUUID }} />
}
