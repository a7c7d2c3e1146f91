// Shared by all plans: texts with their placeholders filled in once, the jobs of a step, and the outcomes of a plan.
import type { CallFailure, PlatformRecord } from '#app/adapters/platform.ts'
import type { Effect, Plan, PlanWarning, Replacement, StepResult } from '#app/domain/automations/effect.ts'
import { isActive, type Values, valuesOf } from '../records/fact-rows.ts'
import type { RecordFacts } from '../records/facts.ts'
import { folded, isUuid } from '../records/field-value.ts'
import { objectNoun } from '../records/fields.ts'
import { blankLabel } from '../rules/placeholders/blanks.ts'
import type { Destination } from '../rules/placeholders/placeholder-format.ts'
import { resolveText } from '../rules/placeholders/placeholders.ts'
import type { PlanContext, ReadOnlyPlatform } from './action.server.ts'
import { reportTrouble } from './failure-text.ts'
import { textParameter } from './read-parameters.ts'

export interface Wording {
  /**
   * The text as it is sent. `first` = the record for `entry.0`; by default the first of the run. Values of records are
   * escaped for the destination and not parsed again.
   */
  say(text: string, destination: Destination, first?: RecordFacts): string
  /** A parameter of the step, filled in. */
  parameter(name: string, destination: Destination, first?: RecordFacts): string
  /** Placeholders with neither value nor fallback, in all texts filled in so far. */
  blanks(): string[]
  /** Placeholder names that do not exist. */
  unknown(): string[]
  replacements(): Replacement[]
  /** One of these texts, filled in, exceeds the limit for any message. */
  isTooLong(): boolean
}

/** `values` = names known only to these texts (of a platform template), besides those of the trigger. */
export function createWording(context: PlanContext, values: Readonly<Record<string, string>> = {}): Wording {
  const { records, results, order, account, asOf: now = context.now } = context
  const trigger = { ...values, ...context.trigger }
  const blanks = new Set<string>()
  const unknown = new Set<string>()
  const replacements = new Map<string, Replacement>()
  let isTooLong = false

  function say(text: string, destination: Destination, first?: RecordFacts): string {
    // `first` may be a copy of its record, with fresh values.
    const ordered = first ? [first, ...records.filter((one) => one.recordUuid !== first.recordUuid)] : records
    const said = resolveText(text, destination, { records: ordered, trigger, results, order, account, now })
    if (said.isTooLong) isTooLong = true
    for (const name of said.blanks) blanks.add(name)
    for (const name of said.unknown) unknown.add(name)
    for (const one of said.replacements) replacements.set(`${one.written}|${one.resolvedValue}`, one)
    return said.text
  }

  return {
    say,
    parameter: (name, destination, first) => say(textParameter(context.step.parameters, name), destination, first),
    blanks: () => [...blanks],
    unknown: () => [...unknown],
    replacements: () => [...replacements.values()],
    isTooLong: () => isTooLong,
  }
}

const TOO_LONG = 'With its values, a text in this step exceeds 500,000 characters.'

export function planned(
  wording: Pick<Wording, 'replacements' | 'isTooLong'>,
  effects: Effect[],
  input: { warnings?: PlanWarning[]; standIn?: StepResult } = {},
): Plan {
  if (wording.isTooLong()) return impossible('value', TOO_LONG, input.warnings)
  return {
    outcome: 'planned',
    effects,
    warnings: input.warnings ?? [],
    standIn: input.standIn ?? {},
    replacements: wording.replacements(),
  }
}

export function skipped(sentence: string, warnings: PlanWarning[] = []): Plan {
  return { outcome: 'skipped', errorClass: 'nothing_to_do', sentence, warnings }
}

/** Skipped because a placeholder is empty in this record: what needs the step does not go on. */
export function withoutValue(sentence: string, warnings: PlanWarning[] = []): Plan {
  return { outcome: 'skipped', errorClass: 'value_missing', sentence, warnings }
}

export function impossible(errorClass: string, sentence: string, warnings: PlanWarning[] = []): Plan {
  return { outcome: 'impossible', errorClass, sentence, warnings }
}

/** The plan after a failed read: `later`, or `impossible` when a retry cannot help. `what` as in `reportTrouble`. */
export function afterTrouble(trouble: CallFailure, what: string): Plan {
  const told = reportTrouble(trouble, what)
  if (told.errorClass === 'not_found' || told.errorClass === 'invalid') {
    return { outcome: 'impossible', errorClass: told.errorClass, sentence: told.sentence, warnings: [] }
  }
  return { outcome: 'later', errorClass: told.errorClass, sentence: told.sentence, retryAt: told.retryAt }
}

/** A record that depends on no other effect. */
export function newRecord(object: string, fields: Record<string, string>, summary: string): Effect {
  return { kind: 'create_record', class: 'create', object, fields, parents: {}, readBack: [], summary }
}

/** A plan that ends before it has any effect. */
export interface Ended {
  outcome: 'ended'
  plan: Plan
}

