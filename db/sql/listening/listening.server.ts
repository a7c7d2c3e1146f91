// Looks at the platform's histories of messages: when they are due, and what they showed.
import type { Answer, Conversation, SentMessage, WantedReceipt } from '#app/domain/automations/conversation.ts'
import type { JudgedReceipt, Listened, Listening, ListeningStore, Look } from '../../store/listening.ts'
import type { Connections } from '../connections.ts'
import { clearReason, RUN_REASON, STEP_REASON } from '../reasons.server.ts'
import { triggerRows } from '../rules/triggers.server.ts'
import { JOURNAL_COLUMNS, journalRow, type StoredRow, storedResult } from '../runs/run-rows.server.ts'
import { ANSWER, answerDecisions, answerStore, keepAnswers, messagesHeld } from './answers.server.ts'

const COLUMNS = `account_uuid AS accountUuid, job_uuid AS jobUuid, channel, company_uuid AS companyUuid,
  opened_at AS openedAt, last_message_at AS lastMessageAt, looked_at AS lookedAt, tries, next_look_at AS nextLookAt`
const OF = 'account_uuid = @accountUuid AND job_uuid = @jobUuid AND channel = @channel'

/** A receipt `m` of what did not arrive. Missing counts once it was surely sent, and the history shows others: decision 0076. */
export const notArrived = (m: string) =>
  `(${m}.state IN ('bounced', 'missing') AND (${m}.state = 'bounced' OR (EXISTS (SELECT 1 FROM run_step s WHERE s.run_id = ${m}.run_id
     AND s.step_id = ${m}.step_id AND s.item_key = ${m}.item_key AND s.state = 'sent') AND EXISTS (SELECT 1 FROM message_receipt l
     WHERE l.account_uuid = ${m}.account_uuid AND l.channel = ${m}.channel AND l.history_uuid IS NOT NULL))))`

export function listeningStore(connections: Connections): ListeningStore {
  return {
    ...dueStore(connections),
    ...lookStore(connections),
    ...factStore(connections),
    ...answerStore(connections),
    ...answerDecisions(connections),
    ...judgedAnswers(connections),
    ...judgedReceipts(connections),
  }
}

function dueStore({ db, mine }: Connections) {
  const due = db.prepare<
    { now: number; limit: number; perAccount: number },
    Conversation & { place: number; next_look_at: number }
  >(
    `SELECT * FROM (
       SELECT ${COLUMNS}, next_look_at, row_number() OVER (PARTITION BY account_uuid ORDER BY next_look_at) AS place
       FROM conversation WHERE next_look_at <= @now AND ${mine('conversation')}
     ) AS ranked WHERE place <= @perAccount ORDER BY next_look_at LIMIT @limit`,
  )
  const next = db
    .prepare<[], number | null>(`SELECT min(next_look_at) FROM conversation WHERE ${mine('conversation')}`)
    .pluck()
  const count = db.prepare<{ accountUuid: string; now: number; fresh: number }, Listened>(
    `SELECT count(*) AS open, CAST(coalesce(sum(CASE WHEN last_message_at + CAST(@fresh AS bigint) > @now THEN 1.0
       ELSE 1.0 * CAST(@fresh AS bigint) / (@now - last_message_at) END), 0) AS double precision) AS freshness
     FROM conversation WHERE account_uuid = @accountUuid`,
  )
  return {
    dueConversations: db.read(function* (now, { limit, perAccount }) {
      return (yield* due.all({ now, limit, perAccount })).map(({ place: _place, next_look_at: _next, ...row }) => row)
    }),
    nextLookAt: db.read(function* () {
      return (yield* next.get()) ?? null
    }),
    countConversations: db.read(function* (accountUuid, now, fresh) {
      return (yield* count.get({ accountUuid, now, fresh })) ?? { open: 0, freshness: 0 }
    }),
  } satisfies Partial<ListeningStore>
}

type WantedRow = Omit<WantedReceipt, 'effect'> & { effect: string }

