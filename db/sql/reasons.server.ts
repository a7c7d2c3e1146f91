// A reason in the database: three columns, with either the text or the code and its parameters set. Statements read and
// write it as one JSON value, so no column is forgotten.
import type { Reason, ReasonParams } from '#app/domain/reason.ts'

interface ReasonColumns {
  text: string
  code: string
  params: string
}

const columns = (name: string, text = name): ReasonColumns => ({ text, code: `${name}_code`, params: `${name}_params` })

/** Of `run`. */
export const RUN_REASON = columns('reason')
/** Of `run_step`. */
export const STEP_REASON = columns('reason', 'sentence')
/** Of `automation`. */
export const PAUSE_REASON = columns('paused_reason')
/** Of `notice`: the event, and the state of its e-mail. */
export const NOTICE_REASON = columns('reason', 'sentence')
export const MAIL_REASON = columns('mail_reason', 'mail_sentence')

/** For a SELECT: the value that `readReason` takes, equal letter by letter to what `storedReason` makes of the reason. */
export function selectReason({ text, code, params }: ReasonColumns, alias?: string): string {
  const at = alias === undefined ? '' : `${alias}.`
  return `'[' || json_quote(${at}${text}) || ',' || json_quote(${at}${code}) || ',' || coalesce(${at}${params}, 'null') || ']'`
}

/** For an UPDATE: `parameter` is the value from `storedReason`. */
export function setReason({ text, code, params }: ReasonColumns, parameter = '@reason'): string {
  const [first, second, third] = valuesOf(parameter)
  return `${text} = ${first}, ${code} = ${second}, ${params} = ${third}`
}

/** For an INSERT: names and values. */
export function reasonNames({ text, code, params }: ReasonColumns): string {
  return `${text}, ${code}, ${params}`
}

export function reasonValues(parameter = '@reason'): string {
  return valuesOf(parameter).join(', ')
}

function valuesOf(parameter: string): string[] {
  return [0, 1, 2].map((place) => `json_extract(${parameter}, '$[${place}]')`)
}

export function clearReason({ text, code, params }: ReasonColumns): string {
  return `${text} = NULL, ${code} = NULL, ${params} = NULL`
}

export function storedReason(reason: Reason | null): string {
  if (reason === null || typeof reason === 'string') return JSON.stringify([reason, null, null])
  return JSON.stringify([null, reason.code, reason.params ?? null])
}

export function readReason(stored: string): Reason | null {
  const [text, code, params] = JSON.parse(stored) as [string | null, string | null, ReasonParams | null]
  return reasonOf(text, code, params)
}

/** For rows read column by column. */
export function reasonOf(
  text: string | null,
  code: string | null,
  params: ReasonParams | string | null,
): Reason | null {
  if (code === null) return text
  const read = typeof params === 'string' ? (JSON.parse(params) as ReasonParams) : params
  return read === null ? { code } : { code, params: read }
}
