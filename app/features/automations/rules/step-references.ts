// Which step uses the result of which: a reference to a later step, to none, or to one that gives nothing is told before the rule
// is saved.

import type { RuleDefinition, Step } from '#app/domain/automations/rule.ts'
import { givenBy, notKept, throwsAway } from './document-keeping.ts'

/** Every `action_N_result.field` and `step.<id>.<field>` in the texts of a step. */
export function referencesOf(step: Step): { position: number | null; stepId: string | null; field: string }[] {
  const found: { position: number | null; stepId: string | null; field: string }[] = []
  const read = (text: string) => {
    for (const match of text.matchAll(/\{\s*action_(\d{1,3})_result\.([a-z_]+)/gi)) {
      found.push({ position: Number(match[1]), stepId: null, field: match[2] ?? '' })
    }
    for (const match of text.matchAll(/\{\s*step\.([a-z][a-z0-9_]*)\.([a-z_]+)/gi)) {
      found.push({ position: null, stepId: match[1] ?? '', field: match[2] ?? '' })
    }
  }
  for (const value of Object.values(step.parameters)) if (typeof value === 'string') read(value)
  return found
}

export function checkReferences(definition: RuleDefinition): { path: (string | number)[]; message: string }[] {
  const issues: { path: (string | number)[]; message: string }[] = []
  definition.steps.forEach((step, index) => {
    const path = ['actions', index, 'parameters']
    for (const { position, stepId, field } of referencesOf(step)) {
      const at = position === null ? definition.steps.findIndex((one) => one.id === stepId) : position - 1
      const source = definition.steps[at]
      const name = position === null ? `step ${stepId}` : `action ${position}`
      if (!source) issues.push({ path, message: `This refers to ${name}, which does not exist.` })
      else if (at >= index) issues.push({ path, message: `This refers to ${name}, which runs later. Move it up.` })
      else {
        const gives = givenBy(source)
        if (gives.length > 0 && !gives.includes(field)) {
          issues.push({ path, message: `${name} gives ${gives.join(' and ')}, but not ${field}.` })
        }
      }
    }
    const document = step.parameters.documentActionIndex
    if (step.parameters.includeGeneratedDocument === true) {
      const earlier = definition.steps.slice(0, index)
      const chosen = typeof document === 'number' ? definition.steps[document - 1] : undefined
      if (document !== undefined && (chosen?.type !== 'generate_document' || !earlier.includes(chosen))) {
        issues.push({ path, message: 'Choose an earlier action that generates a document.' })
      } else if (document === undefined && !earlier.some((one) => one.type === 'generate_document')) {
        issues.push({ path, message: 'No earlier action generates a document to attach.' })
      } else {
        const last = chosen ?? earlier.findLast((one) => one.type === 'generate_document')
        if (last && throwsAway(last)) issues.push({ path, message: notKept(earlier.indexOf(last)) })
      }
    }
  })
  return issues
}