function lookStore(connections: Connections) {
  const { db, turn } = connections
  const wanted = db.prepare<{ accountUuid: string; jobUuid: string; channel: string; since: number }, WantedRow>(
    `SELECT m.id, m.run_id AS runId, m.step_id AS stepId, m.item_key AS itemKey, m.state, m.state_at AS stateAt,
       m.sent_at AS sentAt, m.next_look_at AS nextLookAt, m.history_uuid AS historyUuid, s.effect
     FROM message_receipt m JOIN run_step s ON s.run_id = m.run_id AND s.step_id = m.step_id AND s.item_key = m.item_key
     WHERE m.account_uuid = @accountUuid AND m.job_uuid = @jobUuid AND m.channel = @channel AND m.sent_at >= @since
     ORDER BY m.sent_at, m.id`,
  )
  const sending = db.prepare<{ accountUuid: string }, Omit<SentMessage, 'effect'> & { effect: string }>(
    // Few steps are on their way at once; a join would go through all runs of the account.
    `SELECT s.sending_at AS sentAt, s.effect FROM run_step s INDEXED BY steps_being_sent
     WHERE s.state = 'sending' AND (SELECT r.account_uuid FROM run r WHERE r.id = s.run_id) = @accountUuid`,
  )
  // An instance that was late must not go back behind a newer look. After the clock went back, the known one may seem newer.
  const NONE_NEWER = '(coalesce(looked_at, 0) <= @at OR looked_at = @lookedAt)'
  const looked = db.prepare(
    `UPDATE conversation SET looked_at = @at, tries = 0,
       next_look_at = CASE WHEN last_message_at > @lastMessageAt THEN min(next_look_at, @nextLookAt) ELSE @nextLookAt END
     WHERE ${OF} AND ${NONE_NEWER}`,
  )
  const ended = db.prepare(
    `DELETE FROM conversation WHERE ${OF} AND ${NONE_NEWER} AND last_message_at = @lastMessageAt`,
  )
  const put = db.prepare(
    `UPDATE message_receipt SET state = @state, state_at = @stateAt, next_look_at = @nextLookAt,
       history_uuid = coalesce(history_uuid, @historyUuid), looked_at = @at,
       judge_at = CASE WHEN @state IN ('opened', 'bounced', 'missing') AND state <> @state THEN CAST(@at AS bigint) ELSE judge_at END
     WHERE id = @id AND account_uuid = @accountUuid`,
  )
  const postpone = db.prepare(`UPDATE conversation SET next_look_at = @nextLookAt, tries = tries + 1 WHERE ${OF}`)
  const facts = factRows(connections)
  const settle = settler(connections)
  const putAnswers = keepAnswers(db)

  /** Returns how many messages turned out to be sent. */
  function* putReceipts(accountUuid: string, { receipts, at }: Look): Generator<unknown, number> {
    let settled = 0
    for (const change of receipts) {
      const isKnown = (yield* put.run({ ...change, accountUuid, at })).changes === 1
      if (isKnown && change.historyUuid !== null && (yield* settle(accountUuid, change.id, at))) settled++
    }
    return settled
  }

  return {
    wantedReceipts: db.read(function* ({ accountUuid, jobUuid, channel }, since) {
      const rows = yield* wanted.all({ accountUuid, jobUuid, channel, since })
      return rows.map(({ effect, ...row }) => ({ ...row, effect: effectOf(effect) }))
    }),

    sendingNow: db.read(function* (accountUuid) {
      const rows = yield* sending.all({ accountUuid })
      return rows.map(({ sentAt, effect }) => ({ sentAt, effect: effectOf(effect) }))
    }),

    settleLook(conversation, look) {
      const { accountUuid, jobUuid, channel, lookedAt, lastMessageAt } = conversation
      const values = { accountUuid, jobUuid, channel, lastMessageAt, lookedAt, at: look.at }
      return turn.run(function* (): Generator<unknown, { settled: number; woken: number } | null> {
        const { nextLookAt } = look
        const noted = nextLookAt === null ? ended.run(values) : looked.run({ ...values, nextLookAt })
        if ((yield* noted).changes === 0) return null
        yield* facts.read(accountUuid, channel, look, lookedAt === null)
        const settled = yield* putReceipts(accountUuid, look)
        return { settled, woken: yield* putAnswers(conversation, look) }
      })
    },

    postponeLook({ accountUuid, jobUuid, channel }, { nextLookAt, refusedAt }) {
      return turn.run(function* () {
        yield* postpone.run({ accountUuid, jobUuid, channel, nextLookAt })
        if (refusedAt !== null) yield* facts.refused(accountUuid, channel, refusedAt)
      })
    },
  } satisfies Partial<ListeningStore>
}

