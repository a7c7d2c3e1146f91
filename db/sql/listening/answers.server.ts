// Answers of customers, and what waits because of them.

import type { Answer, Conversation, KnownAnswer } from '#app/domain/automations/conversation.ts'
import type { JournalEffect, PlanNotes } from '#app/domain/automations/journal-row.ts'
import type { Reason } from '#app/domain/reason.ts'
import type { Database } from '../../database.ts'
import type { ListeningStore, Look, StopMute, UntoldAnswer } from '../../store/listening.ts'
import type { MessageReceiver } from '../../store/run-guards.ts'
import type { Connections } from '../connections.ts'
import { clearReason, RUN_REASON, STEP_REASON, setReason, storedReason } from '../reasons.server.ts'
import { guardNotes } from '../runs/guard-notes.server.ts'
import { muteSaver } from '../runs/run-guards.server.ts'

export const ANSWER = `id, account_uuid AS accountUuid, job_uuid AS jobUuid, company_uuid AS companyUuid, channel, words,
  written_at AS writtenAt, seen_at AS seenAt, state, settled_at AS settledAt, settled_by AS settledBy`

const ALL_STATES = ['open', 'went_on', 'stopped', 'muted', 'rule']
/** The answers because of which a message is held. The states are those of the index. */
export const ANSWERS_THAT_HOLD = `SELECT coalesce(CAST(json_extract(h.reason_params, '$.id') AS bigint), 0) FROM run_step h
  WHERE h.state IN ('unknown', 'held') AND h.reason_code = 'answered'`
/** Above every id. */
const NEWEST = Number.MAX_SAFE_INTEGER

/** The receivers of a message, for statements that ask for one of them. */
function valuesOf({ jobUuids, companyUuids, receiverHashes }: MessageReceiver) {
  return {
    jobs: JSON.stringify(jobUuids),
    companies: JSON.stringify(companyUuids),
    hashes: JSON.stringify(receiverHashes),
  }
}

export function answerStore({ db, mine }: Connections) {
  const known = db.prepare<{ accountUuid: string; jobUuid: string; channel: string }, KnownAnswer>(
    `SELECT history_uuid AS historyUuid, words, written_at AS writtenAt FROM customer_reply
     WHERE account_uuid = @accountUuid AND job_uuid = @jobUuid AND channel = @channel`,
  )
  const waiting = db.prepare<
    { accountUuid: string; now: number },
    { runId: number; stepId: string; itemKey: string; effect: string }
  >(
    `SELECT s.run_id AS runId, s.step_id AS stepId, s.item_key AS itemKey, s.effect FROM run r
     JOIN run_step s ON s.run_id = r.id
     WHERE r.account_uuid = @accountUuid AND r.state = 'waiting' AND s.state IN ('planned', 'failed')
       AND s.next_attempt_at > @now AND json_extract(s.effect, '$.effect.class') = 'customer'`,
  )
  const talks = db.prepare<object, Conversation>(
    `SELECT c.account_uuid AS accountUuid, c.job_uuid AS jobUuid, c.channel, c.company_uuid AS companyUuid,
       c.opened_at AS openedAt, c.last_message_at AS lastMessageAt, c.looked_at AS lookedAt, c.tries,
       c.next_look_at AS nextLookAt
     FROM conversation c WHERE c.account_uuid = @accountUuid AND c.last_message_at >= @since
       AND (c.job_uuid IN (SELECT value FROM json_each(@jobs)) OR c.company_uuid IN (SELECT value FROM json_each(@companies))
         OR EXISTS (SELECT 1 FROM message_receipt m WHERE m.account_uuid = c.account_uuid AND m.job_uuid = c.job_uuid
           AND m.channel = c.channel AND m.receiver_hash IN (SELECT value FROM json_each(@hashes))))
     ORDER BY c.job_uuid, c.channel`,
  )
  const open = db.prepare<object, Answer>(
    `SELECT ${ANSWER} FROM customer_reply
     WHERE account_uuid = @accountUuid AND state = 'open' AND seen_at >= @since AND id <> @except
       AND (job_uuid IN (SELECT value FROM json_each(@jobs)) OR company_uuid IN (SELECT value FROM json_each(@companies))
         OR sender_hash IN (SELECT value FROM json_each(@hashes)))
     ORDER BY seen_at DESC, id DESC LIMIT 1`,
  )
  const list = db.prepare<object, Answer>(
    `SELECT ${ANSWER} FROM customer_reply WHERE account_uuid = @accountUuid AND state IN (SELECT value FROM json_each(@states))
       AND id < @before AND (seen_at > @since OR id IN (${ANSWERS_THAT_HOLD})) ORDER BY id DESC LIMIT @limit`,
  )
  const untold = db.prepare<{ now: number; limit: number }, UntoldAnswer>(
    `SELECT ${ANSWER}, tell_uuid AS tellUuid, tell_tries AS tellTries FROM customer_reply
     WHERE tell_at IS NOT NULL AND tell_at <= @now AND ${mine('customer_reply')} ORDER BY tell_at, id LIMIT @limit`,
  )
  return {
    knownAnswers: db.read(({ accountUuid, jobUuid, channel }) => known.all({ accountUuid, jobUuid, channel })),
    waitingMessages: db.read(function* (accountUuid, now) {
      const rows = yield* waiting.all({ accountUuid, now })
      return rows.map(({ effect, ...place }) => {
        const stored = JSON.parse(effect) as { effect: JournalEffect; notes: PlanNotes | null }
        const { companyUuids = [], jobUuids = [] } = stored.notes?.about ?? {}
        return { ...place, effect: stored.effect, companyUuids, jobUuids }
      })
    }),
    conversationsWith: db.read((accountUuid, receiver, since) =>
      talks.all({ accountUuid, since, ...valuesOf(receiver) }),
    ),
    openAnswer: db.read(function* (accountUuid, receiver, { since, except }) {
      return (yield* open.get({ accountUuid, since, except: except ?? 0, ...valuesOf(receiver) })) ?? null
    }),
    listAnswers: db.read((accountUuid, states, limit, before = null, since = 0) =>
      list.all({ accountUuid, states: JSON.stringify(states ?? ALL_STATES), limit, before: before ?? NEWEST, since }),
    ),
    answersToTell: db.read((now, limit) => untold.all({ now, limit })),
  } satisfies Partial<ListeningStore>
}

