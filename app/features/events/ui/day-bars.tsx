import { Link } from '@remix-run/react'
import { type LinkAccount, searchAddress } from '#app/domain/delivery-address.ts'
import { dayText } from '#app/domain/time/moments.ts'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import { type DayVolume, dayAsked, type SearchForm, wholeDay } from '../search-view.ts'

const HEIGHT = 40

interface DayBarsProps {
  /** Oldest day first. */
  volume: readonly DayVolume[]
  account: LinkAccount
  form: SearchForm
}

/** Attempts a day: delivered below, failed on top. A day leads to its deliveries, with the other filters as they are. */
export function DayBars({ volume, account, form }: DayBarsProps) {
  const sum = (of: 'delivered' | 'failed') => volume.reduce((total, day) => total + day[of], 0)
  const [delivered, failed] = [sum('delivered'), sum('failed')]
  if (delivered + failed === 0) return null
  const most = Math.max(...volume.map((day) => day.delivered + day.failed))
  const asked = volume.find(({ date }) => date === dayAsked(form))
  return (
    <figure className="min-w-0">
      <nav aria-label="Days">
        {/* Drawn backwards, so that a narrow screen begins with today. */}
        <ol className="relative flex flex-row-reverse overflow-x-auto border-line border-b">
          {volume.toReversed().map((day) => {
            const says = sentenceOf(day)
            return day.delivered + day.failed === 0 ? (
              <li key={day.date} aria-hidden className="min-w-6 flex-1" />
            ) : (
              <li key={day.date} className="min-w-6 flex-1">
                <Link
                  to={searchAddress(account, { ...form, ...wholeDay(day.date) })}
                  preventScrollReset
                  title={says}
                  aria-current={day === asked ? 'true' : undefined}
                  className="-outline-offset-2 flex h-11 items-end px-0.5 hover:bg-sunken aria-[current]:ring-2 aria-[current]:ring-accent aria-[current]:ring-inset"
                >
                  <Bar day={day} most={most} />
                  <VisuallyHidden>{says}</VisuallyHidden>
                </Link>
              </li>
            )
          })}
        </ol>
      </nav>
      <figcaption className="mt-1 text-dense text-ink-soft">
        {asked === undefined ? (
          `Last ${volume.length} days: ${counted({ delivered, failed })} ${failed === 1 ? 'attempt' : 'attempts'}`
        ) : (
          <>
            {sentenceOf(asked)}{' '}
            <Link
              to={searchAddress(account, { ...form, from: '', until: '' })}
              preventScrollReset
              className="-my-2.5 ml-2 inline-flex min-h-11 items-center font-medium text-accent underline"
            >
              All days
            </Link>
          </>
        )}
      </figcaption>
    </figure>
  )
}

function sentenceOf(day: DayVolume): string {
  return `${dayText(Date.parse(day.date), 'UTC')}: ${counted(day)}`
}

function counted({ delivered, failed }: Pick<DayVolume, 'delivered' | 'failed'>): string {
  return `${delivered.toLocaleString('en-AU')} delivered, ${failed.toLocaleString('en-AU')} failed`
}

function Bar({ day: { delivered, failed }, most }: { day: DayVolume; most: number }) {
  const tall = (count: number) => (count === 0 ? 0 : Math.max(2, (count / most) * HEIGHT))
  const [good, bad] = [tall(delivered), tall(failed)]
  return (
    <svg aria-hidden="true" viewBox={`0 0 1 ${HEIGHT}`} preserveAspectRatio="none" className="h-10 w-full">
      <rect y={HEIGHT - good} width="1" height={good} className="fill-working" />
      <rect y={HEIGHT - good - bad} width="1" height={bad} className="fill-failing" />
    </svg>
  )
}
