// The three actions that change the jobs of a run: status, queue, field. A job is written only if the value differs.
import type { CallFailure } from '#app/adapters/platform.ts'
import type { Effect, Plan, PlanWarning } from '#app/domain/automations/effect.ts'
import { asText } from '../records/changes.ts'
import { isActive, type Values, valuesOf } from '../records/fact-rows.ts'
import type { Action, PlanContext } from './action.server.ts'
import { badgeChange, categoryChange, type JobChange, NO_QUEUE, queueChange, setting } from './job-change.server.ts'
import { findJobField, type JobFieldValue, jobFieldValue } from './job-fields.ts'
import {
  afterTrouble,
  createWording,
  impossible,
  type JobTarget,
  jobName,
  jobTargets,
  NO_JOB,
  planned,
  skipped,
  textWarnings,
  type Wording,
} from './planning.server.ts'
import { wordParameter } from './read-parameters.ts'

export const updateJobStatus: Action = {
  type: 'update_job_status',
  plan: (context) =>
    planJobs(context, async (target, wording) => {
      const value = jobFieldValue('status', wording.parameter('status', 'field', target.record), clockOf(context))
      return fieldChange('status', value)
    }),
}

export const assignToQueue: Action = {
  type: 'assign_to_queue',
  async plan(context) {
    if (wordParameter(context.step.parameters, 'queueUuid') === '') {
      return impossible('invalid', NO_QUEUE)
    }
    return planJobs(context, ({ record }, wording) =>
      queueChange(context, wording.parameter('queueUuid', 'field', record), record, record.values.queue_uuid ?? null),
    )
  },
}

export const updateJobField: Action = {
  type: 'update_job_field',
  async plan(context) {
    const field = findJobField(wordParameter(context.step.parameters, 'fieldName'))
    if (field.outcome === 'refused') return impossible('invalid', field.sentence)
    return planJobs(context, async ({ record }, wording) => {
      const { read, step } = context
      const { badges = '', queue_uuid: isIn = null } = record.values
      const destination = field.kind === 'date' || field.kind === 'moment' ? 'date' : 'field'
      const said = wording.parameter('fieldValue', destination, record)
      if (field.kind === 'queue' && said.trim() !== '') return queueChange(context, said, record, isIn)
      if (field.kind === 'category' && said.trim() !== '') return categoryChange(read, said)
      if (field.kind === 'badges') {
        return badgeChange(read, wordParameter(step.parameters, 'badgeChange'), said, badges)
      }
      return fieldChange(field.name, jobFieldValue(field.name, said, clockOf(context)))
    })
  },
}

function fieldChange(name: string, value: JobFieldValue): JobChange {
  return value.outcome === 'ok' ? setting({ [name]: value.value }) : { outcome: 'problem', sentence: value.sentence }
}

async function planJobs(
  context: PlanContext,
  change: (target: JobTarget, wording: Wording) => Promise<JobChange>,
): Promise<Plan> {
  const targets = jobTargets(context)
  if (targets.length === 0) return impossible('invalid', NO_JOB)
  const wording = createWording(context)
  const effects: Effect[] = []
  const problems: string[] = []
  const warnings: PlanWarning[] = []
  for (const target of targets) {
    const job = await jobValues(context, target)
    if (job.outcome === 'failed') return afterTrouble(job.trouble, jobName(target.record))
    if (!isActive(job.values)) {
      problems.push(`Nothing was changed: ${jobName(target.record)} was deleted in ServiceM8.`)
      continue
    }
    const changed = await change(
      { ...target, record: { ...target.record, values: { ...target.record.values, ...job.values } } },
      wording,
    )
    if (changed.outcome === 'failed') return afterTrouble(changed.trouble, changed.what)
    if (changed.outcome === 'problem') {
      problems.push(changed.sentence)
      continue
    }
    const fields = Object.fromEntries(
      Object.entries(changed.fields).filter(([name, value]) => asText(job.values[name]) !== asText(value)),
    )
    if (Object.keys(fields).length === 0) continue
    warnings.push(...changed.warnings)
    effects.push(updateEffect(target, job.values, fields))
  }
  const told = [...warnings, ...textWarnings(wording)]
  if (effects.length > 0) {
    return planned(wording, effects, {
      warnings: [...told, ...problems.map((sentence) => ({ code: 'job_left_out', sentence }))],
    })
  }
  const [problem] = problems
  if (problem !== undefined) return impossible('invalid', problem, told)
  return skipped(`Nothing to change: ${jobName(targets[0]?.record)} is so already.`, told)
}

function updateEffect(target: JobTarget, values: Values, fields: Record<string, string>): Effect {
  const before = Object.fromEntries(Object.keys(fields).map((name) => [name, values[name] ?? '']))
  const parts = Object.entries(fields).map(([name, value]) => `${name} "${before[name] ?? ''}" → "${value}"`)
  return {
    kind: 'update_record',
    class: 'set',
    object: 'job',
    recordUuid: target.uuid,
    before,
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
