import { ListTree } from 'lucide-react'
import { deliveryAddress, type LinkAccount } from '#app/domain/delivery-address.ts'
import { objectLabel } from '#app/domain/object-catalog.ts'
import { Badge } from '#app/ui/badge.tsx'
import { ButtonLink } from '#app/ui/button.tsx'
import { Time, usePresent } from '#app/ui/time/time.tsx'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import type { SearchHit } from '../search-view.ts'
import { DeliveryPill } from './delivery-pill.tsx'
import { SendAgainButton } from './send-again-button.tsx'

interface SearchHitsProps {
  hits: readonly SearchHit[]
  account: LinkAccount
}

/** Rows on a wide screen, cards on a phone. */
export function SearchHits({ hits, account }: SearchHitsProps) {
  return (
    <ol
      aria-labelledby="result-title"
      className="grid gap-3 sm:block sm:rounded-card sm:border sm:border-line sm:bg-surface sm:shadow-rest"
    >
      {hits.map((hit) => (
        <li
          key={`${hit.eventId}-${hit.delivery?.id ?? 0}`}
          className="grid gap-x-4 gap-y-2 rounded-card border border-line bg-surface px-4 pt-3 pb-2 shadow-rest sm:grid-cols-[9rem_minmax(0,1fr)] sm:rounded-none sm:border-x-0 sm:border-b-0 sm:bg-transparent sm:shadow-none sm:first:border-t-0 lg:grid-cols-[9rem_minmax(0,1fr)_auto]"
        >
          <div className="flex min-w-0 flex-wrap items-center justify-between gap-x-3 gap-y-1 sm:flex-col sm:items-start sm:justify-start">
            <DeliveryPill status={hit.delivery?.status ?? 'not_forwarded'} />
            <Time at={hit.receivedAt} as="clock" className="whitespace-nowrap text-dense text-ink-soft tabular-nums" />
          </div>
          <Hit hit={hit} />
          {hit.delivery === null ? null : (
            <div className="-mx-4 flex flex-wrap sm:col-start-2 lg:col-start-3 lg:row-start-1 lg:mx-0 lg:-mt-2.5 lg:-mr-2 lg:flex-nowrap lg:items-start lg:justify-end">
              <ButtonLink to={deliveryAddress(account, hit.delivery.id)} variant="quiet" icon={ListTree}>
                Details
                <VisuallyHidden> of delivery {hit.delivery.id}</VisuallyHidden>
              </ButtonLink>
              {hit.delivery.canSendAgain ? <SendAgainButton deliveryId={hit.delivery.id} variant="quiet" /> : null}
            </div>
          )}
        </li>
      ))}
    </ol>
  )
}

function Hit({ hit }: { hit: SearchHit }) {
  const { delivery } = hit
  const now = usePresent()
  return (
    <div className="grid min-w-0 content-start gap-1 text-dense">
      <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1 text-label">
        <span className="wrap-anywhere font-semibold">{objectLabel(hit.object)}</span>
        {hit.test ? <Badge>Test event</Badge> : null}
        <span className="min-w-0 break-all font-mono text-dense text-ink-soft">{hit.objectUuid}</span>
      </p>
      <p className="wrap-anywhere">
        <span className="text-ink-soft">Changed fields: </span>
        {hit.changedFields.length === 0 ? '–' : hit.changedFields.join(', ')}
      </p>
      {delivery === null ? (
        <p className="text-label">No address was to get this event when it came in.</p>
      ) : (
        <>
          <p className="break-all text-ink-soft">
            {delivery.url}
            {delivery.attempts > 1 ? ` · ${delivery.attempts} attempts` : ''}
          </p>
          <p className="wrap-anywhere text-label">{delivery.sentence}</p>
          {delivery.nextAt === null || delivery.nextAt <= now ? null : (
            <p className="text-ink-soft">
              Next attempt <Time at={delivery.nextAt} />.
            </p>
          )}
        </>
      )}
    </div>
  )
}
