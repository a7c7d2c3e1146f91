import { CircleCheck } from 'lucide-react'
import { EmptyState } from '#app/ui/empty-state.tsx'
import { Time } from '#app/ui/time/time.tsx'
import { addressesText, groupText } from '../failure-class.ts'
import type { OperatorFacts } from '../operator-view.ts'
import { Part } from './part.tsx'

/** Failing endpoints per account, since when and how; no addresses. */
export function FailingCard({ failing }: { failing: OperatorFacts['failing'] }) {
  const { groups, addresses, accounts, more } = failing
  return (
    <Part id="failing" title="Failing addresses">
      {groups.length === 0 ? (
        <EmptyState icon={CircleCheck} title="No failing addresses">
          <p>You will see accounts with failing receivers here.</p>
        </EmptyState>
      ) : (
        <>
          <p className="text-label text-ink-soft">
            {addressesText(addresses)} of {accounts === 1 ? 'one account' : `${accounts} accounts`}. Their owners see
            how to mend it.
          </p>
          <ul aria-labelledby="failing-title" className="mt-2 grid">
            {groups.map((group) => (
              <li key={group.accountUuid} className="grid gap-0.5 border-line border-t py-2.5 first:border-t-0">
                <p className="wrap-anywhere text-label font-medium">{group.accountName || 'Without a name'}</p>
                <p className="text-dense text-ink-soft">
                  {groupText(group)}, since <Time at={group.since} as="clock" />
                  {group.switchedOff > 0 ? `; ${group.switchedOff} switched off after 72 hours` : null}
                </p>
              </li>
            ))}
          </ul>
          {more ? (
            <p className="mt-2 text-dense text-ink-soft">There are more. Those that fail longest are listed.</p>
          ) : null}
        </>
      )}
    </Part>
  )
}
