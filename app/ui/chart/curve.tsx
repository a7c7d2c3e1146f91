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

// The line of a small chart, in a box of 1,000 by 100 units.

export const CURVE = { wide: 1_000, high: 100 } as const

/** How far right the value at `place` of `places` is. */
export function curveX(place: number, places: number): number {
  return places < 2 ? 0 : Math.round((place / (places - 1)) * CURVE.wide)
}

/** How far down a value is; `most` = the value at the top. Values outside end at the edge. */
export function curveY(value: number, most: number): number {
  const part = most > 0 ? Math.min(1, Math.max(0, value / most)) : 0
  return Math.round((1 - part) * CURVE.high)
}

/**
 * The path through the values, down to the base line at both ends; '' = no value. Missing values interrupt it. Equal
 * neighbours cost a few bytes only.
 */
export function curvePath(values: readonly (number | null)[], places: number, most: number): string {
  const commands: string[] = []
  let last: number | null = null
  values.forEach((value, place) => {
    const x = curveX(place, places)
    if (value === null) {
      if (last !== null) commands.push(`V${CURVE.high}`)
      last = null
      return
    }
    const y = curveY(value, most)
    if (last === null) commands.push(`M${x} ${CURVE.high}V${y}`)
    else if (last !== y) commands.push(`L${x} ${y}`)
    else if (commands.at(-1)?.startsWith('H')) commands[commands.length - 1] = `H${x}`
    else commands.push(`H${x}`)
    last = y
  })
  if (last !== null) commands.push(`V${CURVE.high}`)
  return commands.join('')
}
