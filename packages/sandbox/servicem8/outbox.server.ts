// Messages that would have reached a person: the outbox for the console, and the histories `sms.json` and `email.json`,
// whose rows may come late, twice or never. Nobody has published how an answer looks in them: `from` and the e-mail's
// `message` are our guess.
import { randomUUID } from 'node:crypto'
import { minutes } from '#app/lib/duration.ts'
import { recordsOf, zoneOf } from '../accounts.server.ts'
import type { AccountState, Channel, LateRow, Stage } from '../state.server.ts'
import type { ChangeResult, OutboxItem, SandboxRecord } from '../world.ts'
import { objectOf } from './catalog.ts'
import { localText } from './local-time.ts'
import { emptyRecord } from './record-values.ts'

/** Enough to count a day's messaging quota. */
const KEEP = 1_000

type Distribute<T> = T extends unknown ? Omit<T, 'id' | 'accountUuid' | 'at'> : never

export function putInOutbox(stage: Stage, account: AccountState, item: Distribute<OutboxItem>): void {
  const entry = { ...item, id: stage.nextId(), accountUuid: account.uuid, at: stage.clock.now() } as OutboxItem
  account.outbox = [...account.outbox.slice(1 - KEEP), entry]
  stage.touched()
}

/** Also records staff messages and notifications: they are created through REST but still reach people. */
export function recordOutbox(
  stage: Stage,
  account: AccountState,
  objectKey: string,
  record: SandboxRecord,
  body: Record<string, unknown>,
): void {
  if (objectKey === 'staffmessage') {
    putInOutbox(stage, account, {
      kind: 'staff_message',
      jobUuid: String(record.regarding_job_uuid),
      fromStaffUuid: String(record.from_staff_uuid),
      toStaffUuid: String(record.to_staff_uuid),
      message: String(record.message),
    })
  }
  if (objectKey === 'notification') {
    putInOutbox(stage, account, {
      kind: 'notification',
      jobUuid: '',
      message: String(body.message ?? body.title ?? ''),
      destinationUrl: String(body.destination_url ?? ''),
      body: JSON.stringify(body).slice(0, 2_000),
    })
  }
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
