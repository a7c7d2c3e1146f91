import type { NoticeKind, WatchedCondition } from '#app/domain/endpoints/notice.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { DueMail, MailClaim, NoticeRow, NoticeStore, WatchedEndpoint } from '../../store/notices.ts'
import type { Connections } from '../connections.ts'
import {
  MAIL_REASON,
  NOTICE_REASON,
  readReason,
  reasonNames,
  reasonValues,
  selectReason,
  setReason,
  storedReason,
} from '../reasons.server.ts'
import { endpointCheckStore } from './endpoint-checks.server.ts'

interface WatchedRow extends Omit<WatchedEndpoint, 'latest'> {
  latestId: number | null
  latestKind: NoticeKind | null
  latestSince: Millis | null
  latestAt: Millis | null
}

interface StoredNotice extends Omit<NoticeRow, 'subject' | 'reason' | 'mailReason'> {
  reason: string
  mailReason: string
  webhookId: number | null
  ruleId: number | null
  ruleName: string | null
  objectType: string
}

interface StoredMail extends StoredNotice, Omit<DueMail, keyof NoticeRow | 'superseded'> {
  superseded: 0 | 1
}

const NOTICE_COLUMNS = `n.id, n.subject_id AS endpointId, n.kind, n.since, ${selectReason(NOTICE_REASON, 'n')} AS reason, n.at, n.mail_state AS mailState,
  ${selectReason(MAIL_REASON, 'n')} AS mailReason, CASE WHEN n.mail_state = 'pending' THEN n.mail_due_at ELSE n.told_at END AS mailAt, e.webhook_id AS webhookId, r.id AS ruleId, r.name AS ruleName, e.object_type AS objectType`

const NOTICE_TABLES = `notice n JOIN endpoint e ON n.subject_kind = 'endpoint' AND e.id = n.subject_id
  LEFT JOIN forwarding_rule r ON r.id = e.forwarding_rule_id`

