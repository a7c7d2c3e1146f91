// Refreshes the operator's page while it is visible.
import { useRevalidator } from '@remix-run/react'
import { useEffect, useRef, useState } from 'react'
import { seconds } from '#app/lib/duration.ts'
import { askOwnServer } from '#app/ui/ask-own-server.tsx'

export const OPERATOR_REFRESH_MS = seconds(10)

export type Stale = 'signed_out' | 'no_answer'

/**
 * Sends a small request first: a failed reload would replace the current page just when it is needed. Returns why the
 * shown data is stale; null = it is fresh.
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
