// Creates and updates records at the platform. New records get an id of ours, so a repeat is harmless and a check
// afterwards is certain.
import type {
  AccountCallResult,
  CallFailure,
  PlatformApi,
  PlatformRecord,
  PlatformResult,
} from '#app/adapters/platform.ts'
import type { App } from '#app/context/app-context.ts'
import type { CommitResult, Effect, StepResult, VerifyResult } from '#app/domain/automations/effect.ts'
import { runReason } from '#app/domain/automations/run-reasons.ts'
import { localStamp } from '#app/domain/time/local-time.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { minutes } from '#app/lib/duration.ts'
import { wallAt } from '#app/lib/zone.ts'
import { asText, sameValue } from '../../records/changes.ts'
import { isActive, type Values, valuesOf } from '../../records/fact-rows.ts'
import { quoted } from '../../records/fact-sources.server.ts'
import type { CommitContext } from '../action.server.ts'
import { reportTrouble } from '../failure-text.ts'

type CreateEffect = Extract<Effect, { kind: 'create_record' }>
type UpdateEffect = Extract<Effect, { kind: 'update_record' }>

/** The name under which later steps read a new record's id (specification, section 3). */
const ID_NAMES: Readonly<Record<string, string>> = {
  job: 'job_uuid',
  task: 'task_uuid',
  note: 'note_uuid',
  staffmessage: 'staff_message_uuid',
}

/** For records the platform gave another id: the object, and the filter field with the record it belongs to. */
const SEARCHED: Readonly<Record<string, string>> = {
  job: 'company_uuid',
  task: 'related_object_uuid',
  note: 'related_object_uuid',
  staffmessage: 'to_staff_uuid',
}

/** Fields that do not distinguish records, or that the platform writes in its own form. */
const NOT_COMPARED = new Set(['queue_expiry_date', 'queue_assigned_staff_uuid', 'action_required'])
const PARENT_MISSING: CommitResult = {
  outcome: 'failed',
  errorClass: 'parent_missing',
  sentence: runReason('parent_failed'),
  retry: false,
}

