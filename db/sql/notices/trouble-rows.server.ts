// Troubles of automations and accounts as rows. Prepared once per connection, for use inside a transaction: the end of a
// run tells of it in the same commit.
import type { SubjectRef, Trouble } from '#app/domain/notices/notice.ts'
import type { Reason } from '#app/domain/reason.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days } from '#app/lib/duration.ts'
import type { Database, Step } from '../../database.ts'
import { MAIL_REASON, NOTICE_REASON, reasonNames, reasonValues, setReason, storedReason } from '../reasons.server.ts'

const SUBJECT = 'account_uuid = @accountUuid AND subject_kind = @subjectKind AND subject_id = @subjectId'
const OPEN = `${SUBJECT} AND fingerprint = @fingerprint AND ended_at IS NULL`
const COUNT = 'CASE WHEN @total = 1 THEN CAST(@count AS bigint) ELSE count + CAST(@count AS bigint) END'
/** More happened since the last mail, and that was a day ago. */
const MAIL_AGAIN = `mail_state <> 'pending' AND ${COUNT} > told_count AND coalesce(told_at, at) <= CAST(@dayAgo AS bigint)`
const DAY = days(1)

interface TroubleRows {
  raise(accountUuid: string, subject: SubjectRef, trouble: Trouble & { total: boolean }, at: Millis): Step<void>
  /** True = there was an open one. `fingerprint` null = whatever fails. */
  end(
    accountUuid: string,
    subject: SubjectRef,
    fingerprint: string | null,
    input: { at: Millis; say: Reason | null },
  ): Step<boolean>
  /** No step of the run is tried any more that an open trouble says is: it ends, unless other runs failed as well. */
  giveUp(accountUuid: string, runId: number, at: Millis): Step<void>
}

