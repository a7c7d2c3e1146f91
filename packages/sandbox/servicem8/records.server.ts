// The only code that changes a record: validates, stamps, stores, updates dependent records, announces the change.
import { randomUUID } from 'node:crypto'
import { findRecord, ownerOf, recordsOf, totalOf, zoneOf } from '../accounts.server.ts'
import type { AccountState, Stage } from '../state.server.ts'
import type { ChangeResult, Refusal, SandboxRecord } from '../world.ts'
import { fieldsOf, type ObjectFact } from './catalog.ts'
import { localText, UNSET_TIME } from './local-time.ts'
import { type Moment, refusalOf, stampsFor } from './record-rules.ts'
import { checkValues, emptyRecord, isUuid, missingField, type Values } from './record-values.ts'

interface ChangeBy {
  /** The acting staff member; default the account's owner. */
  staffUuid?: string
}

/** Creates a record. The caller may choose `body.uuid`: 409 when it is taken. */
export function createRecord(
  stage: Stage,
  account: AccountState,
  object: ObjectFact,
  body: Values,
  by: ChangeBy = {},
): ChangeResult {
  const checked = checkValues(object, body, zoneOf(account))
  if (checked.outcome === 'bad') return refused(400, checked.message)
  const { values } = checked
  const missing = missingField(object, values)
  if (missing) return refused(400, `${missing} is required`)
  const chosen = body.uuid
  if (chosen !== undefined && chosen !== '' && !isUuid(chosen)) return refused(400, 'uuid is not a valid UUID')
  const uuid = isUuid(chosen) ? chosen.toLowerCase() : randomUUID()
  const rows = account.records.get(object.key) ?? new Map<string, SandboxRecord>()
  if (rows.has(uuid)) return refused(409, `A record with uuid ${uuid} already exists`)

  const moment = momentOf(stage, account, by)
  const record: SandboxRecord = {
    ...emptyRecord(object),
    ...values,
    ...stampsFor(object.key, null, values, moment),
    uuid,
  }
  stampEdit(object, record, moment)
  const refusal = refusalOf(object.key, null, record, surroundingsOf(account))
  if (refusal) return refused(400, refusal)
  if (object.key === 'job') record.generated_job_id = String(account.nextJobNumber++)

  rows.set(uuid, record)
  account.records.set(object.key, rows)
  stage.touched()
  const changed = object.fields.map((field) => field.name).filter((name) => holdsSomething(record[name]))
  stage.announce(account, { object: object.key, kind: 'created', before: null, after: record, changed })
  followUp(stage, account, object.key, record, by)
  return { outcome: 'done', record }
}

/** Changes only the named fields; 404 when the record does not exist. */
export function updateRecord(
  stage: Stage,
  account: AccountState,
  object: ObjectFact,
  uuid: string,
  body: Values,
  by: ChangeBy = {},
): ChangeResult {
  const before = findRecord(account, object.key, uuid)
  if (!before) return refused(404, 'Record not found')
  const checked = checkValues(object, body, zoneOf(account))
  if (checked.outcome === 'bad') return refused(400, checked.message)
  const { uuid: _fixed, ...patch } = checked.values
  const emptied = object.required?.find((name) => patch[name] === '')
  if (emptied) return refused(400, `${emptied} is required`)
  const moment = momentOf(stage, account, by)
  const after = { ...before, ...patch, ...stampsFor(object.key, before, patch, moment) }
  const refusal = refusalOf(object.key, before, after, surroundingsOf(account))
  if (refusal) return refused(400, refusal)
  return store(stage, account, object.key, before, after, moment, by)
}

/** Soft delete: sets `active` to 0. */
export function removeRecord(
  stage: Stage,
  account: AccountState,
  object: ObjectFact,
  uuid: string,
  by: ChangeBy = {},
): ChangeResult {
  return updateRecord(stage, account, object, uuid, { active: object.key === 'inboxmessage' ? false : 0 }, by)
}

/**
 * Sets fields that callers cannot write (totals, archive flags): stored and announced like any change, without body
 * validation. Null when the record does not exist.
 */
export function setComputed(
  stage: Stage,
  account: AccountState,
  objectKey: string,
  uuid: string,
  values: Values,
  by: ChangeBy = {},
): SandboxRecord | null {
  const before = findRecord(account, objectKey, uuid)
  if (!before) return null
  const result = store(stage, account, objectKey, before, { ...before, ...values }, momentOf(stage, account, by), by)
  return result.outcome === 'done' ? result.record : null
}

