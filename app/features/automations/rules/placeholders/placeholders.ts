// Fills in the placeholders of a text once, from left to right. Filled-in values are not parsed again, so braces in a
// job's description cannot pull in anything, and they are escaped for the destination.
import type { Replacement, StepResult } from '#app/domain/automations/effect.ts'
import { isoDate, todayOf } from '#app/domain/time/local-time.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { ownValue } from '#app/lib/json.ts'
import type { JudgedAt, RecordFacts } from '../../records/facts.ts'
import { isNothing, readList } from '../../records/field-value.ts'
import { findField, readField } from '../../records/fields.ts'
import { calendarValues, digestValues } from '../digest.ts'
import { cleaned, type Destination, escaped, finished, formatted } from './placeholder-format.ts'
import { type Meaning, meaningOf, type NameContext } from './placeholder-names.ts'
import { type Format, type Placeholder, readPieces } from './placeholder-syntax.ts'

/** The parts of the account that texts use. */
export interface PlaceholderAccount {
  name: string
  email: string
  /** IANA. */
  zone: string
  /** ISO codes; empty when unknown. */
  currency: string
  country: string
}

/** Everything a text of a step can refer to. */
export interface PlaceholderScope {
  /** The run's records; the first is `entry.0`. */
  records: readonly RecordFacts[]
  /** The trigger: `description`, `object`, `company_uuid`, `job_uuid`, `date`; digest values if already known. */
  trigger: Readonly<Record<string, string>>
  /** Results of earlier steps by step id. */
  results: Readonly<Record<string, StepResult>>
  /** Step ids in order, so that `action_2_result` finds its step. */
  order: readonly string[]
  account: PlaceholderAccount
  /** Epoch ms. */
  now: number
}

interface ResolvedText {
  text: string
  replacements: Replacement[]
  /** Names with neither value nor fallback, and blanks (`[[…]]`) that nobody filled in; each once, as written. */
  blanks: string[]
  /** Names that do not exist; they are replaced with nothing. */
  unknown: string[]
  /** The filled-in text exceeds the limit for any message: it is cut off and must not be sent. */
  isTooLong: boolean
}

/** Characters of a filled-in text. */
const LONGEST = 500_000

/** A value and its default format; null = no such name exists. */
type Found = { value: string; format: Format | null; mayBeEmpty?: true } | null

/**
 * The text with every placeholder filled in. A name without a value becomes its fallback, else nothing: never
 * "undefined", "null" or its braces. The step decides what to do about blanks and unknown names.
 */
export function resolveText(text: string, destination: Destination, scope: PlaceholderScope): ResolvedText {
  const replacements: Replacement[] = []
  const [blanks, unknown] = [new Set<string>(), new Set<string>()]
  const lookUp = lookUpIn(scope)
  const out = createOutput()
  const isInTag = createTagReader()
  for (const piece of readPieces(cleaned(text))) {
    if (out.length() > LONGEST) break
    switch (piece.kind) {
      case 'text':
        isInTag(piece.text)
        out.add(piece.text)
        break
      case 'blank':
        blanks.add(piece.written)
        out.leaveGap()
        break
      case 'placeholder': {
        const found = lookUp(piece.name)
        const inserted = insertionFor(piece, found, destination, scope)
        if (found === null) unknown.add(piece.name)
        else if (inserted.isBlank) blanks.add(piece.name)
        replacements.push(inserted.replacement)
        const written = escaped(inserted.replacement.resolvedValue, destination, isInTag(''))
        if (written === '') out.leaveGap()
        else out.addValue(written)
        break
      }
      default:
        assertNever(piece)
    }
  }
  const filled = finished(out.text(), destination, scope.account, scope.now)
  const isTooLong = out.length() > LONGEST
  return { text: filled, replacements, blanks: [...blanks], unknown: [...unknown], isTooLong }
}

type TagState = 'text' | 'tag' | '"' | "'"

/** The next state for each character; other characters change nothing. A `>` in quotation marks does not end a tag. */
const TAG_SIGNS: Readonly<Record<TagState, Readonly<Record<string, TagState>>>> = {
  text: { '<': 'tag' },
  tag: { '>': 'text', '"': '"', "'": "'" },
  '"': { '"': 'tag' },
  "'": { "'": 'tag' },
}

