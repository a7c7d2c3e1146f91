// A text message: from the rule or the platform's templates, to one or several numbers, each a separate effect.
import type { Effect, Plan } from '#app/domain/automations/effect.ts'
import { templateProblem } from '../rules/checks/template-limits.ts'
import { creditText, lengthProblem, smsCredits } from '../rules/message-limits.ts'
import type { Action, PlanContext } from './action.server.ts'
import { audienceOf } from './message-receivers.server.ts'
import { afterTrouble, createWording, type Ended, ended, impossible, planned, readNamed } from './planning.server.ts'
import { flagParameter, textParameter, wordParameter } from './read-parameters.ts'

const NO_TEXT = 'The text message has no text. Open the automation and write one.'
const TEMPLATE_GONE =
  'The SMS template of this automation was deleted in ServiceM8. Open the automation and choose another one.'

export const sendSms: Action = { type: 'send_sms', plan }

async function plan(context: PlanContext): Promise<Plan> {
  const text = await textOf(context)
  if (text.outcome !== 'ok') return text.plan
  const wording = createWording(context)
  const message = wording.say(text.text, 'sms').trim()
  const audience = await audienceOf(context, wording, 'sms')
  if (audience.outcome !== 'ok') return audience.plan
  const { to: receivers, isColleague, warnings } = audience
  if (message === '') return impossible('invalid', NO_TEXT, warnings)
  const problem = lengthProblem('sms', message)
  if (problem !== null) return impossible('invalid', `${problem} Shorten the text in the automation.`, warnings)

  const linked = flagParameter(context.step.parameters, 'linkToJob')
  const credits = smsCredits(message)
  const effects = receivers.map(
    (to): Effect => ({
      kind: 'send_sms',
      class: isColleague(to) ? 'staff' : 'customer',
      to,
      message,
      credits,
      regardingJobUuid: linked ? (context.records[0]?.jobUuid ?? null) : null,
      summary: `Text message to ${to} (${creditText(credits)})`,
    }),
  )
  const standIn = { sms_id: 'the number of the message (set when it runs)', status: 'sent' }
  return planned(wording, effects, { warnings, standIn })
}

/** The rule's own text, also if a template filled it in; an empty one is read from the template now. */
async function textOf({ step, read }: PlanContext): Promise<{ outcome: 'ok'; text: string } | Ended> {
  const written = textParameter(step.parameters, 'message')
  if (written.trim() !== '') return { outcome: 'ok', text: written }
  if (!flagParameter(step.parameters, 'useSmsTemplate')) return ended(impossible('invalid', NO_TEXT))
  const template = await readNamed(read, 'smstemplate', wordParameter(step.parameters, 'smsTemplateId'))
  if (template.outcome === 'failed') return ended(afterTrouble(template.trouble, 'the SMS template'))
  const text = template.outcome === 'found' ? (template.values.message ?? '') : ''
  if (text === '') return ended(impossible('template_missing', TEMPLATE_GONE))
  const problem = templateProblem(text)
  return problem === null ? { outcome: 'ok', text } : ended(impossible('invalid', problem))
}
