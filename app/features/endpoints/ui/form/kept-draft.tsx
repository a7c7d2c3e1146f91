import { useEffect, useState } from 'react'
import { hasDraft } from './draft.ts'

/** The forms of the page that keep what is typed: a new webhook, another address. */
const FORM_IDS = ['create-webhook', 'add-rule']

/** Says at the gate that a form of this account is kept: signing in brings it back. */
export function KeptDraft({ accountUUID }: { accountUUID: string }) {
  const [kept, setKept] = useState(false)
  useEffect(() => setKept(hasDraft(FORM_IDS, accountUUID)), [accountUUID])
  return kept ? <p>We keep what you typed in this tab.</p> : null
}
