import { CircleCheck } from 'lucide-react'
import { Badge } from '#app/ui/badge.tsx'
import { DayStrip } from '#app/ui/pictures/day-strip.tsx'
import { Time } from '#app/ui/time/time.tsx'
import type { Backtest, BacktestRow } from '../../form/form-preview.ts'

/** "In the last 30 days this automation would have …": records, times and actions, and how certain they are. */
export function BacktestList({ found }: { found: Backtest }) {
  const { headline, rows, count, days, basis, ran, ranMore } = found
  return (
    <div className="grid gap-3 text-label">
      <p className="wrap-anywhere font-medium text-body">{headline}</p>
      {days === null ? null : <DayStrip days={days} says={daysText(days)} />}
      {ran === null ? null : (
        <p>
          {ran === 0
            ? 'It did not run in that time.'
            : `It ran ${ranMore ? 'at least ' : ''}${ran === 1 ? 'once' : `${ran} times`} in that time. Press History to see it.`}
        </p>
      )}
      {rows.length > 0 ? (
        <ol aria-label="What it would have done" className="grid gap-2">
          {rows.map((row) => (
            <Row key={row.key} row={row} />
          ))}
        </ol>
      ) : null}
      {count > rows.length && rows.length > 0 ? <p>And {count - rows.length} more.</p> : null}
      <ul className="grid gap-1 text-dense text-ink-soft">
        {basis.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </div>
  )
}

/** What the strip shows, in one sentence. */
function daysText(days: readonly number[]): string {
  return `Runs on ${days.filter((count) => count > 0).length} of the last ${days.length} days`
}

function Row({ row: { title, customer, on, ran, does, trouble } }: { row: BacktestRow }) {
  return (
    <li className="wrap-anywhere grid gap-1 rounded-control bg-sunken p-3">
      <div className="flex flex-wrap items-center gap-x-3">
        <span className="font-medium">{customer === '' ? title : `${title} · ${customer}`}</span>
        {on === null ? null : (
          <span className="text-dense text-ink-soft">
            <Time at={on} />
          </span>
        )}
        {ran ? (
          <Badge tone="working" icon={CircleCheck}>
            It did run
          </Badge>
        ) : null}
      </div>
      {does.map(({ summary, to, text }, place) => (
        <p key={place}>
          {summary || (to === null ? '' : `To ${to}`)}
          {text === null ? null : <span className="block text-ink-soft">“{text}”</span>}
        </p>
      ))}
      {trouble === null ? null : <p className="text-ink-soft">{trouble}</p>}
    </li>
  )
}