/** A message that may have been sent stands in the history: it was sent. Its run goes on. */
function settler({ db }: Connections) {
  const find = db.prepare<{ id: number; accountUuid: string }, StoredRow & { runId: number }>(
    `SELECT s.run_id AS runId, ${JOURNAL_COLUMNS} FROM message_receipt m
     JOIN run_step s ON s.run_id = m.run_id AND s.step_id = m.step_id AND s.item_key = m.item_key
     WHERE m.id = @id AND m.account_uuid = @accountUuid AND s.state = 'unknown' AND s.sending_at = m.sent_at`,
  )
  const sent = db.prepare(
    `UPDATE run_step SET state = 'sent', error_class = NULL, ${clearReason(STEP_REASON)}, ended_at = @at, result = @result
     WHERE run_id = @runId AND step_id = @stepId AND item_key = @itemKey AND state = 'unknown'`,
  )
  const goOn = db.prepare(
    `UPDATE run SET state = 'queued', outcome = NULL, wake_at = @at, ${clearReason(RUN_REASON)}
     WHERE id = @runId AND state IN ('held', 'waiting', 'done') AND outcome IS DISTINCT FROM 'cancelled'`,
  )
  return function* (accountUuid: string, id: number, at: number): Generator<unknown, boolean> {
    const row = yield* find.get({ id, accountUuid })
    if (!row) return false
    const { runId, ...stored } = row
    const { stepId, itemKey, result, tries, released } = journalRow(stored)
    const looked = { at, endedAt: at, outcome: 'verified', sentence: null } as const
    const found = storedResult({ ...result, status: 'sent' }, [...tries, looked], released)
    if ((yield* sent.run({ runId, stepId, itemKey, at, result: found })).changes === 0) return false
    yield* goOn.run({ runId, at })
    return true
  }
}

function effectOf(stored: string): WantedReceipt['effect'] {
  return (JSON.parse(stored) as { effect: WantedReceipt['effect'] }).effect
}

/** What an account lets us read. Call inside a transaction. */
function factRows({ db }: Pick<Connections, 'db'>) {
  const insert = db.prepare(
    'INSERT INTO listening (account_uuid, conversations) VALUES (@accountUuid, 0) ON CONFLICT DO NOTHING',
  )
  const read = db.prepare(
    `UPDATE listening SET read_at = @at, conversations = conversations + @first,
       sms_refused_at = CASE WHEN @channel = 'sms' THEN NULL ELSE sms_refused_at END,
       email_refused_at = CASE WHEN @channel = 'email' THEN NULL ELSE email_refused_at END,
       inbound_at = coalesce(inbound_at, CASE WHEN @hasInbound = 1 THEN CAST(@at AS bigint) END)
     WHERE account_uuid = @accountUuid`,
  )
  const refused = db.prepare(
    `UPDATE listening SET sms_refused_at = CASE WHEN @channel = 'sms' THEN CAST(@at AS bigint) ELSE sms_refused_at END,
       email_refused_at = CASE WHEN @channel = 'email' THEN CAST(@at AS bigint) ELSE email_refused_at END
     WHERE account_uuid = @accountUuid`,
  )
  return {
    *read(accountUuid: string, channel: string, look: Look, first: boolean): Generator<unknown, void> {
      const { at, hasInbound } = look
      yield* insert.run({ accountUuid })
      yield* read.run({ accountUuid, channel, at, first: first ? 1 : 0, hasInbound: hasInbound ? 1 : 0 })
    },
    *refused(accountUuid: string, channel: string, at: number): Generator<unknown, void> {
      yield* insert.run({ accountUuid })
      yield* refused.run({ accountUuid, channel, at })
    },
  }
}

function factStore({ db }: Connections): Pick<ListeningStore, 'findListening' | 'lastBounce' | 'dismissListening'> {
  const dismiss = db.prepare(
    'UPDATE listening SET dismissed_at = coalesce(dismissed_at, @at) WHERE account_uuid = @accountUuid',
  )
  const find = db.prepare<{ accountUuid: string }, Listening>(
    `SELECT sms_refused_at AS smsRefusedAt, email_refused_at AS emailRefusedAt, read_at AS readAt, conversations,
       inbound_at AS inboundAt, dismissed_at AS dismissedAt FROM listening WHERE account_uuid = @accountUuid`,
  )
  const bounce = db
    .prepare<{ accountUuid: string; hashes: string }, number>(
      `SELECT m.state_at FROM message_receipt m
       WHERE m.account_uuid = @accountUuid AND m.state = 'bounced' AND m.receiver_hash IN (SELECT value FROM json_each(@hashes))
         AND NOT EXISTS (SELECT 1 FROM message_receipt l WHERE l.account_uuid = m.account_uuid
           AND l.receiver_hash = m.receiver_hash AND l.state = 'opened' AND l.sent_at > m.sent_at)
       ORDER BY m.sent_at DESC LIMIT 1`,
    )
    .pluck()
  return {
    findListening: db.read(function* (accountUuid) {
      return (yield* find.get({ accountUuid })) ?? null
    }),
    dismissListening: db.write(function* (accountUuid, at) {
      yield* dismiss.run({ accountUuid, at })
    }),
    lastBounce: db.read(function* (accountUuid, receiverHashes) {
      return (yield* bounce.get({ accountUuid, hashes: JSON.stringify(receiverHashes) })) ?? null
    }),
  }
}

