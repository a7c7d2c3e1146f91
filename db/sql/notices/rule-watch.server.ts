// What is watched about automations and accounts: runs that wait, causes that stop several, rhythms and weeks.
import type { ClosedDays, SubjectRef } from '#app/domain/notices/notice.ts'
import type { Millis } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'
import type {
  AccountCause,
  NamedRule,
  NoticeStore,
  OpenTrouble,
  RhythmRule,
  TroubledRule,
  WeekFigures,
} from '../../store/notices.ts'
import type { Connections } from '../connections.ts'
import { notArrived } from '../listening/listening.server.ts'
import { NOTICE_REASON, readReason, reasonNames, reasonValues, selectReason, storedReason } from '../reasons.server.ts'
import { troubleRows } from './trouble-rows.server.ts'

export function ruleWatchStore(connections: Connections) {
  return { ...troubleStore(connections), ...causeStore(connections), ...rhythmStore(connections) }
}

const ON = 'a.active = 1 AND a.deleted_at IS NULL'

function troubleStore({ db }: Connections) {
  const rows = troubleRows(db)
  const open = db.prepare<
    { kinds: string },
    Omit<OpenTrouble, 'subject' | 'reason'> & { subjectKind: SubjectRef['kind']; subjectId: number; reason: string }
  >(
    `SELECT account_uuid AS accountUuid, subject_kind AS subjectKind, subject_id AS subjectId, kind, fingerprint,
       ${selectReason(NOTICE_REASON)} AS reason FROM notice
     WHERE ended_at IS NULL AND subject_kind <> 'endpoint' AND kind IN (SELECT value FROM json_each(@kinds)) ORDER BY id`,
  )
  // What a person runs is no rhythm: it ends no silence.
  const endOutdated = db.prepare(
    `UPDATE notice SET ended_at = @at WHERE ended_at IS NULL AND subject_kind = 'rule' AND NOT EXISTS (
       SELECT 1 FROM automation a WHERE a.id = notice.subject_id AND a.deleted_at IS NULL
         AND (notice.kind = 'waiting' OR a.active = 1)
         AND (notice.kind <> 'silent' OR NOT EXISTS (SELECT 1 FROM run r
           WHERE r.automation_id = a.id AND r.created_at >= notice.since AND r.source <> 'person')))`,
  )
  const weekly = db.prepare(
    `INSERT INTO notice (account_uuid, subject_kind, subject_id, kind, fingerprint, since, last_at, count, at, ended_at, dismissed_at,
       mail_state, mail_due_at, mail_tries, told_count, ${reasonNames(NOTICE_REASON)})
     VALUES (@accountUuid, 'account', 0, 'weekly', 'weekly', @since, @since, 1, @at, @at, @at, 'pending', @at, 0, 0,
       ${reasonValues()}) ON CONFLICT DO NOTHING`,
  )
  return {
    raiseTrouble: db.write(function* (accountUuid, subject, trouble, at) {
      yield* rows.raise(accountUuid, subject, trouble, at)
    }),
    endTrouble: db.write(function* (accountUuid, subject, fingerprint, input) {
      return yield* rows.end(accountUuid, subject, fingerprint, input)
    }),
    openTroubles: db.read(function* (kinds) {
      const found = yield* open.all({ kinds: JSON.stringify(kinds) })
      return found.map(({ subjectKind, subjectId, reason, ...one }) => ({
        ...one,
        subject: { kind: subjectKind, id: subjectId },
        reason: readReason(reason) ?? '',
      }))
    }),
    endOutdated: db.write(function* (at) {
      return (yield* endOutdated.run({ at })).changes
    }),
    raiseWeekly: db.write(function* (accountUuid, { since, reason, at }) {
      return (yield* weekly.run({ accountUuid, since, at, reason: storedReason(reason) })).changes === 1
    }),
  } satisfies Partial<NoticeStore>
}

