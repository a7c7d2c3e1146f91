// What keeps a rule from being saved although its form is complete: names nobody knows, results of steps that come later, schedules
// that never come. The same checks stand beside the fields while they are filled in.

import type { ActionType } from './action-parameters.ts'
import { conditionProblem } from './condition-words.ts'
import { createSuggestions } from './name-suggestion.ts'
import { checkPlaceholders } from './placeholder-check.ts'
import type { Destination } from './placeholder-format.ts'
import type { RuleDefinition } from './rule.ts'
import type { FormIssue } from './rule-form.ts'
import { scheduleProblem, timesOf } from './schedule.ts'
import { objectOfRule } from './sentence.ts'
import { checkReferences } from './step-references.ts'

/** Where the text of a parameter goes, and so how its values are written. Not listed: plain text. */
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
  update_job_field: { fieldValue: 'field' },
}

export function destinationOf(type: ActionType, parameter: string): Destination {
  return DESTINATIONS[type]?.[parameter] ?? 'plain'
}

/** Texts that a customer reads; addresses and numbers are no such texts. */
const READ_BY_CUSTOMERS: Partial<Record<ActionType, readonly string[]>> = {
  send_sms: ['message'],
  send_email: ['customSubject', 'customBody', 'customHtmlSubject', 'customHtmlBody', 'subject', 'htmlBody'],
}

export function isReadByCustomers(type: ActionType, parameter: string): boolean {
  return READ_BY_CUSTOMERS[type]?.includes(parameter) ?? false
}

/** Errors only: what is merely doubtful is told on the form and does not stop anybody. */
export function checkRule(definition: RuleDefinition): FormIssue[] {
  const { trigger, conditions, steps, grouping, digest } = definition
  const object = objectOfRule(definition)
  const issues: FormIssue[] = [...checkReferences(definition)]
  conditions.forEach((condition, index) => {
    const problem = conditionProblem(condition, object)
    if (problem?.severity === 'error')
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
        manyRecords: grouping.enabled || digest,
        steps,
        index,
        destination: destinationOf(step.type, name),
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
