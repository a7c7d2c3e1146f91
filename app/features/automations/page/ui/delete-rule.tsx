import { Form, useNavigate } from '@remix-run/react'
import { Trash2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import {
  type AutomationAccount,
  automationAddress,
  automationQuery,
  ruleAnchor,
} from '#app/domain/automations/automation-address.ts'
import { Button, ButtonLink } from '#app/ui/button.tsx'
import { useIsSending } from '#app/ui/form/sent-values.tsx'
import { useOnDemand } from '#app/ui/on-demand.tsx'
import { WayButton } from '../../form/ui/way-button.tsx'
import type { RuleCardView } from '../../rules/rule-view.ts'
import { ActFields } from './rule-button.tsx'

interface DeleteRuleProps {
  rule: RuleCardView
  account: AutomationAccount
}

const DELETE_TITLE = 'Delete Automation'

async function loadDialog() {
  return (await import('#app/ui/confirm-dialog.tsx')).ConfirmDialog
}

/** The button and its question: a dialog, or a page with the question in it where no dialog can be had. */
export function DeleteRule({ rule, account }: DeleteRuleProps) {
  const button = useRef<HTMLButtonElement>(null)
  const [near, setNear] = useState(false)
  const [asked, setAsked] = useState(false)
  const { part: ConfirmDialog, failed } = useOnDemand(loadDialog, near || asked)
  const sending = useIsSending({ act: 'delete', id: String(rule.id) })
  const wasSending = useRef(false)
  const navigate = useNavigate()
  const step = { step: 'delete', ruleId: rule.id } as const

  // Still here after it was sent: it was refused, and the page says why.
  useEffect(() => {
    if (wasSending.current && !sending) setAsked(false)
    wasSending.current = sending
  }, [sending])

  const byAddress = `${automationAddress(account, step)}#${ruleAnchor(rule.id)}`
  useEffect(() => {
    if (!failed || !asked) return
    setAsked(false)
    navigate(byAddress, { preventScrollReset: true })
  }, [failed, asked, byAddress, navigate])

  return (
    <>
      <WayButton
        ref={button}
        query={automationQuery(account, step)}
        anchor={ruleAnchor(rule.id)}
        look="danger-quiet"
        icon={Trash2}
        aria-label={`Delete ${rule.name}`}
        onPointerEnter={() => setNear(true)}
        onFocus={() => setNear(true)}
        onClick={(event) => {
          event.preventDefault()
          setAsked(true)
        }}
      >
        Delete
      </WayButton>
      {ConfirmDialog ? (
        <ConfirmDialog
          open={asked}
          onClose={() => setAsked(false)}
          returnTo={button}
          title={DELETE_TITLE}
          cancelLabel="Cancel"
          action={<DeleteForm rule={rule} account={account} sending={sending} />}
        >
          <Consequences rule={rule} />
        </ConfirmDialog>
      ) : null}
    </>
  )
}

/** The same question as part of the page. */
export function DeleteRuleQuestion({ rule, account }: DeleteRuleProps) {
  const sending = useIsSending({ act: 'delete', id: String(rule.id) })
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const titleId = `delete-${rule.id}-title`
  return (
    <section aria-labelledby={titleId} className="grid gap-3 rounded-control border border-failing p-4">
      <h4 id={titleId} ref={heading} tabIndex={-1} className="font-semibold">
        {DELETE_TITLE}
      </h4>
      <div className="grid gap-2 wrap-anywhere text-label text-ink-soft">
        <Consequences rule={rule} />
      </div>
      <div className="flex flex-wrap gap-2">
        <ButtonLink to={`${automationAddress(account)}#${ruleAnchor(rule.id)}`} preventScrollReset>
          Cancel
        </ButtonLink>
        <DeleteForm rule={rule} account={account} sending={sending} />
      </div>
    </section>
  )
}

function Consequences({ rule }: { rule: RuleCardView }) {
  return (
    <>
      <p>Delete “{rule.name}”? It will never run again, and what it has waiting is cancelled.</p>
      <p>
        {rule.triggerUrl === null ? '' : 'Its address stops working. '}What it did stays in the logs. This cannot be
        undone; copy it as JSON first if you may want it back.
      </p>
    </>
  )
}

function DeleteForm({ rule, account, sending }: DeleteRuleProps & { sending: boolean }) {
  return (
    <Form method="post" preventScrollReset>
      <ActFields account={account} values={{ act: 'delete', id: String(rule.id) }} />
      <Button type="submit" look="danger" pending={sending} pendingLabel="Deleting…">
        Delete
      </Button>
    </Form>
  )
}
