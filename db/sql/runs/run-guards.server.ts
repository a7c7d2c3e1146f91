import type { Mute } from '#app/domain/automations/receipt.ts'
import type { Database } from '../../database.ts'
import type { GotMessage, PausedRule, RunGuardStore } from '../../store/run-guards.ts'
import type { Connections } from '../connections.ts'
import { clearReason, PAUSE_REASON, readReason, selectReason, setReason, storedReason } from '../reasons.server.ts'
import { guardNotes } from './guard-notes.server.ts'

export function runGuardStore(connections: Connections): RunGuardStore {
  return { ...factStore(connections), ...muteStore(connections), ...pauseStore(connections) }
}

/** Earlier messages to a customer, and earlier runs on a record. */
function factStore({ db }: Connections) {
  const ofRule = db
    .prepare<{ automationId: number; at: number }, number>(
      'SELECT count(*) FROM customer_message WHERE automation_id = @automationId AND at >= @at',
    )
    .pluck()
  // Reads rule by rule along their index: an account has few rules but may have a hundred thousand messages.
  const ofAccount = db
    .prepare<{ accountUuid: string; since: number }, number>(
      `SELECT coalesce(sum((SELECT count(*) FROM customer_message m WHERE m.automation_id = a.id AND m.at >= @since)), 0)
       FROM automation a WHERE a.account_uuid = @accountUuid`,
    )
    .pluck()
  const byChannel = db.prepare<{ accountUuid: string; since: number }, { channel: 'sms' | 'email'; count: number }>(
    `SELECT m.channel, count(*) AS count FROM automation a JOIN customer_message m ON m.automation_id = a.id
     WHERE a.account_uuid = @accountUuid AND m.at >= @since GROUP BY m.channel`,
  )
  const lastTo = db.prepare<
    { accountUuid: string; hashes: string; automationId: number; runId: number | null },
    { byRule: number | null; byAny: number | null }
  >(
    `SELECT max(CASE WHEN automation_id = @automationId THEN at END) AS byRule, max(at) AS byAny
     FROM customer_message WHERE account_uuid = @accountUuid AND receiver_hash IN (SELECT value FROM json_each(@hashes))
       AND run_id IS DISTINCT FROM @runId`,
  )
  // A visit that moved and moved back is told again: what came before the same record's last words to them is over.
  const latest = db.prepare<
    { accountUuid: string; hashes: string; runId: number | null; since: number },
    { at: number; effect: string }
  >(
    `SELECT m.at, s.effect FROM customer_message m JOIN run_step s ON s.run_id = m.run_id AND s.state IN ('sent', 'unknown')
     WHERE m.account_uuid = @accountUuid AND m.receiver_hash IN (SELECT value FROM json_each(@hashes)) AND m.at > @since
       AND m.run_id >= coalesce((SELECT max(r.id) FROM customer_message p JOIN run r ON r.id = p.run_id JOIN run o ON o.id = @runId
         WHERE p.account_uuid = @accountUuid AND p.receiver_hash IN (SELECT value FROM json_each(@hashes)) AND p.at > @since
           AND r.id < o.id AND r.automation_id = o.automation_id AND r.record_uuid = o.record_uuid), 0)`,
  )
  const got = db.prepare<{ accountUuid: string; hashes: string; limit: number }, GotMessage>(
    `SELECT m.at, m.channel, m.run_id AS runId, a.name AS automationName
     FROM customer_message m JOIN automation a ON a.id = m.automation_id
     WHERE m.account_uuid = @accountUuid AND m.receiver_hash IN (SELECT value FROM json_each(@hashes))
     ORDER BY m.at DESC, m.id DESC LIMIT @limit`,
  )
  // Early releases stored ids as they were sent, also in capitals. Who wrote STOP is not written to as another customer, either.
  const findMute = db.prepare<
    { accountUuid: string; companies: string; jobs: string; hashes: string; now: number },
    Pick<Mute, 'id' | 'kind' | 'until'>
  >(
    `SELECT id, kind, until_at AS until FROM mute
     WHERE account_uuid = @accountUuid AND (until_at IS NULL OR until_at > @now)
       AND ((kind = 'company' AND lower(record_uuid) IN (SELECT value FROM json_each(@companies)))
         OR (kind = 'job' AND lower(record_uuid) IN (SELECT value FROM json_each(@jobs)))
         OR record_uuid IN (SELECT coalesce(r.company_uuid, r.job_uuid) FROM customer_reply r WHERE r.account_uuid = @accountUuid
           AND r.state = 'muted' AND r.sender_hash IN (SELECT value FROM json_each(@hashes))))
     ORDER BY until_at IS NOT NULL, until_at DESC LIMIT 1`,
  )

  return {
    messageFacts: db.read(function* (accountUuid, question) {
      const { automationId, runId, now, dayStart, hourStart } = question
      const hashes = JSON.stringify(question.receiverHashes)
      const last = yield* lastTo.get({ accountUuid, automationId, runId, hashes })
      const muted = yield* findMute.get({
        accountUuid,
        now,
        hashes,
        companies: JSON.stringify(question.companyUuids),
        jobs: JSON.stringify(question.jobUuids),
      })
      return {
        muted: muted ?? null,
        byRuleToday: (yield* ofRule.get({ automationId, at: dayStart })) ?? 0,
        byRuleLastHour: (yield* ofRule.get({ automationId, at: hourStart })) ?? 0,
        byAccountToday: (yield* ofAccount.get({ accountUuid, since: dayStart })) ?? 0,
        lastByRule: last?.byRule ?? null,
        lastByAnyRule: last?.byAny ?? null,
        got: yield* latest.all({ accountUuid, hashes, runId, since: hourStart }),
      }
    }),
    messagesTo: db.read((accountUuid, receiverHashes, limit) =>
      got.all({ accountUuid, hashes: JSON.stringify(receiverHashes), limit }),
    ),
    countMessages: db.read(function* (accountUuid, since) {
      const counts = new Map((yield* byChannel.all({ accountUuid, since })).map((row) => [row.channel, row.count]))
      return { sms: counts.get('sms') ?? 0, email: counts.get('email') ?? 0 }
    }),
  } satisfies Partial<RunGuardStore>
}

