// The outbox: what would have reached a person, kept for the console to show.
import type { AccountState, Stage } from '../state.server.ts'
import type { OutboxItem, SandboxRecord } from '../world.ts'

/** Enough for the messaging quota of a day to be counted from it. */
const KEEP = 1_000

type Distribute<T> = T extends unknown ? Omit<T, 'id' | 'accountUuid' | 'at'> : never

export function putInOutbox(stage: Stage, account: AccountState, item: Distribute<OutboxItem>): void {
  const entry = { ...item, id: stage.nextId(), accountUuid: account.uuid, at: stage.clock.now() } as OutboxItem
  account.outbox = [...account.outbox.slice(1 - KEEP), entry]
  stage.touched()
}

/** Staff messages and notifications are made through REST; they reach people all the same. */
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
