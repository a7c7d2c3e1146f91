import { Form, useNavigate } from '@remix-run/react'
import { Trash2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { hostOf } from '#app/lib/url.ts'
import { AddressButton } from '#app/ui/address-button.tsx'
import { Button, ButtonLink } from '#app/ui/button.tsx'
import { useOnDemand } from '#app/ui/on-demand.tsx'
import { calledOf, type EndpointView } from '../endpoint-view.ts'
import { useSending } from './form/manager-form.tsx'
import { cardId, type ManagerAccount, managerQuery, managerSearch } from './manager-address.ts'

interface DeleteWebhookProps {
  webhook: EndpointView
  account: ManagerAccount
}

async function loadDialog() {
  return (await import('#app/ui/confirm-dialog.tsx')).ConfirmDialog
}

/** The button and its question: a dialog, or a page with the question in it where no dialog can be had. */
export function DeleteWebhook({ webhook, account }: DeleteWebhookProps) {
  const button = useRef<HTMLButtonElement>(null)
  const [near, setNear] = useState(false)
  const [asked, setAsked] = useState(false)
  const { part: ConfirmDialog, failed } = useOnDemand(loadDialog, near || asked)
  const sending = useSending('delete', webhook.id)
  const wasSending = useRef(false)
  const navigate = useNavigate()
  const step = { step: 'confirmDelete', webhookId: webhook.id } as const

  // Still here after it was sent: it was refused, and the page says why.
  useEffect(() => {
    if (wasSending.current && !sending) setAsked(false)
    wasSending.current = sending
  }, [sending])

  const byAddress = `${managerSearch(account, step)}#${cardId(webhook.id)}`
  useEffect(() => {
    if (!failed || !asked) return
    setAsked(false)
    navigate(byAddress, { preventScrollReset: true })
  }, [failed, asked, byAddress, navigate])

  return (
    <>
      <AddressButton
        ref={button}
        query={managerQuery(account, step)}
        anchor={cardId(webhook.id)}
        look="danger-quiet"
        icon={Trash2}
        aria-label={`Delete ${calledOf(webhook)}`}
        onPointerEnter={() => setNear(true)}
        onFocus={() => setNear(true)}
        onClick={(event) => {
          event.preventDefault()
          setAsked(true)
        }}
      >
        <span className="max-sm:sr-only">Delete</span>
      </AddressButton>
      {ConfirmDialog ? (
        <ConfirmDialog
          open={asked}
          onClose={() => setAsked(false)}
          returnTo={button}
          title={question(webhook)}
          cancelLabel="Keep it"
          action={<DeleteForm webhook={webhook} account={account} sending={sending} />}
        >
          <Consequences webhook={webhook} />
        </ConfirmDialog>
      ) : null}
    </>
  )
}

/** The same question as part of the page. */
export function DeleteQuestion({ webhook, account }: DeleteWebhookProps) {
  const sending = useSending('delete', webhook.id)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const titleId = `delete-${webhook.id}-title`
  return (
    <section aria-labelledby={titleId} className="grid gap-3 rounded-control border border-failing p-4">
      <h4 id={titleId} ref={heading} tabIndex={-1} className="font-semibold">
        {question(webhook)}
      </h4>
      <div className="grid gap-2 wrap-anywhere text-label text-ink-soft">
        <Consequences webhook={webhook} />
      </div>
      <div className="flex flex-wrap gap-2">
        <ButtonLink to={`${managerSearch(account)}#${cardId(webhook.id)}`} preventScrollReset>
          Keep it
        </ButtonLink>
        <DeleteForm webhook={webhook} account={account} sending={sending} />
      </div>
    </section>
  )
}

function question(webhook: EndpointView): string {
  return `Delete the ${calledOf(webhook)}?`
}

/** `hooks.zapier.com`: enough to know it by, however long the address is. */
function Consequences({ webhook }: { webhook: EndpointView }) {
  return (
    <>
      <p>{whatEnds(webhook)}</p>
      {webhook.pending > 0 ? (
        <p>
          {webhook.pending === 1 ? 'One event is' : `${webhook.pending} events are`} still waiting and will not be sent.
        </p>
      ) : null}
      <p>
        This cannot be undone; you can {webhook.kind === 'extra' ? 'add the address again' : 'create a new webhook'} at
        any time.
      </p>
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
    : `Nothing about ${label} records will be recorded any more.`
}

function DeleteForm({ webhook, account, sending }: DeleteWebhookProps & { sending: boolean }) {
  return (
    <Form method="post" preventScrollReset>
      <input type="hidden" name="intent" value="delete" />
      <input type="hidden" name="id" value={webhook.id} />
      <input type="hidden" name="accountUUID" value={account.accountUUID} />
      <Button type="submit" look="danger" pending={sending} pendingLabel="Deleting…">
        {webhook.kind === 'extra' ? 'Delete rule' : 'Delete webhook'}
      </Button>
    </Form>
  )
}
