// Notices, their e-mails, and an account's choices about them.
import type {
  MailChoice,
  MailTopic,
  NoticeKind,
  NoticeRow,
  NoticeSubject,
  WatchedCondition,
} from '#app/domain/notices/notice.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days } from '#app/lib/duration.ts'
import type { DueMail, MailClaim, NoticeStore, WatchedEndpoint } from '../../store/notices.ts'
import type { Connections } from '../connections.ts'
import { endpointCheckStore } from '../endpoints/endpoint-checks.server.ts'
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
import { MAIL_ENDS } from './mail-ends.server.ts'
import { readClosedDays, ruleWatchStore } from './rule-watch.server.ts'

interface StoredNotice extends Omit<NoticeRow, 'subject' | 'reason' | 'mailReason' | 'mended'> {
  subjectKind: NoticeSubject['kind']
  reason: string
  mailReason: string
  webhookId: number | null
  ruleId: number | null
  ruleName: string | null
  objectType: string | null
  automationName: string | null
  mended: 0 | 1 | null
}

interface StoredMail extends StoredNotice, Omit<DueMail, keyof NoticeRow | 'superseded'> {
  superseded: 0 | 1
}

interface StoredChoice {
  byMail: 0 | 1
  email: string | null
  topicsOff: string | null
  weekly: 0 | 1
  holidaysOff: 0 | 1
  closedDays: string | null
}

const NOTICE_COLUMNS = `n.id, n.subject_kind AS subjectKind, n.subject_id AS subjectId, n.kind, n.since, n.last_at AS lastAt, n.count,
  ${selectReason(NOTICE_REASON, 'n')} AS reason, n.run_id AS runId, n.at, n.mail_state AS mailState,
  ${selectReason(MAIL_REASON, 'n')} AS mailReason, CASE WHEN n.mail_state = 'pending' THEN n.mail_due_at ELSE n.told_at END AS mailAt,
  e.webhook_id AS webhookId, r.id AS ruleId, r.name AS ruleName, e.object_type AS objectType, o.name AS automationName,
  (SELECT CASE WHEN v.definition <> o.definition THEN 1 ELSE 0 END FROM run f JOIN automation_version v
     ON v.automation_id = f.automation_id AND v.version = f.version WHERE f.id = n.run_id) AS mended`

const NOTICE_TABLES = `notice n LEFT JOIN endpoint e ON n.subject_kind = 'endpoint' AND e.id = n.subject_id
  LEFT JOIN forwarding_rule r ON r.id = e.forwarding_rule_id
  LEFT JOIN automation o ON n.subject_kind = 'rule' AND o.id = n.subject_id`

/** Its subject is there: the endpoint and the automation are not deleted. */
const IS_THERE = `CASE n.subject_kind WHEN 'endpoint' THEN coalesce(e.state, 'deleted') <> 'deleted'
  WHEN 'rule' THEN o.id IS NOT NULL AND o.deleted_at IS NULL ELSE TRUE END`
const SAME_SUBJECT =
  'l.account_uuid = n.account_uuid AND l.subject_kind = n.subject_kind AND l.subject_id = n.subject_id'
const NEWER = `EXISTS (SELECT 1 FROM notice l WHERE ${SAME_SUBJECT} AND l.id > n.id)`
/** What was to be told is over. The news that it works is over as soon as something else is wrong; a late payment stops nothing yet. */
const IS_OVER = `CASE WHEN n.subject_kind = 'endpoint' THEN ${NEWER} WHEN n.kind = 'weekly' THEN FALSE
  WHEN n.kind = 'recovered' THEN EXISTS (SELECT 1 FROM notice l WHERE ${SAME_SUBJECT} AND l.kind NOT IN ('waiting', 'silent', 'undelivered') AND l.fingerprint <> 'plan:past_due' AND l.ended_at IS NULL)
  ELSE n.ended_at IS NOT NULL END`

