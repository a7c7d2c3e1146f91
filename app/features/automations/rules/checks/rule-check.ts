// The errors that prevent saving a complete form: unknown names, results of later steps, triggers that never fire
// (trigger-check.ts), actions that cannot work (subject-check.ts). The form shows them beside its fields too.
import type { ActionType } from '#app/domain/automations/action-parameters.ts'
import { isOfMany, type RuleDefinition, type Step, startsOnAnswers } from '#app/domain/automations/rule.ts'
import { findJobField } from '../../actions/job-fields.ts'
import { findField } from '../../records/fields.ts'
import { conditionProblem } from '../conditions/condition-text.ts'
import { objectOfRule } from '../conditions/conditions.ts'
import { checkPlaceholders } from '../placeholders/placeholder-check.ts'
import type { Destination } from '../placeholders/placeholder-format.ts'
import type { FormIssue } from '../rule-form.ts'
import { checkReferences } from '../step-references.ts'
import { scheduleProblem, timesOf } from '../timing/schedule.ts'
import { type LiteralPlace, literalIssues } from './literal-check.ts'
import { createSuggestions } from './name-suggestion.ts'
import { type TriggerPlace, triggerIssues } from './trigger-check.ts'

/** The destination of each parameter's text, which decides how values are formatted. Not listed: plain text. */
const DESTINATIONS: Partial<Record<ActionType, Record<string, Destination>>> = {
  send_sms: { to: 'phone', message: 'sms' },
  send_email: {
    customSubject: 'subject',
    customHtmlSubject: 'subject',
    subject: 'subject',
    customHtmlBody: 'html',
    htmlBody: 'html',
  },
  create_job: { date: 'date' },
}

export function destinationOf({ type, parameters }: DestinationStep, parameter: string): Destination {
  if (type === 'update_job_field' && parameter === 'fieldValue') {
    const field = findJobField(String(parameters.fieldName ?? ''))
    return field.outcome === 'found' && (field.kind === 'date' || field.kind === 'moment') ? 'date' : 'field'
  }
  return DESTINATIONS[type]?.[parameter] ?? 'plain'
}

/** The form's parameters are all texts; those of a stored step may be other types. */
interface DestinationStep {
  type: ActionType
  parameters: Readonly<Record<string, Step['parameters'][string]>>
}

/** Parameters that a customer reads; addresses and numbers are not among them. */
const READ_BY_CUSTOMERS: Partial<Record<ActionType, readonly string[]>> = {
  send_sms: ['message'],
  send_email: ['customSubject', 'customBody', 'customHtmlSubject', 'customHtmlBody', 'subject', 'htmlBody'],
}

export function isReadByCustomers(type: ActionType, parameter: string): boolean {
  return READ_BY_CUSTOMERS[type]?.includes(parameter) ?? false
}

export interface RulePlace extends Omit<LiteralPlace, 'object'>, TriggerPlace {
  /** Stored, so old problems may stay: the caller with the stored rule checks its trigger (rules.server.ts). */
  stored?: boolean
}

/** The facts known without ServiceM8 or the network: in a browser, and for rules that are not stored. */
const ANYWHERE: RulePlace = { country: null }

/** Errors only: the form shows warnings, and they do not prevent saving. */
export function checkRule(definition: RuleDefinition, known: RulePlace = ANYWHERE): FormIssue[] {
  const { trigger, conditions, steps } = definition
  const object = objectOfRule(definition)
  const issues: FormIssue[] = [
    ...(known.stored ? [] : triggerIssues(definition, known)),
    ...checkReferences(definition),
    ...literalIssues(definition, { ...known, object: known.stored ? null : object }),
  ]
  conditions.forEach((condition, index) => {
    const problem = conditionProblem(condition, object)
    const stays = known.stored && findField(object, condition.field)?.type === 'choice'
    if (problem?.severity === 'error' && !stays)
      issues.push({ path: ['conditions', index, problem.at], message: problem.sentence })
  })
  if (trigger.source !== 'api_polling' && trigger.schedule) {
    const problem = scheduleProblem(timesOf(trigger.schedule))
    if (problem !== null) issues.push({ path: [problem.field], message: problem.message })
  }
  if (trigger.source === 'api_polling') {
    const problem = scheduleProblem(trigger)
    if (problem !== null) issues.push({ path: [problem.field], message: problem.message })
  }
  const suggest = createSuggestions()
  steps.forEach((step, index) => {
    for (const [name, value] of Object.entries(step.parameters)) {
      if (typeof value !== 'string') continue
      const place = {
        object,
        source: trigger.source,
        onAnswers: startsOnAnswers(trigger),
        manyRecords: isOfMany(definition),
        steps,
        index,
        destination: destinationOf(step, name),
        toCustomer: isReadByCustomers(step.type, name),
        conditions,
      }
      const problems = checkPlaceholders(value, place, suggest)
      for (const { severity, sentence } of problems) {
        if (severity === 'error') issues.push({ path: ['actions', index, 'parameters', name], message: sentence })
      }
    }
  })
  return issues
}
