// Answers and receipts that rules are asked about: once each, with the runs they set off.
import type { Answer } from '#app/domain/automations/conversation.ts'
import type { JudgedReceipt, ListeningStore } from '../../store/listening.ts'
import type { Connections } from '../connections.ts'
import { triggerRows } from '../rules/triggers.server.ts'
import { ANSWER, messagesHeld } from './answers.server.ts'

type Judging = Pick<ListeningStore, 'answersToJudge' | 'settleJudged' | 'postponeJudging' | 'answersSince'>

export function judgedAnswers({ db, turn, mine }: Connections): Judging {
  const rows = triggerRows({ db })
  const waiting = messagesHeld(db)
  const due = db.prepare<{ now: number; limit: number; perAccount: number }, Answer & { place: number }>(
    `SELECT * FROM (
       SELECT ${ANSWER}, row_number() OVER (PARTITION BY account_uuid ORDER BY judge_at, id) AS place FROM customer_reply
       WHERE judge_at IS NOT NULL AND judge_at <= @now AND ${mine('customer_reply')}
     ) AS ranked WHERE place <= @perAccount ORDER BY place, id LIMIT @limit`,
  )
  const judged = db.prepare(
    'UPDATE customer_reply SET judge_at = NULL WHERE account_uuid = @accountUuid AND id = @id AND judge_at IS NOT NULL',
  )
  const take = db.prepare(
    `UPDATE customer_reply SET state = 'rule', settled_at = @at WHERE account_uuid = @accountUuid AND id = @id
       AND state = 'open'`,
  )
  const postpone = db.prepare(
    `UPDATE customer_reply SET judge_at = @judgeAt WHERE account_uuid = @accountUuid AND id = @id
       AND judge_at IS NOT NULL`,
  )
  const since = db.prepare<{ accountUuid: string; since: number; limit: number }, Answer>(
    `SELECT ${ANSWER} FROM customer_reply WHERE account_uuid = @accountUuid AND seen_at >= @since
     ORDER BY id DESC LIMIT @limit`,
  )
  return {
    answersToJudge: db.read(function* (now, { limit, perAccount }) {
      return (yield* due.all({ now, limit, perAccount })).map(({ place: _place, ...answer }) => answer)
    }),
    settleJudged(accountUuid, id, { requests, verdicts, takes, at }) {
      return turn.run(function* (): Generator<unknown, number | null> {
        // Another instance, or an earlier try whose end was lost, has judged it.
        if ((yield* judged.run({ accountUuid, id })).changes === 0) return null
        for (const verdict of verdicts) yield* rows.note(accountUuid, verdict, null, at)
        const started = yield* rows.start(accountUuid, requests, at)
        let moved = started.filter(({ outcome }) => outcome === 'started').length
        if (takes && (yield* take.run({ accountUuid, id, at })).changes === 1) {
          moved += yield* waiting.settle(accountUuid, JSON.stringify([id]), null, at)
        }
        return moved
      })
    },
    postponeJudging(accountUuid, id, judgeAt) {
      return turn.run(function* () {
        yield* postpone.run({ accountUuid, id, judgeAt })
      })
    },
    answersSince: db.read((accountUuid, from, limit) => since.all({ accountUuid, since: from, limit })),
  }
}

type JudgingReceipts = Pick<ListeningStore, 'receiptsToJudge' | 'settleReceipt' | 'postponeReceipt'>

export function judgedReceipts({ db, turn, mine }: Connections): JudgingReceipts {
  const rows = triggerRows({ db })
  const due = db.prepare<{ now: number; limit: number; perAccount: number }, JudgedReceipt & { place: number }>(
    `SELECT * FROM (
       SELECT id, account_uuid AS accountUuid, job_uuid AS jobUuid, channel, state,
         coalesce(state_at, looked_at, sent_at) AS happenedAt, coalesce(looked_at, sent_at) AS seenAt,
         row_number() OVER (PARTITION BY account_uuid ORDER BY judge_at, id) AS place FROM message_receipt
       WHERE judge_at IS NOT NULL AND judge_at <= @now AND job_uuid IS NOT NULL AND ${mine('message_receipt')}
     ) AS ranked WHERE place <= @perAccount ORDER BY place, id LIMIT @limit`,
  )
  const OF = 'account_uuid = @accountUuid AND id = @id AND judge_at IS NOT NULL'
  const judged = db.prepare(`UPDATE message_receipt SET judge_at = NULL WHERE ${OF}`)
  const postpone = db.prepare(`UPDATE message_receipt SET judge_at = @judgeAt WHERE ${OF}`)
  return {
    receiptsToJudge: db.read(function* (now, { limit, perAccount }) {
      return (yield* due.all({ now, limit, perAccount })).map(({ place: _place, ...receipt }) => receipt)
    }),
    settleReceipt(accountUuid, id, { requests, verdicts, at }) {
      return turn.run(function* (): Generator<unknown, number | null> {
        if ((yield* judged.run({ accountUuid, id })).changes === 0) return null
        for (const verdict of verdicts) yield* rows.note(accountUuid, verdict, null, at)
        const started = yield* rows.start(accountUuid, requests, at)
        return started.filter(({ outcome }) => outcome === 'started').length
      })
    },
    postponeReceipt(accountUuid, id, judgeAt) {
      return turn.run(function* () {
        yield* postpone.run({ accountUuid, id, judgeAt })
      })
    },
  }
}
