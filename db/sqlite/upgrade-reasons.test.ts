// Migration 0010: sentences that were stored as reasons become codes.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runReasonText } from '#app/domain/automations/run-reasons.ts'
import type { Reason, ReasonParams } from '#app/domain/reason.ts'
import { mailReasonText, noticeReasonText } from '#app/features/notices/notice-reasons.ts'
import { reasonOf } from '../sql/reasons.server.ts'
import { openClient } from './client.server.ts'

const LEEDS = '0d3c3b52-6f0e-4a3e-9d51-7c1f6d1f0a01'

/** As it was stored before, and the code it becomes; null = it stays a sentence. `tables` = only in these. */
interface Stored {
  sentence: string
  code: string | null
  params?: ReasonParams
  tables?: string[]
}

/** What schema 0009 stored, frozen: today's texts may differ. */
const OLD = JSON.parse(readFileSync('tests/data/stored-sentences-0009.json', 'utf8')) as {
  runs: Stored[]
  notices: (Stored & { kind: string })[]
  mails: Stored[]
}

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reasons-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('every sentence that was stored as a reason becomes its code, with its parameters; an unknown one stays', async () => {
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
  for (const [index, { sentence }] of OLD.runs.entries()) {
    run.run(1000 + index, LEEDS, sentence)
    step.run(1000 + index, sentence)
    rule.run(1000 + index, sentence)
  }
  const notice = old.prepare(
    `INSERT INTO endpoint_notice (id, account_uuid, endpoint_id, kind, since, sentence, at, mail_state, mail_sentence, mail_tries)
     VALUES (?, ?, 1, ?, ?, ?, 0, 'none', ?, 0)`,
  )
  for (const [index, { kind, sentence }] of OLD.notices.entries())
    notice.run(1000 + index, LEEDS, kind, 1000 + index, sentence, null)
  for (const [index, { sentence }] of OLD.mails.entries())
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
  for (const [table, text, name, id] of [
    ['run', 'reason', 'reason', 'id'],
    ['run_step', 'sentence', 'reason', 'run_id'],
    ['automation', 'paused_reason', 'paused_reason', 'id'],
  ] as const) {
    const reasons = seen(table, text, name, id, 1000, 2000).map(read)
    expect(reasons).toEqual(OLD.runs.map((stored) => reasonFor(stored, table)))
    expect(reasons.map(runReasonText).filter(isUnknown)).toEqual([])
  }
  const notices = seen('notice', 'sentence', 'reason', 'id', 1000, 2000).map(read)
  expect(notices).toEqual(OLD.notices.map((stored) => reasonFor(stored)))
  expect(notices.map(noticeReasonText).filter(isUnknown)).toEqual([])
  const mails = seen('notice', 'mail_sentence', 'mail_reason', 'id', 2000, 3000).map(read)
  expect(mails).toEqual(OLD.mails.map((stored) => reasonFor(stored)))
  expect(mails.map(mailReasonText).filter(isUnknown)).toEqual([])
  client.close()
})

function reasonFor({ sentence, code, params, tables }: Stored, table = ''): Reason {
  if (code === null || tables?.includes(table) === false) return sentence
  return params === undefined ? { code } : { code, params }
}

/** A code that no table knows is shown as it is. */
const isUnknown = (text: string) => /^[a-z_]*$/.test(text)
