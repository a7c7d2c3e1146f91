// ServiceM8's REST and webhook calls. Small on purpose: only what the product needs, tolerant of the answers.
import type { Dispatcher } from 'undici'
import type { Clock, Millis } from '#app/lib/clock.ts'
import { seconds } from '#app/lib/duration.ts'
import { isRecord } from '#app/lib/json.ts'
import type { Log } from '#app/lib/log.ts'
import { isZone } from '../../lib/zone.ts'
import type {
  CallGate,
  ListInput,
  PlatformApi,
  PlatformRecord,
  PlatformResult,
  RecordPage,
  RemoteSubscription,
  Vendor,
} from '../platform.ts'
import { createListReader, whole } from './long-list.server.ts'
import { isFlagSet, mapAnswer, readAnswer, textOf, unreadable } from './servicem8-answer.ts'
import { maskCallback, type PlatformCall } from './servicem8-call.ts'
import {
  askShortly,
  createLoneWire,
  createWire,
  type Exchanged,
  exchange,
  type WireRequest,
} from './servicem8-http.server.ts'
import { type Answered, type Asked, createWrites, itemPath, objectName } from './servicem8-writes.server.ts'

interface ServiceM8ApiOptions {
  /** Base of the API host, without a trailing slash. */
  apiUrl: string
  clock: Clock
  log: Log
  /** Called after every call has ended. Must not throw; errors are logged and dropped. */
  onCall?: (call: PlatformCall) => void
  /** Once aborted, no read is retried. */
  signal?: AbortSignal
  /** The transport for requests. Default: the client's own connections. */
  dispatcher?: Dispatcher
  /** Longest whole exchange, ms. */
  timeouts?: { read: number; subscribe: number; send?: number; document?: number }
}

/** The client, which can also call for an account: `onCall` then gets the account, and the gate is checked first. */
export interface ServiceM8Api extends PlatformApi {
  actingFor(accountUuid: string, options?: ActingOptions): PlatformApi
}

interface ActingOptions {
  gate?: CallGate | null
  /** An automation of the account makes the call. */
  counts?: boolean
}

interface Caller {
  /** Null = during sign-in, when the account is not known yet. */
  accountUuid: string | null
  gate: CallGate | null
  counts: boolean
}

/** During a subscribe the platform calls our address back and waits up to 10 s (facts: 4.3). */
/** A document may take half a minute or more (facts: 7.1). */
const TIMEOUTS = { read: seconds(10), subscribe: seconds(25), send: seconds(20), document: seconds(60) }
/** One page of a list holds up to 5,000 records (facts: 5.3). */
const LIST_BYTES = 32 * 1024 * 1024
const OTHER_BYTES = 2 * 1024 * 1024
/** Stops a cursor that never ends. */
const MOST_PAGES = 200
const DEFAULT_LIMIT = 20_000
const FIRST_PAGE = '-1'

interface PageInput {
  filter: string | undefined
  cursor: string
  routine: boolean
  mostBytes: number
  keep(record: PlatformRecord): PlatformRecord
}

