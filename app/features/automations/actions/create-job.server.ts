// A new job, with its materials and bundles: the job is the first effect, everything else hangs on it.

import type { Effect, Plan, PlanWarning } from '#app/domain/automations/effect.ts'
import { isActive, valuesOf } from '../records/fact-rows.ts'
import { isUuid } from '../records/field-value.ts'
import type { Action, PlanContext } from './action.server.ts'
import { findCategory } from './category-choice.server.ts'
import { shorten } from './failure-words.ts'
import { dateValue, jobFieldValue } from './job-fields.ts'
import { lineEffects } from './job-lines.ts'
import { chooseLines } from './job-stock.server.ts'
import {
  afterTrouble,
  blankWarnings,
  createWording,
  impossible,
  planned,
  unknownWarnings,
  type Wording,
} from './planning.server.ts'
import { findQueue, queueFields } from './queue-choice.server.ts'

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
    // Its number appears only on a read after it was made (facts: 5.8).
    readBack: ['generated_job_id'],
    summary: `New job (${fields.fields.status ?? ''}) for ${customer.name}${lines > 0 ? `, with ${lines} lines` : ''}`,
  }
  return planned(wording, [job, ...lineEffects(chosen.lines)], {
    warnings: [...fields.warnings, ...chosen.warnings, ...unknownWarnings(wording), ...blankWarnings(wording)],
    standIn: {
      job_uuid: 'the new job (made when it runs)',
      generated_job_id: 'new job number (set when it runs)',
    },
  })
}

async function customerOf(
  { read }: PlanContext,
  wording: Wording,
): Promise<{ outcome: 'ok'; uuid: string; name: string } | { outcome: 'ended'; plan: Plan }> {
  const uuid = wording.parameter('company_uuid', 'field').trim().toLowerCase()
  const ended = (errorClass: string, sentence: string) =>
    ({ outcome: 'ended', plan: impossible(errorClass, sentence) }) as const
  if (uuid === '') return ended('invalid', 'No job was made: there is no customer to make it for.')
  if (!isUuid(uuid)) {
    return ended('invalid', `No job was made: "${shorten(uuid, 60)}" is not a customer. Choose one in the automation.`)
  }
  const answer = await read.read('company', uuid)
  if (answer.outcome === 'refused')
    return ended('not_found', 'No job was made: the customer no longer exists in ServiceM8.')
  if (answer.outcome !== 'ok') return { outcome: 'ended', plan: afterTrouble(answer, 'the customer') }
  const company = valuesOf(answer.value)
  if (!isActive(company)) return ended('not_found', 'No job was made: the customer was deleted in ServiceM8.')
  return { outcome: 'ok', uuid, name: company.name || 'the customer' }
}

/** Texts as they are; what they may not be longer than is in the platform's schema (facts: objects.json). */
const TEXTS = ['job_description', 'job_address', 'billing_address', 'purchase_order_number'] as const

type JobFields =
  | { outcome: 'ok'; fields: Record<string, string>; warnings: PlanWarning[] }
  | { outcome: 'ended'; plan: Plan }

async function jobFields(context: PlanContext, wording: Wording): Promise<JobFields> {
  const clock = { now: context.now, zone: context.account.zone }
  const ended = (sentence: string): JobFields => ({ outcome: 'ended', plan: impossible('invalid', sentence) })
  const status = jobFieldValue('status', wording.parameter('status', 'field'), clock)
  if (status.outcome === 'refused') return ended(`No job was made. ${status.sentence}`)
  const fields: Record<string, string> = { status: status.value }
  const warnings: PlanWarning[] = []
  for (const name of TEXTS) {
    const said = jobFieldValue(name, wording.parameter(name, 'field'), clock)
    if (said.outcome === 'refused') return ended(`No job was made. ${said.sentence}`)
    if (said.value.trim() !== '') fields[name] = said.value
  }
  const date = wording.parameter('date', 'date').trim()
  if (date !== '') {
    const value = dateValue(date, clock, 'date')
    if (value === null) return ended(`No job was made: "${shorten(date, 40)}" is not a date.`)
    fields.date = value
  }
  const category = wording.parameter('category_uuid', 'field').trim()
  if (category !== '') {
    const found = await findCategory(context.read, category)
    if (found.outcome === 'failed') return { outcome: 'ended', plan: afterTrouble(found.trouble, 'the categories') }
    if (found.outcome === 'gone') return { outcome: 'ended', plan: impossible('not_found', found.sentence) }
    fields.category_uuid = found.uuid
  }

  const queue = wording.parameter('queue_uuid', 'field').trim()
  if (queue !== '') {
    const found = await findQueue(context.read, queue)
    if (found.outcome === 'failed') return { outcome: 'ended', plan: afterTrouble(found.trouble, 'the queue') }
    if (found.outcome === 'gone') return { outcome: 'ended', plan: impossible('not_found', found.sentence) }
    const chosen = await queueFields(context, found.queue, context.records[0] ?? null)
    if (chosen.outcome === 'failed') return { outcome: 'ended', plan: afterTrouble(chosen.trouble, 'the staff list') }
    Object.assign(fields, chosen.fields)
    warnings.push(...chosen.warnings)
  }
  return { outcome: 'ok', fields, warnings }
}