function store(
  stage: Stage,
  account: AccountState,
  objectKey: string,
  before: SandboxRecord,
  after: SandboxRecord,
  moment: Moment,
  by: ChangeBy,
): ChangeResult {
  const names = [...fieldsOf(objectKey).keys()]
  const changed = names.filter((name) => !sameValue(before[name], after[name]))
  // A field that every save writes must not cause a delivery by itself.
  const telling = changed.filter((name) => name !== 'edit_by_staff_uuid')
  if (telling.length === 0) return { outcome: 'done', record: before }
  if (fieldsOf(objectKey).has('edit_date')) {
    after.edit_date = editDate(objectKey, moment)
    telling.push('edit_date')
  }
  account.records.get(objectKey)?.set(after.uuid, after)
  stage.touched()
  stage.announce(account, { object: objectKey, kind: 'updated', before, after, changed: telling })
  followUp(stage, account, objectKey, after, by)
  return { outcome: 'done', record: findRecord(account, objectKey, after.uuid) ?? after }
}

/** Recomputes the job when one of its lines, payments or bookings changes. */
function followUp(stage: Stage, account: AccountState, objectKey: string, record: SandboxRecord, by: ChangeBy): void {
  const jobUuid = String(record.job_uuid ?? '')
  if (jobUuid === '') return
  const job = findRecord(account, 'job', jobUuid)
  if (!job) return
  if (objectKey === 'jobmaterial') {
    setComputed(stage, account, 'job', jobUuid, { total_invoice_amount: totalOf(account, jobUuid) }, by)
  }
  if (objectKey === 'jobpayment') {
    const paid = active(account, 'jobpayment', jobUuid).reduce((sum, one) => sum + (Number(one.amount) || 0), 0)
    const total = Number(job.total_invoice_amount) || 0
    if (total > 0 && paid >= total && Number(job.payment_received) !== 1) {
      const stamp = localText(stage.clock.now(), zoneOf(account))
      setComputed(stage, account, 'job', jobUuid, { payment_received: 1, payment_received_stamp: stamp }, by)
    }
  }
  if (objectKey === 'jobactivity') {
    const ends = active(account, 'jobactivity', jobUuid)
      .filter((one) => Number(one.activity_was_scheduled) === 1)
      .map((one) => String(one.end_date))
    const until = ends.sort().at(-1) || UNSET_TIME
    setComputed(stage, account, 'job', jobUuid, { job_is_scheduled_until_stamp: until }, by)
  }
}

function active(account: AccountState, objectKey: string, jobUuid: string): SandboxRecord[] {
  return recordsOf(account, objectKey).filter((one) => one.job_uuid === jobUuid && Number(one.active) === 1)
}

function momentOf(stage: Stage, account: AccountState, by: ChangeBy): Moment {
  return {
    at: stage.clock.now(),
    zone: zoneOf(account),
    staffUuid: by.staffUuid || ownerOf(account),
    queueDays: (uuid) => Number(findRecord(account, 'queue', uuid)?.default_timeframe) || 7,
  }
}

function surroundingsOf(account: AccountState) {
  return {
    itemNumberTaken: (itemNumber: string) =>
      [...recordsOf(account, 'material'), ...recordsOf(account, 'materialbundle')].some(
        (one) => one.item_number === itemNumber,
      ),
    staffExists: (uuid: string) => findRecord(account, 'staff', uuid) !== null,
    materialExists: (uuid: string) => findRecord(account, 'material', uuid) !== null,
  }
}

function stampEdit(object: ObjectFact, record: SandboxRecord, moment: Moment): void {
  if (fieldsOf(object.key).has('edit_date')) record.edit_date = editDate(object.key, moment)
}

function editDate(objectKey: string, moment: Moment): string {
  const format = fieldsOf(objectKey).get('edit_date')?.format
  return format === 'iso-datetime' ? new Date(moment.at).toISOString() : localText(moment.at, moment.zone)
}

function holdsSomething(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === UNSET_TIME) return false
  return !(Array.isArray(value) && value.length === 0)
}

function sameValue(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

function refused(status: number, message: string): Refusal {
  return { outcome: 'refused', status, message }
}
