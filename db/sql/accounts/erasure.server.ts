// Erases an account. The erasure note is a lease that no other process can take: it survives a crash and stores when
// rows may be deleted.

import type { ErasureStore } from '../../store/erasure.ts'
import type { Connections } from '../connections.ts'
import { changingSubscriptions } from '../endpoints/known-ingress.server.ts'

const NOTE = 'erase|'

const OF = 'account_uuid = @accountUuid'
const emptied = (...tables: string[]) => tables.map((table) => `DELETE FROM ${table} WHERE ${OF}`)

/** Gone at once, and again at the end with what arrived meanwhile. */
const AT_ONCE = [
  ...emptied('touched_record', 'poll_cursor', 'account_mapping', 'form_draft', 'conversation', 'ticket'),
  ...emptied('session_account'),
]

/** Stops everything that a person, the platform or an engine could still trigger. */
const STOP = [
  `UPDATE automation SET active = 0, next_run_at = NULL, trigger_key_hash = NULL, deleted_at = coalesce(deleted_at, @at)
   WHERE account_uuid = @accountUuid`,
  `UPDATE run SET state = 'done', outcome = 'cancelled', reason = NULL, reason_code = @code, reason_params = NULL, ended_at = @at, lease_owner = NULL
   WHERE account_uuid = @accountUuid AND state <> 'done'`,
  'UPDATE webhook SET deleted_at = coalesce(deleted_at, @at) WHERE account_uuid = @accountUuid',
  'UPDATE forwarding_rule SET deleted_at = coalesce(deleted_at, @at) WHERE account_uuid = @accountUuid',
  "UPDATE replay SET state = 'cancelled', ended_at = @at WHERE account_uuid = @accountUuid AND state = 'running'",
  `UPDATE subscription SET state = 'deleted', ends_at = NULL, updated_at = @at,
     state_reason = CASE WHEN state <> 'deleted' OR state_reason IS NOT NULL THEN @reason END
   WHERE account_uuid = @accountUuid`,
  `UPDATE notice SET mail_state = 'none', mail_sentence = NULL, mail_reason_code = @code,
     mail_reason_params = NULL
   WHERE account_uuid = @accountUuid AND mail_state = 'pending'`,
  ...AT_ONCE,
]

/** Largest tables first; each is emptied before the next. Endpoints go singly: each delete searches all references. */
const HISTORY = [
  `DELETE FROM event WHERE seq IN (SELECT seq FROM event WHERE ${OF} LIMIT @limit)`,
  `DELETE FROM run WHERE id IN (SELECT id FROM run WHERE ${OF} LIMIT @limit)`,
  `DELETE FROM rule_verdict WHERE rowid IN (SELECT rowid FROM rule_verdict WHERE ${OF} LIMIT @limit)`,
  `DELETE FROM seen_ledger WHERE rowid IN (SELECT l.rowid FROM automation a
     CROSS JOIN seen_ledger l WHERE a.${OF} AND l.automation_id = a.id LIMIT @limit)`,
  `DELETE FROM record_snapshot WHERE rowid IN (SELECT rowid FROM record_snapshot WHERE ${OF} LIMIT @limit)`,
  `DELETE FROM api_activity WHERE id IN (SELECT id FROM api_activity WHERE ${OF} LIMIT @limit)`,
  `DELETE FROM customer_message WHERE id IN (SELECT id FROM customer_message WHERE ${OF} LIMIT @limit)`,
  `DELETE FROM customer_reply WHERE id IN (SELECT id FROM customer_reply WHERE ${OF} LIMIT @limit)`,
  `DELETE FROM own_write WHERE rowid IN (SELECT rowid FROM own_write WHERE ${OF} LIMIT @limit)`,
  `DELETE FROM endpoint_hour WHERE rowid IN (SELECT h.rowid FROM endpoint e
     CROSS JOIN endpoint_hour h WHERE e.${OF} AND h.endpoint_id = e.id LIMIT @limit)`,
  `DELETE FROM replay WHERE id IN (SELECT id FROM replay WHERE ${OF} LIMIT @limit)`,
  `DELETE FROM endpoint WHERE id IN (SELECT id FROM endpoint WHERE ${OF} LIMIT min(@limit, 1))`,
]

