import type { AuditDetail, AuditEntry, AuditQuery } from '#app/domain/audit.ts'
import type { Step } from '../../database.ts'
import type { AuditOutline, AuditStore } from '../../store/audit.ts'
import type { Connections } from '../connections.ts'

type StoredEntry = Omit<AuditEntry, 'detail'> & { detail: string }

/** Optional filters of a list. */
const NARROWING = [
  ['accountUuid', 'account_uuid = @accountUuid'],
  ['before', 'id < @before'],
  ['outcome', 'outcome = @outcome'],
  ['since', 'at >= @since'],
  ['until', 'at < @until'],
  ['actions', 'action IN (SELECT value FROM json_each(@actions))'],
] as const

const OUTLINE = 'id, at, account_uuid AS accountUuid, actor, action, outcome, ip'

export function auditStore({ db, reader, turn }: Connections): AuditStore {
  const append = db.prepare(
    `INSERT INTO audit_entry (at, account_uuid, actor, staff_uuid, action, target, outcome, ip, detail)
     VALUES (@at, @accountUuid, @actor, @staffUuid, @action, @target, @outcome, @ip, @detail)`,
  )
  const forget = db.prepare('DELETE FROM audit_entry WHERE id IN (SELECT CAST(value AS bigint) FROM json_each(@ids))')
  // `npm run keys` goes by when a key came to the front, however long ago that was.
  const oldest = db
    .prepare<{ before: number; limit: number }, number>(
      `SELECT id FROM audit_entry WHERE at < @before AND action <> 'keys.put_in_front' ORDER BY at LIMIT @limit`,
    )
    .pluck()
  const newest = reader.prepare<
    { belowId: number; limit: number },
    { id: number; at: number; stranger: 0 | 1; nobodys: 0 | 1 }
  >(
    `SELECT id, at, actor = 'stranger' AND outcome = 'refused' AS stranger, account_uuid IS NULL AS nobodys
     FROM audit_entry WHERE id < @belowId ORDER BY id DESC LIMIT @limit`,
  )

  /** Uses the reader connection: a search for something rare scans many entries. */
  function select<Row>(columns: string, accountUuid: string | null, query: AuditQuery): Step<Row[]> {
    const { actions, outcome, since, until, before, limit } = query
    const asked = { accountUuid, before, outcome, since, until, actions: actions && JSON.stringify(actions) }
    const conditions = NARROWING.filter(([name]) => asked[name] !== null).map(([, condition]) => condition)
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
    return reader
      .prepare<object, Row>(`SELECT ${columns} FROM audit_entry ${where} ORDER BY id DESC LIMIT @limit`)
      .all({ ...asked, limit })
  }
  const forgetThese = (ids: number[]) => forget.run({ ids: JSON.stringify(ids) })
  const forgetAll = db.write(forgetThese)
  const newestBelow = reader.read((belowId: number, limit: number) => newest.all({ belowId, limit }))

  return {
    async appendAudit(entry) {
      const row = { ...entry, detail: JSON.stringify(entry.detail) }
      await turn.run(() => append.run(row))
    },
    listAudit: reader.read(function* (accountUuid, query) {
      const columns = `${OUTLINE}, staff_uuid AS staffUuid, target, detail`
      const rows = yield* select<StoredEntry>(columns, accountUuid, query)
      return rows.map((row) => ({ ...row, detail: JSON.parse(row.detail) as AuditDetail }))
    }),
    listAuditOutlines: reader.read((query) => select<AuditOutline>(OUTLINE, null, query)),
    forgetAuditStep: db.write(function* (before, limit) {
      return (yield* forgetThese(yield* oldest.all({ before, limit }))).changes
    }),
    async forgetRefusedStep(step, limit) {
      const rows = await newestBelow(step.belowId ?? Number.MAX_SAFE_INTEGER, limit)
      const kept = { ...step.kept }
      const gone = rows.filter(({ at, stranger, nobodys }) => {
        if (stranger === 0) return false
        const whose = nobodys === 1 ? 'nobodys' : 'accounts'
        if (at < step.before || kept[whose] >= step.most[whose]) return true
        kept[whose]++
        return false
      })
      const removed = gone.length === 0 ? 0 : (await forgetAll(gone.map(({ id }) => id))).changes
      return { ...step, kept, belowId: rows.at(-1)?.id ?? step.belowId, removed, done: rows.length < limit }
    },
  }
}
