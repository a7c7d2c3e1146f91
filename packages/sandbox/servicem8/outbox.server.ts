// The outbox: messages that would have reached a person, stored for the console.
import type { AccountState, Stage } from '../state.server.ts'
import type { OutboxItem, SandboxRecord } from '../world.ts'

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