export function createRecordCommits(app: Pick<CommitApp, 'store' | 'log'>) {
  async function create(effect: CreateEffect, context: CommitContext, call: CallForEffect): Promise<CommitResult> {
    const fields = withParents(effect.fields, effect.parents, context)
    if (!fields) return PARENT_MISSING
    const { clientUuid } = context.identity
    let made = await call((api, token) => api.create(token, effect.object, fields, { uuid: clientUuid }))
    if (made.outcome === 'refused' && made.status === 409) made = { outcome: 'ok', value: { uuid: clientUuid } }
    if (made.outcome === 'refused' && /\buuid\b/i.test(made.message) && !namesOurField(made.message, fields)) {
      app.log.warn({ account: context.identity.accountUuid, object: effect.object }, 'record.own_uuid_refused')
      made = await call((api, token) => api.create(token, effect.object, fields))
    }
    if (made.outcome !== 'ok') return endedBadly(made, thingOf(effect))
    const read = await readBack(effect, made.value.uuid, call)
    // The record exists for certain, but its number is still missing: verify later.
    if (read === null) return { outcome: 'unknown', sentence: 'It was made, but its number could not be read yet.' }
    return { outcome: 'sent', result: { ...resultOf(effect, made.value.uuid), ...read } }
  }

  /** Null = the record cannot be read right now. */
  async function readBack(effect: CreateEffect, uuid: string, call: CallForEffect): Promise<StepResult | null> {
    if (effect.readBack.length === 0) return {}
    const answer = await call((api, token) => api.read(token, effect.object, uuid))
    return answer.outcome === 'ok' ? pickedOf(effect, answer.value) : null
  }

  async function update(effect: UpdateEffect, context: CommitContext, call: CallForEffect): Promise<CommitResult> {
    const fields = withParents(effect.fields, effect.parents, context)
    if (!fields) return PARENT_MISSING
    const answer = await call((api, token) => api.update(token, effect.object, effect.recordUuid, fields))
    if (answer.outcome === 'ok')
      return { outcome: 'sent', result: { message: effect.summary, uuid: effect.recordUuid } }
    const refusedToMove = answer.outcome === 'refused' && answer.status !== 404 && isMove(effect)
    return refusedToMove ? moveByCopy(effect, fields, context, call) : endedBadly(answer, thingOf(effect))
  }

  /** If the platform refuses to move a line: copies it to the new job, then removes it (facts: section 9). */
  async function moveByCopy(
    effect: UpdateEffect,
    fields: Record<string, string>,
    { identity }: CommitContext,
    call: CallForEffect,
  ): Promise<CommitResult> {
    const old = await call((api, token) => api.read(token, effect.object, effect.recordUuid))
    if (old.outcome !== 'ok') return endedBadly(old, thingOf(effect))
    const copy = { ...copyable(valuesOf(old.value)), ...fields }
    const made = await call((api, token) => api.create(token, effect.object, copy, { uuid: identity.clientUuid }))
    const there = made.outcome === 'refused' && made.status === 409
    if (made.outcome !== 'ok' && !there) return endedBadly(made, thingOf(effect))
    const removed = await call((api, token) => api.remove(token, effect.object, effect.recordUuid))
    if (removed.outcome !== 'ok') return endedBadly(removed, thingOf(effect))
    const uuid = made.outcome === 'ok' ? made.value.uuid : identity.clientUuid
    return { outcome: 'sent', result: { message: effect.summary, uuid } }
  }

  async function findCreated(effect: CreateEffect, context: CommitContext, call: CallForEffect): Promise<VerifyResult> {
    const { clientUuid } = context.identity
    const answer = await call((api, token) => api.read(token, effect.object, clientUuid))
    if (answer.outcome === 'ok') {
      return { outcome: 'done', result: { ...resultOf(effect, clientUuid), ...pickedOf(effect, answer.value) } }
    }
    if (answer.outcome !== 'refused' || answer.status !== 404) return searchedInVain(answer, thingOf(effect))
    return findTwin(effect, context, call)
  }

  /** Finds an equal record created since the attempt; needed only when the platform gave it another id. */
  async function findTwin(effect: CreateEffect, context: CommitContext, call: CallForEffect): Promise<VerifyResult> {
    const by = SEARCHED[effect.object]
    const fields = withParents(effect.fields, effect.parents, context)
    const key = by === undefined ? undefined : fields?.[by]
    if (by === undefined || !fields || !key) return { outcome: 'not_done' }
    const filter = `${by} eq '${quoted(key)}'`
    const answer = await call((api, token) => api.list(token, effect.object, { filter }))
    if (answer.outcome !== 'ok') return searchedInVain(answer, thingOf(effect))
    const since = await sinceSending(app, context.identity)
    const twins = answer.value.map(valuesOf).filter((record) => isActive(record) && isTwin(record, fields, since))
    const [twin] = twins
    if (!twin?.uuid) return { outcome: 'not_done' }
    if (twins.length > 1) return unclear(`ServiceM8 has ${twins.length} that look like ${thingOf(effect)}.`)
    return { outcome: 'done', result: { ...resultOf(effect, twin.uuid), ...pickedOf(effect, twin) } }
  }

  async function findUpdated(effect: UpdateEffect, context: CommitContext, call: CallForEffect): Promise<VerifyResult> {
    const fields = withParents(effect.fields, effect.parents, context)
    if (!fields) return { outcome: 'not_done' }
    const answer = await call((api, token) => api.read(token, effect.object, effect.recordUuid))
    if (answer.outcome === 'refused' && answer.status === 404) return { outcome: 'not_done' }
    if (answer.outcome !== 'ok') return searchedInVain(answer, thingOf(effect))
    const record = valuesOf(answer.value)
    const holds = Object.entries(fields).every(([name, value]) => sameValue(record[name] ?? '', value))
    if (holds && isActive(record)) {
      return { outcome: 'done', result: { message: effect.summary, uuid: effect.recordUuid } }
    }
    return isMove(effect) && !isActive(record) ? findCopy(effect, context, call) : { outcome: 'not_done' }
  }

  /** The line to move is gone: was its copy created? */
  async function findCopy(effect: UpdateEffect, context: CommitContext, call: CallForEffect): Promise<VerifyResult> {
    const { clientUuid } = context.identity
    const copy = await call((api, token) => api.read(token, effect.object, clientUuid))
    if (copy.outcome === 'ok') return { outcome: 'done', result: { message: effect.summary, uuid: clientUuid } }
    return copy.outcome === 'refused' ? { outcome: 'not_done' } : searchedInVain(copy, thingOf(effect))
  }

  return { create, update, findCreated, findUpdated }
}

