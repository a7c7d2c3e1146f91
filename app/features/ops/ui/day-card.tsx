import { sizeText } from '#app/domain/size-text.ts'
import { dayText } from '#app/domain/time/moments.ts'
import { days } from '#app/lib/duration.ts'
import { Curve } from '#app/ui/chart/curve.tsx'
import { useZone } from '#app/ui/time/time.tsx'
import { QUARTERS } from '../day-curves.ts'
import type { OperatorFacts } from '../operator-view.ts'
import { Part } from './part.tsx'

/** Events, the oldest due delivery and the database over the last 24 hours. */
export function DayCard({ curves, space, now }: Pick<OperatorFacts, 'curves' | 'space' | 'now'>) {
  const zone = useZone()
  const { usedBytes, budgetBytes, outlook } = space
  const full = outlook.daysLeft === null ? '' : `, full about ${dayText(now + days(outlook.daysLeft), zone)}`
  return (
    <Part id="day" title={curves.title} className="lg:col-span-2">
      <div className="grid gap-4 sm:grid-cols-3 sm:gap-6">
        <Curve {...curves.events} places={QUARTERS} />
        <Curve {...curves.overdue} places={QUARTERS} />
        <Curve
          sentence={`Database: ${sizeText(usedBytes)} of ${sizeText(budgetBytes)}${full}.`}
          values={curves.size}
          places={QUARTERS}
        />
      </div>
    </Part>
  )
}
