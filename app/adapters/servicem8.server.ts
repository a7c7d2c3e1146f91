// ServiceM8's REST and webhook calls. Small on purpose: what the product needs, tolerant of what the platform sends.
import type { Clock } from '../lib/clock.ts'
import { seconds } from '../lib/duration.ts'
import type { Log } from '../lib/log.ts'
import type { PlatformApi, PlatformFailure, PlatformRecord, PlatformResult } from './platform.ts'
import { isRecord, mapAnswer, readAnswer, unavailable, unreadable } from './servicem8-answer.ts'
import { maskCallback, type PlatformCall } from './servicem8-call.ts'
import { createWire, exchange } from './servicem8-http.server.ts'
import { readRecord, readRecords, readSubscriptions, readVendor } from './servicem8-records.ts'

export interface ServiceM8ApiOptions {
  /** Base of the API host, without a trailing slash. */
  apiUrl: string
  clock: Clock
  log: Log
  /** Told about every call after it ended. Must not throw; what it throws is logged and dropped. */
  onCall?: (call: PlatformCall) => void
  /** Longest whole exchange, ms. */
  timeouts?: { read: number; subscribe: number }
}

/** The client, which can also say for whom it calls: `onCall` then knows the account. */
export interface ServiceM8Api extends PlatformApi {
  actingFor(accountUuid: string): PlatformApi
}

/** Inside a subscribe the platform calls our address back and waits up to 10 s for it (facts: 4.3). */
const TIMEOUTS = { read: seconds(10), subscribe: seconds(25) }
/** One page of a list holds up to 5,000 records (facts: 5.3). */
const LIST_BYTES = 32 * 1024 * 1024
const OTHER_BYTES = 2 * 1024 * 1024
/** A cursor that never ends must not keep us for ever. */
const MOST_PAGES = 200
const DEFAULT_LIMIT = 20_000

/** Single-record paths that are not named like their list (facts: 5.1). */
const ITEM_PATHS: Record<string, string> = { note: 'dbonote', attachment: 'dboattachment' }

export function createServiceM8Api(options: ServiceM8ApiOptions): ServiceM8Api {
  const wire = createWire()
  const timeouts = options.timeouts ?? TIMEOUTS

  async function ask(
    accountUuid: string | null,
    token: string,
    asked: {
      method: PlatformCall['method']
      path: string
      query?: URLSearchParams
      form?: Record<string, string>
      timeoutMs?: number
      maxBytes?: number
    },
  ): Promise<{ result: { outcome: 'ok'; body: unknown } | PlatformFailure; headers: Record<string, string> }> {
    const startedAt = performance.now()
    const query = asked.query && asked.query.size > 0 ? `?${asked.query.toString()}` : ''
    const exchanged = await exchange(wire, {
      method: asked.method,
      url: `${options.apiUrl}${asked.path}${query}`,
      headers: { authorization: `Bearer ${token}` },
      ...(asked.form ? { form: asked.form } : {}),
      timeoutMs: asked.timeoutMs ?? timeouts.read,
      maxBytes: asked.maxBytes ?? OTHER_BYTES,
    })
    const answered = exchanged.outcome === 'answered' ? exchanged.answer : null
    const result =
      exchanged.outcome === 'answered'
        ? readAnswer(exchanged.answer, options.clock.now())
        : unavailable(exchanged.sentence)
    tell({
      accountUuid,
      method: asked.method,
      path: asked.path,
      request: asked.form ? masked(asked.form) : null,
      outcome: result.outcome,
      status: answered?.status ?? null,
      answer: result.outcome === 'ok' ? describe(result.body) : result.message,
      durationMs: Math.round(performance.now() - startedAt),
    })
    return { result, headers: answered?.headers ?? {} }
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

  function clientOf(accountUuid: string | null): PlatformApi {
    return {
      async vendor(token) {
        const { result } = await ask(accountUuid, token, { method: 'GET', path: '/api_1.0/vendor.json' })
        return mapAnswer(result, 'an account', readVendor)
      },

      async subscribeObject(token, { object, fields, callbackUrl }) {
        if (fields.length === 0) throw new Error('subscribeObject: the platform refuses an empty list of fields')
        const { result } = await ask(accountUuid, token, {
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
        const { result } = await ask(accountUuid, token, asked)
        return mapAnswer(result, 'a list of webhook subscriptions', readSubscriptions)
      },

      async deleteSubscription(token, uuid) {
        const path = `/webhook_subscriptions/${encodeURIComponent(uuid)}`
        const { result } = await ask(accountUuid, token, { method: 'DELETE', path })
        return result.outcome === 'ok' ? { outcome: 'ok', value: null } : result
      },

      async list(token, object, input = {}) {
        return listAll(accountUuid, token, object, input.filter, input.limit ?? DEFAULT_LIMIT)
      },

      async read(token, object, uuid) {
        const path = `/api_1.0/${ITEM_PATHS[object] ?? objectName(object)}/${encodeURIComponent(uuid)}.json`
        const { result } = await ask(accountUuid, token, { method: 'GET', path })
        return mapAnswer(result, 'a record', readRecord)
      },
    }
  }

  /** Pages by cursor: ask with -1, go on with `x-next-cursor` until it is gone (facts: 5.3). */
  async function listAll(
    accountUuid: string | null,
    token: string,
    object: string,
    filter: string | undefined,
    limit: number,
  ): Promise<PlatformResult<PlatformRecord[]>> {
    const path = `/api_1.0/${objectName(object)}.json`
    const records: PlatformRecord[] = []
    let cursor = '-1'
    for (let page = 0; page < MOST_PAGES; page += 1) {
      // URLSearchParams encodes `$filter` as %24filter: an unencoded parameter is silently ignored (facts: 5.2).
      const query = new URLSearchParams({ cursor, ...(filter ? { $filter: filter } : {}) })
      const { result, headers } = await ask(accountUuid, token, { method: 'GET', path, query, maxBytes: LIST_BYTES })
      if (result.outcome !== 'ok') return result
      const found = readRecords(result.body)
      if (found === null) return unreadable('a list of records')
      for (const record of found) records.push(record)
      const next = headers['x-next-cursor'] ?? ''
      if (records.length >= limit || next === '' || next === cursor) break
      cursor = next
    }
    return { outcome: 'ok', value: records.slice(0, limit) }
  }

  return { ...clientOf(null), actingFor: clientOf }
}

/** The name as a path part. Anything else is a mistake of ours: the path is never built from a stranger's text. */
function objectName(object: string): string {
  if (!/^[A-Za-z0-9_]{1,64}$/.test(object)) throw new Error(`not an object name: ${JSON.stringify(object)}`)
  return object
}

function masked(form: Record<string, string>): Record<string, string> {
  return form.callback_url === undefined ? form : { ...form, callback_url: maskCallback(form.callback_url) }
}

function describe(body: unknown): string {
  if (Array.isArray(body)) return body.length === 1 ? '1 record' : `${body.length} records`
  return isRecord(body) && 'uuid' in body ? '1 record' : 'OK'
}
