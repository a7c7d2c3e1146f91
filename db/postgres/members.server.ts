// The instances of one installation as rows: their beats, and the shares of the accounts they work for.

import type { Database } from '../database.ts'
import type { ClusterView, Member, ShareRow } from '../store/cluster.ts'
import { MEMBER } from './database.server.ts'

interface MemberInput {
  id: string
  process: string
  version: string
  now: number
}

/** `db`: connections of this member (`connectPostgres`). Each statement is right whatever the others do meanwhile. */
export function memberRows(db: Database) {
  const join = db.prepare<MemberInput>(
    'INSERT INTO member (id, process, version, started_at) VALUES (@id, @process, @version, @now)',
  )
  const beat = db.prepare<{ takes: 0 | 1 }>(`UPDATE member SET beats = beats + 1, takes = @takes WHERE id = ${MEMBER}`)
  const members = db.prepare<[], Omit<Member, 'takes'> & { takes: 0 | 1 }>(
    'SELECT id, process, version, beats, takes FROM member ORDER BY id',
  )
  const shares = db.prepare<[], ShareRow>('SELECT part, owner FROM share ORDER BY part')
  const clock = db.prepare<[], number>('SELECT extract(epoch FROM clock_timestamp()) * 1000').pluck()
  // Waits for acts of that member that are under way: each of them locks its row.
  const remove = db.prepare<{ id: string; beats: number }>('DELETE FROM member WHERE id = @id AND beats = @beats')
  // Asked again for each row when another has just taken it, so nobody takes one twice.
  const take = db
    .prepare<{ count: number }, number>(
      `UPDATE share SET owner = ${MEMBER}, fresh = 1
       WHERE owner IS NULL AND part IN (SELECT part FROM share WHERE owner IS NULL ORDER BY part LIMIT @count FOR UPDATE SKIP LOCKED)
       RETURNING part`,
    )
    .pluck()
  const looked = db.prepare<{ parts: string }>(
    `UPDATE share SET fresh = 0 WHERE owner = ${MEMBER} AND part IN (SELECT value::integer FROM json_array_elements_text(@parts::json))`,
  )
  const give = db.prepare<{ parts: string }>(
    `UPDATE share SET owner = NULL, fresh = 1
     WHERE owner = ${MEMBER} AND part IN (SELECT value::integer FROM json_array_elements_text(@parts::json))`,
  )
  const leave = db.prepare(`DELETE FROM member WHERE id = ${MEMBER}`)

  return {
    join: db.single(function* (member: MemberInput) {
      yield* join.run(member)
    }),
    /** Null = this instance is no member any more. */
    beat: db.single(function* (takes: boolean, now: () => number): Generator<unknown, ClusterView | null> {
      if ((yield* beat.run({ takes: takes ? 1 : 0 })).changes === 0) return null
      const all = yield* members.all()
      const owned = yield* shares.all()
      const asked = now()
      const told = (yield* clock.get()) ?? asked
      // The answer was on its way for half of the time.
      return {
        members: all.map((member) => ({ ...member, takes: member.takes === 1 })),
        shares: owned,
        clockAhead: Math.round(told - (asked + now()) / 2),
      }
    }),
    remove: db.single(function* ({ id, beats }: Pick<Member, 'id' | 'beats'>) {
      return (yield* remove.run({ id, beats })).changes === 1
    }),
    take: db.single((count: number) => take.all({ count })),
    lookedThrough: db.single(function* (parts: readonly number[]) {
      yield* looked.run({ parts: JSON.stringify(parts) })
    }),
    give: db.single(function* (parts: readonly number[]) {
      yield* give.run({ parts: JSON.stringify(parts) })
    }),
    leave: db.single(function* () {
      yield* leave.run()
    }),
  }
}
