// A delivery that waits, watched while somebody looks at it.
import { useRevalidator } from '@remix-run/react'
import { useEffect, useRef } from 'react'
import { seconds } from '#app/lib/duration.ts'
import { askOwnServer } from '#app/ui/ask-own-server.tsx'
import type { DeliveryJson, DeliveryView } from '../delivery-detail.ts'

/** As often as the log of a webhook. */
export const DELIVERY_REFRESH_MS = seconds(5)

/** The first look comes sooner: what was just sent again is mostly answered within a second. */
const FIRST_CHECK_MS = seconds(1.5)

/** Changes when something happened to the delivery. */
function stampOf(delivery: Pick<DeliveryView, 'status' | 'attemptsMade'>): string {
  return `${delivery.status} ${delivery.attemptsMade}`
}

/**
 * Asks the delivery's call while it waits, and for the page anew once something has happened. A turn that fails changes
 * nothing: the next one may fare better, and the page that is there stays.
 */
export function useLiveDelivery(delivery: DeliveryView, accountUUID: string): void {
  const { revalidate } = useRevalidator()
  const again = useRef(revalidate)
  again.current = revalidate
  const { id, status } = delivery
  const stamp = stampOf(delivery)
  const waits = status === 'waiting' || status === 'held'
  useEffect(() => {
    if (!waits) return
    let ended = false
    async function check() {
      if (document.hidden) return
      const now = await fetchStamp(id, accountUUID)
      if (!ended && now !== null && now !== stamp) again.current()
    }
    const first = setTimeout(() => void check(), FIRST_CHECK_MS)
    const timer = setInterval(() => void check(), DELIVERY_REFRESH_MS)
    return () => {
      ended = true
      clearTimeout(first)
      clearInterval(timer)
    }
  }, [id, accountUUID, stamp, waits])
}

async function fetchStamp(id: number, accountUUID: string): Promise<string | null> {
  try {
    const answer = await askOwnServer(`/api/deliveries/${id}?${new URLSearchParams({ accountUUID })}`)
    return answer.ok ? stampOf((await answer.json()) as DeliveryJson) : null
  } catch {
    return null
  }
}