/** Notices, their e-mails and the account's e-mail choice; and address checks. */
export function noticeStore(connections: Connections): NoticeStore {
  const { db } = connections
  const watched = db.prepare<{ after: number; size: number }, WatchedRow>(
    `SELECT e.id AS endpointId, e.account_uuid AS accountUuid, e.state, e.state_reason AS stateReason,
       e.state_since AS stateSince, e.failing_since AS failingSince, json_array_length(e.failure_events) AS failedEvents,
       e.last_success_at AS lastSuccessAt, e.last_sentence AS lastSentence,
       n.id AS latestId, n.kind AS latestKind, n.since AS latestSince, n.at AS latestAt, c.at AS checkedAt
     FROM (SELECT * FROM endpoint WHERE id > @after ORDER BY id LIMIT @size) e
     LEFT JOIN notice n ON n.id = (SELECT max(id) FROM notice WHERE subject_kind = 'endpoint' AND subject_id = e.id)
     LEFT JOIN endpoint_check c ON c.endpoint_id = e.id AND json_extract(c.steps, '$[0].name') <> 'upstream'
     WHERE e.state <> 'deleted' AND e.url <> ''
       AND (e.state IN ('stopped', 'failing') OR e.failing_since IS NOT NULL OR n.kind IN ('failing', 'stopped'))
     ORDER BY e.id`,
  )
  const lastOfStep = db.prepare<{ after: number; size: number }, { last: number | null; seen: number }>(
    'SELECT max(id) AS last, count(*) AS seen FROM (SELECT id FROM endpoint WHERE id > @after ORDER BY id LIMIT @size) AS step',
  )
  // One statement, so it sees notices added meanwhile.
  const raise = db.prepare(
    `INSERT INTO notice (account_uuid, subject_kind, subject_id, kind, fingerprint, since, last_at, count, at, ended_at, mail_state,
       mail_tries, told_count, mail_due_at, ${reasonNames(NOTICE_REASON)}, ${reasonNames(MAIL_REASON)})
     SELECT account_uuid, 'endpoint', id, CAST(@kind AS text), CAST(@kind AS text), CAST(@since AS bigint), CAST(@since AS bigint), 1,
       CAST(@at AS bigint), CASE WHEN @kind = 'recovered' THEN CAST(@since AS bigint) END, CAST(@mailState AS text), 0, 0,
       CAST(@mailDueAt AS bigint), ${reasonValues()}, ${reasonValues('@mailReason')} FROM endpoint
     WHERE id = @endpointId AND account_uuid = @accountUuid AND state <> 'deleted'
       AND CAST(@latestId AS bigint) IS NOT DISTINCT FROM
         (SELECT max(id) FROM notice WHERE subject_kind = 'endpoint' AND subject_id = @endpointId)
     ON CONFLICT DO NOTHING`,
  )
  // What came before is over: a new notice of an address takes its place.
  const endOlder = db.prepare(
    `UPDATE notice SET ended_at = @since WHERE subject_kind = 'endpoint' AND subject_id = @endpointId
       AND account_uuid = @accountUuid AND ended_at IS NULL
       AND @latestId = (SELECT max(id) FROM notice WHERE subject_kind = 'endpoint' AND subject_id = @endpointId)
       AND NOT EXISTS (SELECT 1 FROM notice WHERE account_uuid = @accountUuid AND subject_kind = 'endpoint'
         AND subject_id = @endpointId AND kind = @kind AND since = @since)`,
  )
  const dueMails = db.prepare<{ now: Millis; limit: number }, StoredMail>(
    `SELECT ${NOTICE_COLUMNS}, n.account_uuid AS accountUuid, a.name AS accountName, a.timezone, n.mail_tries AS tries,
       e.pending_count AS waiting,
       e.state = 'deleted' OR EXISTS (SELECT 1 FROM notice l WHERE l.subject_kind = 'endpoint' AND l.subject_id = n.subject_id AND l.id > n.id)
         AS superseded,
       (SELECT t.since FROM notice t WHERE t.subject_kind = 'endpoint' AND t.subject_id = n.subject_id AND t.id < n.id AND t.kind <> 'recovered'
          AND n.kind = 'recovered' ORDER BY t.id DESC LIMIT 1) AS troubleSince
     FROM ${NOTICE_TABLES} JOIN account a ON a.uuid = n.account_uuid
     WHERE n.mail_state = 'pending' AND n.mail_due_at <= @now ORDER BY n.mail_due_at, n.id LIMIT @limit`,
  )
  const mailsSince = db
    .prepare<{ accountUuid: string; after: Millis }, number>(
      `SELECT count(*) FROM notice
       WHERE account_uuid = @accountUuid AND mail_state IN ('sent', 'failed') AND told_at > @after`,
    )
    .pluck()
  const markTried = db.prepare<{ reason: string; at: Millis; id: number; accountUuid: string }, { tries: number }>(
    `UPDATE notice SET mail_state = 'failed', ${setReason(MAIL_REASON)}, mail_tries = mail_tries + 1, mail_due_at = NULL,
       told_at = @at, told_count = count
     WHERE id = @id AND account_uuid = @accountUuid AND mail_state = 'pending' RETURNING mail_tries AS tries`,
  )
  const markUnsent = db.prepare(
    `UPDATE notice SET mail_state = 'none', ${setReason(MAIL_REASON)}, mail_due_at = NULL
     WHERE id = @id AND account_uuid = @accountUuid AND mail_state = 'pending'`,
  )
  const settleMail = db.prepare(
    `UPDATE notice SET mail_state = @state, ${setReason(MAIL_REASON)}, mail_due_at = @dueAt,
       mail_tries = mail_tries + @untried
     WHERE id = @id AND account_uuid = @accountUuid AND mail_state = @before`,
  )
  const forget = db.prepare(
    `DELETE FROM notice WHERE id IN (
       SELECT o.id FROM notice o
       WHERE o.at < @before AND EXISTS (SELECT 1 FROM notice l
         WHERE l.subject_kind = o.subject_kind AND l.subject_id = o.subject_id AND l.id > o.id)
       ORDER BY o.id LIMIT @limit)`,
  )
  const list = db.prepare<{ accountUuid: string; limit: number }, StoredNotice>(
    `SELECT ${NOTICE_COLUMNS} FROM ${NOTICE_TABLES}
     WHERE n.account_uuid = @accountUuid AND n.dismissed_at IS NULL AND e.state <> 'deleted'
     ORDER BY n.id DESC LIMIT @limit`,
  )
  const dismiss = db.prepare(
    `UPDATE notice SET dismissed_at = coalesce(dismissed_at, @at)
     WHERE account_uuid = @accountUuid AND id <= @id AND subject_kind = 'endpoint'
       AND subject_id = (SELECT subject_id FROM notice WHERE id = @id AND account_uuid = @accountUuid)`,
  )
  const findChoice = db.prepare<{ accountUuid: string }, { byMail: 0 | 1; email: string | null }>(
    'SELECT notices_by_mail AS byMail, notice_email AS email FROM account_setting WHERE account_uuid = @accountUuid',
  )
  const saveChoice = db.prepare(
    `INSERT INTO account_setting (account_uuid, notices_by_mail, notice_email, updated_at)
     VALUES (@accountUuid, @byMail, @email, @at)
     ON CONFLICT (account_uuid) DO UPDATE SET notices_by_mail = @byMail, notice_email = @email, updated_at = @at`,
  )

  return {
    ...endpointCheckStore(connections),

    watchedEndpointsStep: db.read(function* (after, size) {
      const { last, seen } = (yield* lastOfStep.get({ after, size })) ?? { last: null, seen: 0 }
      const endpoints = seen === 0 ? [] : (yield* watched.all({ after, size })).map(toWatched)
      return { endpoints, next: seen === size ? last : null }
    }),

    raiseNotice: db.write(function* ({ accountUuid, endpointId, latestId }, { kind, since, reason, at, mail }) {
      const pending = mail.state === 'pending'
      if (latestId !== null) yield* endOlder.run({ accountUuid, endpointId, latestId, kind, since })
      const { changes } = yield* raise.run({
        accountUuid,
        endpointId,
        latestId,
        kind,
        since,
        reason: storedReason(reason),
        at,
        mailState: mail.state,
        mailReason: storedReason(pending ? null : mail.reason),
        mailDueAt: pending ? mail.dueAt : null,
      })
      return changes === 1
    }),

    dueNoticeMails: db.read(function* (now, limit) {
      return (yield* dueMails.all({ now, limit })).map(({ superseded, ...row }) => {
        const { accountUuid, accountName, timezone, tries, troubleSince, waiting } = row
        const mail = { accountUuid, accountName, timezone, tries, troubleSince, waiting }
        return { ...toNotice(row), ...mail, superseded: superseded === 1 }
      })
    }),

    claimNoticeMail: db.write(function* (accountUuid, id, how): Generator<unknown, MailClaim> {
      if (((yield* mailsSince.get({ accountUuid, after: how.countSince })) ?? 0) >= how.most) {
        const { changes } = yield* markUnsent.run({ reason: storedReason(how.tooMany), id, accountUuid })
        return { outcome: changes === 1 ? 'too_many' : 'gone' }
      }
      const tried = yield* markTried.get({ reason: storedReason(how.unclear), at: how.at, id, accountUuid })
      return tried ? { outcome: 'claimed', tries: tried.tries } : { outcome: 'gone' }
    }),

    settleNoticeMail: db.write(function* (accountUuid, id, after, claimed) {
      yield* settleMail.run({
        accountUuid,
        id,
        state: after.state,
        reason: storedReason(after.reason),
        dueAt: after.state === 'pending' ? after.dueAt : null,
        // An untried e-mail also counts as a try, so that it ends eventually.
        untried: claimed ? 0 : 1,
        before: claimed ? 'failed' : 'pending',
      })
    }),

    forgetNoticesStep: db.write(function* (before, limit) {
      return (yield* forget.run({ before, limit })).changes
    }),

    listNotices: db.read(function* (accountUuid, limit) {
      return (yield* list.all({ accountUuid, limit })).map(toNotice)
    }),

    dismissNotice: db.write(function* (accountUuid, id, at) {
      return (yield* dismiss.run({ accountUuid, id, at })).changes > 0
    }),

    findMailChoice: db.read(function* (accountUuid) {
      const row = yield* findChoice.get({ accountUuid })
      return row ? { byMail: row.byMail === 1, email: row.email } : null
    }),

    saveMailChoice: db.write(function* (accountUuid, { byMail, email }, at) {
      yield* saveChoice.run({ accountUuid, byMail: byMail ? 1 : 0, email, at })
    }),
  }
}

function toWatched({ latestId, latestKind, latestSince, latestAt, ...row }: WatchedRow): WatchedEndpoint {
  const latest =
    latestId === null || latestKind === null || latestSince === null || latestAt === null
      ? null
      : { id: latestId, kind: latestKind, since: latestSince, at: latestAt }
  return { ...row, state: row.state as WatchedCondition['state'], latest }
}

function toNotice(row: StoredNotice): NoticeRow {
  const { id, endpointId, kind, since, at, mailState, mailAt } = row
  const { webhookId, ruleId, ruleName, objectType } = row
  const rule = ruleId === null ? null : { id: ruleId, name: ruleName ?? '' }
  const subject = { objectType, webhookId, rule }
  const reason = readReason(row.reason) ?? ''
  return { id, endpointId, subject, kind, since, reason, at, mailState, mailReason: readReason(row.mailReason), mailAt }
}
