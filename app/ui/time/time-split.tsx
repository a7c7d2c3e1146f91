import { Fragment } from 'react'
import { durationText } from './time-text.ts'

interface TimePart {
  name: string
  /** ms; null = not known. */
  ms: number | null
}

/** One style per part, in order; the text beside them says the same. */
const LOOKS = ['fill-held', 'fill-attention', 'fill-accent', 'fill-working'] as const

/** ms of all known parts. */
export function totalOf(parts: readonly TimePart[]): number {
  return parts.reduce((sum, part) => sum + (part.ms ?? 0), 0)
}

interface TimeSplitProps {
  parts: readonly TimePart[]
  /** ms that fill the whole width, so that several bars compare; missing = these parts fill it. */
  scale?: number
}

/** How a duration splits into parts, as one bar and in words. An unknown part is a dash, never 0. */
export function TimeSplit({ parts, scale = 0 }: TimeSplitProps) {
  const whole = Math.max(scale, totalOf(parts))
  let from = 0
  return (
    <div className="grid gap-1">
      {totalOf(parts) > 0 ? (
        // Widths are SVG attributes: the page's policy allows no inline styles.
        <svg aria-hidden="true" viewBox="0 0 100 4" preserveAspectRatio="none" className="h-1.5 w-full max-w-80">
          <rect width="100" height="4" className="fill-sunken" />
          {parts.map((part, index) => {
            const width = ((part.ms ?? 0) / whole) * 100
            const x = from
            from += width
            return width === 0 ? null : (
              <rect key={part.name} x={x} width={width} height="4" className={LOOKS[index % LOOKS.length]} />
            )
          })}
        </svg>
      ) : null}
      <p className="text-dense text-ink-soft tabular-nums">
        {parts.map((part, index) => (
          <Fragment key={part.name}>
            {index > 0 ? ' · ' : null}
            <span className="whitespace-nowrap">
              <svg aria-hidden="true" viewBox="0 0 8 8" className="mr-1 inline-block size-2 align-baseline">
                <rect width="8" height="8" rx="2" className={LOOKS[index % LOOKS.length]} />
              </svg>
              {`${part.name} ${part.ms === null ? '–' : durationText(part.ms)}`}
            </span>
          </Fragment>
        ))}
      </p>
    </div>
  )
}
