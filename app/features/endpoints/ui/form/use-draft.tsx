import { useCallback, useEffect, useRef, useState } from 'react'
import type { ManagerAccount } from '../manager-address.ts'
import { keepDraft, restoreDraft } from './draft.ts'

interface DraftOf {
  act: 'create' | 'edit'
  id: string
  account: ManagerAccount
  saved: Record<string, string>
  /** The objects that already have a webhook, in one text. */
  used: string
  fieldText: string
}

/** Keeps what is typed in this tab. `take` gets what was typed before hydration, or before another page was opened. */
export function useDraft(draft: DraftOf, take: (typed: FormData) => void) {
  const { act, id, saved, used, fieldText } = draft
  const { accountUUID } = draft.account
  const [note, setNote] = useState('')
  const now = useRef({ saved, take })
  now.current = { saved, take }
  useEffect(() => {
    const element = document.getElementById(id)
    if (!(element instanceof HTMLFormElement)) return
    const isTaken = (object: string) => used.split(' ').includes(object)
    if (restoreDraft(element, accountUUID, now.current.saved, isTaken)) setNote('We kept what you typed.')
    now.current.take(new FormData(element))
  }, [id, accountUUID, used])

  const keep = useCallback(() => {
    const element = document.getElementById(id)
    if (!(element instanceof HTMLFormElement)) return
    const kept = keepDraft(element, accountUUID, now.current.saved)
    setNote((last) => (kept ? last || (act === 'edit' ? 'Changes not saved' : '') : ''))
  }, [act, id, accountUUID])
  // A preset changes the fields without any typing.
  useEffect(keep, [keep, fieldText])
  return { note, keep }
}
