import type { Leftover, RunUpkeepStore } from '../../store/run-upkeep.ts'
import type { Client } from '../client.server.ts'

const LEFTOVERS: Record<Leftover, string> = {
  verdict: 'DELETE FROM rule_verdict WHERE rowid IN (SELECT rowid FROM rule_verdict WHERE at < ? ORDER BY at LIMIT ?)',
  ledger: `DELETE FROM seen_ledger WHERE rowid IN (SELECT rowid FROM seen_ledger
    WHERE expires_at IS NOT NULL AND expires_at < ? ORDER BY expires_at LIMIT ?)`,
  own_write: 'DELETE FROM own_write WHERE rowid IN (SELECT rowid FROM own_write WHERE at < ? ORDER BY at LIMIT ?)',
  // Written in the order of time: the oldest have the lowest ids.
  message: `DELETE FROM customer_message WHERE at < ? AND id IN (SELECT id FROM customer_message ORDER BY id LIMIT ?)`,
  trigger_call: 'DELETE FROM trigger_call WHERE rowid IN (SELECT rowid FROM trigger_call WHERE expires_at < ? LIMIT ?)',
  mute: 'DELETE FROM mute WHERE id IN (SELECT id FROM mute WHERE until_at IS NOT NULL AND until_at < ? LIMIT ?)',
}

export function runUpkeepStore({ sql }: Client): RunUpkeepStore {
  const oldest = sql.prepare<
    [number, number],
    { id: number; state: string; endedAt: number | null; createdAt: number }
  >('SELECT id, state, ended_at AS endedAt, created_at AS createdAt FROM run WHERE id >= ? ORDER BY id LIMIT ?')
  // Its journal goes with it.
  const remove = sql.prepare('DELETE FROM run WHERE id = ?')
  const leftovers = new Map(
    Object.entries(LEFTOVERS).map(([kind, statement]) => [kind, sql.prepare<[number, number]>(statement)]),
  )
  const forget = sql.transaction((before: number, fromId: number, limit: number) => {
    const rows = oldest.all(fromId, limit)
    const old = rows.filter((row) => row.createdAt < before)
    let removed = 0
    for (const { id, state, endedAt } of old) {
      if (state === 'done' && (endedAt ?? 0) < before) removed += remove.run(id).changes
    }
    const last = old.at(-1)
    return { removed, nextId: last && old.length === rows.length && rows.length === limit ? last.id + 1 : null }
  })
  return {
    async forgetRunsStep(before, fromId, limit) {
      return forget.immediate(before, fromId, limit)
    },
    async forgetLeftoversStep(kind, before, limit) {
      const statement = leftovers.get(kind)
      if (!statement) throw new Error(`nothing is known about ${kind}`)
      return statement.run(before, limit).changes
    },
  }
}
