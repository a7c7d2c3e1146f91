// The actions that make a job or change the jobs of a run (status, queue, field). A job is written only if it differs.
import type { CallFailure } from '#app/adapters/platform.ts'
import type { Effect, Plan, PlanWarning } from '#app/domain/automations/effect.ts'
import { plural } from '#app/domain/time/moments.ts'
import { takingTurns } from '#app/lib/turns.server.ts'
import { sameValue } from '../records/changes.ts'
import { isActive, type Values, valuesOf } from '../records/fact-rows.ts'
import type { RecordFacts } from '../records/facts.ts'
import { isUuid, readList } from '../records/field-value.ts'
import { nameOfId } from '../records/fields.ts'
import { jobChangeText, type KnownNames } from '../rules/conditions/condition-text.ts'
import type { Destination } from '../rules/placeholders/placeholder-format.ts'
import type { Action, PlanContext } from './action.server.ts'
import { shorten } from './failure-text.ts'
import { badgeChange, categoryChange, type JobChange, NO_QUEUE, queueChange, setting } from './job-change.server.ts'
import { dateValue, findJobField, type JobFieldValue, jobFieldValue } from './job-fields.ts'
import { lineEffects } from './job-lines.ts'
import { chooseLines } from './job-stock.server.ts'
import {
  afterTrouble,
  createWording,
  type Ended,
  emptyHere,
  ended,
  impossible,
  type JobTarget,
  jobName,
  jobTargets,
  NO_JOB,
  planned,
  skipped,
  textWarnings,
  type Wording,
  withoutValue,
} from './planning.server.ts'
import { wordParameter } from './read-parameters.ts'

export const updateJobStatus: Action = {
  type: 'update_job_status',
  plan: (context) =>
    planJobs(context, {
      parameter: 'status',
      destination: 'field',
      change: async (_, said) => fieldChange('status', jobFieldValue('status', said, clockOf(context))),
    }),
}

export const assignToQueue: Action = {
  type: 'assign_to_queue',
  async plan(context) {
    if (wordParameter(context.step.parameters, 'queueUuid') === '') {
      return impossible('value', NO_QUEUE)
    }
    return planJobs(context, {
      parameter: 'queueUuid',
      destination: 'field',
      change: (record, said) => queueChange(context, said, record, record.values.queue_uuid ?? null),
    })
  },
}

export const updateJobField: Action = {
  type: 'update_job_field',
  async plan(context) {
    const { read, step } = context
    const field = findJobField(wordParameter(step.parameters, 'fieldName'))
    if (field.outcome === 'refused') return impossible('value', field.sentence)
    const destination = field.kind === 'date' || field.kind === 'moment' ? 'date' : 'field'
    const change: AskedChange['change'] = async (record, said) => {
      const { badges = '', queue_uuid: isIn = null } = record.values
      if (field.kind === 'queue' && said.trim() !== '') return queueChange(context, said, record, isIn)
      if (field.kind === 'category' && said.trim() !== '') return categoryChange(read, said)
      if (field.kind === 'badges') {
        return badgeChange(read, wordParameter(step.parameters, 'badgeChange'), said, badges)
      }
      return fieldChange(field.name, jobFieldValue(field.name, said, clockOf(context)))
    }
    return planJobs(context, { parameter: 'fieldValue', destination, change })
  },
}

function fieldChange(name: string, value: JobFieldValue): JobChange {
  return value.outcome === 'ok' ? setting({ [name]: value.value }) : { outcome: 'problem', sentence: value.sentence }
}

/** Where a step has the new value, and the change of a job once that is filled in. */
interface AskedChange {
  parameter: string
  destination: Destination
  change: (record: RecordFacts, said: string) => Promise<JobChange>
}

async function planJobs(context: PlanContext, asked: AskedChange): Promise<Plan> {
  const targets = jobTargets(context)
  if (targets.length === 0) return impossible('value', NO_JOB)
  const wording = createWording(context)
  const effects: Effect[] = []
  const [problems, empty]: [string[], string[]] = [[], []]
  const warnings: PlanWarning[] = []
  let settled: RecordFacts | undefined
  const turn = takingTurns()
  for (const target of targets) {
    await turn()
    const changed = await changeOf(context, target, wording, asked)
    if (changed.outcome === 'failed') return afterTrouble(changed.trouble, changed.what)
    if (changed.outcome === 'empty') empty.push(changed.sentence)
    if (changed.outcome === 'problem') problems.push(changed.sentence)
    if (changed.outcome !== 'change') continue
    settled ??= target.record
    warnings.push(...changed.warnings)
    effects.push(...changed.effects)
  }
  const told = [...warnings, ...textWarnings(wording)]
  const leftOut = [...problems, ...empty].map((sentence) => ({ code: 'job_left_out', sentence }))
  if (effects.length > 0) return planned(wording, effects, { warnings: [...told, ...leftOut] })
  const [problem] = problems
  if (problem !== undefined) return impossible('value', problem, told)
  if (empty[0] !== undefined && !settled) return withoutValue(empty[0], told)
  return skipped(`Nothing to change: ${jobName(settled)} is so already.`, [...told, ...leftOut])
}

