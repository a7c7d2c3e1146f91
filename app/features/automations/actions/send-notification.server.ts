// What goes out to no customer: a call of the user's own address (same outbound guard as every forward), and feed posts.

import { FEED_MOST } from '#app/domain/automations/action-parameters.ts'
import type { Effect, Plan, PlanWarning } from '#app/domain/automations/effect.ts'
import { messageFor } from '#app/features/events/chat/chat-message.ts'
import type { RecordFacts } from '../records/facts.ts'
import type { Action, PlanContext } from './action.server.ts'
import { notificationJson, readRows, rowsText } from './notification-body.ts'
import {
  createWording,
  impossible,
  isGrouped,
  jobName,
  jobTargets,
  newRecord,
  planned,
  textWarnings,
  withoutText,
} from './planning.server.ts'
import { flagParameter, rowsParameter, textParameter, wordParameter } from './read-parameters.ts'

export const sendNotification: Action = { type: 'send_notification', plan }

async function plan(context: PlanContext): Promise<Plan> {
  const { parameters } = context.step
  const kind = wordParameter(parameters, 'notificationType').toLowerCase()
  if (kind !== '' && kind !== 'webhook') {
    return impossible('value', 'A notification can only be sent to a web address. Open the automation and choose it.')
  }
  const wording = createWording(context)
  // Use the address as the rule has it: a record's value must never redirect a call.
  const url = wordParameter(parameters, 'url') || (context.notifyUrl ?? '')
  if (url === '') {
    return impossible('no_address', 'There is no address to notify. Give one in the automation, or set up a webhook.')
  }
  if (!URL.canParse(url))
    return impossible('value', 'The address of the notification is not a web address. Correct it in the automation.')
  const given = rowsParameter(parameters, 'rows').flatMap(({ name = '', value = '' }) =>
    name === '' ? [] : [{ name, value }],
  )
  const rows = given.length > 0 ? given : readRows(textParameter(parameters, 'message'))
  const said = rows?.map(({ name, value }) => ({ name, value: wording.say(value, 'plain').trim() })) ?? null
  const message = wording.parameter('message', 'plain').trim()
  const body = notificationJson({
    message,
    rows: said,
    automation: context.automation ?? null,
    job: jobOf(context),
    jobs: isGrouped(context) ? jobTargets(context).length : 1,
  })
  const effect: Effect = {
    kind: 'post_webhook',
    class: 'webhook',
    url,
    body: messageFor(url, said === null ? message : rowsText(said), body),
    summary: `Notification to ${new URL(url).host}`,
  }
  return planned(wording, [effect], { warnings: textWarnings(wording) })
}

/** Fields that tell a receiver which job it is; names as on the platform. */
const JOB_FIELDS = [
  'generated_job_id',
  'status',
  'date',
  'job_description',
  'job_address',
  'company_uuid',
  'company_name',
  'total_invoice_amount',
  'queue_uuid',
  'category_uuid',
  'edit_date',
] as const

function jobOf(context: PlanContext): Record<string, string> | null {
  const [target] = jobTargets(context)
  return target ? { uuid: target.uuid, ...picked(target.record) } : null
}

function picked({ values, object }: RecordFacts): Record<string, string> {
  // On a booking or a payment, these names belong to the record itself.
  const fields = object === 'job' ? JOB_FIELDS : JOB_FIELDS.filter((name) => name !== 'date' && name !== 'edit_date')
  return Object.fromEntries(fields.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])))
}

// The platform's feed call is unknown (facts: section 8): without an address for it, the text becomes a note on the job.
export const postActivityFeed: Action = { type: 'post_activity_feed', plan: planFeed }

async function planFeed(context: PlanContext): Promise<Plan> {
  const wording = createWording(context)
  const said = wording.parameter('message', 'plain').trim()
  const written = textParameter(context.step.parameters, 'message')
  if (said === '') return withoutText(wording, ['feed message', 'text'], written)
  const warnings: PlanWarning[] = textWarnings(wording)
  const message = said.length <= FEED_MOST ? said : `${said.slice(0, FEED_MOST - 1)}…`
  if (message !== said) {
    const sentence = `With its values, the message has ${said.length} characters. We cut it to ${FEED_MOST}.`
    warnings.push({ code: 'shortened', sentence })
  }
  const actionBar = flagParameter(context.step.parameters, 'showActionBar')
  if (context.feed) return planned(wording, [feedEffect(message, actionBar)], { warnings })

  const [target] = jobTargets(context)
  const record = context.records[0]
  const related = target
    ? { object: 'job', uuid: target.uuid, words: jobName(target.record) }
    : record?.companyUuid
      ? { object: 'company', uuid: record.companyUuid, words: record.values.company_name || 'the customer' }
      : null
  if (!related) {
    return impossible(
      'invalid',
      'ServiceM8 does not let us post to its activity feed. A note needs a job, and there is none.',
      warnings,
    )
  }
  warnings.push({
    code: 'note_instead',
    sentence: `ServiceM8 does not let us post to its activity feed. This becomes a note on ${related.words}.`,
  })
  const fields = {
    related_object: related.object,
    related_object_uuid: related.uuid,
    note: message,
    // The closest equivalent to an action bar: the note asks for action.
    ...(actionBar && { action_required: '1' }),
  }
  return planned(wording, [newRecord('note', fields, `Note on ${related.words}`)], { warnings })
}

function feedEffect(message: string, showActionBar: boolean): Effect {
  return { kind: 'post_feed', class: 'staff', message, showActionBar, summary: 'Message in the activity feed' }
}
