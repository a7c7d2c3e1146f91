// Keeps a waiting delivery up to date while the page is visible.
import { useRevalidator } from '@remix-run/react'
import { useEffect, useRef } from 'react'
import { seconds } from '#app/lib/duration.ts'
import { askOwnServer } from '#app/ui/ask-own-server.tsx'
import type { DeliveryJson, DeliveryView } from '../delivery-detail.ts'

/** The same interval as a webhook's log. */
export const DELIVERY_REFRESH_MS = seconds(5)

/** The first refresh comes sooner: a delivery that was just sent again is usually answered within a second. */
const FIRST_CHECK_MS = seconds(1.5)

/** Changes whenever the delivery's state or attempts change. */
function stampOf(delivery: Pick<DeliveryView, 'status' | 'attemptsMade'>): string {
  return `${delivery.status} ${delivery.attemptsMade}`
}

/**
 * Polls the delivery's call while it waits, and reloads the page's data after a change. A failed poll changes nothing:
 * the page stays and the next poll may succeed.
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
