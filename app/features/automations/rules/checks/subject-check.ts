// Checks whether an action can work for a rule's records. Saving, previews and runs use it through literal-check.ts.
import type { Step } from '#app/domain/automations/rule.ts'
import { textParameter, wordParameter } from '../../actions/read-parameters.ts'
import { belongsToJob, fieldsOf, objectNoun } from '../../records/fields.ts'
import { meaningOf } from '../placeholders/placeholder-names.ts'
import { type Placeholder, readPieces } from '../placeholders/placeholder-syntax.ts'

type Judged = Pick<Step, 'type' | 'parameters'>

/** `name`: the parameter with the problem; '' = the choice of the action itself. */
interface SubjectProblem {
  name: string
  message: string
}

/** Only ServiceM8 knows objects outside the catalogue, so they pass these checks. */
function isKnown(object: string): boolean {
  return fieldsOf(object).size > 0
}

function hasJob(object: string): boolean {
  return object === 'job' || belongsToJob(object) || !isKnown(object)
}

function hasCustomer(object: string): boolean {
  return object === 'company' || hasJob(object)
}

/** Why the action cannot work for any record of that object. `feed`: as in `LiteralPlace`. */
export function subjectProblems(
  { type, parameters }: Judged,
  object: string,
  feed: boolean | undefined,
): SubjectProblem[] {
  switch (type) {
    case 'update_job_status':
    case 'assign_to_queue':
    case 'update_job_field':
      return hasJob(object) ? [] : [unfit('This action needs a job', object)]
    case 'generate_document':
      return documentProblems(parameters, object)
    case 'post_activity_feed':
      return feed !== false || hasCustomer(object) ? [] : [unfit('This becomes a note on a job or customer', object)]
    case 'send_sms':
    case 'send_email':
      return wordParameter(parameters, 'to') !== '' || !isKnown(object) || fieldsOf(object).has('contact_email')
        ? []
        : [{ name: 'to', message: `A ${objectNoun(object)} has no contact. Enter who gets this message.` }]
    default:
      return []
  }
}

function documentProblems(parameters: Judged['parameters'], object: string): SubjectProblem[] {
  const isOfCustomer = wordParameter(parameters, 'objectType').toLowerCase() === 'company'
  if (isOfCustomer) return hasCustomer(object) ? [] : [unfit('This document needs a customer', object)]
  if (hasJob(object)) return []
  if (!hasCustomer(object)) return [unfit('This document needs a job', object)]
  const message = `This document needs a job; a ${objectNoun(object)} has none. Choose Company.`
  return [{ name: 'objectType', message }]
}

function unfit(needs: string, object: string): SubjectProblem {
  const message = `${needs}; a ${objectNoun(object)} has none. Choose another action, or a trigger about jobs.`
  return { name: '', message }
}

/** Why a placeholder never has a value on records of that object; null = it can have one. */
function emptyBecause({ name }: Placeholder, object: string): string | null {
  const meaning = meaningOf(name, { object })
  const noun = objectNoun(object)
  if (meaning?.kind === 'trigger') {
    if (meaning.name === 'company_uuid') return hasCustomer(object) ? null : `a ${noun} has no customer`
    if (meaning.name === 'job_uuid' || meaning.name === 'description')
      return hasJob(object) ? null : `a ${noun} has no job`
  }
  return meaning?.kind === 'field' && fieldsOf(object).get(meaning.field)?.never ? 'no record has it' : null
}

/** The step for records of that object: placeholders that are always empty become their fallback or nothing. */
export function withoutAlwaysEmpty(step: Judged, object: string): Judged {
  const parameters = Object.fromEntries(
    Object.entries(step.parameters).map(([name, value]) => [
      name,
      alwaysEmptyText(step, name, object) === null ? value : said(textParameter(step.parameters, name), object),
    ]),
  )
  return { ...step, parameters }
}

function said(text: string, object: string): string {
  const parts = readPieces(text).map((piece) => {
    if (piece.kind === 'blank') return piece.written
    if (piece.kind === 'placeholder' && emptyBecause(piece, object) === null) return piece.written
    // Escaped, so that braces in it stay text when it is parsed again.
    return (piece.kind === 'text' ? piece.text : (piece.fallback ?? '')).replaceAll('{', '{{')
  })
  return parts.join('')
}

/** The first placeholder of a parameter that is empty on every record of that object, and why; null = none. */
export function alwaysEmptyText({ parameters }: Judged, name: string, object: string): string | null {
  const text = textParameter(parameters, name)
  if (!text.includes('{')) return null
  for (const piece of readPieces(text)) {
    const why = piece.kind === 'placeholder' ? emptyBecause(piece, object) : null
    if (piece.kind === 'placeholder' && why !== null) return `{${piece.name}} is always empty: ${why}. Enter a value.`
  }
  return null
}
