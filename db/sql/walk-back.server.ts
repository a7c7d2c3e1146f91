// Searches long tables backwards from the newest row, window by window. Each step is bounded and yields to the event
// loop: an account may have 100,000 rows without a match.
import { hours } from '#app/lib/duration.ts'
import { nextTurn } from '#app/lib/turns.server.ts'

/** Ids follow the order of arrival; clock changes may shift times by at most this much before a search stops. */
export const CLOCK_SLACK = hours(1)

interface Walk<Row> {
  /** Rows below this id, newest first, up to the window size. */
  read(before: number, window: number): Promise<Row[]>
  idOf(row: Row): number
  /** Is the row older than every possible match? */
  isTooOld(row: Row): boolean
  /** Null = from the newest. */
  before: number | null
  window: number
  /** Of all steps but the first, when that one can have all hits. */
  later?: number
  /** Maximum number of hits. */
  limit: number
}

export async function walkBack<Row extends { hit: 0 | 1 }>(walk: Walk<Row>): Promise<Row[]> {
  const hits: Row[] = []
  let before = walk.before ?? Number.MAX_SAFE_INTEGER
  let { window } = walk
  for (;;) {
    const rows = await walk.read(before, window)
    for (const row of rows) if (row.hit === 1) hits.push(row)
    const oldest = rows.at(-1)
    const ended = !oldest || rows.length < window || walk.isTooOld(oldest)
    if (ended || hits.length >= walk.limit) return hits.slice(0, walk.limit)
    before = walk.idOf(oldest)
    window = walk.later ?? window
    await nextTurn()
  }
}
