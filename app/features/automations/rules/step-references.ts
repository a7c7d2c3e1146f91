// Which step uses the result of which.
import type { RuleDefinition, Step } from '#app/domain/automations/rule.ts'
import { notKept, throwsAway } from './document-keeping.ts'
import { resultsIn } from './placeholders/placeholder-names.ts'

/** Every `action_N_result.field` and `step.<id>.<field>` in the texts of a step. */
export function referencesOf(step: Step): ReturnType<typeof resultsIn> {
  return Object.values(step.parameters).flatMap((value) => (typeof value === 'string' ? resultsIn(value) : []))
}

/** Only of documents: placeholder-check.ts judges the results in texts. */
export function checkReferences({
  steps,
}: Pick<RuleDefinition, 'steps'>): { path: (string | number)[]; message: string }[] {
  return steps.flatMap((step, index) => {
    const message = documentProblem(step, steps.slice(0, index))
    return message === null ? [] : [{ path: ['actions', index, 'parameters'], message }]
  })
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
