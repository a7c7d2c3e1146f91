// Reads the options form of an account.
import { fieldsOf, findWebhookObject, SCOPES } from '../servicem8/catalog.ts'
import type { AccountOptions, FaultEffect } from '../world.ts'
import { fieldOf, numberOf } from './form.ts'

type ReadOptions = { outcome: 'ok'; options: Partial<AccountOptions> } | { outcome: 'bad'; sentence: string }

const NUMBERS = {
  pageSize: { min: 1, max: 5000, words: 'Records a page' },
  perMinute: { min: 0, max: 100_000, words: 'Calls a minute' },
  perDay: { min: 0, max: 1_000_000, words: 'Calls a day' },
  messagesPerMinute: { min: 0, max: 100_000, words: 'Messages a minute' },
  messagesPerDay: { min: 0, max: 1_000_000, words: 'Messages in 24 hours' },
  dropNextDeliveries: { min: 0, max: 1000, words: 'Posts to lose' },
  undeliveredNext: { min: 0, max: 1000, words: 'Messages that never arrive' },
  historyLateMinutes: { min: 0, max: 10_000, words: 'Minutes until the history shows a message' },
  historyClockSkewMinutes: { min: -60, max: 60, words: 'Minutes that the history’s clock is ahead' },
  deliveryDelaySeconds: { min: 0, max: 86_400, words: 'Seconds before the first attempt' },
} as const

const TICKS = [
  'unpaid',
  'insistOnHttps',
  'quotedFlags',
  'oneSubscriptionPerObject',
  'duplicateDeliveries',
  'reorderDeliveries',
  'messagingSilent',
  'documentsFail',
  'historyRefused',
  'historyMissing',
  'historyDoubled',
] as const

const SPELLINGS: readonly AccountOptions['objectSpelling'][] = ['lower', 'upper', 'title']
const WRAPPINGS: readonly AccountOptions['deliveryWrapping'][] = ['json', 'form_key', 'form_value']

/** Reads the whole form at once: an unticked box is off. */
export function readOptions(form: URLSearchParams): ReadOptions {
  const numbers: Partial<Record<keyof typeof NUMBERS, number>> = {}
  for (const [name, { min, max, words }] of entriesOf(NUMBERS)) {
    const value = numberOf(form, name, { min, max })
    if (value === null || !Number.isInteger(value)) return bad(`${words} must be a whole number from ${min} to ${max}.`)
    numbers[name] = value
  }
  const { deliveryDelaySeconds = 0, ...plain } = numbers
  const scopes = wordsOf(form, 'withheldScopes')
  const unknown = scopes.find((scope) => !SCOPES.has(scope))
  if (unknown !== undefined) return bad(`“${unknown}” is not the name of a right.`)
  const manifest = readManifest(fieldOf(form, 'manifestWebhooks'))
  if (typeof manifest === 'string') return bad(manifest)
  return {
    outcome: 'ok',
    options: {
      ...plain,
      ...Object.fromEntries(TICKS.map((name) => [name, form.has(name)])),
      deliveryDelayMs: deliveryDelaySeconds * 1000,
      withheldScopes: scopes,
      undocumentedWebhooks: wordsOf(form, 'undocumentedWebhooks'),
      manifestWebhooks: manifest,
      objectSpelling: SPELLINGS.find((one) => one === form.get('objectSpelling')) ?? 'lower',
      deliveryWrapping: WRAPPINGS.find((one) => one === form.get('deliveryWrapping')) ?? 'json',
    },
  }
}

function wordsOf(form: URLSearchParams, name: string): string[] {
  return fieldOf(form, name)
    .split(/[\s,]+/)
    .filter((one) => one !== '')
}

/** Reads lines of `object: field, field`; returns a sentence when a line is invalid. */
function readManifest(lines: string): AccountOptions['manifestWebhooks'] | string {
  const webhooks: AccountOptions['manifestWebhooks'] = []
  for (const line of lines
    .split('\n')
    .map((one) => one.trim())
    .filter((one) => one !== '')) {
    const [name = '', list = ''] = line.split(':')
    const object = findWebhookObject(name.trim())
    if (!object) return `“${name.trim()}” is not an object that webhooks can watch.`
    const fields = list.split(/[\s,]+/).filter((one) => one !== '')
    const unknown = fields.find((field) => !fieldsOf(object.key).has(field))
    if (unknown !== undefined) return `${object.label} has no field “${unknown}”.`
    if (fields.length === 0) return `Say which fields of ${object.label} to watch.`
    webhooks.push({ object: object.key, fields })
  }
  return webhooks
}

/** The calls a fault can apply to: the pattern below the wire's base, and its label. */
export const FAULT_PLACES: readonly (readonly [path: string, words: string])[] = [
  ['*', 'Any call'],
  ['/api_1.0/*', 'Records'],
  ['/api_1.0/job*', 'Jobs and their parts'],
  ['/api_1.0/vendor*', 'The account itself'],
  ['/oauth/access_token', 'Sign-in, renewal'],
  ['/webhook_subscriptions*', 'Subscriptions'],
  ['/platform_service_sms', 'Text messages'],
  ['/platform_service_email', 'E-mails'],
  ['/platform_produce_document', 'Documents'],
  ['/api_1.0/sms*', 'History of texts'],
  ['/api_1.0/email*', 'History of e-mails'],
]

/** `status:500`, `delay:5000`, or only a kind. */
export const FAULT_EFFECTS: readonly (readonly [value: string, words: string])[] = [
  ['status:500', 'Answer 500, broken'],
  ['status:503', 'Answer 503, resting'],
  ['status:429', 'Answer 429, too busy'],
  ['status:401', 'Answer 401, bad token'],
  ['status:402', 'Answer 402, unpaid'],
  ['status:403', 'Answer 403, forbidden'],
  ['status:404', 'Answer 404, not there'],
  ['status:409', 'Answer 409, taken'],
  ['delay:5000', 'Answer after 5 seconds'],
  ['delay:30000', 'Answer after 30 seconds'],
  ['hang', 'Never answer'],
  ['drop', 'Hang up at once'],
  ['lose_answer', 'Do it, then hang up'],
]

interface FaultRequest {
  effect: FaultEffect
  path: string
  method: string
  times: number
  anybody: boolean
}

/** Null when the value is not one of the form's own choices. */
export function readFault(form: URLSearchParams): FaultRequest | null {
  const effect = effectOf(fieldOf(form, 'effect'))
  const path = fieldOf(form, 'path')
  const method = fieldOf(form, 'method')
  const times = numberOf(form, 'times', { min: 1, max: 1000 })
  if (!effect || times === null || !FAULT_PLACES.some(([one]) => one === path)) return null
  if (!['*', 'GET', 'POST', 'DELETE'].includes(method)) return null
  return { effect, path, method, times: Math.round(times), anybody: form.has('anybody') }
}

function effectOf(value: string): FaultEffect | null {
  if (!FAULT_EFFECTS.some(([one]) => one === value)) return null
  const [kind, amount = ''] = value.split(':')
  switch (kind) {
    case 'status':
      return { kind, status: Number(amount) }
    case 'delay':
      return { kind, ms: Number(amount) }
    case 'hang':
    case 'drop':
    case 'lose_answer':
      return { kind }
    default:
      return null
  }
}

function bad(sentence: string): ReadOptions {
  return { outcome: 'bad', sentence }
}

function entriesOf<T extends object>(value: T): [keyof T & string, T[keyof T]][] {
  return Object.entries(value) as [keyof T & string, T[keyof T]][]
}
