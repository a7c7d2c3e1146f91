// Which endpoints are watched, and the notices about them: one for each change.
import type { NoticeKind, WatchedCondition } from '#app/domain/notices/notice.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { NoticeStore, WatchedEndpoint } from '../../store/notices.ts'
import type { Connections } from '../connections.ts'
import { MAIL_REASON, NOTICE_REASON, reasonNames, reasonValues, storedReason } from '../reasons.server.ts'

interface WatchedRow extends Omit<WatchedEndpoint, 'latest'> {
  latestId: number | null
  latestKind: NoticeKind | null
  latestSince: Millis | null
  latestAt: Millis | null
}

export function endpointWatchStore({ db }: Connections): Pick<NoticeStore, 'watchedEndpointsStep' | 'raiseNotice'> {
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
