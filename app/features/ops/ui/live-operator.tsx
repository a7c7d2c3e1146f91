// The operator's page, asked for anew while somebody looks at it.
import { useRevalidator } from '@remix-run/react'
import { useEffect, useRef, useState } from 'react'
import { seconds } from '#app/lib/duration.ts'
import { askOwnServer } from '#app/ui/ask-own-server.tsx'

export const OPERATOR_REFRESH_MS = seconds(10)

export type Stale = 'signed_out' | 'no_answer'

/**
 * A small question first: a page that could not be made anew would take the place of the one that is there, just when it is needed.
 * Says why what is shown is no longer fresh; null = it is.
 */
export function useLiveOperator(accountUUID: string): Stale | null {
  const { revalidate } = useRevalidator()
  const again = useRef(revalidate)
  again.current = revalidate
  const [stale, setStale] = useState<Stale | null>(null)
  const over = stale === 'signed_out'
  useEffect(() => {
    if (over) return
    let ended = false
    async function check() {
      if (document.hidden) return
      const found = await ask(accountUUID)
      if (ended) return
      setStale(found)
      if (found === null) again.current()
    }
    const timer = setInterval(() => void check(), OPERATOR_REFRESH_MS)
    return () => {
      ended = true
      clearInterval(timer)
    }
  }, [accountUUID, over])
  return stale
}

async function ask(accountUUID: string): Promise<Stale | null> {
  try {
    const answer = await askOwnServer(`/api/sessions?${new URLSearchParams({ accountUUID })}`)
    if (answer.ok) return null
    return answer.status === 401 || answer.status === 404 ? 'signed_out' : 'no_answer'
  } catch {
    return 'no_answer'
  }
}
