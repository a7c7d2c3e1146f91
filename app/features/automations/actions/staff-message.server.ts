// A message to a colleague, in ServiceM8's own message list.
import type { Effect, Plan, PlanWarning } from '#app/domain/automations/effect.ts'
import { findField, objectNoun } from '../records/fields.ts'
import { activeStaff, findStaff, senderOf, staffName } from '../records/staff-members.server.ts'
import { meaningOf } from '../rules/placeholders/placeholder-names.ts'
import type { Action, PlanContext } from './action.server.ts'
import { shorten } from './failure-text.ts'
import {
  afterTrouble,
  createWording,
  emptyHere,
  impossible,
  newRecord,
  planned,
  textWarnings,
  withoutText,
  withoutValue,
} from './planning.server.ts'
import { flagParameter, textParameter } from './read-parameters.ts'
import { splitReceivers } from './receivers.ts'

export const sendStaffMessage: Action = { type: 'send_staff_message', plan }

async function plan(context: PlanContext): Promise<Plan> {
  const { parameters } = context.step
  const wording = createWording(context)
  const message = wording.parameter('message', 'plain').trim()
  if (message === '') return withoutText(wording, ['staff message', 'text'], textParameter(parameters, 'message'))
  const chosen = splitReceivers(textParameter(parameters, 'toStaffUuid'))
  if (chosen.length === 0) {
    return impossible('value', 'The staff message has no receiver. Open the automation and choose one.')
  }
  const wanted = chosen.map((one) => wording.say(one, 'field').trim())
  // Only placeholders, and all of them are empty on this record.
  if (wanted.every((one) => one === '')) return withoutValue(nobodyText(context, wording.blanks()))
  const found = await activeStaff(context.read)
  if (found.outcome === 'failed') return afterTrouble(found.trouble, 'the staff list')
  const sender = senderOf(context, found.staff)
  if (sender.outcome === 'nobody') return impossible('value', 'The account has no active staff member to send from.')

  const warnings: PlanWarning[] = [...sender.warnings, ...textWarnings(wording)]
  const jobUuid = flagParameter(parameters, 'linkToJob') ? (context.records[0]?.jobUuid ?? null) : null
  const effects: Effect[] = []
  const told = new Set<string>()
  for (const one of new Set(wanted.filter((word) => word !== ''))) {
    const staff = findStaff(found.staff, one)
    if (!staff?.uuid) {
      warnings.push({
        code: 'staff_gone',
        sentence: `"${shorten(one, 60)}" is not an active staff member, so gets nothing.`,
      })
      continue
    }
    if (told.has(staff.uuid)) continue
    told.add(staff.uuid)
    const fields = {
      from_staff_uuid: sender.uuid,
      to_staff_uuid: staff.uuid,
      message,
      ...(jobUuid !== null && { regarding_job_uuid: jobUuid }),
    }
    effects.push(newRecord('staffmessage', fields, `Staff message to ${staffName(staff)}`))
  }
  if (effects.length === 0) {
    const sentence =
      'The staff member of this automation no longer works here. Open the automation and choose another one.'
    return impossible('staff_gone', sentence, warnings)
  }
  return planned(wording, effects, { warnings })
}

/** Placeholders for the staff member a record is assigned to. */
const ASSIGNED = /(?:^|\.)(?:assigned_staff|staff_uuid|staff\.uuid|(?:queue_assigned|assigned_to)_staff_uuid)$/i

function nobodyText({ records: [record] }: PlanContext, blanks: readonly string[]): string {
  const object = record?.object ?? 'job'
  if (blanks.every((name) => ASSIGNED.test(name))) {
    const meaning = meaningOf(blanks[0] ?? '', { object })
    // Of a record without one of its own, it is the job's.
    const isOwn = meaning?.kind === 'field' && findField(object, meaning.field)?.own
    return `Nobody is assigned to this ${objectNoun(isOwn ? object : 'job')}.`
  }
  return `No staff message: ${emptyHere(blanks[0] ?? '')}.`
}