/** Prepared once per connection; call inside a transaction. Returns how many waiting messages are asked again. */
export function keepAnswers(
  db: Pick<Database, 'prepare'>,
): (conversation: Conversation, look: Look) => Generator<unknown, number> {
  const insert = db.prepare(
    `INSERT INTO customer_reply (account_uuid, job_uuid, company_uuid, channel, history_uuid, sender_hash, words, written_at,
       seen_at, state, settled_at, settled_by, tell_uuid, tell_at, tell_tries, judge_at)
     VALUES (@accountUuid, @jobUuid, @companyUuid, @channel, @historyUuid, @senderHash, @words, @writtenAt, @at, @state,
       @settledAt, NULL, @tellUuid, @at, 0, @judgeAt)
     ON CONFLICT (account_uuid, channel, history_uuid) DO NOTHING`,
  )
  const wakeRow = db.prepare(
    `UPDATE run_step SET next_attempt_at = @at WHERE run_id = @runId AND step_id = @stepId AND item_key = @itemKey
       AND state IN ('planned', 'failed') AND next_attempt_at > @at`,
  )
  const wakeRun = db.prepare("UPDATE run SET wake_at = @at WHERE id = @runId AND state = 'waiting' AND wake_at > @at")
  const silence = muteCustomer(db)

  return function* ({ accountUuid, jobUuid, companyUuid, channel }, { answers, mute, wake, at }) {
    let added = 0
    for (const { tellUuid, ...answer } of answers) {
      const settledAt = answer.state === 'open' ? null : at
      // Who asks for silence starts no rule.
      const judgeAt = answer.state === 'open' ? at : null
      const row = { ...answer, accountUuid, jobUuid, companyUuid, channel, tellUuid, settledAt, at, judgeAt }
      added += (yield* insert.run(row)).changes
    }
    if (added === 0) return 0
    if (mute) yield* silence(accountUuid, mute, at)
    let woken = 0
    for (const place of wake) {
      const { runId } = place
      woken += (yield* wakeRow.run({ ...place, at })).changes
      yield* wakeRun.run({ runId, at })
    }
    return woken
  }
}