type ChangeOfJob =
  | Exclude<JobChange, { outcome: 'change' }>
  | { outcome: 'empty'; sentence: string }
  /** `effects`: none when the job is so already. */
  | { outcome: 'change'; effects: Effect[]; warnings: PlanWarning[] }

async function changeOf(
  context: PlanContext,
  target: JobTarget,
  wording: Wording,
  { parameter, destination, change }: AskedChange,
): Promise<ChangeOfJob> {
  const { record: known } = target
  const job = await jobValues(context, target)
  if (job.outcome === 'failed') return { ...job, what: jobName(known) }
  const { values } = job
  if (!isActive(values)) {
    return { outcome: 'problem', sentence: `Nothing was changed: ${jobName(known)} was deleted in ServiceM8.` }
  }
  const record = { ...known, values: { ...known.values, ...values } }
  // A wording of its own: of a job that is left out, nothing more is told.
  const own = createWording(context)
  const said = own.parameter(parameter, destination, record)
  // Of two empty placeholders, only their comma is left.
  const isEmpty = readList(said).every((word) => word.trim() === '')
  // Only a value that is empty as written, or by its fallback, erases a field.
  const [[none], [blank]] = isEmpty ? [own.unknown(), own.blanks()] : [[], []]
  const nothing = `Nothing was changed on ${jobName(known)}:`
  if (none !== undefined) return { outcome: 'problem', sentence: `${nothing} {${none}} means nothing here.` }
  if (blank !== undefined) return { outcome: 'empty', sentence: `${nothing} ${emptyHere(blank)}.` }
  wording.parameter(parameter, destination, record)
  const changed = await change(record, said)
  if (changed.outcome !== 'change') return changed
  const fields = Object.fromEntries(
    Object.entries(changed.fields).filter(([name, value]) => !sameValue(values[name] ?? '', value)),
  )
  if (Object.keys(fields).length === 0) return { outcome: 'change', effects: [], warnings: [] }
  const names = { ...(await lostNames(context, fields)), ...namesIn(known.values), ...changed.names }
  return { ...changed, effects: [updateEffect(target, values, fields, names)] }
}

/** What the record itself says of its queue, its customer and its category. */
function namesIn(values: Values): KnownNames {
  const pairs = Object.entries(values).map(([name, id]) => [id, values[nameOfId(name) ?? '']] as const)
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => isUuid(pair[0]) && Boolean(pair[1])))
}

/** The queue or category that a job loses, for its name only: what cannot be read has none. */
async function lostNames({ read }: PlanContext, fields: Record<string, string>): Promise<KnownNames> {
  const kind = ['queue', 'category'].find((one) => `${one}_uuid` in fields)
  const listed = kind === undefined ? null : await read.list(kind)
  const rows = listed?.outcome === 'ok' ? listed.value.map(valuesOf) : []
  return Object.fromEntries(rows.map(({ uuid = '', name = '' }) => [uuid.toLowerCase(), name]))
}

function updateEffect(target: JobTarget, values: Values, fields: Record<string, string>, names: KnownNames): Effect {
  const before = Object.fromEntries(Object.keys(fields).map((name) => [name, values[name] ?? '']))
  const { edit_date } = values
  const parts = Object.entries(fields).map(([name, value]) => jobChangeText(name, before[name] ?? '', value, names))
  return {
    kind: 'update_record',
    class: 'set',
    object: 'job',
    recordUuid: target.uuid,
    before: { ...before, ...(edit_date && { edit_date }) },
    fields,
    summary: `Set on ${jobName(target.record)}: ${parts.join(', ')}`,
  }
}

/** The job's own fields: from the record if it is the job, else read now. */
async function jobValues(
  { read }: PlanContext,
  { uuid, record }: JobTarget,
): Promise<{ outcome: 'ok'; values: Values } | { outcome: 'failed'; trouble: CallFailure }> {
  if (record.object === 'job') {
    return { outcome: 'ok', values: { ...record.values, active: record.active ? '1' : '0' } }
  }
  const answer = await read.read('job', uuid)
  return answer.outcome === 'ok'
    ? { outcome: 'ok', values: valuesOf(answer.value) }
    : { outcome: 'failed', trouble: answer }
}