/** Answers or receipts that rules are asked about: once each, with the runs they set off. */
function judging({ db, turn, mine }: Connections, table: 'customer_reply' | 'message_receipt') {
  const rows = triggerRows({ db })
  const OF = 'account_uuid = @accountUuid AND id = @id AND judge_at IS NOT NULL'
  const judged = db.prepare(`UPDATE ${table} SET judge_at = NULL WHERE ${OF}`)
  const postpone = db.prepare(`UPDATE ${table} SET judge_at = @judgeAt WHERE ${OF}`)
  return {
    /** `only`: a further condition. */
    due: <Row>(columns: string, only = '1 = 1') =>
      db.prepare<{ now: number; limit: number; perAccount: number }, Row & { place: number }>(
        `SELECT * FROM (
           SELECT ${columns}, row_number() OVER (PARTITION BY account_uuid ORDER BY judge_at, id) AS place FROM ${table}
           WHERE judge_at IS NOT NULL AND judge_at <= @now AND ${only} AND ${mine(table)}
         ) AS ranked WHERE place <= @perAccount ORDER BY place, id LIMIT @limit`,
      ),
    /** Call inside a transaction. Null = another instance, or an earlier try whose end was lost, has judged it. */
    *settle(
      accountUuid: string,
      id: number,
      { requests, verdicts, at }: Parameters<ListeningStore['settleReceipt']>[2],
    ): Generator<unknown, number | null> {
      if ((yield* judged.run({ accountUuid, id })).changes === 0) return null
      for (const verdict of verdicts) yield* rows.note(accountUuid, verdict, null, at)
      const started = yield* rows.start(accountUuid, requests, at)
      return started.filter(({ outcome }) => outcome === 'started').length
    },
    async postpone(accountUuid: string, id: number, judgeAt: number) {
      await turn.run(() => postpone.run({ accountUuid, id, judgeAt }))
    },
  }
}

function judgedAnswers(connections: Connections) {
  const { db, turn } = connections
  const answers = judging(connections, 'customer_reply')
  const waiting = messagesHeld(db)
  const due = answers.due<Answer>(ANSWER)
  const take = db.prepare(
    `UPDATE customer_reply SET state = 'rule', settled_at = @at WHERE account_uuid = @accountUuid AND id = @id
       AND state = 'open'`,
  )
  const since = db.prepare<{ accountUuid: string; since: number; limit: number }, Answer>(
    `SELECT ${ANSWER} FROM customer_reply WHERE account_uuid = @accountUuid AND seen_at >= @since
     ORDER BY id DESC LIMIT @limit`,
  )
  return {
    answersToJudge: db.read(function* (now, { limit, perAccount }) {
      return (yield* due.all({ now, limit, perAccount })).map(({ place: _place, ...answer }) => answer)
    }),
    settleJudged: (accountUuid, id, { takes, ...judged }) =>
      turn.run(function* (): Generator<unknown, { started: number; wentOn: number } | null> {
        const { at } = judged
        const started = yield* answers.settle(accountUuid, id, judged)
        if (started === null) return null
        const taken = takes && (yield* take.run({ accountUuid, id, at })).changes > 0
        return { started, wentOn: taken ? yield* waiting.settle(accountUuid, JSON.stringify([id]), null, at) : 0 }
      }),
    postponeJudging: answers.postpone,
    answersSince: db.read((accountUuid, from, limit) => since.all({ accountUuid, since: from, limit })),
  } satisfies Partial<ListeningStore>
}

function judgedReceipts(connections: Connections) {
  const { db, turn } = connections
  const receipts = judging(connections, 'message_receipt')
  const due = receipts.due<Omit<JudgedReceipt, 'notArrived'> & { notArrived: number }>(
    `id, account_uuid AS accountUuid, job_uuid AS jobUuid, channel, state,
       CASE WHEN ${notArrived('message_receipt')} THEN 1 ELSE 0 END AS "notArrived",
       coalesce(state_at, looked_at, sent_at) AS happenedAt, coalesce(looked_at, sent_at) AS seenAt`,
    'job_uuid IS NOT NULL',
  )
  return {
    receiptsToJudge: db.read(function* (now, { limit, perAccount }) {
      const found = yield* due.all({ now, limit, perAccount })
      return found.map(({ place: _place, ...receipt }) => ({ ...receipt, notArrived: receipt.notArrived === 1 }))
    }),
    settleReceipt: (accountUuid, id, judged) => turn.run(() => receipts.settle(accountUuid, id, judged)),
    postponeReceipt: receipts.postpone,
  } satisfies Partial<ListeningStore>
}
