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