/** `automation` first, with its versions; public templates are shared, so they stay, as nobody's. */
const REST = [
  `DELETE FROM automation WHERE ${OF}`,
  `DELETE FROM automation_template WHERE ${OF} AND is_public = 0`,
  `UPDATE automation_template SET account_uuid = '' WHERE ${OF}`,
  ...emptied('automation_guard', 'mute', 'listening', 'account_setting', 'notice', 'account_load'),
  ...emptied('webhook', 'forwarding_rule'),
  ...AT_ONCE,
  ...emptied('account_person', 'credential'),
]

export function erasureStore({ db }: Connections): ErasureStore {
  const note = db.prepare(
    `INSERT INTO lease (name, owner, expires_at)
     SELECT CAST(@name AS text), 'erasure', CAST(@removeAt AS bigint) FROM account WHERE uuid = @accountUuid ON CONFLICT DO NOTHING`,
  )
  const stop = STOP.map((statement) => db.prepare(statement))
  const endEndpoints = db
    .prepare<unknown[], number>(
      `UPDATE endpoint SET state = 'deleted', state_reason = @reason, state_since = @at WHERE ${OF} RETURNING id`,
    )
    .pluck()
  const underWay = db.prepare<{ from: string; before: string }, { accountUuid: string; removeAt: number }>(
    `SELECT substr(name, ${NOTE.length + 1}) AS accountUuid, expires_at AS removeAt FROM lease
     WHERE name >= @from AND name < @before`,
  )
  const history = HISTORY.map((statement) => db.prepare(statement))
  const rest = REST.map((statement) => db.prepare(statement))
  const endLeftSessions = db.prepare<[]>(
    'DELETE FROM session WHERE token_hash NOT IN (SELECT token_hash FROM session_account)',
  )
  const bareSubscriptions = db.prepare(
    `UPDATE subscription SET state = 'deleted', ends_at = NULL, token_sealed = '', platform_uuid = NULL, state_reason = NULL,
       fields = '' WHERE ${OF}`,
  )
  const bareAccount = db.prepare(
    "UPDATE account SET name = '', timezone = 'UTC', email = NULL WHERE uuid = @accountUuid",
  )
  const deleteAccount = db.prepare('DELETE FROM account WHERE uuid = @accountUuid')
  const unnote = db.prepare('DELETE FROM lease WHERE name = @name')

  function* step(accountUuid: string, limit: number): Generator<unknown, boolean> {
    let left = limit
    for (const statement of history) {
      left -= (yield* statement.run({ accountUuid, limit: left })).changes
      if (left <= 0) return true
    }
    // Endpoints go one at a time: as long as one was removed, there may be more.
    return left < limit
  }

  return {
    beginErasure: changingSubscriptions(
      db.write(function* (accountUuid, { code, reason, at, removeAt }) {
        const noted = yield* note.run({ name: NOTE + accountUuid, accountUuid, removeAt })
        if (noted.changes === 0) return null
        for (const statement of stop) yield* statement.run({ accountUuid, code, reason, at })
        yield* endLeftSessions.run()
        return { endpointIds: yield* endEndpoints.all({ accountUuid, reason, at }) }
      }),
    ),
    // `}` follows `|`, so the range covers every name that starts with the note's prefix.
    erasuresUnderWay: db.read(() => underWay.all({ from: NOTE, before: 'erase}' })),
    eraseHistoryStep: db.write(step),
    endErasure: changingSubscriptions(
      db.write(function* (accountUuid, { answerGone }) {
        // Rows that arrived meanwhile, at most a few.
        while (yield* step(accountUuid, 1_000)) {}
        for (const statement of rest) yield* statement.run({ accountUuid })
        yield* endLeftSessions.run()
        if (answerGone) {
          yield* bareSubscriptions.run({ accountUuid })
          yield* bareAccount.run({ accountUuid })
        } else yield* deleteAccount.run({ accountUuid })
      }),
    ),
    closeErasure: db.write(function* (accountUuid) {
      yield* unnote.run({ name: NOTE + accountUuid })
    }),
  }
}