/** Call inside a transaction, with the note of `guardNotes`. Returns the mute's id. */
export function muteSaver(db: Pick<Database, 'prepare'>) {
  return db
    .prepare<{ accountUuid: string; kind: string; recordUuid: string; until: number | null; at: number }, number>(
      `INSERT INTO mute (account_uuid, kind, record_uuid, until_at, created_at)
       VALUES (@accountUuid, @kind, @recordUuid, @until, @at)
       ON CONFLICT (account_uuid, kind, record_uuid) DO UPDATE SET until_at = excluded.until_at, created_at = excluded.created_at
       RETURNING id`,
    )
    .pluck()
}

/** People's settings, with the history of changes. */
function muteStore(connections: Connections) {
  const { db, turn } = connections
  const notes = guardNotes(db)
  const mutes = db.prepare<{ accountUuid: string; now: number }, Omit<Mute, 'name' | 'by'>>(
    `SELECT id, kind, record_uuid AS recordUuid, until_at AS until, created_at AS createdAt FROM mute
     WHERE account_uuid = @accountUuid AND (until_at IS NULL OR until_at > @now) ORDER BY id DESC`,
  )
  const hasMute = db
    .prepare<{ accountUuid: string; kind: string; recordUuid: string }, number>(
      'SELECT id FROM mute WHERE account_uuid = @accountUuid AND kind = @kind AND record_uuid = @recordUuid',
    )
    .pluck()
  const saveMute = muteSaver(db)
  const removeMute = db.prepare<{ id: number; accountUuid: string }, Pick<Mute, 'kind' | 'recordUuid'>>(
    'DELETE FROM mute WHERE id = @id AND account_uuid = @accountUuid RETURNING kind, record_uuid AS "recordUuid"',
  )

  return {
    findAccountGuards: db.read(notes.guards),
    saveAccountGuards: (accountUuid, guards, at, change) =>
      turn.run(() => notes.write(accountUuid, at, { guards, change: change ?? null })),
    listGuardChanges: db.read(notes.changes),
    listMutes: db.snapshot(function* (accountUuid, now) {
      const rows = yield* mutes.all({ accountUuid, now })
      const named = rows.length === 0 ? {} : yield* notes.mutes(accountUuid)
      return rows.map(({ id, kind, recordUuid, until, createdAt }) => {
        const { name = '', by = null } = named[`${kind}:${recordUuid}`] ?? {}
        return { id, kind, recordUuid, name, until, createdAt, by }
      })
    }),
    saveMute(accountUuid, { kind, recordUuid, until, name = '', by }, at, change) {
      return turn.run(function* () {
        const isNew = (yield* hasMute.get({ accountUuid, kind, recordUuid })) === undefined
        const id = (yield* saveMute.get({ accountUuid, kind, recordUuid, until, at })) ?? 0
        const mute = { key: `${kind}:${recordUuid}`, note: { name, by: by ?? change?.by ?? null } }
        yield* notes.write(accountUuid, at, { mute, change: change ?? null })
        return { id, isNew }
      })
    },
    removeMute(accountUuid, id, change) {
      return turn.run(function* () {
        const removed = (yield* removeMute.get({ id, accountUuid })) ?? null
        if (removed && change) yield* notes.write(accountUuid, change.at, { change })
        return removed
      })
    },
  } satisfies Partial<RunGuardStore>
}