export function ended(plan: Plan): Ended {
  return { outcome: 'ended', plan }
}

export type NamedRecord =
  | { outcome: 'found'; values: Values; record: PlatformRecord }
  /** Deleted, or never existed. */
  | { outcome: 'gone' }
  | { outcome: 'failed'; trouble: CallFailure }

/** A record that the step names by id, read fresh. */
export async function readNamed(read: ReadOnlyPlatform, object: string, uuid: string): Promise<NamedRecord> {
  if (!isUuid(uuid)) return { outcome: 'gone' }
  const answer = await read.read(object, uuid)
  if (answer.outcome === 'refused') return { outcome: 'gone' }
  if (answer.outcome !== 'ok') return { outcome: 'failed', trouble: answer }
  const values: Values = { ...valuesOf(answer.value), uuid }
  return isActive(values) ? { outcome: 'found', values, record: answer.value } : { outcome: 'gone' }
}

/** The first record of a list that matches and is not deleted. */
export async function findListed(
  read: ReadOnlyPlatform,
  object: string,
  isMeant: (row: Values) => boolean,
): Promise<NamedRecord> {
  const listed = await read.list(object)
  if (listed.outcome !== 'ok') return { outcome: 'failed', trouble: listed }
  const record = listed.value.find((one) => isActive(valuesOf(one)) && isMeant(valuesOf(one)))
  return record ? { outcome: 'found', values: valuesOf(record), record } : { outcome: 'gone' }
}

export function isCalled(name: string): (row: Values) => boolean {
  return (row) => folded(row.name ?? '') === folded(name)
}

/**
 * The plan for a text that is empty once it is filled in. Where its placeholders have no value in this record, nobody
 * can mend that in the automation: the step is skipped.
 */
export function withoutText(
  wording: Pick<Wording, 'blanks'>,
  [what, part]: [string, 'title' | 'subject' | 'text'],
  written: string,
  warnings: PlanWarning[] = [],
): Plan {
  const [blank] = written.trim() === '' ? [] : wording.blanks()
  if (blank !== undefined) return withoutValue(blankText(what, blank), warnings)
  return impossible('value', `The ${what} has no ${part}. Open the automation and write one.`, warnings)
}

export function blankText(what: string, blank: string): string {
  const why = emptyHere(blank)
  return `No ${what}: ${why}${blankLabel(blank) === null ? ', and the text has no other word for it' : ''}.`
}

/** Of a placeholder without a value, or of a blank that nobody filled in. */
export function emptyHere(name: string): string {
  const label = blankLabel(name)
  return label === null ? `{${name}} is empty here` : `“${label}” is still to fill in`
}

/** Placeholder names that do not exist are left out of the text; the reader of the plan gets a warning. */
export function unknownWarnings(wording: Pick<Wording, 'unknown'>): PlanWarning[] {
  return wording.unknown().map((name) => ({
    code: 'unknown_placeholder',
    sentence: `{${name}} means nothing here and was left out. Correct the text in the automation.`,
  }))
}

export function blankWarnings(wording: Pick<Wording, 'blanks'>): PlanWarning[] {
  return wording.blanks().map((name) => ({
    code: 'blank_placeholder',
    sentence: `${emptyHere(name)}${blankLabel(name) === null ? ', so nothing stands in its place' : ''}.`,
  }))
}

/** Warnings about the texts of a step. */
export function textWarnings(wording: Pick<Wording, 'unknown' | 'blanks'>): PlanWarning[] {
  return [...unknownWarnings(wording), ...blankWarnings(wording)]
}

export interface JobTarget {
  uuid: string
  record: RecordFacts
}

/** The jobs of the run's records, each once, in order. */
export function jobTargets({ records }: Pick<PlanContext, 'records'>): JobTarget[] {
  const seen = new Set<string>()
  return records.flatMap((record) => {
    if (record.jobUuid === null || seen.has(record.jobUuid)) return []
    seen.add(record.jobUuid)
    return [{ uuid: record.jobUuid, record }]
  })
}

/** `job 1041`; `the job` without a known number. */
export function jobName(record: RecordFacts | undefined): string {
  const number = record?.values.generated_job_id ?? ''
  return number === '' ? 'the job' : `job ${number}`
}

/** Why no message goes to a customer about these records; null = at least one is not deleted, nor is its job. */
export function deletedText({ records }: Pick<PlanContext, 'records'>): string | null {
  const [first] = records
  if (!first || records.some(({ active, jobActive }) => active && jobActive)) return null
  if (records.length > 1) return 'all of these records were deleted in ServiceM8'
  const what = first.object === 'job' || first.active ? jobName(first) : `the ${objectNoun(first.object).toLowerCase()}`
  return `${what} was deleted in ServiceM8`
}

export const NO_JOB = 'This action needs a job, and this record belongs to none.'

/** True when the records are one group. */
export function isGrouped(context: Pick<PlanContext, 'grouped' | 'records' | 'trigger'>): boolean {
  return context.grouped ?? (context.records.length > 1 || Object.hasOwn(context.trigger, 'count'))
}
