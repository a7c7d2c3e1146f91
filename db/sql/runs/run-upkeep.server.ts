import type { Leftover, RunUpkeepStore } from '../../store/run-history.ts'
import type { Connections } from '../connections.ts'
import { ANSWERS_THAT_HOLD } from '../listening/answers.server.ts'

const LEFTOVERS: Record<Leftover, string> = {
  verdict:
    'DELETE FROM rule_verdict WHERE rowid IN (SELECT rowid FROM rule_verdict WHERE at < @before ORDER BY at LIMIT @limit)',
  ledger: `DELETE FROM seen_ledger WHERE rowid IN (SELECT rowid FROM seen_ledger
    WHERE expires_at IS NOT NULL AND expires_at < @before ORDER BY expires_at LIMIT @limit)`,
  own_write:
    'DELETE FROM own_write WHERE rowid IN (SELECT rowid FROM own_write WHERE at < @before ORDER BY at LIMIT @limit)',
  // Inserted in order of time: the oldest have the lowest ids.
  message: `DELETE FROM customer_message
    WHERE at < @before AND id IN (SELECT id FROM customer_message ORDER BY id LIMIT @limit)`,
  trigger_call:
    'DELETE FROM trigger_call WHERE rowid IN (SELECT rowid FROM trigger_call WHERE expires_at < @before LIMIT @limit)',
  // Who wrote STOP stays known: their number gets nothing. So does an answer that a message is still held for.
  reply: `DELETE FROM customer_reply WHERE seen_at < @before AND id IN (SELECT id FROM customer_reply
    WHERE state <> 'muted' AND id NOT IN (${ANSWERS_THAT_HOLD}) ORDER BY id LIMIT @limit)`,
  mute: 'DELETE FROM mute WHERE id IN (SELECT id FROM mute WHERE until_at IS NOT NULL AND until_at < @before LIMIT @limit)',
}

export function runUpkeepStore({ db }: Connections): RunUpkeepStore {
  const oldest = db.prepare<
    { fromId: number; limit: number; before: number },
    { id: number; state: string; endedAt: number | null; createdAt: number; isAbandoned: 0 | 1 }
  >(
    `SELECT id, state, ended_at AS endedAt, created_at AS createdAt,
       EXISTS (SELECT 1 FROM plan p WHERE p.account_uuid = run.account_uuid AND p.held_since < @before) AS isAbandoned
     FROM run WHERE id >= @fromId ORDER BY id LIMIT @limit`,
  )
  // Deletes its journal too.
  const remove = db.prepare('DELETE FROM run WHERE id = @id')
  const leftovers = new Map(
    Object.entries(LEFTOVERS).map(([kind, statement]) => [
      kind,
      db.prepare<{ before: number; limit: number }>(statement),
    ]),
  )
  return {
    forgetRunsStep: db.write(function* (before, fromId, limit) {
      const rows = yield* oldest.all({ fromId, limit, before })
      const old = rows.filter((row) => row.createdAt < before)
      let removed = 0
      for (const { id, state, endedAt, isAbandoned } of old) {
        const isOver = state === 'done' ? (endedAt ?? 0) < before : state !== 'running' && isAbandoned
        if (isOver) removed += (yield* remove.run({ id })).changes
      }
      const last = old.at(-1)
      return { removed, nextId: last && old.length === rows.length && rows.length === limit ? last.id + 1 : null }
    }),
    forgetLeftoversStep: db.write(function* (kind, before, limit) {
      const statement = leftovers.get(kind)
      if (!statement) throw new Error(`nothing is known about ${kind}`)
      return (yield* statement.run({ before, limit })).changes
    }),
  }
}
