import { Link } from '@remix-run/react'
import type { AccountLink } from '#app/domain/account-address.ts'
import { deliveryAddress } from '#app/domain/delivery-address.ts'
import { plural } from '#app/domain/time/moments.ts'
import { Time, usePresent } from '#app/ui/time/time.tsx'
import { durationText } from '#app/ui/time/time-text.ts'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import { fieldsShown } from '../fields-shown.ts'
import { receiverName, type SearchHit, shortAddress, troublesOf } from '../search-view.ts'
import { deliveryMark, StatusWord } from './delivery-pill.tsx'
import { RowLine, type RowLineProps } from './row-line.tsx'
import { SendAgainButton } from './send-again-button.tsx'

/** One line each on a wide screen; a press leads to the delivery. */
export function SearchHits({ hits, account }: { hits: readonly SearchHit[]; account: AccountLink }) {
  return (
    <ol aria-labelledby="result-title" className="rounded-card border border-line bg-surface shadow-rest">
      {hits.map((hit) => (
        <li
          key={`${hit.eventId}-${hit.delivery?.id ?? 0}`}
          className="flex min-w-0 items-center border-line border-t first:border-t-0"
        >
          <Hit hit={hit} account={account} />
        </li>
      ))}
    </ol>
  )
}

function Hit({ hit, account }: { hit: SearchHit; account: AccountLink }) {
  const { delivery } = hit
  const line = lineOf(hit)
  if (delivery === null) {
    return (
      <div className="flex min-w-0 flex-1 px-3 sm:px-4">
        <RowLine {...line} />
      </div>
    )
  }
  return (
    <>
      <Link
        to={deliveryAddress(account, delivery.id)}
        className="-outline-offset-2 flex min-w-0 flex-1 rounded-card pl-3 hover:bg-sunken sm:pl-4"
      >
        <RowLine {...line} />
        <VisuallyHidden> Details of delivery {delivery.id}</VisuallyHidden>
      </Link>
      {delivery.canSendAgain ? (
        <SendAgainButton deliveries={[delivery.id]} variant="quiet" short />
      ) : (
        <span className="w-4 shrink-0 sm:w-11" />
      )}
    </>
  )
}

function lineOf({ delivery, what, who, test, changedFields, receivedAt }: SearchHit): RowLineProps {
  const status = delivery?.status ?? 'not_forwarded'
  const { tone, icon } = deliveryMark(status)
  // The end is what a narrow row cuts: deliveries of one event differ in where they went.
  const parts = [
    delivery === null ? '' : `→ ${receiverName(delivery)}`,
    delivery !== null && delivery.attempts > 1 ? `${delivery.attempts} attempts` : '',
    fieldsShown(changedFields),
  ]
  return {
    ...{ icon, tone, what: test ? `Test: ${what}` : what, who },
    at: receivedAt,
    detail: parts.filter(Boolean).join(' · '),
    end: (
      <>
        <StatusWord status={status} code={delivery?.lastCode ?? null} />
        {delivery === null || delivery.lastMs === null ? null : (
          <span className="text-ink-soft max-sm:hidden"> {durationText(delivery.lastMs)}</span>
        )}
      </>
    ),
  }
}

/** More would push the rows off the screen. */
const MOST_TROUBLES = 3

/** Why deliveries of these rows did not arrive, each reason once. `more` = other pages may have some, too. */
export function Troubles({ hits, more }: { hits: readonly SearchHit[]; more: boolean }) {
  const now = usePresent()
  const troubles = troublesOf(hits).slice(0, MOST_TROUBLES)
  if (troubles.length === 0) return null
  const where = more ? ' on this page' : ''
  return (
    <ul
      aria-label="Not delivered"
      className="grid gap-2 rounded-card bg-attention-soft px-4 py-3 text-attention text-label"
    >
      {troubles.map(({ url, goesTo, endpointId, rule, sentence, count, nextAt, again }) => (
        <li key={`${endpointId}|${url}|${sentence}`} className="wrap-anywhere">
          <strong className="font-semibold">
            {plural(count, 'event')}
            {where}
            {url === '' ? null : ` to ${receiverName({ url, rule })}`}
          </strong>{' '}
          {sentence}
          {nextAt === null || nextAt <= now ? null : (
            <>
              {' '}
              Next attempt <Time at={nextAt} />.
            </>
          )}
          {again.length < 2 ? null : (
            <div className="mt-1">
              {goesTo === url || goesTo === '' ? null : <p>Sent again, they go to {shortAddress(goesTo)}.</p>}
              <SendAgainButton
                deliveries={again}
                about={`to ${receiverName({ url: goesTo || url, rule })}`}
                variant="secondary"
              />
            </div>
          )}
        </li>
      ))}
    </ul>
  )
}
