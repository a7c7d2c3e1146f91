// Checks which step uses the result of which: before saving, reports references to a later step, to none, or to one
// without a result.
import type { RuleDefinition, Step } from '#app/domain/automations/rule.ts'
import { givenBy, notKept, throwsAway } from './document-keeping.ts'
import { resultsIn } from './placeholders/placeholder-names.ts'

/** Every `action_N_result.field` and `step.<id>.<field>` in the texts of a step. */
export function referencesOf(step: Step): ReturnType<typeof resultsIn> {
  return Object.values(step.parameters).flatMap((value) => (typeof value === 'string' ? resultsIn(value) : []))
}

export function checkReferences({
  steps,
}: Pick<RuleDefinition, 'steps'>): { path: (string | number)[]; message: string }[] {
  return steps.flatMap((step, index) => {
    const problems = referencesOf(step).map((reference) => referenceProblem(reference, steps, index))
    return [...problems, documentProblem(step, steps.slice(0, index))]
      .filter((message) => message !== null)
      .map((message) => ({ path: ['actions', index, 'parameters'], message }))
  })
}

/** `index`: the step with the reference. */
function referenceProblem(
  { step, field }: ReturnType<typeof referencesOf>[number],
  steps: readonly Step[],
  index: number,
): string | null {
  const at = 'id' in step ? steps.findIndex(({ id }) => id === step.id) : step.position - 1
  const name = 'id' in step ? `step ${step.id}` : `action ${step.position}`
  const source = steps[at]
  if (!source) return `This refers to ${name}, which does not exist.`
  if (at >= index) return `This refers to ${name}, which runs later. Move it up.`
  const gives = givenBy(source)
  if (field === '' || gives.length === 0 || gives.includes(field)) return null
  return `${name} gives ${gives.join(' and ')}, but not ${field}.`
}

/** Problem of the document that the step attaches: from the action it names, else the latest before it. */
function documentProblem({ parameters }: Step, earlier: readonly Step[]): string | null {
  if (parameters.includeGeneratedDocument !== true) return null
  const position = parameters.documentActionIndex
  const at =
    position === undefined ? earlier.findLastIndex(({ type }) => type === 'generate_document') : Number(position) - 1
  const source = earlier[at]
  if (source?.type === 'generate_document') return throwsAway(source) ? notKept(at) : null
  return position === undefined
    ? 'No earlier action generates a document to attach.'
    : 'Choose an earlier action that generates a document.'
}