/** Null = a parent effect was not done. */
export function withParents(
  fields: Record<string, string>,
  parents: Record<string, number> | undefined,
  { siblings }: Pick<CommitContext, 'siblings'>,
): Record<string, string> | null {
  const all = { ...fields }
  for (const [name, index] of Object.entries(parents ?? {})) {
    const uuid = siblings[index]?.uuid
    if (!uuid) return null
    all[name] = uuid
  }
  return all
}

function isMove(effect: UpdateEffect): boolean {
  return Object.keys(effect.parents ?? {}).length > 0
}

function resultOf(effect: CreateEffect, uuid: string): StepResult {
  const name = ID_NAMES[effect.object]
  return name === undefined ? { uuid } : { [name]: uuid, uuid }
}

function pickedOf(effect: CreateEffect, record: PlatformRecord): StepResult {
  return Object.fromEntries(effect.readBack.map((name) => [name, asText(record[name])]))
}

/** Is the complaint about a field of ours (`company_uuid is not valid`), not about the record's own id? */
function namesOurField(message: string, fields: Record<string, string>): boolean {
  return Object.keys(fields).some((name) => name !== 'uuid' && message.includes(name))
}

/** The fields to copy of a line: without its id and fields the platform sets itself. */
function copyable(values: Values): Record<string, string> {
  const left = new Set(['uuid', 'active', 'edit_date', 'job_uuid', 'job_material_bundle_uuid'])
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => !left.has(name) && value !== ''))
}

function isTwin(record: Values, fields: Record<string, string>, since: string): boolean {
  const born = record.create_date || record.sent_timestamp || record.edit_date || ''
  return (
    born >= since &&
    Object.entries(fields).every(([name, value]) => NOT_COMPARED.has(name) || sameValue(record[name] ?? '', value))
  )
}

export type CommitApp = Pick<App, 'callAsAccount' | 'clock' | 'log' | 'store' | 'outbound' | 'secrets' | 'settings'>

/** A call as the effect's account, with the rules' share of calls. */
export type CallForEffect = <T>(
  call: (api: PlatformApi, token: string) => Promise<PlatformResult<T>>,
) => Promise<AccountCallResult<T>>

/** The outcome of a failed write. `what` as in `reportTrouble`. */
export function endedBadly(trouble: CallFailure, what: string): CommitResult {
  const { errorClass, sentence, retryAt } = reportTrouble(trouble, what)
  switch (errorClass) {
    case 'reconnect':
    case 'scope':
    case 'suspended':
      return { outcome: 'blocked', errorClass, sentence }
    case 'rate_limited':
      return { outcome: 'wait', until: retryAt ?? 0, sentence }
    case 'not_found':
    case 'invalid':
      return { outcome: 'failed', errorClass, sentence, retry: false }
    case 'unavailable':
      // Certainly not done, or unknown: this decides whether a customer may get the message again.
      return trouble.outcome === 'unavailable' && trouble.undone
        ? { outcome: 'failed', errorClass, sentence, retry: true }
        : { outcome: 'unknown', sentence: runReason('no_clear_answer') }
    default:
      return assertNever(errorClass)
  }
}

/** The outcome of a verification whose call failed. */
export function searchedInVain(trouble: CallFailure, what: string): VerifyResult {
  const { sentence, retryAt } = reportTrouble(trouble, what)
  return { outcome: 'later', sentence, retryAt }
}

export function unclear(sentence: string): VerifyResult {
  return { outcome: 'unclear', sentence }
}

/** Tolerance for clocks that differ. */
const SLACK = minutes(2)

/** When the effect was sent, in the account's local time, for searches "since then". */
export async function sinceSending(
  app: Pick<App, 'store'>,
  { accountUuid, sendingAt }: CommitContext['identity'],
): Promise<string> {
  const account = await app.store.accounts.findAccount(accountUuid)
  return localStamp(wallAt(sendingAt - SLACK, account?.timezone ?? 'UTC'))
}

/** The kind of a record, for logs and sentences. */
const THINGS: Readonly<Record<string, string>> = {
  job: 'this job',
  task: 'this task',
  note: 'this note',
  staffmessage: 'this staff message',
  jobmaterial: 'this line',
  jobmaterialbundle: 'this bundle',
}

function thingOf(effect: Extract<Effect, { object: string }>): string {
  return THINGS[effect.object] ?? 'this record'
}
