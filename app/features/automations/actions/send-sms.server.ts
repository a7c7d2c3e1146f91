// A text message: written in the rule or taken from the platform's templates, to one number or several, each an effect of its own.

import { type Effect, isPlainNote, type Plan, type PlanWarning } from '#app/domain/automations/effect.ts'
import { isActive, valuesOf } from '../records/fact-rows.ts'
import { isUuid } from '../records/field-value.ts'
import { templateProblem } from '../rules/checks/template-limits.ts'
import { creditWords, lengthProblem, smsCredits } from '../rules/message-limits.ts'
import type { Action, PlanContext } from './action.server.ts'
import { colleagues, contactReceiver, readReceivers } from './message-receivers.server.ts'
import {
  afterTrouble,
  blankWarnings,
  createWording,
  deletedWords,
  impossible,
  planned,
  skipped,
  unknownWarnings,
} from './planning.server.ts'
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
  // Only what the message itself lacks keeps it from being sent; a missing number is told on its own.
  const blanks = wording.blanks()
  const wanted =
    wordParameter(context.step.parameters, 'to') === ''
      ? await contactReceiver(context, 'sms')
      : readReceivers(context, wording, 'to', 'sms')
  const warnings: PlanWarning[] = [...wanted.warnings, ...unknownWarnings(wording)]
  if (wanted.to.length === 0) {
    const why = wanted.warnings.find((one) => !isPlainNote(one))?.sentence ?? 'There is no phone number.'
    return skipped(`No text message: ${lowerFirst(why)}`, [
      ...warnings,
      { code: 'no_number', sentence: 'There is no number to send this to.' },
    ])
  }
  const isColleague = await colleagues(context, 'sms')
  const deleted = deletedWords(context)
  const allowed = blanks.length === 0 && deleted === null ? wanted.to : wanted.to.filter(isColleague)
  warnings.push(...blankWarnings(wording))
  if (allowed.length === 0 && deleted !== null) return skipped(`No text message: ${deleted}.`, warnings)
  if (allowed.length === 0) {
    return skipped(
      `No text message: {${blanks[0] ?? ''}} is empty here, and the text has no other word for it.`,
      warnings,
    )
  }
  if (message === '') return impossible('invalid', NO_TEXT, warnings)
  const problem = lengthProblem('sms', message)
  if (problem !== null) return impossible('invalid', `${problem} Shorten the text in the automation.`, warnings)

  const linked = flagParameter(context.step.parameters, 'linkToJob')
  const credits = smsCredits(message)
  const effects = allowed.map(
    (to): Effect => ({
      kind: 'send_sms',
      class: isColleague(to) ? 'staff' : 'customer',
      to,
      message,
      credits,
      regardingJobUuid: linked ? (context.records[0]?.jobUuid ?? null) : null,
      summary: `Text message to ${to} (${creditWords(credits)})`,
    }),
  )
  const standIn = { sms_id: 'the number of the message (set when it runs)', status: 'sent' }
  return planned(wording, effects, { warnings, standIn })
}

type TextOfStep = { outcome: 'ok'; text: string } | { outcome: 'ended'; plan: Plan }

/** What is written in the rule counts, also where a template filled it; an empty one is read from the template now. */
async function textOf({ step, read }: PlanContext): Promise<TextOfStep> {
  const written = textParameter(step.parameters, 'message')
  if (!flagParameter(step.parameters, 'useSmsTemplate')) {
    return written.trim() === ''
      ? { outcome: 'ended', plan: impossible('invalid', NO_TEXT) }
      : { outcome: 'ok', text: written }
  }
  if (written.trim() !== '') return { outcome: 'ok', text: written }
  const id = wordParameter(step.parameters, 'smsTemplateId')
  if (!isUuid(id)) return { outcome: 'ended', plan: impossible('template_missing', TEMPLATE_GONE) }
  const answer = await read.read('smstemplate', id)
  if (answer.outcome === 'refused') return { outcome: 'ended', plan: impossible('template_missing', TEMPLATE_GONE) }
  if (answer.outcome !== 'ok') return { outcome: 'ended', plan: afterTrouble(answer, 'the SMS template') }
  const template = valuesOf(answer.value)
  if (!isActive(template) || (template.message ?? '') === '') {
    return { outcome: 'ended', plan: impossible('template_missing', TEMPLATE_GONE) }
  }
  const problem = templateProblem(template.message ?? '')
  if (problem !== null) return { outcome: 'ended', plan: impossible('invalid', problem) }
  return { outcome: 'ok', text: template.message ?? '' }
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1)
}
