import { Link } from '@remix-run/react'
import { BellOff, Undo2 } from 'lucide-react'
import { type AutomationAccount, settingsAddress } from '#app/domain/automations/automation-address.ts'
import { runsAddress } from '#app/domain/automations/history-address.ts'
import { CardSection } from '#app/ui/card.tsx'
import { PostButton } from '#app/ui/form/post-button.tsx'
import type { MetCustomer } from '../../settings/mute.ts'
import { MutedSince } from '../../settings/ui/muted-since.tsx'

interface CustomerCardProps {
  customers: readonly MetCustomer[]
  account: AutomationAccount
}

const MUTED = {
  company: 'Gets no automatic messages.',
  job: 'Gets no automatic messages about this job.',
  number: 'Gets no automatic messages: the same number or address wrote STOP.',
} as const

/** Lets a person mute the customers shown, in a card of its own. Renders nothing without any. */
export function CustomerCard({ customers, account }: CustomerCardProps) {
  if (customers.length === 0) return null
  return (
    <CardSection id="customer" title={customers.length === 1 ? 'Customer' : 'Customers'}>
      <Customers customers={customers} account={account} />
    </CardSection>
  )
}

export function Customers({ customers, account }: CustomerCardProps) {
  return (
    <>
      <ul className="grid gap-4">
        {customers.map(({ uuid, name, mute, mutedBy, answered, gotToday }) => {
          const who = name || 'This customer'
          return (
            <li key={uuid} className="grid justify-items-start gap-1.5">
              <p className="wrap-anywhere font-medium text-label">{who}</p>
              {gotToday ? <p className="text-dense text-ink-soft">Got {gotToday} from automations today.</p> : null}
              {mute === null ? (
                <>
                  {answered === undefined ? (
                    <p className="text-dense text-ink-soft">Gets automatic messages.</p>
                  ) : (
                    <p className="text-label">
                      Messages wait: they answered{answered && ` about job ${answered}`}.{' '}
                      <Link
                        to={`${runsAddress(account)}#answers-title`}
                        className="text-accent underline underline-offset-4"
                      >
                        Go on or stop
                      </Link>
                    </p>
                  )}
                  <PostButton
                    wraps
                    values={{ act: 'mute', company: uuid, name }}
                    variant="danger-quiet"
                    icon={BellOff}
                    {...(customers.length > 1 && { 'aria-label': `Stop messages to this customer: ${who}` })}
                  >
                    Stop messages to this customer
                  </PostButton>
                </>
              ) : (
                <>
                  <p className="text-label">{MUTED[mutedBy ?? 'company']}</p>
                  <MutedSince mute={mute} />
                  <PostButton
                    wraps
                    values={{ act: 'allow', mute: String(mute.id) }}
                    icon={Undo2}
                    {...(customers.length > 1 && { 'aria-label': `Allow again: ${who}` })}
                  >
                    Allow again
                  </PostButton>
                </>
              )}
            </li>
          )
        })}
      </ul>
      <p className="mt-3">
        <Link
          to={settingsAddress(account)}
          className="inline-flex min-h-11 items-center text-accent text-label underline underline-offset-4"
        >
          Change quiet hours and limits
        </Link>
      </p>
    </>
  )
}
