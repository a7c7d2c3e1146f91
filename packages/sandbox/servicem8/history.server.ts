// The histories `sms.json` and `email.json`: what was sent about a job, what customers answered. Rows may come late,
// twice or never. Nobody has published how an answer looks in them: `from` and the e-mail's `message` are our guess.
import { randomUUID } from 'node:crypto'
import type { Millis } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'
import { recordsOf, zoneOf } from '../accounts.server.ts'
import type { AccountState, Stage } from '../state.server.ts'
import type { ChangeResult, SandboxRecord } from '../world.ts'
import { objectOf } from './catalog.ts'
import { localText } from './local-time.ts'
import { emptyRecord } from './record-values.ts'

export type Channel = 'sms' | 'email'

/** A row that the history does not show yet. */
export interface LateRow {
  channel: Channel
  row: SandboxRecord
  showAt: Millis
}

export function isHistory(object: string): object is Channel {
  return object === 'sms' || object === 'email'
}

/**
 * Adds a row, as soon as the account's options let it appear. It holds no reference to the message id. Returns its uuid;
 * null = the history never shows it.
 */
export function addToHistory(
  stage: Stage,
  account: AccountState,
  channel: Channel,
  jobUuid: string,
  values: Record<string, unknown>,
): string | null {
  const { historyMissing, historyLateMinutes, historyDoubled, historyClockSkewMinutes } = account.options
  if (historyMissing) return null
  const now = stage.clock.now()
  const row = {
    ...emptyRecord(objectOf(channel)),
    direction: 'outbound',
    related_object: jobUuid === '' ? '' : 'job',
    related_object_uuid: jobUuid,
    timestamp: localText(now + minutes(historyClockSkewMinutes), zoneOf(account)),
    ...values,
  }
  const uuids = historyDoubled ? [randomUUID(), randomUUID()] : [randomUUID()]
  for (const uuid of uuids) {
    const late: LateRow = { channel, row: { ...row, uuid }, showAt: now + minutes(historyLateMinutes) }
    if (late.showAt > now) account.lateHistory.push(late)
    else show(account, late)
  }
  stage.touched()
  return uuids[0] ?? null
}

/** Shows the late rows whose time has come. */
export function showLateHistory(stage: Stage, account: AccountState): void {
  if (account.lateHistory.length === 0) return
  const now = stage.clock.now()
  const due = account.lateHistory.filter((one) => one.showAt <= now)
  if (due.length === 0) return
  account.lateHistory = account.lateHistory.filter((one) => one.showAt > now)
  for (const late of due) show(account, late)
  stage.touched()
}

function show(account: AccountState, { channel, row }: LateRow): void {
  const rows = account.records.get(channel) ?? new Map<string, SandboxRecord>()
  rows.set(row.uuid, row)
  account.records.set(channel, rows)
}

/** The customer opens an e-mail, or it comes back. Late rows change too. */
export function changeEmail(
  stage: Stage,
  account: AccountState,
  rowUuid: string,
  change: 'opened' | 'bounced',
): ChangeResult {
  const late = account.lateHistory.filter(({ channel }) => channel === 'email').map(({ row }) => row)
  const row = [...recordsOf(account, 'email'), ...late].find((one) => one.uuid === rowUuid)
  if (row?.direction !== 'outbound') return { outcome: 'refused', status: 404, message: 'There is no such e-mail' }
  const twins = [...recordsOf(account, 'email'), ...late].filter((one) => isTwin(one, row))
  for (const one of twins) {
    if (change === 'bounced') one.bounced = '1'
    else {
      one.opened = '1'
      one.first_opened_at ||= localText(stage.clock.now(), zoneOf(account))
    }
  }
  stage.touched()
  return { outcome: 'done', record: row }
}

/** The same message, listed twice. */
function isTwin(one: SandboxRecord, other: SandboxRecord): boolean {
  return (['related_object_uuid', 'to', 'subject', 'timestamp', 'direction'] as const).every(
    (name) => one[name] === other[name],
  )
}
