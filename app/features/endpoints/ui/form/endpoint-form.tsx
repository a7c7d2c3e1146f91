import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import type { EndpointKey, EndpointKind } from '#app/domain/endpoint-key.ts'
import { OBJECT_KINDS } from '#app/domain/object-catalog.ts'
import { Card, CardSection } from '#app/ui/card.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { forgetDraft, ownerOf } from '#app/ui/form/draft.ts'
import { type FormResult, resultFor } from '../../form-result.ts'
import type { ManagerAccount } from '../manager-address.ts'
import { editId, FORMS } from './form-wording.ts'
import { useSending } from './use-sending.tsx'

const loadCreateForm = async () => ({ default: (await import('./endpoint-fields.tsx')).CreateForm })

// The server has it loaded and draws it; a browser loads it after the list.
const CreateForm = import.meta.env.SSR ? (await loadCreateForm()).default : lazy(loadCreateForm)

interface NewProps {
  account: ManagerAccount
  result: FormResult | undefined
}

type NewWebhookProps = NewProps & { usedTypes: readonly string[] }

/** The card with the form for a webhook. `usedTypes` = object types that already have one. */
export function NewWebhook(props: NewWebhookProps) {
  return (
    <CardSection id="create" title="Create New Webhook">
      <NewWebhookForm {...props} />
    </CardSection>
  )
}

/** The form itself. */
export function NewWebhookForm({ account, result, usedTypes }: NewWebhookProps) {
  const { round, ...state } = useRounds('webhook', account, result)
  const open = OBJECT_KINDS.filter((kind) => !usedTypes.includes(kind.type))
  return (
    <Suspense fallback={null}>
      <CreateForm key={round} kind="webhook" account={account} open={open} {...state} />
    </Suspense>
  )
}

/** The collapsed form for an extra address. `noRoom` = why no more addresses fit; null when one does. */
export function NewAddress({ account, result, noRoom }: NewProps & { noRoom: string | null }) {
  const { round, ...state } = useRounds('extra', account, result)
  if (noRoom !== null && !state.refused) return <p className="text-label text-ink-soft">{noRoom}</p>
  return (
    <Card className="px-4 sm:px-5">
      <Disclosure key={round} summary="Add another address" {...(state.refused ? { open: true } : {})}>
        <div className="pt-1 pb-3">
          <Suspense fallback={null}>
            <CreateForm kind="extra" account={account} open={OBJECT_KINDS} {...state} />
          </Suspense>
        </div>
      </Disclosure>
    </Card>
  )
}

/**
 * Forgets what was typed into a form for a new one once it is accepted. Stands before these forms and outlives them:
 * the first webhook changes the page.
 */
export function ForgetsAccepted({ account, result }: NewProps) {
  useRounds('webhook', account, result)
  useRounds('extra', account, result)
  return null
}

/** Resets the form (`round`) after an endpoint was created; after a refusal it keeps the typed values. */
function useRounds(kind: EndpointKind, account: ManagerAccount, result: FormResult | undefined) {
  const { intent, id } = FORMS[kind].create
  const refused = resultFor(result, intent)
  const sending = useSending(intent)
  const [round, setRound] = useState(0)
  useAccepted(sending, refused, () => {
    forgetDraft(id, ownerOf(account))
    setRound((last) => last + 1)
  })
  return { round, refused, sending }
}

/** Calls back once a form that was being sent is accepted. */
function useAccepted(sending: boolean, refused: FormResult | null, then: () => void) {
  const wasSending = useRef(false)
  useEffect(() => {
    if (wasSending.current && !sending && !refused) then()
    wasSending.current = sending
  })
}

/** Forgets what was typed into an endpoint's edit form once it is saved. For the card, which outlives the form. */
export function useSavedEdit(id: EndpointKey, account: ManagerAccount, refused: FormResult | null) {
  useAccepted(useSending('update', id), refused, () => forgetDraft(editId(id), ownerOf(account)))
}
