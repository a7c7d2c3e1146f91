// Whether a generated document is kept: the action's two boxes, and the needs of a later step.
import { actionSpec } from '#app/domain/automations/action-parameters.ts'
import type { Step } from '#app/domain/automations/rule.ts'
import { flagParameter } from '../actions/read-parameters.ts'
import { resultsIn } from './placeholders/placeholder-names.ts'

/** The names this step's result has for later steps: a document that is not kept has no id and no address. */
export function givenBy(step: MaybeUnread): readonly string[] {
  return throwsAway(step) ? [] : actionSpec(step.type).gives
}

function isKept(parameters: Step['parameters']): boolean {
  return flagParameter(parameters, 'createAttachment') || flagParameter(parameters, 'storeToDiary')
}

/** Does the step make a document that it does not keep? */
export function throwsAway({ type, parameters }: MaybeUnread): boolean {
  return type === 'generate_document' && parameters !== undefined && !isKept(parameters)
}

/** A step of which only the type may be known. */
type MaybeUnread = Pick<Step, 'type'> & Partial<Pick<Step, 'parameters'>>

/** The message for a document that is not kept; `index` from 0. */
export function notKept(index: number): string {
  return `Action ${index + 1} does not keep its document. Tick “Keep as an attachment of the job” there.`
}

/**
 * The step as planned. A document that a later step sends or links to is stored as a file with an id of ours, known in
 * advance: one in the diary can only be searched for. Rules older than the two boxes' meaning keep working this way.
 */
export function keptForLater(step: Step, steps: readonly Step[]): Step {
  if (step.type !== 'generate_document' || flagParameter(step.parameters, 'createAttachment')) return step
  const at = steps.findIndex(({ id }) => id === step.id)
  const isNeeded = steps.slice(at + 1).some((later) => reads(later, step.id, at + 1))
  return isNeeded ? { ...step, parameters: { ...step.parameters, createAttachment: true } } : step
}

function reads({ parameters }: Step, id: string, position: number): boolean {
  if (flagParameter(parameters, 'includeGeneratedDocument')) {
    const { documentActionIndex } = parameters
    if (documentActionIndex === undefined || Number(documentActionIndex) === position) return true
  }
  const texts = Object.values(parameters).filter((value) => typeof value === 'string')
  return texts.flatMap(resultsIn).some(({ step }) => ('id' in step ? step.id === id : step.position === position))
}