function causeStore({ db }: Connections) {
  // A run waits for a person as a whole, or because of one of its steps. One held before it
  // began may be due at a later time. The automation that stopped itself went in circles.
  const troubled = db.prepare<{ sentSince: Millis }, TroubledRule>(
    `SELECT 'waiting' AS kind, w.account_uuid AS accountUuid, w.automation_id AS automationId, count(*) AS count,
       min(w.since) AS since, CAST(NULL AS bigint) AS "runId" FROM (
       SELECT account_uuid, automation_id, id, CASE WHEN started_at IS NULL THEN created_at ELSE wake_at END AS since
       FROM run WHERE state = 'held'
       UNION ALL
       SELECT r.account_uuid, r.automation_id, r.id, min(coalesce(s.ended_at, s.planned_at)) AS since
       FROM run_step s JOIN run r ON r.id = s.run_id
       WHERE s.state IN ('unknown', 'held') AND r.state <> 'held' GROUP BY r.account_uuid, r.automation_id, r.id
     ) w JOIN automation a ON a.id = w.automation_id AND a.deleted_at IS NULL GROUP BY w.account_uuid, w.automation_id
     UNION ALL
     SELECT 'stopped', a.account_uuid, a.id, 1, a.paused_at, CAST(NULL AS bigint) FROM automation a
     WHERE ${ON} AND a.paused_reason_code = 'breaker'
     UNION ALL
     SELECT 'undelivered', r.account_uuid, r.automation_id, count(*), min(m.sent_at), max(m.run_id)
     FROM message_receipt m JOIN run r ON r.id = m.run_id JOIN automation a ON a.id = r.automation_id AND ${ON}
     WHERE m.sent_at >= @sentSince AND ${notArrived('m')}
     GROUP BY r.account_uuid, r.automation_id ORDER BY 1, 3`,
  )
  /** By a rule that is on, or an address that gets events: of one object, or of any. */
  const isUsed = (of: string, object: string | null = null) =>
    `(EXISTS (SELECT 1 FROM automation a WHERE a.account_uuid = ${of} AND ${ON}${object ? ` AND a.watched_object = ${object}` : ''})
      OR EXISTS (SELECT 1 FROM endpoint e WHERE e.account_uuid = ${of} AND e.state IN ('active', 'failing') AND e.url <> ''
        ${object ? `AND e.object_type = ${object}` : ''}))`
  // ServiceM8 may refuse even a renewed sign-in: then only the pauses say so.
  // A failed payment is told also while nothing is on.
  const causes = db.prepare<[], AccountCause>(
    `SELECT c.account_uuid AS accountUuid, 'reconnect' AS kind, '' AS what, c.updated_at AS since FROM credential c
     WHERE c.state = 'reconnect' AND ${isUsed('c.account_uuid')}
     UNION ALL
     SELECT p.account_uuid, 'plan', CASE WHEN p.held_since IS NULL THEN 'past_due' ELSE coalesce(p.hold_reason, '') END,
       coalesce(p.held_since, p.past_due_since) FROM plan p
     WHERE coalesce(p.held_since, p.past_due_since) IS NOT NULL AND EXISTS (SELECT 1 FROM account WHERE uuid = p.account_uuid)
       AND (p.held_since IS NULL OR ${isUsed('p.account_uuid')})
     UNION ALL
     SELECT a.account_uuid, CASE a.paused_reason_code WHEN 'scope' THEN 'permission' ELSE a.paused_reason_code END,
       coalesce(json_extract(a.paused_reason_params, '$.scope'), ''), min(a.paused_at)
     FROM automation a WHERE ${ON} AND (a.paused_reason_code IN ('scope', 'suspended') OR a.paused_reason_code = 'reconnect'
       AND NOT EXISTS (SELECT 1 FROM credential c WHERE c.account_uuid = a.account_uuid AND c.state = 'reconnect'))
     GROUP BY a.account_uuid, a.paused_reason_code, coalesce(json_extract(a.paused_reason_params, '$.scope'), '')
     UNION ALL
     SELECT s.account_uuid, 'upstream', s.object, s.updated_at FROM subscription s
     WHERE s.state = 'active' AND s.state_reason IS NOT NULL AND ${isUsed('s.account_uuid', 's.object')}`,
  )
  const named = db.prepare<{ accountUuid: string }, NamedRule>(
    `SELECT a.id, a.name, a.watched_object AS watchedObject, a.paused_reason_code AS pausedCode,
       coalesce(json_extract(a.paused_reason_params, '$.scope'), '') AS pausedScope FROM automation a
     WHERE a.account_uuid = @accountUuid AND ${ON} ORDER BY a.name, a.id`,
  )
  const withoutEmail = db
    .prepare<{ limit: number }, string>(
      `SELECT c.account_uuid FROM credential c JOIN account o ON o.uuid = c.account_uuid
       WHERE c.state = 'connected' AND o.email IS NULL AND (${isUsed('c.account_uuid')}
         OR EXISTS (SELECT 1 FROM plan p WHERE p.account_uuid = c.account_uuid AND p.past_due_since IS NOT NULL)) ORDER BY c.account_uuid LIMIT @limit`,
    )
    .pluck()
  return {
    troubledRules: db.read((sentSince) => troubled.all({ sentSince })),
    accountCauses: db.read(() => causes.all()),
    namedRules: db.read((accountUuid) => named.all({ accountUuid })),
    accountsWithoutEmail: db.read((limit) => withoutEmail.all({ limit })),
  } satisfies Partial<NoticeStore>
}

