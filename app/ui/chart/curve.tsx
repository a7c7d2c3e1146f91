import { CURVE, curvePath, curveX, curveY } from './curve-path.ts'

interface CurveProps {
  /** The chart in one sentence: its name for screen readers, and its text for everybody else. */
  sentence: string
  /** Values from the left; null = unknown. */
  values: readonly (number | null)[]
  /** Values the width stands for. */
  places: number
  /** A level to compare with. */
  limit?: number
  /** The value expected at the right end: a dashed line leads there. */
  expected?: number | null
}

/** A small line chart without scripts: less than 1 KB. */
export function Curve({ sentence, values, places, limit, expected = null }: CurveProps) {
  const known = values.filter((value) => value !== null)
  const most = Math.max(...known, limit ?? 0, expected ?? 0, 1)
  const last = known.at(-1)
  return (
    <figure className="grid gap-1">
      <svg
        role="img"
        aria-label={sentence}
        viewBox={`0 0 ${CURVE.wide} ${CURVE.high}`}
        preserveAspectRatio="none"
        className="h-16 w-full overflow-visible [&_path]:[vector-effect:non-scaling-stroke]"
      >
        <path d={`M0 ${CURVE.high}H${CURVE.wide}`} className="stroke-line" />
        {limit === undefined ? null : (
          <path d={`M0 ${curveY(limit, most)}H${CURVE.wide}`} strokeDasharray="2 3" className="stroke-attention" />
        )}
        <path d={curvePath(values, places, most)} className="fill-accent-soft stroke-accent" />
        {expected === null || last === undefined ? null : (
          <path
            d={`M${curveX(values.length - 1, places)} ${curveY(last, most)}L${CURVE.wide} ${curveY(expected, most)}`}
            strokeDasharray="6 4"
            className="stroke-accent"
          />
        )}
      </svg>
      <figcaption aria-hidden className="text-dense text-ink-soft">
        {sentence}
      </figcaption>
    </figure>
  )
}