export function createServiceM8Api(options: ServiceM8ApiOptions): ServiceM8Api {
  const wire = options.dispatcher ?? createWire()
  const loneWire = options.dispatcher ?? createLoneWire()
  const timeouts = { ...TIMEOUTS, ...options.timeouts }

  async function ask({ accountUuid, gate, counts }: Caller, token: string, asked: Asked): Promise<Answered> {
    const held = await gate?.admit()
    if (held) return { result: held, headers: {}, text: '', bytes: undefined, inPieces: false, passing: false }
    const startedAt = performance.now()
    const sent = { ...wireRequestOf(asked, options.apiUrl, token), timeoutMs: asked.timeoutMs ?? timeouts.read }
    const exchanged = await exchange(asked.alone ? loneWire : wire, sent)
    const answered = exchanged.outcome === 'answered' ? exchanged.answer : null
    const result = read(exchanged, asked, options.clock.now())
    if (result.outcome === 'rate_limited' && !result.ofMessages) gate?.limited(result.retryAt)
    tell({
      accountUuid,
      method: asked.method,
      path: asked.path,
      request: shownRequest(asked),
      outcome: result.outcome,
      status: answered?.status ?? null,
      answer: result.outcome === 'ok' ? describe(result.body) : result.message,
      durationMs: Math.round(performance.now() - startedAt),
      ...(asked.routine && { routine: true }),
      ...(counts && { counts }),
    })
    return {
      result,
      headers: answered?.headers ?? {},
      text: answered?.text ?? '',
      bytes: answered?.bytes,
      inPieces: answered?.records !== undefined,
      passing: isPassing(exchanged),
    }
  }

  /** Each attempt checks the gate and calls `onCall`; it counts against the plan once. */
  function askToRead(caller: Caller, token: string, asked: Asked): Promise<Answered> {
    return askShortly({
      ask: (first) => ask({ ...caller, counts: caller.counts && first }, token, asked),
      isPassing: ({ passing }) => passing,
      signal: options.signal,
    })
  }

  function tell(call: PlatformCall): void {
    const { request: _request, answer: _answer, ...fields } = call
    options.log.debug(fields, 'platform.called')
    try {
      options.onCall?.(call)
    } catch (error) {
      options.log.error({ error }, 'platform.call_not_recorded')
    }
  }

  function clientOf(caller: Caller): PlatformApi {
    return {
      ...createWrites((token, asked) => ask(caller, token, asked), timeouts),

      async vendor(token) {
        const { result } = await askToRead(caller, token, { method: 'GET', path: '/api_1.0/vendor.json' })
        return mapAnswer(result, 'an account', readVendor)
      },

      async subscribeObject(token, { object, fields, callbackUrl }) {
        if (fields.length === 0) throw new Error('subscribeObject: the platform refuses an empty list of fields')
        const { result } = await ask(caller, token, {
          method: 'POST',
          path: '/webhook_subscriptions/object',
          form: { object, fields: fields.join(','), callback_url: callbackUrl },
          timeoutMs: timeouts.subscribe,
        })
        return result.outcome === 'ok' ? { outcome: 'ok', value: null } : result
      },

      async listSubscriptions(token) {
        const query = new URLSearchParams({ status: 'all' })
        const asked = { method: 'GET', path: '/webhook_subscriptions', query } as const
        const { result } = await askToRead(caller, token, asked)
        return mapAnswer(result, 'a list of webhook subscriptions', readSubscriptions)
      },

      async deleteSubscription(token, uuid) {
        const path = `/webhook_subscriptions/${encodeURIComponent(uuid)}`
        const { result } = await ask(caller, token, { method: 'DELETE', path })
        return result.outcome === 'ok' ? { outcome: 'ok', value: null } : result
      },

      async list(token, object, input = {}) {
        return listAll(caller, token, object, input)
      },

      async listPage(token, object, { filter, cursor = FIRST_PAGE, routine = false } = {}) {
        return pageOf(caller, token, object, { filter, cursor, routine, mostBytes: LIST_BYTES, keep: whole })
      },

      async read(token, object, uuid) {
        const { result } = await askToRead(caller, token, { method: 'GET', path: itemPath(object, uuid) })
        return mapAnswer(result, 'a record', readRecord)
      },
    }
  }

  /** Pages by cursor: starts with -1, continues with `x-next-cursor` until it is missing (facts: 5.3). */
  async function listAll(
    caller: Caller,
    token: string,
    object: string,
    { filter, limit = DEFAULT_LIMIT, keep = whole, mostBytes = LIST_BYTES }: ListInput,
  ): Promise<PlatformResult<PlatformRecord[]>> {
    const records: PlatformRecord[] = []
    let cursor: string | null = FIRST_PAGE
    for (let page = 0; page < MOST_PAGES && cursor !== null && records.length < limit; page += 1) {
      const asked = { filter, cursor, routine: false, mostBytes, keep }
      const answer: PlatformResult<RecordPage> = await pageOf(caller, token, object, asked)
      if (answer.outcome !== 'ok') return answer
      for (const record of answer.value.records) records.push(record)
      cursor = answer.value.next
    }
    return { outcome: 'ok', value: records.slice(0, limit) }
  }

  async function pageOf(
    caller: Caller,
    token: string,
    object: string,
    { filter, cursor, routine, mostBytes, keep }: PageInput,
  ): Promise<PlatformResult<RecordPage>> {
    // URLSearchParams encodes `$filter` as %24filter: an unencoded parameter is silently ignored (facts: 5.2).
    const query = new URLSearchParams({ cursor, ...(filter ? { $filter: filter } : {}) })
    const path = `/api_1.0/${objectName(object)}.json`
    const { result, headers, inPieces } = await askToRead(caller, token, {
      method: 'GET',
      path,
      query,
      maxBytes: mostBytes,
      routine,
      keep,
    })
    if (result.outcome !== 'ok') return result
    const records = readRecords(result.body)
    if (records === null) return unreadable('a list of records')
    const next = headers['x-next-cursor'] ?? ''
    const kept = inPieces ? records : records.map(keep)
    return { outcome: 'ok', value: { records: kept, next: next === '' || next === cursor ? null : next } }
  }

  return {
    ...clientOf({ accountUuid: null, gate: null, counts: false }),
    actingFor: (accountUuid, { gate = null, counts = false } = {}) => clientOf({ accountUuid, gate, counts }),
  }
}

