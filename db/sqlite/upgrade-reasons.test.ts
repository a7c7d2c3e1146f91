// Migration 0010: sentences that were stored as reasons become codes.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { RUN_REASON_TEXTS, runReasonText } from '#app/domain/automations/run-reasons.ts'
import { type Reason, reasonCode } from '#app/domain/reason.ts'
import { MAIL_REASON_TEXTS, mailReasonText, noticeReasonText } from '#app/features/notices/notice-reasons.ts'
import { reasonOf } from '../sql/reasons.server.ts'
import { openClient } from './client.server.ts'

const LEEDS = '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reasons-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('every sentence that was stored as a reason gets its code and reads the same; an unknown one stays', async () => {
  const file = join(folder, 'fieldhook.db')
  const old = new Database(file)
  old.pragma('foreign_keys = OFF')
  old.exec(readFileSync('tests/data/schemas/0009_people.sql', 'utf8'))
  const run = old.prepare(
    `INSERT INTO run (id, account_uuid, automation_id, version, source, object, record_uuids, trigger_data, state, reason, wake_at,
       hop, created_at) VALUES (?, ?, 1, 1, 'webhook', 'job', '[]', '{}', 'held', ?, 0, 0, 0)`,
  )
  const step = old.prepare(
    `INSERT INTO run_step (run_id, step_id, item_key, seq, state, attempt, client_uuid, effect, sentence, planned_at)
     VALUES (?, 's1', '0', 1, 'skipped', 0, '', '{}', ?, 0)`,
  )
  const rule = old.prepare(
    `INSERT INTO automation (id, account_uuid, name, active, trigger_source, version, definition, baselined, paused_reason,
       paused_at, execution_count, created_at, updated_at) SELECT ?, account_uuid, name, 1, trigger_source, version, definition, 1,
       ?, 5, 0, 0, 0 FROM automation WHERE id = 1`,
  )
  for (const [index, [sentence]] of OLD_REASONS.entries()) {
    run.run(1000 + index, LEEDS, sentence)
    step.run(1000 + index, sentence)
    rule.run(1000 + index, sentence)
  }
  const notice = old.prepare(
    `INSERT INTO endpoint_notice (id, account_uuid, endpoint_id, kind, since, sentence, at, mail_state, mail_sentence, mail_tries)
     VALUES (?, ?, 1, ?, ?, ?, 0, 'none', ?, 0)`,
  )
  for (const [index, [kind, sentence]] of OLD_NOTICES.entries())
    notice.run(1000 + index, LEEDS, kind, 1000 + index, sentence, null)
  for (const [index, [sentence]] of OLD_MAILS.entries())
    notice.run(2000 + index, LEEDS, 'failing', 2000 + index, 'S.', sentence)
  old.close()

  const client = openClient(file, 'db/migrations')
  const seen = (table: string, text: string, code: string, id: string, from: number, to: number) =>
    client.sql
      .prepare(
        `SELECT ${text} AS text, ${code}_code AS code, ${code}_params AS params FROM ${table} WHERE ${id} >= ? AND ${id} < ? ORDER BY ${id}`,
      )
      .all(from, to) as { text: string | null; code: string | null; params: string | null }[]
  const read = ({ text, code, params }: ReturnType<typeof seen>[number]) => reasonOf(text || null, code, params) ?? ''
  const code = (reason: Reason) => reasonCode(reason)
  for (const [table, text, name, id] of [
    ['run', 'reason', 'reason', 'id'],
    ['run_step', 'sentence', 'reason', 'run_id'],
    ['automation', 'paused_reason', 'paused_reason', 'id'],
  ] as const) {
    const reasons = seen(table, text, name, id, 1000, 2000).map(read)
    expect(reasons.map(runReasonText)).toEqual(OLD_REASONS.map(([sentence]) => sentence))
    if (table === 'run') expect(reasons.map(code)).toEqual(OLD_REASONS.map(([, known]) => known))
  }
  const notices = seen('notice', 'sentence', 'reason', 'id', 1000, 2000).map(read)
  expect(notices.map(code)).toEqual(OLD_NOTICES.map(([, , known]) => known))
  expect(notices.map(noticeReasonText)).toEqual(OLD_NOTICES.map(([, sentence]) => sentence))
  const mails = seen('notice', 'mail_sentence', 'mail_reason', 'id', 2000, 3000).map(read)
  expect(mails.map(code)).toEqual(OLD_MAILS.map(([, known]) => known))
  expect(mails.map(mailReasonText)).toEqual(OLD_MAILS.map(([sentence]) => sentence))
  client.close()
})

const RECONNECT_END = 'Please click Reconnect in the Webhook Manager to give it.'
/** Reasons that no sentence was ever stored for. */
const NEWER = ['stopped_after_answer']
const OLD_REASONS: readonly (readonly [sentence: string, code: string | null])[] = [
  ...Object.entries(RUN_REASON_TEXTS).flatMap(([code, text]) =>
    typeof text === 'string' && !NEWER.includes(code) ? [[text, code] as const] : [],
  ),
  [`We may not do this in ServiceM8: the permission publish_sms is missing. ${RECONNECT_END}`, 'scope'],
  [`We may not do this in ServiceM8: ServiceM8 says "Forbidden". ${RECONNECT_END}`, 'scope'],
  ['Held: this rule has sent 500 messages to customers today, its limit for a day.', 'rule_daily_cap'],
  ['Held: your rules have sent 1 message to customers today, the limit for a day.', 'account_daily_cap'],
  ['Held: this rule has sent 200 messages to customers within an hour. Is that right?', 'flood'],
  ['Done before. This automation runs once per job.', 'done_before'],
  ['ServiceM8 refused this job: "No such job"', null],
]
const OLD_NOTICES = [
  [
    'failing',
    'Your address answered 404. Is the scenario switched on? Events are kept and tried again for 72 hours.',
    'failing',
  ],
  ['stopped', 'Your address answered 410.', 'stopped'],
  ['stopped', 'Nothing could be delivered for 72 hours. We have stopped trying; new events are kept.', 'given_up'],
  ['recovered', 'Events arrive at your address again.', 'recovered'],
  ['failing', 'Words of an older release.', null],
] as const
const OLD_MAILS: readonly (readonly [sentence: string, code: string | null])[] = [
  // An own mail server came later.
  ...Object.entries(MAIL_REASON_TEXTS).flatMap(([code, text]) =>
    typeof text === 'string' && code !== 'smtp_unclear' ? [[text, code] as const] : [],
  ),
  [MAIL_REASON_TEXTS.not_connected(), 'not_connected'],
  [MAIL_REASON_TEXTS.not_allowed(), 'not_allowed'],
  ['E-mail sent to me@example.com.', 'sent'],
  ['No e-mail: Down.', 'refused'],
  ['The e-mail is tried again: Down.', 'again'],
  ['Words of an older release.', null],
]