function clockOf({ now, account }: PlanContext): { now: number; zone: string } {
  return { now, zone: account.zone }
}

// A new job, with its materials and bundles: the job is the first effect, and all others depend on it.
export const createJob: Action = { type: 'create_job', plan: planNewJob }

async function planNewJob(context: PlanContext): Promise<Plan> {
  const wording = createWording(context)
  const customer = await customerOf(context, wording)
  if (customer.outcome !== 'ok') return customer.plan
  const fields = await jobFields(context, wording)
  if (fields.outcome !== 'ok') return fields.plan
  const chosen = await chooseLines(context, wording, customer.uuid)
  if (chosen.outcome !== 'ok') return chosen.plan
  const lines = chosen.lines.length
  const job: Effect = {
    kind: 'create_record',
    class: 'create',
    object: 'job',
    fields: { company_uuid: customer.uuid, ...fields.fields },
    parents: {},
    // The platform returns its number only when the job is read after its creation (facts: 5.8).
    readBack: ['generated_job_id'],
    summary: `New job (${fields.fields.status ?? ''}) for ${customer.name}${lines > 0 ? `, with ${plural(lines, 'line')}` : ''}`,
  }
  return planned(wording, [job, ...lineEffects(chosen.lines)], {
    warnings: [...fields.warnings, ...chosen.warnings, ...textWarnings(wording)],
    standIn: {
      job_uuid: 'the new job (made when it runs)',
      generated_job_id: 'new job number (set when it runs)',
    },
  })
}

async function customerOf(
  { read }: PlanContext,
  wording: Wording,
): Promise<{ outcome: 'ok'; uuid: string; name: string } | Ended> {
  const uuid = wording.parameter('company_uuid', 'field').trim().toLowerCase()
  const refused = (errorClass: string, why: string) => ended(impossible(errorClass, `No job was made: ${why}`))
  if (uuid === '') return refused('value', 'there is no customer to make it for.')
  if (!isUuid(uuid)) {
    return refused('value', `"${shorten(uuid, 60)}" is not a customer. Choose one in the automation.`)
  }
  const answer = await read.read('company', uuid)
  if (answer.outcome === 'refused') return refused('not_found', 'the customer no longer exists in ServiceM8.')
  if (answer.outcome !== 'ok') return ended(afterTrouble(answer, 'the customer'))
  const company = valuesOf(answer.value)
  if (!isActive(company)) return refused('not_found', 'the customer was deleted in ServiceM8.')
  return { outcome: 'ok', uuid, name: company.name || 'the customer' }
}

/** Texts copied as they are; the platform's schema has their maximum lengths (facts: objects.json). */
const TEXTS = ['job_description', 'job_address', 'billing_address', 'purchase_order_number'] as const

type JobFields = { outcome: 'ok'; fields: Record<string, string>; warnings: PlanWarning[] } | Ended

async function jobFields(context: PlanContext, wording: Wording): Promise<JobFields> {
  const clock = { now: context.now, zone: context.account.zone }
  const refused = (sentence: string) => ended(impossible('value', `No job was made${sentence}`))
  const fields: Record<string, string> = {}
  const warnings: PlanWarning[] = []
  for (const name of ['status', ...TEXTS]) {
    const said = jobFieldValue(name, wording.parameter(name, 'field'), clock)
    if (said.outcome === 'refused') return refused(`. ${said.sentence}`)
    if (said.value.trim() !== '') fields[name] = said.value
  }
  const date = wording.parameter('date', 'date').trim()
  const day = date === '' ? '' : dateValue(date, clock, 'date')
  if (day === null) return refused(`: "${shorten(date, 40)}" is not a date.`)
  if (day !== '') fields.date = day

  const category = wording.parameter('category_uuid', 'field').trim()
  const queue = wording.parameter('queue_uuid', 'field').trim()
  const choices = [
    ...(category === '' ? [] : [() => categoryChange(context.read, category)]),
    ...(queue === '' ? [] : [() => queueChange(context, queue, context.records[0] ?? null, null)]),
  ]
  for (const choose of choices) {
    const chosen = await choose()
    if (chosen.outcome === 'failed') return ended(afterTrouble(chosen.trouble, chosen.what))
    if (chosen.outcome === 'problem') return ended(impossible('not_found', chosen.sentence))
    Object.assign(fields, chosen.fields)
    warnings.push(...chosen.warnings)
  }
  return { outcome: 'ok', fields, warnings }
}
