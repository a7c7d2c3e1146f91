// Removing one account's bodies between those of others leaves half-empty pages, which are neither free nor reused.
// The remaining bodies of the range are rewritten side by side.
import type { Database } from '../database.ts'
import type { Housekeeping } from '../housekeeping.ts'

/** Bytes of bodies rewritten in one step. Longer bodies have their own pages and gain nothing from it. */
const PACKED_AT_ONCE = 256 * 1024

interface Range {
  fromSeq: number
  toSeq: number
}

export function packing(db: Pick<Database, 'prepare'>): Housekeeping['pack'] {
  const packed = db.prepare<Range, { count: number; bytes: number }>(
    `SELECT count(*) AS count, coalesce(sum(octet_length(body)), 0) AS bytes FROM event_body
     WHERE seq >= @fromSeq AND seq < @toSeq`,
  )
  const readRange = db.prepare<Range, { seq: number; body: Buffer }>(
    'SELECT seq, CAST(body AS BLOB) AS body FROM event_body WHERE seq >= @fromSeq AND seq < @toSeq ORDER BY seq',
  )
  const deleteRange = db.prepare<Range>('DELETE FROM event_body WHERE seq >= @fromSeq AND seq < @toSeq')
  const writeBody = db.prepare('INSERT INTO event_body (seq, body) VALUES (@seq, CAST(@body AS TEXT))')

  return function* (fromSeq, toSeq, removed) {
    // Skips long ranges with few removals: there is little to gain.
    if (toSeq - fromSeq > removed * 10) return
    const { count, bytes } = (yield* packed.get({ fromSeq, toSeq })) ?? { count: 0, bytes: 0 }
    if (count === 0 || count > removed * 3 || bytes > PACKED_AT_ONCE) return
    const kept = yield* readRange.all({ fromSeq, toSeq })
    yield* deleteRange.run({ fromSeq, toSeq })
    for (const { seq, body } of kept) yield* writeBody.run({ seq, body })
  }
}
