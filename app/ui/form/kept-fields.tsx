import { type RefObject, useEffect, useRef } from 'react'
import { forgetDraft, keepDraft, restoreDraft } from './draft.ts'

interface KeptFields {
  /** Has an id. */
  form: RefObject<HTMLFormElement | null>
  account: string
  /** The text of every field as it is saved. */
  saved: Readonly<Record<string, string>>
  sending?: boolean
  /** The last answer was no. */
  refused?: boolean
}

/** Puts what was typed in this tab back into the form, and forgets it once it is saved. `keep` is for each input. */
export function useKeptFields({ form, account, saved, sending = false, refused = false }: KeptFields) {
  const texts = useRef(saved)
  texts.current = saved
  const wasSending = useRef(false)
  const forget = () => void (form.current && forgetDraft(form.current.id, account))
  useEffect(() => {
    if (wasSending.current && !sending && !refused) forget()
    wasSending.current = sending
  })
  const drawn = JSON.stringify(saved)
  useEffect(() => {
    const element = form.current
    if (!element || !restoreDraft(element, account, texts.current)) return
    // Others learn of it as of typing.
    const first = element.querySelector('input:not([type=hidden]), textarea, select')
    first?.dispatchEvent(new Event('input', { bubbles: true }))
  }, [form, account, drawn])
  return { forget, keep: () => void (form.current && keepDraft(form.current, account, saved)) }
}
