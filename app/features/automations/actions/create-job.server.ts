// A new job, with its materials and bundles: the job is the first effect, and all others depend on it.
import type { Effect, Plan, PlanWarning } from '#app/domain/automations/effect.ts'
import { isActive, valuesOf } from '../records/fact-rows.ts'
import { isUuid } from '../records/field-value.ts'
import type { Action, PlanContext } from './action.server.ts'
import { shorten } from './failure-text.ts'
import { categoryChange, queueChange } from './job-change.server.ts'
import { dateValue, jobFieldValue } from './job-fields.ts'
import { lineEffects } from './job-lines.ts'
import { chooseLines } from './job-stock.server.ts'
import {
  afterTrouble,
  createWording,
  type Ended,
  ended,
  impossible,
  planned,
  textWarnings,
  type Wording,
} from './planning.server.ts'

export const createJob: Action = { type: 'create_job', plan }

async function plan(context: PlanContext): Promise<Plan> {
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
    summary: `New job (${fields.fields.status ?? ''}) for ${customer.name}${lines > 0 ? `, with ${lines} lines` : ''}`,
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
  if (uuid === '') return refused('invalid', 'there is no customer to make it for.')
  if (!isUuid(uuid)) {
    return refused('invalid', `"${shorten(uuid, 60)}" is not a customer. Choose one in the automation.`)
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
  const refused = (sentence: string) => ended(impossible('invalid', `No job was made${sentence}`))
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
