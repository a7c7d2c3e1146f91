// Detects growth: the straight line nearest to all points, so that one odd sample decides nothing.

export type Point = readonly [x: number, y: number]

/** Least squares: how much y grows when x grows by one. NaN with fewer than two different x. */
export function slopeOf(points: readonly Point[]): number {
  const middle = (pick: (point: Point) => number) => points.reduce((sum, point) => sum + pick(point), 0) / points.length
  const [x, y] = [middle(([at]) => at), middle(([, value]) => value)]
  let across = 0
  let along = 0
  for (const [at, value] of points) {
    across += (at - x) * (value - y)
    along += (at - x) ** 2
  }
  return along === 0 ? Number.NaN : across / along
}

/** The points without the first `share` of the time, which is warm-up. */
export function afterWarmUp<T extends Point>(points: readonly T[], share: number): T[] {
  const first = points[0]?.[0] ?? 0
  const last = points.at(-1)?.[0] ?? 0
  return points.filter(([at]) => at >= first + (last - first) * share)
}
