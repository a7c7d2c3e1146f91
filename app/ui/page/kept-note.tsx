import { useEffect, useState } from 'react'

interface KeptNoteProps {
  accountUUID: string
  /** Looks into this browser tab. The same function on every render. */
  isKept: (accountUUID: string) => boolean
}

/** Says at the gate that something typed is kept: signing in brings it back. */
export function KeptNote({ accountUUID, isKept }: KeptNoteProps) {
  const [kept, setKept] = useState(false)
  useEffect(() => setKept(isKept(accountUUID)), [accountUUID, isKept])
  return kept ? <p>We keep the unsaved text of this tab.</p> : null
}
