// A message to a customer went out, or may have: its receipt is looked for, and its job is listened to.
import type { Database } from '../../database.ts'
import type { MessageNote } from '../../store/run-guards.ts'

type Sent = Pick<MessageNote, 'channel' | 'receiverHash'> &
  NonNullable<MessageNote['sent']> & { runId: number; stepId: string; itemKey: string }

/** Prepared once per connection; call inside the transaction that stores the sending. The same sending counts once. */
export function expectReceipt(
  db: Pick<Database, 'prepare'>,
): (accountUuid: string, sent: Sent, at: number) => Generator<unknown, void> {
  const insert = db.prepare(
    `INSERT INTO message_receipt (account_uuid, run_id, step_id, item_key, channel, job_uuid, receiver_hash, state, sent_at,
       next_look_at)
     VALUES (@accountUuid, @runId, @stepId, @itemKey, @channel, @jobUuid, @receiverHash, @state, @sentAt, @nextLookAt)
     ON CONFLICT (run_id, step_id, item_key, sent_at) DO NOTHING`,
  )
  const open = db.prepare(
    `INSERT INTO conversation (account_uuid, job_uuid, channel, company_uuid, opened_at, last_message_at, tries, next_look_at)
     VALUES (@accountUuid, @jobUuid, @channel, @companyUuid, @sentAt, @at, 0, @nextLookAt)
     ON CONFLICT (account_uuid, job_uuid, channel) DO UPDATE SET
       company_uuid = coalesce(excluded.company_uuid, conversation.company_uuid),
       opened_at = CASE WHEN conversation.last_message_at < @overBefore THEN excluded.opened_at ELSE conversation.opened_at END,
       last_message_at = max(conversation.last_message_at, excluded.last_message_at),
       next_look_at = min(conversation.next_look_at, excluded.next_look_at)`,
  )
  return function* (
    accountUuid,
    { runId, stepId, itemKey, channel, receiverHash, jobUuid, companyUuid, sentAt, firstLookAt, overBefore },
    at,
  ) {
    const state = jobUuid === null ? 'none' : 'open'
    const receipt = { accountUuid, runId, stepId, itemKey, channel, jobUuid, receiverHash, state, sentAt }
    const isNew = (yield* insert.run({ ...receipt, nextLookAt: jobUuid === null ? null : firstLookAt })).changes === 1
    if (jobUuid === null || !isNew) return
    yield* open.run({ accountUuid, jobUuid, channel, companyUuid, sentAt, at, nextLookAt: firstLookAt, overBefore })
  }
}
