import { useRevalidator } from '@remix-run/react'
import { ArrowLeft, ChevronRight, RefreshCw, Search } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { type AccountLink, accountQuery } from '#app/domain/account-address.ts'
import { type AccountPage, deliveryAddress, managerAddress, searchAddress } from '#app/domain/delivery-address.ts'
import { seconds } from '#app/lib/duration.ts'
import { AddressButton } from '#app/ui/address-button.tsx'
import { useAnnounce } from '#app/ui/announcer.tsx'
import { askOwnServer } from '#app/ui/ask-own-server.tsx'
import { toneStyles } from '#app/ui/badge.tsx'
import { ButtonLink } from '#app/ui/button.tsx'
import { PageHeader } from '#app/ui/page/page-header.tsx'
import { AccountTimeProvider, Time, usePresent } from '#app/ui/time/time.tsx'
import type { DeliveryJson, DeliveryView } from '../delivery-detail.ts'
import { deliveryTitle } from '../search-view.ts'
import { DeliveryAttempts } from './delivery-attempts.tsx'
import { DeliveryEvent, OtherDeliveries } from './delivery-event.tsx'
import { deliveryMark } from './delivery-pill.tsx'
import { CopyCurl, DeliveryRequest } from './delivery-request.tsx'
import { SendAgainButton } from './send-again-button.tsx'

/** The same interval as a webhook's log. */
export const DELIVERY_REFRESH_MS = seconds(5)

/** The first refresh comes sooner: a delivery that was just sent again is usually answered within a second. */
const FIRST_CHECK_MS = seconds(1.5)

interface DeliveryPageProps extends AccountPage {
  delivery: DeliveryView
  /** Numbers of the next deliveries in the list; null = there is none. */
  beside: { newer: number | null; older: number | null }
}

/** One delivery with all its details. */
export function DeliveryPage({ accountUUID, accountName, timezone, admin, now, delivery, beside }: DeliveryPageProps) {
  const account: AccountLink = { accountUUID, admin }
  useLiveDelivery(delivery, accountUUID)
  useChangeAnnounced(delivery)
  return (
    <AccountTimeProvider now={now} zone={timezone}>
      <PageHeader
        title={deliveryTitle(delivery)}
        overline={accountName}
        back={{ to: managerAddress(account, delivery.owner.card), words: 'Back to webhooks' }}
        actions={
          <ButtonLink to={searchAddress(account)} icon={Search}>
            Find a delivery
          </ButtonLink>
        }
        summary={<Standing delivery={delivery} />}
      />
      <div className="mb-5 flex flex-wrap items-center gap-2">
        {delivery.whyNotAgain === null ? (
          <SendAgainButton
            deliveries={[delivery.id]}
            variant={delivery.status === 'delivered' ? 'secondary' : 'primary'}
          />
        ) : null}
        <CopyCurl request={delivery.request} now={now} />
        {delivery.waiting === null ? null : (
          <AddressButton query={accountQuery(account)} icon={RefreshCw}>
            Refresh
          </AddressButton>
        )}
        <nav aria-label="Other deliveries" className="flex gap-2 sm:ml-auto">
          {beside.newer === null ? null : (
            <ButtonLink to={deliveryAddress(account, beside.newer)} variant="quiet" icon={ArrowLeft}>
              Newer
            </ButtonLink>
          )}
          {beside.older === null ? null : (
            <ButtonLink to={deliveryAddress(account, beside.older)} variant="quiet" icon={ChevronRight}>
              Older
            </ButtonLink>
          )}
        </nav>
        {delivery.whyNotAgain === null ? null : (
          <p className="w-full text-label text-ink-soft">It cannot be sent again. {delivery.whyNotAgain}</p>
        )}
      </div>
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_22rem] lg:gap-6">
        <div className="grid min-w-0 gap-5">
          <DeliveryAttempts delivery={delivery} />
          <DeliveryRequest delivery={delivery} now={now} whole={`/api/deliveries/${delivery.id}?${query(account)}`} />
        </div>
        <div className="grid min-w-0 gap-5">
          <DeliveryEvent delivery={delivery} account={account} />
          <OtherDeliveries delivery={delivery} account={account} />
        </div>
      </div>
    </AccountTimeProvider>
  )
}

function query(account: AccountLink): string {
  return String(new URLSearchParams({ accountUUID: account.accountUUID }))
}

/** The state in one sentence; while it waits, what it waits for and how long. */
function Standing({ delivery }: { delivery: DeliveryView }) {
  const { tone, icon: Icon, word } = deliveryMark(delivery.status)
  const { waiting } = delivery
  const now = usePresent()
  return (
    <div
      className={`flex items-start gap-2.5 rounded-control px-3.5 py-3 ${tone === 'neutral' ? 'bg-surface' : toneStyles[tone]}`}
    >
      <Icon aria-hidden className="mt-0.5 size-5 shrink-0" />
      <div className="grid min-w-0 gap-1 wrap-anywhere">
        {delivery.sentence.startsWith(word) ? (
          <p className="font-medium">{delivery.sentence}</p>
        ) : (
          <p>
            <strong className="font-semibold">{word}.</strong> {delivery.sentence}
          </p>
        )}
        {waiting === null ? null : (
          <p className="text-label">
            {waiting.nextAt === null || waiting.nextAt <= now ? null : (
              <>
                Next attempt <Time at={waiting.nextAt} />
                {waiting.atEarliest ? ' at the earliest' : ''}.{' '}
              </>
            )}
            Gives up <Time at={waiting.until} />.
          </p>
        )}
      </div>
    </div>
  )
}

/** Announces the new state when the page refreshes by itself. */
function useChangeAnnounced(delivery: DeliveryView): void {
  const announce = useAnnounce()
  const { id, status, sentence } = delivery
  const stamp = stampOf(delivery)
  const last = useRef(stamp)
  useEffect(() => {
    if (last.current === stamp) return
    last.current = stamp
    announce(`Delivery ${id}: ${deliveryMark(status).word}. ${sentence}`)
  }, [announce, id, status, stamp, sentence])
}

/** Changes whenever the delivery's state or attempts change. */
function stampOf(delivery: Pick<DeliveryView, 'status' | 'attemptsMade'>): string {
  return `${delivery.status} ${delivery.attemptsMade}`
}

/**
 * Polls the delivery's call while it waits and the page is visible, and reloads the page's data after a change. A failed
 * poll changes nothing: the page stays and the next poll may succeed.
 */
function useLiveDelivery(delivery: DeliveryView, accountUUID: string): void {
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