type StoredRhythmRule = Omit<RhythmRule, 'holidaysOff' | 'closedDays'> & {
  holidaysOff: number
  closedDays: string | null
}

const QUARTER = minutes(15)

function rhythmStore({ db, reader }: Connections) {
  const rules = db.prepare<{ after: number; size: number }, StoredRhythmRule>(
    `SELECT a.id, a.account_uuid AS accountUuid, o.timezone, a.active_since AS activeSince,
       coalesce(s.holidays_off, 1) AS holidaysOff, s.closed_days AS closedDays
     FROM automation a JOIN account o ON o.uuid = a.account_uuid LEFT JOIN account_setting s ON s.account_uuid = a.account_uuid
     WHERE a.id > @after AND ${ON} AND a.active_since IS NOT NULL AND a.paused_at IS NULL AND a.execution_count >= 5
       AND NOT (a.trigger_source = 'api_polling' AND a.next_run_at IS NULL)
       AND NOT EXISTS (SELECT 1 FROM plan p WHERE p.account_uuid = a.account_uuid AND p.held_since IS NOT NULL)
       AND NOT EXISTS (SELECT 1 FROM credential c WHERE c.account_uuid = a.account_uuid AND c.state = 'reconnect')
     ORDER BY a.id LIMIT @size`,
  )
  const quarters = reader
    .prepare<{ automationId: number; since: Millis }, number>(
      `SELECT DISTINCT created_at / ${QUARTER} AS quarter FROM run
       WHERE automation_id = @automationId AND created_at >= @since AND source <> 'person' ORDER BY 1`,
    )
    .pluck()
  const weekly = db.prepare<[], { accountUuid: string; timezone: string }>(
    `SELECT o.uuid AS accountUuid, o.timezone FROM account_setting s JOIN account o ON o.uuid = s.account_uuid
     WHERE s.weekly_line = 1 AND s.notices_by_mail = 1
       AND EXISTS (SELECT 1 FROM automation a WHERE a.account_uuid = o.uuid AND ${ON}) ORDER BY o.uuid`,
  )
  const week = reader.prepare<{ accountUuid: string; since: Millis; until: Millis }, WeekFigures>(
    `SELECT (SELECT count(*) FROM automation a WHERE a.account_uuid = @accountUuid AND ${ON}) AS rules,
       (SELECT count(*) FROM automation a WHERE a.account_uuid = @accountUuid AND ${ON} AND (a.paused_at IS NOT NULL OR EXISTS (
          SELECT 1 FROM notice n WHERE n.account_uuid = a.account_uuid AND n.ended_at IS NULL
            AND (n.subject_kind = 'rule' AND n.subject_id = a.id OR n.kind IN ('reconnect', 'plan') AND n.fingerprint <> 'plan:past_due')))) AS unwell,
       (SELECT count(*) FROM customer_message m WHERE m.account_uuid = @accountUuid AND m.at >= @since AND m.at < @until) AS messages,
       (SELECT count(*) FROM run r WHERE r.account_uuid = @accountUuid AND r.created_at >= @since AND r.created_at < @until
          AND r.outcome IN ('failure', 'partial'))
         + (SELECT count(*) FROM message_receipt t WHERE t.account_uuid = @accountUuid AND t.sent_at >= @since AND t.sent_at < @until
            AND ${notArrived('t')}) AS failures`,
  )
  return {
    rhythmRulesStep: db.read(function* (after, size) {
      const found = yield* rules.all({ after, size })
      const next = found.length === size ? (found.at(-1)?.id ?? null) : null
      return {
        rules: found.map(({ holidaysOff, closedDays, ...rule }) => ({
          ...rule,
          holidaysOff: holidaysOff === 1,
          closedDays: readClosedDays(closedDays),
        })),
        next,
      }
    }),
    quartersOfRuns: reader.read((automationId, since) => quarters.all({ automationId, since })),
    weeklyAccounts: db.read(() => weekly.all()),
    weekFigures: reader.read(function* (accountUuid, since, until) {
      return (yield* week.get({ accountUuid, since, until })) ?? { rules: 0, unwell: 0, messages: 0, failures: 0 }
    }),
  } satisfies Partial<NoticeStore>
}

export function readClosedDays(stored: string | null): ClosedDays[] {
  return stored === null ? [] : (JSON.parse(stored) as ClosedDays[])
}