function read(exchanged: Exchanged, asked: Asked, now: Millis): Answered['result'] {
  if (exchanged.outcome !== 'answered') {
    const { sentence: message, undone, tooLarge } = exchanged
    return { outcome: 'unavailable', status: null, message, ...(undone && { undone }), ...(tooLarge && { tooLarge }) }
  }
  const { status } = exchanged.answer
  if (asked.wantsRedirect && [301, 302, 303, 307, 308].includes(status)) return { outcome: 'ok', body: undefined }
  const result = readAnswer(exchanged.answer, now)
  // Messages have their own limits: other calls continue. The call limit names itself (facts: 5.5, section 6).
  const ofMessages = asked.messaging && !/number of allowed api requests/i.test(exchanged.answer.text)
  return ofMessages && result.outcome === 'rate_limited' ? { ...result, ofMessages } : result
}

/** False for a timeout, and for a call that is expected to take longer. */
function isPassing(exchanged: Exchanged): boolean {
  if (exchanged.outcome === 'unanswered') return !exchanged.late && !exchanged.tooLarge
  const { status, headers } = exchanged.answer
  return status >= 500 && headers['retry-after'] === undefined
}

function masked(form: Record<string, string>): Record<string, string> {
  return form.callback_url === undefined ? form : { ...form, callback_url: maskCallback(form.callback_url) }
}

function describe(body: unknown): string {
  if (Array.isArray(body)) return body.length === 1 ? '1 record' : `${body.length} records`
  return isRecord(body) && 'uuid' in body ? '1 record' : 'OK'
}

function wireRequestOf(asked: Asked, apiUrl: string, token: string): Omit<WireRequest, 'timeoutMs'> {
  const query = asked.query && asked.query.size > 0 ? `?${asked.query.toString()}` : ''
  return {
    method: asked.method,
    url: `${apiUrl}${asked.path}${query}`,
    headers: { ...asked.headers, authorization: `Bearer ${token}` },
    ...(asked.form && { form: asked.form }),
    ...(asked.json && { json: asked.json.body }),
    ...(asked.file && { bytes: asked.file.bytes }),
    ...(asked.keepBytes && { keepBytes: true }),
    ...(asked.keep && { list: createListReader(asked.keep) }),
    maxBytes: asked.maxBytes ?? OTHER_BYTES,
  }
}

/** The part of a request that the exchange log shows. */
function shownRequest({ form, json, file }: Asked): PlatformCall['request'] {
  return form ? masked(form) : (json?.shown ?? file?.shown ?? null)
}

// Converts the platform's JSON to our types. Tolerant of format, strict about required values.

/** `vendor.json` is a list of exactly one record, whose uuid is the account (facts: 2.3). Null when it is not. */
export function readVendor(body: unknown): Vendor | null {
  const record = Array.isArray(body) ? (body.length === 1 ? body[0] : null) : body
  if (!isRecord(record)) return null
  const uuid = textOf(record.uuid).toLowerCase()
  if (uuid === '') return null
  const zone = textOf(record.timezone_name)
  const timezone = isZone(zone) ? zone : 'UTC'
  return { uuid, name: textOf(record.name), timezone, email: textOf(record.email) }
}

/** The list of webhook subscriptions (facts: 4.1). Drops entries without uuid or address; null when not a list. */
export function readSubscriptions(body: unknown): RemoteSubscription[] | null {
  if (!Array.isArray(body)) return null
  const found: RemoteSubscription[] = []
  for (const entry of body as unknown[]) {
    if (!isRecord(entry)) continue
    const uuid = textOf(entry.uuid)
    const callbackUrl = textOf(entry.callback_url)
    if (uuid === '' || callbackUrl === '') continue
    const object = textOf(entry.object)
    const kind = textOf(entry.type) === 'event' || (object === '' && textOf(entry.event) !== '') ? 'event' : 'object'
    found.push({
      uuid,
      kind,
      subject: (kind === 'event' ? textOf(entry.event) : object).toLowerCase(),
      callbackUrl,
      fields: fieldNames(entry.fields),
      active: isFlagSet(entry.active),
      lastFailureReason: textOf(entry.last_failure_reason) || null,
      lastFailureAt: momentText(entry.last_failure_at),
    })
  }
  return found
}

/** Zeros mean no time (facts: 5.4). */
function momentText(value: unknown): string | null {
  const text = textOf(value)
  return text === '' || text.startsWith('0000') ? null : text
}

function fieldNames(value: unknown): string[] {
  const names = Array.isArray(value) ? (value as unknown[]).map(textOf) : textOf(value).split(',')
  return names.map((name) => name.trim()).filter((name) => name !== '')
}

/** Null when it is not a list. Drops entries that are not records. */
export function readRecords(body: unknown): PlatformRecord[] | null {
  return Array.isArray(body) ? (body as unknown[]).filter(isRecord) : null
}

/** A single record, also as a list of one. */
export function readRecord(body: unknown): PlatformRecord | null {
  const record: unknown = Array.isArray(body) && body.length === 1 ? body[0] : body
  return isRecord(record) ? record : null
}