/** Notices, their e-mails and the account's e-mail choice; what is watched; and address checks. */
export function noticeStore(connections: Connections): NoticeStore {
  return {
    ...endpointCheckStore(connections),
    ...endpointWatchStore(connections),
    ...ruleWatchStore(connections),
    ...mailStore(connections),
    ...listStore(connections),
    ...choiceStore(connections),
  }
}

function mailStore({ db, reader }: Connections) {
  const dueMails = db.prepare<{ now: Millis; limit: number }, StoredMail>(
    `SELECT ${NOTICE_COLUMNS}, n.account_uuid AS accountUuid, a.name AS accountName, a.timezone, a.email AS accountEmail,
       n.mail_tries AS tries, coalesce(e.pending_count, 0) AS waiting,
       CASE WHEN ${IS_THERE} THEN ${IS_OVER} ELSE TRUE END AS superseded,
       (SELECT t.since FROM notice t WHERE t.account_uuid = n.account_uuid AND t.subject_kind = n.subject_kind
          AND t.subject_id = n.subject_id AND t.id < n.id AND t.kind <> 'recovered' AND n.kind = 'recovered'
          AND (n.subject_kind = 'endpoint' OR t.ended_at = n.at)
        ORDER BY t.id DESC LIMIT 1) AS troubleSince
     FROM ${NOTICE_TABLES} JOIN account a ON a.uuid = n.account_uuid
     WHERE n.mail_state = 'pending' AND n.mail_due_at <= @now ORDER BY n.mail_due_at, n.id LIMIT @limit`,
  )
  // What stops the whole account is told whatever else was told before.
  const mailsSince = db
    .prepare<{ accountUuid: string; after: Millis; id: number }, number>(
      `SELECT count(*) FROM notice WHERE account_uuid = @accountUuid AND mail_state IN ('sent', 'failed') AND told_at > @after
         AND NOT EXISTS (SELECT 1 FROM notice own WHERE own.id = @id AND own.subject_kind = 'account')`,
    )
    .pluck()
  const toldBefore = db
    .prepare<{ accountUuid: string; id: number; after: Millis }, Millis | null>(
      `SELECT max(l.told_at) FROM notice n JOIN notice l ON ${SAME_SUBJECT} AND l.fingerprint = n.fingerprint AND l.id <> n.id
       WHERE n.id = @id AND n.account_uuid = @accountUuid AND n.subject_kind <> 'endpoint' AND l.told_at > @after`,
    )
    .pluck()
  const putOff = db.prepare(
    `UPDATE notice SET mail_due_at = @dueAt WHERE id = @id AND account_uuid = @accountUuid AND mail_state = 'pending'`,
  )
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
  const mailEnds = reader.prepare<{ since: Millis }, { code: string; count: number }>(MAIL_ENDS)

  return {
    dueNoticeMails: db.read(function* (now, limit) {
      return (yield* dueMails.all({ now, limit })).map(({ superseded, ...row }) => {
        const { accountUuid, accountName, timezone, accountEmail, tries, troubleSince, waiting } = row
        const mail = { accountUuid, accountName, timezone, accountEmail, tries, troubleSince, waiting }
        return { ...toNotice(row), ...mail, superseded: superseded === 1 }
      })
    }),

    claimNoticeMail: db.write(function* (accountUuid, id, how): Generator<unknown, MailClaim> {
      const told = yield* toldBefore.get({ accountUuid, id, after: how.at - days(1) })
      if (told != null) {
        const { changes } = yield* putOff.run({ accountUuid, id, dueAt: told + days(1) })
        return { outcome: changes === 1 ? 'later' : 'gone' }
      }
      if (((yield* mailsSince.get({ accountUuid, after: how.countSince, id })) ?? 0) >= how.most) {
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

    mailEnds: reader.read((since) => mailEnds.all({ since })),
  } satisfies Partial<NoticeStore>
}

function listStore({ db }: Connections) {
  type Asked = { accountUuid: string; limit: number; of: string; dayAgo: Millis; weekAgo: Millis }
  const list = db.prepare<Asked, StoredNotice>(
    `SELECT ${NOTICE_COLUMNS} FROM ${NOTICE_TABLES}
     WHERE n.account_uuid = @accountUuid AND ${IS_THERE}
       AND (n.dismissed_at IS NULL OR (n.subject_kind <> 'endpoint' AND n.ended_at IS NULL AND n.dismissed_at <= @dayAgo))
       AND CASE WHEN n.subject_kind = 'endpoint' THEN NOT ${NEWER}
         ELSE n.ended_at IS NULL OR (n.kind = 'recovered' AND n.since > @weekAgo AND NOT ${NEWER}) END
       AND @of <> CASE n.subject_kind WHEN 'endpoint' THEN 'others' ELSE 'endpoint' END
     ORDER BY n.id DESC LIMIT @limit`,
  )
  const dismiss = db.prepare(
    `UPDATE notice SET dismissed_at = @at
     WHERE account_uuid = @accountUuid AND id <= @id
       AND EXISTS (SELECT 1 FROM notice own WHERE own.id = @id AND own.account_uuid = @accountUuid
         AND own.subject_kind = notice.subject_kind AND own.subject_id = notice.subject_id
         AND (own.subject_kind = 'endpoint' OR own.fingerprint = notice.fingerprint))`,
  )
  // What goes on would be told as new. A failure is over when it happened: its notice goes when its run does.
  const forget = db.prepare(
    `DELETE FROM notice WHERE id IN (
       SELECT n.id FROM notice n WHERE CASE n.subject_kind WHEN 'endpoint' THEN n.at < @before AND (${NEWER} OR NOT EXISTS (
           SELECT 1 FROM endpoint e WHERE e.id = n.subject_id AND (e.state <> 'deleted' OR e.state_since >= @before)))
         ELSE coalesce(n.ended_at, CASE WHEN n.subject_kind = 'rule' AND n.kind = 'failing' THEN n.last_at END) < @before END
       ORDER BY n.id LIMIT @limit)`,
  )

  return {
    listNotices: db.read(function* (accountUuid, limit, now, of) {
      const [dayAgo, weekAgo] = [now - days(1), now - days(7)]
      return (yield* list.all({ accountUuid, limit, of: of ?? 'all', dayAgo, weekAgo })).map(toNotice)
    }),

    dismissNotice: db.write(function* (accountUuid, id, at) {
      return (yield* dismiss.run({ accountUuid, id, at })).changes > 0
    }),

    forgetNoticesStep: db.write(function* (before, limit) {
      return (yield* forget.run({ before, limit })).changes
    }),
  } satisfies Partial<NoticeStore>
}

function choiceStore({ db }: Connections) {
  const findChoice = db.prepare<{ accountUuid: string }, StoredChoice>(
    `SELECT notices_by_mail AS byMail, notice_email AS email, mails_off AS topicsOff, weekly_line AS weekly,
       holidays_off AS holidaysOff, closed_days AS closedDays FROM account_setting WHERE account_uuid = @accountUuid`,
  )
  const saveChoice = db.prepare(
    `INSERT INTO account_setting (account_uuid, notices_by_mail, notice_email, mails_off, weekly_line, holidays_off, closed_days,
       updated_at)
     VALUES (@accountUuid, @byMail, @email, @topicsOff, @weekly, @holidaysOff, @closedDays, @at)
     ON CONFLICT (account_uuid) DO UPDATE SET notices_by_mail = @byMail, notice_email = @email, mails_off = @topicsOff,
       weekly_line = @weekly, holidays_off = @holidaysOff, closed_days = @closedDays, updated_at = @at`,
  )
  const noteEmail = db.prepare(
    'UPDATE account SET email = @email WHERE uuid = @accountUuid AND email IS DISTINCT FROM CAST(@email AS text)',
  )
  const findEmail = db.prepare<object, string>('SELECT email FROM account WHERE uuid = @accountUuid').pluck()
  function* chosen(accountUuid: string): Generator<unknown, MailChoice | null> {
    const row = yield* findChoice.get({ accountUuid })
    if (!row) return null
    const { byMail, email, topicsOff, weekly, holidaysOff, closedDays } = row
    return {
      byMail: byMail === 1,
      email,
      topicsOff: (topicsOff ?? '').split(',').filter(Boolean) as MailTopic[],
      weekly: weekly === 1,
      holidaysOff: holidaysOff === 1,
      closedDays: readClosedDays(closedDays),
    }
  }

  return {
    findMailChoice: db.read(chosen),

    saveMailChoice: db.write(function* (accountUuid, change, unchosen, at) {
      const choice = { ...((yield* chosen(accountUuid)) ?? unchosen), ...change }
      const { byMail, email, topicsOff, weekly, holidaysOff, closedDays } = choice
      yield* saveChoice.run({
        ...{ accountUuid, email, at },
        byMail: byMail ? 1 : 0,
        topicsOff: topicsOff.length === 0 ? null : topicsOff.join(','),
        weekly: weekly ? 1 : 0,
        holidaysOff: holidaysOff ? 1 : 0,
        closedDays: closedDays.length === 0 ? null : JSON.stringify(closedDays),
      })
      return choice
    }),

    noteAccountEmail: db.write(function* (accountUuid, email) {
      yield* noteEmail.run({ accountUuid, email })
    }),

    findAccountEmail: db.read(function* (accountUuid) {
      return (yield* findEmail.get({ accountUuid })) ?? null
    }),
  } satisfies Partial<NoticeStore>
}

function toNotice(row: StoredNotice): NoticeRow {
  const { id, subjectId, kind, since, lastAt, count, runId, at, mailState, mailAt } = row
  const reason = readReason(row.reason) ?? ''
  const told = { mailState, mailReason: readReason(row.mailReason), mailAt }
  return {
    id,
    subjectId,
    subject: subjectOf(row),
    kind,
    since,
    lastAt,
    count,
    reason,
    runId,
    at,
    mended: row.mended === 1,
    ...told,
  }
}

function subjectOf({ subjectKind, subjectId, ...row }: StoredNotice): NoticeSubject {
  if (subjectKind === 'account') return { kind: 'account' }
  if (subjectKind === 'rule') return { kind: 'rule', automationId: subjectId, name: row.automationName ?? '' }
  const { webhookId, ruleId, ruleName, objectType } = row
  const rule = ruleId === null ? null : { id: ruleId, name: ruleName ?? '' }
  return { kind: 'endpoint', objectType: objectType ?? '', webhookId, rule }
}

// Which endpoints are watched, and the notices about them: one for each change.
interface WatchedRow extends Omit<WatchedEndpoint, 'latest'> {
  latestId: number | null
  latestKind: NoticeKind | null
  latestSince: Millis | null
  latestAt: Millis | null
}

function endpointWatchStore({ db }: Connections): Pick<NoticeStore, 'watchedEndpointsStep' | 'raiseNotice'> {
  const watched = db.prepare<{ after: number; size: number }, WatchedRow>(
    `SELECT e.id AS endpointId, e.account_uuid AS accountUuid, e.state, e.state_reason AS stateReason,
       e.state_since AS stateSince, e.failing_since AS failingSince, json_array_length(e.failure_events) AS failedEvents,
       e.last_success_at AS lastSuccessAt, e.hold_until AS holdUntil, e.redirect_streak AS redirectStreak,
       e.last_sentence AS lastSentence,
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

  return {
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
  }
}

function toWatched({ latestId, latestKind, latestSince, latestAt, ...row }: WatchedRow): WatchedEndpoint {
  const latest =
    latestId === null || latestKind === null || latestSince === null || latestAt === null
      ? null
      : { id: latestId, kind: latestKind, since: latestSince, at: latestAt }
  return { ...row, state: row.state as WatchedCondition['state'], latest }
}