/** Reads the author's text piece by piece and returns whether it ends inside a tag. */
function createTagReader(): (text: string) => boolean {
  let at: TagState = 'text'
  return (text) => {
    for (const [sign] of text.matchAll(/[<>"']/g)) at = TAG_SIGNS[at][sign] ?? at
    return at !== 'text'
  }
}

/** Collects the text. Looks only at its last character, so each piece costs just its own length. */
function createOutput() {
  const parts: string[] = []
  let length = 0
  let hasGap = false
  const last = () => parts.at(-1)?.at(-1) ?? ''
  function add(text: string): void {
    const kept = hasGap ? closeGap(text) : text
    hasGap = false
    length += kept.length
    if (kept !== '') parts.push(kept)
  }
  /** "Thank you {first name}!" without a name is "Thank you!", not "Thank you !". */
  function closeGap(after: string): string {
    const before = last()
    const isSpaced = before === '' ? after.startsWith(' ') : before === ' ' || before === '\n'
    if (!isSpaced || !/^(?:[ ,.!?;:)\n]|$)/.test(after)) return after
    if (before !== ' ') return after.replace(/^ /, '')
    const part = parts.pop()?.slice(0, -1) ?? ''
    if (part !== '') parts.push(part)
    return after
  }
  return {
    add,
    addValue: (value: string) => {
      hasGap = false
      length += value.length
      parts.push(value)
    },
    leaveGap: () => {
      hasGap = true
    },
    length: () => length,
    text: () => {
      if (hasGap) add('')
      return parts.join('')
    },
  }
}

function insertionFor(
  placeholder: Placeholder,
  found: Found,
  destination: Destination,
  scope: PlaceholderScope,
): { replacement: Replacement; isBlank: boolean } {
  const { name, written, fallback } = placeholder
  const original = found === null ? '' : cleaned(found.value)
  const value = isNothing(original) ? '' : original
  // A date field takes the date as it is stored.
  const format = destination === 'date' ? null : (placeholder.format ?? found?.format ?? null)
  const shown = value === '' ? (fallback ?? '') : ((format && formatted(value, format, scope.account)) ?? value)
  return {
    replacement: { variable: name, written, originalValue: value, resolvedValue: shown },
    isBlank: value === '' && fallback === null && found?.mayBeEmpty !== true,
  }
}

/** Caches the digest values: a text uses names repeatedly, and digest values cost a pass over every record. */
function lookUpIn(scope: PlaceholderScope): (name: string) => Found {
  const { records, account, now } = scope
  const at: JudgedAt = { now, zone: account.zone }
  const context: NameContext = {
    object: records[0]?.object ?? 'job',
    hasOwn: (entry, name) => {
      const values = records[entry]?.values
      return values !== undefined && Object.hasOwn(values, name)
    },
  }
  let digest: Map<string, string> | null = null
  const digestValue = (name: string) => {
    digest ??= lowerNamed({ ...digestValues(records, { ...account, now }), ...scope.trigger })
    return digest.get(name) ?? digest.get(name.replaceAll(' ', '_')) ?? (name.startsWith('sum_total.') ? '0.00' : '0')
  }
  return (name) => {
    // Values from the trigger win over any other meaning of a name.
    const given = ownValue(scope.trigger, name)
    if (given !== undefined && !isNothing(given)) return { value: given, format: null }
    const meaning = meaningOf(name, context)
    if (meaning !== null) return foundFor(meaning, scope, at, digestValue)
    return given === undefined ? null : { value: given, format: null }
  }
}

function lowerNamed(values: Readonly<Record<string, string>>): Map<string, string> {
  return new Map(Object.entries(values).map(([name, value]) => [name.toLowerCase(), value]))
}

function foundFor(meaning: Meaning, scope: PlaceholderScope, at: JudgedAt, digest: (name: string) => string): Found {
  const plain = (value: string | null | undefined): Found => ({ value: value ?? '', format: null })
  switch (meaning.kind) {
    case 'field':
      return fieldFound(meaning, scope.records[meaning.entry], at)
    case 'result': {
      const id = 'id' in meaning.step ? meaning.step.id : scope.order[meaning.step.position - 1]
      return id !== undefined && scope.order.includes(id) ? plain(resultValue(id, meaning.field, scope)) : null
    }
    case 'digest':
      return plain(digest(meaning.name))
    case 'calendar':
      return plain(calendarValues(at)[meaning.name])
    case 'today':
      return { value: isoDate(todayOf(at) + meaning.days), format: meaning.dressed ? 'date' : null }
    case 'trigger':
      return plain(triggerValue(meaning.name, scope, at))
    case 'account':
      return plain(scope.account[meaning.field])
    // The e-mail inserts the signature itself where one is allowed.
    case 'signature':
    case 'marker':
      return { value: '', format: null, mayBeEmpty: true }
    default:
      return assertNever(meaning)
  }
}

function fieldFound(
  { field, dressed, oneLine }: Extract<Meaning, { kind: 'field' }>,
  facts: RecordFacts | undefined,
  at: JudgedAt,
): Found {
  const text = (facts && readField(facts, field, at)) ?? ''
  if (field === 'badge_names') return { value: readList(text).join(', '), format: null }
  const type = facts && dressed ? findField(facts.object, field)?.type : undefined
  const value = oneLine ? text.trim().replace(/[,\s]*\n\s*/g, ', ') : text
  return { value, format: type === 'date' || type === 'money' ? type : null }
}

/** '' when the step has not run or returns nothing of that name. */
function resultValue(id: string, field: string, { results }: PlaceholderScope): string {
  const result = ownValue(results, id)
  if (!result) return ''
  const name = field === '' ? 'result' : field
  const named = ownValue(result, name)
  if (named !== undefined) return named
  // `{action_1_result}` alone: the first value the step returns; `number` is what people call a job's number.
  if (field === '') return Object.values(result)[0] ?? ''
  return field === 'number' ? (result.generated_job_id ?? '') : ''
}

function triggerValue(
  name: Extract<Meaning, { kind: 'trigger' }>['name'],
  scope: PlaceholderScope,
  at: JudgedAt,
): string {
  const given = ownValue(scope.trigger, name) ?? ''
  const facts = scope.records[0]
  if (!isNothing(given) || !facts) return given
  switch (name) {
    case 'object':
      return facts.object
    case 'company_uuid':
      return facts.companyUuid ?? readField(facts, 'company_uuid', at) ?? ''
    case 'job_uuid':
      return facts.jobUuid ?? ''
    case 'description':
      return readField(facts, 'job_description', at) ?? ''
    case 'date':
      return readField(facts, 'date', at) ?? ''
    // A person started it: nobody answered.
    case 'reply':
      return ''
    default:
      return assertNever(name)
  }
}