function pauseStore({ db, turn, mine }: Connections) {
  const pause = db.prepare(
    `UPDATE automation SET ${setReason(PAUSE_REASON)}, paused_at = @at
     WHERE account_uuid = @accountUuid AND (CAST(@automationId AS bigint) IS NULL OR id = @automationId)
       AND active = 1 AND deleted_at IS NULL AND paused_at IS NULL`,
  )
  const paused = db.prepare<[], Omit<PausedRule, 'reason'> & { reason: string }>(
    `SELECT account_uuid AS accountUuid, id AS automationId, ${selectReason(PAUSE_REASON)} AS reason, paused_at AS pausedAt
     FROM automation WHERE paused_at IS NOT NULL AND active = 1 AND deleted_at IS NULL AND ${mine('automation')}
     ORDER BY id`,
  )
  const resume = db.prepare(
    `UPDATE automation SET ${clearReason(PAUSE_REASON)}, paused_at = NULL
     WHERE account_uuid = @accountUuid AND ${selectReason(PAUSE_REASON)} IN (SELECT value FROM json_each(@reasons))`,
  )
  const BLOCKED = "s.state = 'planned' AND s.error_class IN ('reconnect', 'scope', 'suspended')"
  const wakeRuns = db.prepare(
    `UPDATE run SET wake_at = @now WHERE account_uuid = @accountUuid AND state = 'waiting' AND wake_at > @now
       AND EXISTS (SELECT 1 FROM run_step s WHERE s.run_id = run.id AND ${BLOCKED} AND s.next_attempt_at > @now)`,
  )
  const wakeRows = db.prepare(
    `UPDATE run_step AS s SET next_attempt_at = @now WHERE ${BLOCKED} AND s.next_attempt_at > @now
       AND s.run_id IN (SELECT id FROM run WHERE account_uuid = @accountUuid AND state = 'waiting')`,
  )

  return {
    pauseAutomations(accountUuid, { automationId, reason, at }) {
      return turn.run(function* () {
        return (yield* pause.run({ accountUuid, automationId, reason: storedReason(reason), at })).changes
      })
    },
    pausedAutomations: db.read(function* () {
      const rows = yield* paused.all()
      return rows.map((row) => ({ ...row, reason: readReason(row.reason) ?? '' }))
    }),
    resumeAutomations(accountUuid, reasons, now) {
      return turn.run(function* () {
        const stored = JSON.stringify(reasons.map(storedReason))
        const resumed = (yield* resume.run({ accountUuid, reasons: stored })).changes
        if (resumed === 0) return 0
        yield* wakeRuns.run({ accountUuid, now })
        yield* wakeRows.run({ accountUuid, now })
        return resumed
      })
    },
  } satisfies Partial<RunGuardStore>
}
