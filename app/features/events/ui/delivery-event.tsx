import { Link } from '@remix-run/react'
import type { AccountLink } from '#app/domain/account-address.ts'
import { deliveryAddress, managerAddress, searchAddress } from '#app/domain/delivery-address.ts'
import { fullName } from '#app/domain/record-name.ts'
import { CardSection } from '#app/ui/card.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { Fact } from '#app/ui/page/facts.tsx'
import { Time } from '#app/ui/time/time.tsx'
import { CAUSE_TEXTS, type DeliveryView } from '../delivery-detail.ts'
import { ExactTime } from './activity-entries.tsx'
import { DeliveryPill } from './delivery-pill.tsx'

interface PartProps {
  delivery: DeliveryView
  account: AccountLink
}

const link = 'font-medium text-accent underline underline-offset-4'

/** The delivered event: the change in ServiceM8, and why this delivery exists. */
export function DeliveryEvent({ delivery, account }: PartProps) {
  const { event, owner } = delivery
  return (
    <CardSection id="event" title="Event">
      <dl className="grid gap-3 text-label">
        <Fact name="About">
          {fullName(event)}
          {event.source === 'test' ? ' (test event)' : ''}
        </Fact>
        <Fact name="Record">
          <Link
            to={searchAddress(account, { object: event.object, record: event.objectUuid })}
            className={`-my-2.5 flex min-h-11 items-center ${link}`}
          >
            All deliveries of this record
          </Link>
        </Fact>
        <Fact name="Changed fields">{event.changedFields.length === 0 ? '–' : event.changedFields.join(', ')}</Fact>
        <Fact name="Received">
          <ExactTime at={event.receivedAt} />
        </Fact>
        <Fact name="Webhook">
          {owner.card === null ? (
            owner.label
          ) : (
            <Link
              to={managerAddress(account, owner.card)}
              className={`-my-3 inline-flex min-h-11 items-center ${link}`}
            >
              {owner.label}
            </Link>
          )}
        </Fact>
        <Fact name="Sent">{CAUSE_TEXTS[delivery.cause]}</Fact>
        {delivery.settledAt === null ? null : (
          <Fact name="Finished">
            <ExactTime at={delivery.settledAt} />
          </Fact>
        )}
      </dl>
      <Disclosure dense summary="Technical">
        <dl className="grid gap-2 text-label">
          <Fact name="Delivery">{delivery.id}</Fact>
          <Fact name="Object">{event.object}</Fact>
          <Fact name="Record id">
            <Id>{event.objectUuid}</Id>
          </Fact>
          <Fact name="Event id">
            <Id>{event.id}</Id>
          </Fact>
        </dl>
      </Disclosure>
    </CardSection>
  )
}

function Id({ children }: { children: string }) {
  return <span className="break-all font-mono text-dense">{children}</span>
}

/** The other deliveries of the same event: to other addresses, and each time it was sent again. */
export function OtherDeliveries({ delivery, account }: PartProps) {
  const { others } = delivery
  if (others.length === 0) return null
  return (
    <CardSection id="others" title="Other deliveries of this event">
      <ul className="grid gap-3 divide-y divide-line">
        {others.map((other) => (
          <li key={other.id} className="grid gap-1 text-dense [&:not(:first-child)]:pt-3">
            <div className="flex flex-wrap items-center justify-between gap-x-3">
              <Link
                to={deliveryAddress(account, other.id)}
                className={`inline-flex min-h-11 items-center text-label ${link}`}
              >
                Delivery {other.id}
              </Link>
              <DeliveryPill status={other.status} />
            </div>
            <p>
              {CAUSE_TEXTS[other.cause]}, <Time at={other.createdAt} as="clock" />
              {other.lastCode === null ? '' : `. Last answer ${other.lastCode}`}.
            </p>
            <p className="break-all text-ink-soft">{other.rule === null ? other.url : `${other.rule}: ${other.url}`}</p>
          </li>
        ))}
      </ul>
    </CardSection>
  )
}
