// Imports a pasted rule: reads and checks it, and returns the form's fields of a new entry, switched off. Accepts
// Fieldhook's current copies (version 3: one automation in the specification's shape), older ones (version 2: a list of
// `rules`), and the plain `{name, actions, …}` of other copies and of the calls (version 1).
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import { isRecord, isTooDeep, parseJson } from '#app/lib/json.ts'
import { tooLongAmong } from './checks/rule-size.ts'
import type { RuleForm } from './rule-fields.ts'
import { type FieldErrors, issuesByField, ruleForm } from './rule-form.ts'
import { formFields } from './rule-json.ts'

const NOT_JSON = 'Invalid JSON format'
const NOT_A_RULE = 'Invalid automation format - missing name or actions'
const IMPORTED_SUFFIX = ' (Imported)'
const EXPORT_FORMAT = 'sm8-automation'
const EXPORT_VERSION = 3

const OBJECT_OPEN =
  'The copy does not say which records it watches. Import this one alone, and choose them in the form.'

/** Characters. Far more than the longest rule. */
const LONGEST_IMPORT = 400_000
const MOST_RULES = 50
const DEEPEST = 12

/** `errors` by field of the unreadable rule. */
type Refused = { outcome: 'refused'; message: string; errors: FieldErrors }

type ReadImport = { outcome: 'read'; rules: ImportedRule[] } | Refused

interface ImportedRule {
  form: RuleForm
  fields: Record<string, unknown>
  /** True when the copy does not say which records it watches: a person has to, and its `object` is empty. */
  objectOpen: boolean
}

/** Fields that the server owns or that belong to one account: older exports contain them, imports drop them. */
const NOT_TAKEN = new Set([
  'id',
  'accountUUID',
  'accountuuid',
  'executionCount',
  'lastExecuted',
  'createdAt',
  'updatedAt',
  'triggerUrl',
  'webhookSubscriptionId',
  'sentence',
  'nextRunAt',
  'preparing',
  'pausedReason',
  'pausedReasonCode',
  'openBlanks',
  'isPublic',
  'usageCount',
  'category',
  'overlap',
  'includeExisting',
  'format',
  'version',
  'exportedAt',
])

export function readImport(text: string): ReadImport {
  if (text.length > LONGEST_IMPORT) return refused(`The text is longer than ${LONGEST_IMPORT / 1000},000 characters.`)
  const value = parseJson(text)
  if (value === undefined) return refused(NOT_JSON)
  if (isTooDeep(value, DEEPEST)) return refused(NOT_A_RULE)
  if (isRecord(value) && value.format === EXPORT_FORMAT && Number(value.version) > EXPORT_VERSION) {
    return refused('This was copied from a newer Fieldhook. This version cannot read all of it.')
  }
  const list = isRecord(value) && Array.isArray(value.rules) ? value.rules : value
  const given: unknown[] = Array.isArray(list) ? list : [value]
  if (given.length === 0) return refused(NOT_A_RULE)
  if (given.length > MOST_RULES) return refused(`At most ${MOST_RULES} automations can be imported at once.`)
  const rules: ImportedRule[] = []
  for (const [index, one] of given.entries()) {
    const read = readRule(one, given.length > 1 ? `Automation ${index + 1}` : null)
    if (read.outcome === 'refused') return read
    rules.push(read.rule)
  }
  return { outcome: 'read', rules }
}

function refused(message: string, errors: FieldErrors = {}): Refused {
  return { outcome: 'refused', message, errors }
}

/** `called`: its name among several; null = it is the only one. */
function readRule(given: unknown, called: string | null): { outcome: 'read'; rule: ImportedRule } | Refused {
  if (!isRecord(given) || typeof given.name !== 'string' || given.name.trim() === '') return refused(NOT_A_RULE)
  if (!Array.isArray(given.actions) || given.actions.length === 0) return refused(NOT_A_RULE)
  const fields = fieldsOf(given)
  const objectOpen = fields.object === ''
  if (objectOpen && called !== null) return refused(`${called}: ${OBJECT_OPEN}`)
  // Check all other fields with a stand-in object.
  const parsed = ruleForm.safeParse(objectOpen ? { ...fields, object: 'job' } : fields)
  if (parsed.success) return { outcome: 'read', rule: { form: parsed.data, fields, objectOpen } }
  const errors = issuesByField(parsed.error.issues)
  const tooLong = tooLongAmong(parsed.error.issues)
  if (tooLong !== null) {
    const which = called === null ? '' : `${called}, `
    return refused(`${which}“${given.name.trim().slice(0, 200)}”: ${tooLong}`, errors)
  }
  const [first] = Object.entries(errors)
  const problem = first ? `${first[0]}: ${first[1][0]}` : NOT_A_RULE
  return refused(called === null ? problem : `${called}: ${problem}`, errors)
}

function fieldsOf(given: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) if (!NOT_TAKEN.has(name)) kept[name] = value
  const { groupingEnabled, groupingCriteria, triggerSource, ...rest } = kept
  const source = triggerSource ?? sourceOf(given)
  const name = String(given.name)
    .trim()
    .slice(0, 200 - IMPORTED_SUFFIX.length)
  return {
    ...rest,
    ...(groupingEnabled !== undefined && rest.enableGrouping === undefined && { enableGrouping: groupingEnabled }),
    ...(groupingCriteria !== undefined && rest.groupingField === undefined && { groupingField: groupingCriteria }),
    triggerSource: source,
    // In older copies these could be ticked where they have no effect.
    ...(source !== 'api_polling' && { enableGrouping: false, digest: false }),
    ...(source === 'webhook' && { object: rest.object || objectOf(given) }),
    name: `${name}${IMPORTED_SUFFIX}`,
    active: false,
  }
}

/** The trigger source of a copy that does not name it. */
function sourceOf(given: Record<string, unknown>): string {
  if (given.triggerType || given.webhookSubscriptionId || given.object) return 'webhook'
  return given.apiEndpoint || given.pollInterval ? 'api_polling' : 'manual_endpoint'
}

const OF_JOBS: readonly unknown[] = ['job_status', 'job_queue', 'customer_replied', 'message_opened', 'message_failed']

/** Webhook ids of another account mean nothing here. Status, queue and messages belong to jobs only; otherwise unknown: ''. */
function objectOf({ triggerType }: Record<string, unknown>): string {
  return OF_JOBS.includes(triggerType) ? 'job' : ''
}

/** The copy of a rule: no account, no counts, no keys. `exportedAt`: ISO text. */
export function exportRule(rule: { name: string; definition: RuleDefinition }, exportedAt: string): string {
  const { webhookSubscriptionId: _own, ...fields } = formFields(rule.definition)
  return JSON.stringify(
    { name: rule.name, ...fields, format: EXPORT_FORMAT, version: EXPORT_VERSION, exportedAt },
    null,
    2,
  )
}
