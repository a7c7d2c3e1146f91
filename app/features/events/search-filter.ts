// Parses the search filters of the form and the call, or refuses them field by field.
import { z } from 'zod'
import type { SearchCursor } from '#app/domain/deliveries/stored-delivery.ts'
import type { EndpointKey } from '#app/domain/endpoint-key.ts'
import {
  isPlausibleObjectType,
  normalizeObjectType,
  OBJECT_KINDS,
  objectLabel,
  pickerFields,
} from '#app/domain/object-catalog.ts'
import { momentOf } from '#app/domain/time/local-time.ts'
import type { Millis } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'
import { hostOf } from '#app/lib/url.ts'
import { type PastedId, readPastedId } from './pasted-id.ts'
import type { CodeFilter, SearchFilter } from './search-match.ts'
import { SEARCH_STATUSES, type SearchChoices, type SearchForm, searchFormOf } from './search-view.ts'

/** Rows per page. */
export const SEARCH_PAGE = 50

export interface SearchQuestion {
  pasted: PastedId | null
  filter: SearchFilter
  before: SearchCursor | null
  /** Maximum number of rows in the answer. */
  limit: number
}

export type SearchRead =
  | { outcome: 'question'; question: SearchQuestion; form: SearchForm }
  | { outcome: 'invalid'; message: string; errors: Record<string, string[]>; form: SearchForm }

const MESSAGES = {
  id: 'Too long. Use a job number, a customer or an id.',
  webhook: 'Must be a webhook or forwarding rule of this account',
  status: `Must be one of ${SEARCH_STATUSES.join(', ')}`,
  code: 'Must be a status (404), a group (4xx), or none',
  object: 'Must be the name of an object, like job',
  record: 'Must be the uuid of a record',
  field: 'Must be the name of one field, like status',
  localTime: 'Must be a date and a time.',
  zonedTime: 'Must be a date and time with its zone, like 2026-11-21T09:00:00Z',
  order: 'This is before the start.',
  before: 'Must be the `next` of an answer',
  limit: `Must be a whole number from 1 to ${SEARCH_PAGE}`,
} as const

/** A webhook or forwarding rule of the account, as the search knows it. */
export interface SearchedWebhook {
  key: EndpointKey
  endpointId: number
  object: string
  /** Null for a webhook, which has no name. */
  name: string | null
  url: string
}

/** Parses the page's form. Times are local to the account; `until` includes that whole minute. */
export function readSearchForm(
  params: URLSearchParams,
  timezone: string,
  webhooks: readonly SearchedWebhook[],
): SearchRead {
  return read(params, webhooks, MESSAGES.localTime, (text, end) => {
    const at = momentOf(text, timezone)
    return at === null || !end || /:\d{2}:\d{2}/.test(text) ? at : at + minutes(1) - 1
  })
}

/** Parses the call's query. Times include a zone. */
export function readSearchQuery(params: URLSearchParams, webhooks: readonly SearchedWebhook[]): SearchRead {
  const zoned = z.iso.datetime({ offset: true })
  return read(params, webhooks, MESSAGES.zonedTime, (text) => {
    const at = zoned.safeParse(text).success ? Date.parse(text) : Number.NaN
    return Number.isNaN(at) ? null : at
  })
}

type ReadMoment = (text: string, end: boolean) => Millis | null

function read(
  params: URLSearchParams,
  webhooks: readonly SearchedWebhook[],
  timeMessage: string,
  moment: ReadMoment,
): SearchRead {
  const form = searchFormOf(params)
  const errors: Record<string, string[]> = {}
  /** A missing value does not filter; an invalid one is refused. */
  function field<T>(name: keyof typeof MESSAGES & keyof SearchForm, parse: (text: string) => T | null): T | null {
    const value = form[name] === '' ? null : parse(form[name])
    if (form[name] !== '' && value === null) errors[name] = [MESSAGES[name]]
    return value
  }
  function time(name: 'from' | 'until'): Millis | null {
    const at = form[name] === '' ? null : moment(form[name], name === 'until')
    if (form[name] !== '' && at === null) errors[name] = [timeMessage]
    return at
  }
  const pasted = field('id', readPastedId)
  const filter: SearchFilter = {
    status: field('status', (text) => SEARCH_STATUSES.find((status) => status === text) ?? null),
    webhook: field('webhook', (text) => webhooks.find(({ key }) => String(key) === text) ?? null),
    code: field('code', readCode),
    object: field('object', readObject),
    record: field('record', (text) => (/^[\w.:-]{1,100}$/.test(text) ? text.toLowerCase() : null)),
    field: field('field', (text) => (/^[^\s,]{1,100}$/.test(text) ? text : null)),
    from: time('from'),
    until: time('until'),
  }
  if (filter.from !== null && filter.until !== null && filter.until < filter.from) errors.until = [MESSAGES.order]
  const before = readCursor(params.get('before') ?? '')
  if (before === undefined) errors.before = [MESSAGES.before]
  const limit = readLimit(params.get('limit') ?? '')
  if (limit === null) errors.limit = [MESSAGES.limit]
  const [name = ''] = Object.keys(errors)
  if (name !== '' || before === undefined || limit === null)
    return { outcome: 'invalid', message: `${name}: ${errors[name]?.[0] ?? ''}`, errors, form }
  return { outcome: 'question', question: { pasted, filter, before, limit }, form }
}

function readCode(text: string): CodeFilter | null {
  const code = text.toLowerCase()
  if (code === 'none') return { kind: 'none' }
  if (/^[1-5]xx$/.test(code)) return { kind: 'group', first: Number(code[0]) }
  return /^[1-5]\d\d$/.test(code) ? { kind: 'exact', code: Number(code) } : null
}

function readObject(text: string): string | null {
  const type = normalizeObjectType(text)
  return isPlausibleObjectType(type) ? type : null
}

/** Null = from the newest; undefined = not a cursor. */
function readCursor(text: string): SearchCursor | null | undefined {
  if (text === '') return null
  const [, seq, deliveryId] = /^(\d{1,15})\.(\d{1,15})$/.exec(text) ?? []
  return seq === undefined || deliveryId === undefined
    ? undefined
    : { seq: Number(seq), deliveryId: Number(deliveryId) }
}

export function cursorText({ seq, deliveryId }: SearchCursor): string {
  return `${seq}.${deliveryId}`
}

function readLimit(text: string): number | null {
  if (text === '') return SEARCH_PAGE
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0
  return limit >= 1 && limit <= SEARCH_PAGE ? limit : null
}

/** With the object of the address, also when it is not in the list; fields of that object, or of jobs. */
export function searchChoices({ object }: SearchForm, webhooks: readonly SearchedWebhook[]): SearchChoices {
  const objects = OBJECT_KINDS.map(({ type, label }) => [type, label] as const)
  const isListed = object === '' || objects.some(([type]) => type === object)
  return {
    webhooks: webhooks.map((one) => [String(one.key), webhookName(one)]),
    objects: isListed ? objects : [[object, objectLabel(object)], ...objects],
    fields: pickerFields(object === '' ? 'job' : object),
  }
}

/** `Job → hooks.zapier.com`, or the name of a rule. */
function webhookName({ name, object, url }: SearchedWebhook): string {
  return name ?? `${objectLabel(object)}${url === '' ? '' : ` → ${hostOf(url)}`}`
}
