import { Link } from '@remix-run/react'
import { clsx } from 'clsx'

interface ChipsProps {
  label: string
  chips: readonly { to: string; words: string; count: string; current: boolean }[]
}

/** One choice out of a few, as links: they work without scripts and can be bookmarked. */
export function Chips({ label, chips }: ChipsProps) {
  return (
    <nav aria-label={label}>
      <ul className="flex flex-wrap gap-2">
        {chips.map(({ to, words, count, current }) => (
          <li key={words}>
            <Link
              to={to}
              preventScrollReset
              aria-current={current ? 'true' : undefined}
              className={clsx(
                'inline-flex min-h-11 items-center gap-1.5 rounded-pill border px-3.5 font-medium text-label',
                current
                  ? 'border-accent bg-accent-soft text-accent forced-color-adjust-none forced-colors:bg-[Highlight] forced-colors:text-[HighlightText]'
                  : 'border-line-strong bg-surface text-ink hover:bg-sunken',
              )}
            >
              {words}
              {count === '' ? null : <span className="text-dense tabular-nums">{count}</span>}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
