import { Trash2, Undo2 } from 'lucide-react'
import { plural } from '#app/domain/time/moments.ts'
import { UNDO_SHOWN } from '#app/lib/undo.ts'
import { hostOf } from '#app/lib/url.ts'
import { AddressButton } from '#app/ui/address-button.tsx'
import { QuestionOnPage, useAskFirst } from '#app/ui/ask-first.tsx'
import { ButtonLink } from '#app/ui/button.tsx'
import { UndoLine } from '#app/ui/undo-line.tsx'
import { calledOf, type DeletedView, type EndpointView } from '../endpoint-view.ts'
import { CardButton, type CardProps } from './card-button.tsx'
import { useSending } from './form/use-sending.tsx'
import { cardId, type ManagerAccount, managerQuery, managerSearch } from './manager-address.ts'

/** The delete button and its question: in a dialog, or inside the page when no dialog is available. */
export function DeleteWebhook({ webhook, account }: CardProps) {
  const sending = useSending('delete', webhook.id)
  const step = { step: 'confirmDelete', webhookId: webhook.id } as const
  const { button, ask } = useAskFirst(`${managerSearch(account, step)}#${cardId(webhook.id)}`, sending)
  return (
    <>
      <AddressButton
        {...button}
        query={managerQuery(account, step)}
        anchor={cardId(webhook.id)}
        variant="danger-quiet"
        icon={Trash2}
        aria-label={`Delete ${calledOf(webhook)}`}
      >
        <span className="max-sm:sr-only">Delete</span>
      </AddressButton>
      {ask({
        title: question(webhook),
        cancelLabel: 'Keep it',
        action: <ConfirmDelete webhook={webhook} account={account} />,
        children: <Consequences webhook={webhook} />,
      })}
    </>
  )
}

/** Offers to bring back what was just deleted. */
export function UndoDelete({ deleted, account }: { deleted: DeletedView; account: ManagerAccount }) {
  const { key, called, waiting } = deleted
  return (
    <UndoLine
      id={String(key)}
      shownFor={UNDO_SHOWN}
      button={
        <CardButton
          intent="undo"
          webhookId={key}
          account={account}
          icon={Undo2}
          aria-label={`Undo: delete the ${called}`}
        >
          Undo
        </CardButton>
      }
    >
      The {called} was deleted. {waiting === 0 ? '' : `${plural(waiting, 'event waits', 'events wait')}.`}
    </UndoLine>
  )
}

/** The same question as part of the page. */
export function DeleteQuestion({ webhook, account }: CardProps) {
  const answers = (
    <>
      <ButtonLink to={`${managerSearch(account)}#${cardId(webhook.id)}`} preventScrollReset>
        Keep it
      </ButtonLink>
      <ConfirmDelete webhook={webhook} account={account} />
    </>
  )
  return (
    <QuestionOnPage id={`delete-${webhook.id}-title`} title={question(webhook)} answers={answers}>
      <Consequences webhook={webhook} />
    </QuestionOnPage>
  )
}

function question(webhook: EndpointView): string {
  return `Delete the ${calledOf(webhook)}?`
}

/** Of 50 kB each they fill what an account may have waiting; nobody misses the room of fewer. */
const MANY = 1_000

/** Shows only the host, `hooks.zapier.com`, because the address can be very long. */
function Consequences({ webhook }: { webhook: EndpointView }) {
  return (
    <>
      <p>{whatEnds(webhook)}</p>
      {webhook.pending > 0 ? <p>{plural(webhook.pending, 'waiting event is', 'waiting events are')} dropped.</p> : null}
      {webhook.pending >= MANY ? <p>For 10 minutes they still take up room for new events.</p> : null}
      <p>You can undo it for 10 seconds.</p>
    </>
  )
}

function whatEnds(webhook: EndpointView): string {
  const { label, callbackUrl } = webhook
  if (webhook.kind === 'extra') {
    return `This rule will send nothing about ${label} records to ${hostOf(callbackUrl)} any more. Other addresses still get theirs.`
  }
  return callbackUrl
    ? `Nothing about ${label} records will be sent to ${hostOf(callbackUrl)} any more.`
    : `This webhook's activity is no longer shown here. Forwarding rules and automations for ${label} records still get their events.`
}

function ConfirmDelete({ webhook, account }: CardProps) {
  return (
    <CardButton intent="delete" webhookId={webhook.id} account={account} variant="danger" pendingLabel="Deleting…">
      {webhook.kind === 'extra' ? 'Delete rule' : 'Delete webhook'}
    </CardButton>
  )
}