/** Until somebody allows it again. */
function muteCustomer(
  db: Pick<Database, 'prepare'>,
): (accountUuid: string, mute: StopMute, at: number) => Generator<unknown, void> {
  const save = muteSaver(db)
  const notes = guardNotes(db)
  const audit = db.prepare(
    `INSERT INTO audit_entry (at, account_uuid, actor, staff_uuid, action, target, outcome, ip, detail)
     VALUES (@at, @accountUuid, 'system', NULL, 'customer.muted', @target, 'done', NULL, @detail)`,
  )
  return function* (accountUuid, { kind, recordUuid, name, source, words }, at) {
    yield* save.get({ accountUuid, kind, recordUuid, until: null, at })
    const mute = { key: `${kind}:${recordUuid}`, note: { name, by: source } }
    yield* notes.write(accountUuid, at, { mute, change: { by: source, words } })
    const target = `${kind === 'company' ? 'customer' : 'job'} ${recordUuid}`
    yield* audit.run({ at, accountUuid, target, detail: JSON.stringify({ by: source }) })
  }
}

/** Messages that wait because of answers. Prepared once per connection; call inside a transaction. */
export function messagesHeld(db: Pick<Database, 'prepare'>) {
  const HELD = `state = 'held' AND reason_code = 'answered' AND CAST(json_extract(reason_params, '$.id') AS bigint) IN
      (SELECT CAST(value AS bigint) FROM json_each(@ids)) AND run_id IN (SELECT id FROM run WHERE account_uuid = @accountUuid)`
  const held = db
    .prepare<{ accountUuid: string; ids: string }, number>(`SELECT run_id FROM run_step WHERE ${HELD}`)
    .pluck()
  const free = db.prepare(
    `UPDATE run_step SET state = 'planned', error_class = NULL, ${clearReason(STEP_REASON)}, next_attempt_at = NULL,
       ended_at = NULL WHERE ${HELD}`,
  )
  const skip = db.prepare(
    `UPDATE run_step SET state = 'skipped', error_class = 'guard', ${setReason(STEP_REASON)}, next_attempt_at = NULL,
       ended_at = @at WHERE ${HELD}`,
  )
  const goOn = db.prepare(
    `UPDATE run SET state = 'queued', wake_at = @at, ${clearReason(RUN_REASON)}
     WHERE id = @runId AND state IN ('held', 'waiting')`,
  )
  return {
    /** `ids`: of the answers, as JSON. They go on, or are left out with the reason. Returns how many there are. */
    *settle(accountUuid: string, ids: string, left: Reason | null, at: number): Generator<unknown, number> {
      const runs = yield* held.all({ accountUuid, ids })
      if (left === null) yield* free.run({ accountUuid, ids })
      else yield* skip.run({ accountUuid, ids, at, reason: storedReason(left) })
      for (const runId of [...new Set(runs)].sort((a, b) => a - b)) yield* goOn.run({ runId, at })
      return runs.length
    },
  }
}

/** What a person decides, and what a colleague was told. */
export function answerDecisions({ db, turn }: Connections): Pick<ListeningStore, 'settleAnswer' | 'noteTold'> {
  const find = db.prepare<{ accountUuid: string; id: number }, Answer>(
    `SELECT ${ANSWER} FROM customer_reply WHERE account_uuid = @accountUuid AND id = @id AND state = 'open'`,
  )
  const settle = db
    .prepare<object, number>(
      `UPDATE customer_reply SET state = @state, settled_at = @at, settled_by = @by
       WHERE account_uuid = @accountUuid AND state = 'open' AND id <= @id
         AND (job_uuid = @jobUuid OR company_uuid = @companyUuid) RETURNING id`,
    )
    .pluck()
  const waiting = messagesHeld(db)
  const told = db.prepare(
    'UPDATE customer_reply SET tell_at = @tellAt, tell_tries = tell_tries + 1 WHERE account_uuid = @accountUuid AND id = @id',
  )
  return {
    settleAnswer(accountUuid, id, { state, by, reason, at }) {
      return turn.run(function* (): Generator<unknown, { messages: number } | null> {
        const answer = yield* find.get({ accountUuid, id })
        if (!answer) return null
        const { jobUuid, companyUuid } = answer
        const ids = JSON.stringify(yield* settle.all({ accountUuid, id, jobUuid, companyUuid, state, by, at }))
        const left = state === 'went_on' ? null : reason
        const messages = yield* waiting.settle(accountUuid, ids, left, at)
        return { messages }
      })
    },
    noteTold(accountUuid, id, tellAt) {
      return turn.run(function* () {
        yield* told.run({ accountUuid, id, tellAt })
      })
    },
  }
}