export function troubleRows(db: Pick<Database, 'prepare'>): TroubleRows {
  const goesOn = db.prepare(
    `UPDATE notice SET count = ${COUNT}, last_at = max(last_at, CAST(@lastAt AS bigint)), run_id = coalesce(@runId, run_id), ${setReason(NOTICE_REASON)},
       told_count = CASE WHEN @total = 1 AND told_count > CAST(@count AS bigint) THEN CAST(@count AS bigint) ELSE told_count END,
       mail_tries = CASE WHEN ${MAIL_AGAIN} THEN 0 ELSE mail_tries END,
       mail_due_at = CASE WHEN ${MAIL_AGAIN} THEN CAST(@at AS bigint) ELSE mail_due_at END,
       mail_state = CASE WHEN ${MAIL_AGAIN} THEN 'pending' ELSE mail_state END
     WHERE ${OPEN}`,
  )
  /** The same trouble since the same moment: it had not ended after all. */
  const reopen = db.prepare(
    `UPDATE notice SET ended_at = NULL, dismissed_at = NULL, count = @count, last_at = @lastAt, run_id = coalesce(@runId, run_id),
       ${setReason(NOTICE_REASON)}, mail_state = 'pending', mail_tries = 0,
       mail_due_at = max(CAST(@at AS bigint), coalesce(told_at + ${DAY}, 0))
     WHERE ${SUBJECT} AND fingerprint = @fingerprint AND since = @since AND ended_at IS NOT NULL`,
  )
  // The same trouble a second time within a day: its mail waits until the day is over.
  const insert = db.prepare(
    `INSERT INTO notice (account_uuid, subject_kind, subject_id, kind, fingerprint, since, last_at, count, run_id, at, ended_at,
       mail_state, mail_due_at, mail_tries, told_count, ${reasonNames(NOTICE_REASON)}, ${reasonNames(MAIL_REASON)})
     VALUES (@accountUuid, @subjectKind, @subjectId, @kind, @fingerprint, @since, @lastAt, @count, @runId, @at, @endedAt,
       @mailState, CASE WHEN @mailState = 'pending' THEN max(CAST(@at AS bigint), coalesce((SELECT max(told_at) FROM notice WHERE ${SUBJECT} AND fingerprint = @fingerprint), 0) + ${DAY} * @told) END,
       0, 0, ${reasonValues()}, ${reasonValues('@mailReason')}) ON CONFLICT DO NOTHING`,
  )
  const wasTold = db
    .prepare<object, number>(`SELECT count(told_at) FROM notice WHERE ${SUBJECT} AND fingerprint = @fingerprint`)
    .pluck()
  const end = db.prepare<object, { since: Millis; toldAt: Millis | null }>(
    `UPDATE notice SET ended_at = @at WHERE ${SUBJECT} AND ended_at IS NULL
       AND CASE WHEN CAST(@fingerprint AS text) IS NULL THEN kind = 'failing' ELSE fingerprint = @fingerprint END
     RETURNING since, told_at AS toldAt`,
  )

  const giveUp = db.prepare(
    `UPDATE notice SET reason_params = json_remove(reason_params, '$.again'),
       ended_at = CASE WHEN count = 1 THEN CAST(@at AS bigint) END
     WHERE account_uuid = @accountUuid AND run_id = @runId AND kind = 'failing' AND ended_at IS NULL
       AND CAST(json_extract(reason_params, '$.again') AS text) = '1'
       AND NOT EXISTS (SELECT 1 FROM run r JOIN run_step s ON s.run_id = r.id WHERE r.id = @runId AND r.state <> 'held'
         AND CAST(json_extract(s.effect, '$.told') AS text) = CAST(notice.id AS text)
         AND (s.state IN ('planned', 'sending') OR (s.state = 'failed' AND s.next_attempt_at IS NOT NULL)))`,
  )

  function* add(
    who: { accountUuid: string; subjectKind: string; subjectId: number },
    row: Omit<Trouble, 'count'> & { count: number; lastAt: Millis; endedAt: Millis | null; mailed: boolean },
    at: Millis,
  ): Generator<unknown, void> {
    const { kind, fingerprint, since, lastAt, count, reason, runId, endedAt, mailed } = row
    const told = ((yield* wasTold.get({ ...who, fingerprint })) ?? 0) > 0 ? 1 : 0
    yield* insert.run({
      ...{ ...who, kind, fingerprint, since, lastAt, count, runId, at, endedAt, told },
      mailState: mailed ? 'pending' : 'none',
      reason: storedReason(reason),
      mailReason: storedReason(null),
    })
  }

  return {
    *raise(accountUuid, { kind: subjectKind, id: subjectId }, trouble, at) {
      const { fingerprint, since, count, runId, total } = trouble
      const who = { accountUuid, subjectKind, subjectId }
      const values = { ...who, fingerprint, count, runId, at, lastAt: at, reason: storedReason(trouble.reason) }
      if ((yield* goesOn.run({ ...values, dayAgo: at - DAY, total: total ? 1 : 0 })).changes > 0) return
      if ((yield* reopen.run({ ...values, since })).changes === 0)
        yield* add(who, { ...trouble, count: Math.max(1, count), lastAt: at, endedAt: null, mailed: true }, at)
    },

    *end(accountUuid, { kind: subjectKind, id: subjectId }, fingerprint, { at, say }) {
      const who = { accountUuid, subjectKind, subjectId }
      const ended = yield* end.all({ ...who, fingerprint, at })
      if (ended.length === 0) return false
      if (say === null) return true
      // Nobody is told the end of a trouble that they were not told of.
      const mailed = ended.some(({ toldAt }) => toldAt !== null)
      const over = {
        kind: 'recovered',
        fingerprint: 'recovered',
        since: at,
        lastAt: at,
        count: 1,
        reason: say,
      } as const
      yield* add(who, { ...over, runId: null, endedAt: at, mailed }, at)
      return true
    },

    *giveUp(accountUuid, runId, at) {
      yield* giveUp.run({ accountUuid, runId, at })
    },
  }
}
