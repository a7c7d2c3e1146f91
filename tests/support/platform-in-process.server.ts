// The sandbox's platform inside the test's process: the real adapter calls it without a socket, so a stepped clock
// stays in control. Each exchange can fail on demand; every record and message is logged, so nothing is sent twice
// unseen.
import { Agent, type Dispatcher } from 'undici'
import type { CallAsAccount, PlatformApi, PlatformFailure } from '#app/adapters/platform.ts'
import { createServiceM8Api, type ServiceM8Api } from '#app/adapters/servicem8/servicem8.server.ts'
import type { Clock, Millis } from '#app/lib/clock.ts'
import { isRecord, parseJson } from '#app/lib/json.ts'
import { newAccount } from '#sandbox/accounts.server.ts'
import { type Answer, jsonAnswer, textAnswer } from '#sandbox/http.server.ts'
import type { Poster } from '#sandbox/post.server.ts'
import { SCOPES } from '#sandbox/servicem8/catalog.ts'
import { faultBody } from '#sandbox/servicem8/faults.ts'
import { storeFile } from '#sandbox/servicem8/files/attachments.server.ts'
import { issueGrant } from '#sandbox/servicem8/grants.server.ts'
import { openPlatform, WIRE } from '#sandbox/servicem8/platform.server.ts'
import type { AccountState } from '#sandbox/state.server.ts'
import type { AccountOptions, SandboxRecord } from '#sandbox/world.ts'
import { QUIET, TEST_SETTINGS } from './test-app.server.ts'

type Verb =
  | 'list'
  | 'read'
  | 'create'
  | 'update'
  | 'remove'
  | 'sms'
  | 'email'
  | 'document'
  | 'upload'
  | 'vendor'
  | 'file'
  | 'subscribe'
  | 'subscriptions'
  | 'unsubscribe'

export interface Exchange {
  /** Counts from 0. */
  number: number
  account: string
  verb: Verb
  object: string
  /** Uuid of the record or subscription in the path, or ''. */
  uuid: string
  query: URLSearchParams
  /** The fields of the form or JSON body. */
  sent: Record<string, unknown>
}

/** The outcome of an exchange. */
export type Fate =
  | 'well'
  /** No connection: certainly not performed. */
  | 'not_reached'
  /** 500 before anything was performed; the caller cannot know that. */
  | 'broken'
  /** Performed, but the answer is lost. */
  | 'answer_lost'
  /** The answer is lost, and the call is performed half a minute later. */
  | 'done_late'
  | 'too_many'
  | 'unauthorized'
  | 'forbidden'
  | 'suspended'

interface SentMessage {
  account: string
  channel: 'sms' | 'email'
  to: string
  subject: string
  text: string
  attachments: string[]
  /** The call's whole body. */
  sent: Record<string, unknown>
  at: Millis
}

/** A record created or changed by a call. */
interface Written {
  account: string
  object: string
  uuid: string
  fields: Record<string, string>
  at: Millis
}

/** Wraps one exchange: `reach` performs it at the platform. The wrapper may never resolve, as in a killed process. */
export type Around = <T>(exchange: Exchange, reach: () => Promise<T>) => Promise<T>

export interface PlatformInProcess {
  /** The platform's API for one process. */
  connect(around?: Around): CallAsAccount
  /** The platform's API for one account. */
  apiOf(account: string, around?: Around): PlatformApi
  /** The adapter whose calls all go to one account: for tests that wrap it themselves. */
  adapterOf(account: string, around?: Around): ServiceM8Api
  /** The sandbox's state of an account; created on first use. */
  account(uuid: string): AccountState
  /** By account and object, then by uuid. */
  records(account: string, object: string): Map<string, SandboxRecord>
  put(account: string, object: string, record: Record<string, unknown> & { uuid: string }): void
  /** An attachment with its bytes. */
  putFile(account: string, uuid: string): void
  messages: SentMessage[]
  /** Every record created by a call, in order; a duplicate is listed twice. */
  made: Written[]
  /** Every change made by a call. */
  changed: Written[]
  exchanges: Exchange[]
  /** Decides the outcome of the next exchanges; default: all succeed. The adapter reads the answer as this failure. */
  fate: (exchange: Exchange) => Fate | PlatformFailure
  /** Whether the challenge at this address is echoed. Called while the subscribe call is held open. */
  challenge: (callbackUrl: string) => Promise<boolean>
}

const LATE_MS = 30_000
/** Call and message limits are covered by another test. */
const NO_LIMITS: Partial<AccountOptions> = {
  perMinute: 1e9,
  perDay: 1e9,
  messagesPerMinute: 1e9,
  messagesPerDay: 1e9,
}
const RETRIES_NOTHING = AbortSignal.abort()

export function platformInProcess(clock: Clock): PlatformInProcess {
  const poster: Poster = {
    async post(url, { body }) {
      const challenge = new URLSearchParams(body).get('challenge') ?? ''
      const echoed = challenge === '' || (await platform.challenge(url))
      return { status: echoed ? 200 : 404, error: '', answer: challenge, contentType: 'text/plain', location: '' }
    },
    stop: async () => undefined,
  }
  const { stage, wire } = openPlatform(
    {
      clock: { ...clock, advance: () => undefined, offset: () => 0 },
      origin: TEST_SETTINGS.origin,
      appId: 'app-1',
      appSecret: 'the-secret-of-the-add-on-in-a-test',
      stateFile: null,
      log: QUIET,
    },
    [],
    poster,
  )
  const { accounts } = stage.state
  const tokens = new Map<string, { value: string; endsAt: Millis }>()

  function account(uuid: string): AccountState {
    const known = accounts.get(uuid)
    if (known) return known
    const vendor = { uuid, name: 'Leeds Electrical', timezone_name: 'Europe/London', currency: 'GBP' }
    const made = newAccount({ vendor, records: {}, options: NO_LIMITS }, clock.now())
    accounts.set(uuid, made)
    return made
  }

  function records(uuid: string, object: string): Map<string, SandboxRecord> {
    const tables = account(uuid).records
    const table = tables.get(object) ?? new Map<string, SandboxRecord>()
    tables.set(object, table)
    return table
  }

  function tokenOf(uuid: string): string {
    const known = tokens.get(uuid)
    if (known && known.endsAt > clock.now()) return known.value
    const granted = issueGrant(stage, account(uuid), [...SCOPES].join(' '))
    tokens.set(uuid, { value: granted.access_token, endsAt: clock.now() + Number(granted.expires_in) * 1000 })
    return granted.access_token
  }

  const platform: PlatformInProcess = {
    account,
    records,
    put: (uuid, object, record) => void records(uuid, object).set(record.uuid, { active: 1, ...record }),
    putFile(uuid, file) {
      platform.put(uuid, 'attachment', { uuid: file, attachment_name: 'Invoice.pdf', file_type: '.pdf' })
      storeFile(stage, account(uuid), file, Buffer.from(`the bytes of ${file}`))
    },
    messages: [],
    made: [],
    changed: [],
    exchanges: [],
    fate: () => 'well',
    challenge: async () => true,
    apiOf: adapterOf,
    adapterOf,
    connect(around) {
      const apis = new Map<string, PlatformApi>()
      return async (uuid, call) => {
        const api = apis.get(uuid) ?? adapterOf(uuid, around)
        apis.set(uuid, api)
        return call(api, 'access-token')
      }
    },
  }

  function adapterOf(uuid: string, around: Around = (_exchange, reach) => reach()): ServiceM8Api {
    const reached = async (asked: Dispatcher.DispatchOptions): Promise<Answer | Error> => {
      const exchange = readExchange(asked, uuid, platform.exchanges.length)
      platform.exchanges.push(exchange)
      return around(exchange, () => happen(platform.fate(exchange), () => arrive(asked, exchange)))
    }
    return createServiceM8Api({
      apiUrl: stage.baseUrl,
      clock,
      log: QUIET,
      dispatcher: withoutSocket(reached, () => void stayBusy(clock)),
      // Real time would pass between two reads.
      signal: RETRIES_NOTHING,
    })
  }

  async function happen(fate: Fate | PlatformFailure, reach: () => Promise<Answer>): Promise<Answer | Error> {
    switch (fate) {
      case 'well':
        return reach()
      case 'not_reached':
        return failed('ECONNREFUSED')
      case 'answer_lost':
        await reach()
        return failed('UND_ERR_SOCKET')
      case 'done_late':
        clock.wake(clock.now() + LATE_MS, () => void reach())
        return failed('UND_ERR_SOCKET')
      case 'broken':
        return answerOf({ outcome: 'unavailable', status: 500, message: 'Internal error' }, clock.now())
      case 'too_many':
        return fault(429, { 'retry-after': '20' })
      case 'unauthorized':
        return fault(401)
      case 'forbidden':
        return jsonAnswer(403, { message: 'insufficient_scope: publish_sms scope required' })
      case 'suspended':
        return fault(402)
      default:
        return answerOf(fate, clock.now())
    }
  }

  async function arrive(asked: Dispatcher.DispatchOptions, exchange: Exchange): Promise<Answer> {
    const url = new URL(asked.path, stage.baseUrl)
    const answer = await wire.call({
      method: asked.method,
      path: url.pathname.slice(WIRE.length),
      rawQuery: url.search.slice(1),
      headers: { ...headersOf(asked), authorization: `Bearer ${tokenOf(exchange.account)}` },
      body: bodyOf(asked),
    })
    if (!answer) throw new Error('an exchange without a socket cannot hang')
    if (answer.status < 300) writeDown(exchange, answer)
    return answer
  }

  function writeDown({ account: uuid, verb, object, sent, ...exchange }: Exchange, answer: Answer): void {
    const at = clock.now()
    const { uuid: _ours, ...given } = sent
    const fields = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]))
    if (verb === 'create') {
      platform.made.push({ account: uuid, object, uuid: answer.headers['x-record-uuid'] ?? '', fields, at })
    }
    if (verb === 'update') platform.changed.push({ account: uuid, object, uuid: exchange.uuid, fields, at })
    if (verb === 'sms' || verb === 'email') {
      const { to = '', subject = '', message = '', textBody = '', htmlBody = '' } = fields
      const text = [message, textBody, htmlBody].find((one) => one !== '') ?? ''
      const attachments = Array.isArray(sent.attachments) ? sent.attachments.map(String) : []
      platform.messages.push({ account: uuid, channel: verb, to, subject, text, attachments, sent, at })
    }
  }

  return platform
}

/** Turns of the event loop in which the client may still be reading an answer. */
const READING_TURNS = 12

/** A stepped clock assumes that all work has ended after some turns without a call of `now`. */
async function stayBusy(clock: Clock): Promise<void> {
  for (let turn = 0; turn < READING_TURNS; turn++) {
    clock.now()
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
  }
}

/** A dispatcher that passes every request to a function: an error is a broken connection. */
function withoutSocket(
  reached: (asked: Dispatcher.DispatchOptions) => Promise<Answer | Error>,
  onAnswer: () => void,
): Dispatcher {
  const controller = {
    // A caller that stops waiting is not notified: a killed process must stay silent.
    abort() {},
    pause() {},
    resume() {},
    aborted: false,
    paused: false,
    reason: null,
  }
  return new Agent().compose(() => (asked, handler) => {
    handler.onRequestStart?.(controller, null)
    const answered = new Promise<Answer | Error>((resolve) => resolve(reached(asked)))
    void answered.then(
      (answer) => {
        onAnswer()
        if (answer instanceof Error) return handler.onResponseError?.(controller, answer)
        handler.onResponseStart?.(controller, answer.status, answer.headers, '')
        handler.onResponseData?.(controller, Buffer.from(answer.body))
        handler.onResponseEnd?.(controller, {})
      },
      (error: Error) => {
        handler.onResponseError?.(controller, error)
        // A mistake of the test, which would look like an outage.
        throw error
      },
    )
    return true
  })
}

const CALLS: readonly (readonly [pattern: RegExp, verb: Verb, object?: string])[] = [
  [/^GET \/api_1\.0\/vendor\.json$/, 'vendor', 'vendor'],
  [/^GET \/api_1\.0\/(\w+)\.json(?:\?|$)/, 'list'],
  [/^GET \/api_1\.0\/(\w+)\/([^/]+)\.json$/, 'read'],
  [/^POST \/api_1\.0\/(\w+)\.json$/, 'create'],
  [/^POST \/api_1\.0\/(\w+)\/([^/]+)\.json$/, 'update'],
  [/^DELETE \/api_1\.0\/(\w+)\/([^/]+)\.json$/, 'remove'],
  [/^POST \/api_1\.0\/(\w+)\/([^/]+)\.file$/, 'upload'],
  [/^GET \/api_1\.0\/(\w+)\/([^/]+)\.file$/, 'file'],
  [/^POST \/platform_service_sms$/, 'sms', 'sms'],
  [/^POST \/platform_service_email$/, 'email', 'email'],
  [/^POST \/platform_produce_document$/, 'document', 'document'],
  [/^POST \/unverified_feed$/, 'create', 'feed'],
  [/^POST \/webhook_subscriptions\/object$/, 'subscribe'],
  [/^GET \/webhook_subscriptions\?/, 'subscriptions', 'subscriptions'],
  [/^DELETE \/webhook_subscriptions\/()([^/]+)$/, 'unsubscribe'],
]

function readExchange(asked: Dispatcher.DispatchOptions, account: string, number: number): Exchange {
  const path = asked.path.slice(WIRE.length)
  const sent = sentBy(asked)
  for (const [pattern, verb, named] of CALLS) {
    const found = pattern.exec(`${asked.method} ${path}`)
    if (!found) continue
    const object = named ?? (found[1] || String(sent.object ?? '')).replace(/^dbo/, '')
    const query = new URLSearchParams(path.split('?')[1])
    return { number, account, verb, object, uuid: found[2] ?? '', query, sent }
  }
  throw new Error(`no such call of the adapter is known: ${asked.method} ${path}`)
}

function sentBy(asked: Dispatcher.DispatchOptions): Record<string, unknown> {
  if (typeof asked.body !== 'string') return {}
  if (headersOf(asked)['content-type'] !== 'application/json')
    return Object.fromEntries(new URLSearchParams(asked.body))
  const read = parseJson(asked.body)
  return isRecord(read) ? read : {}
}

/** The adapter's own headers are a plain object with lower-case names. */
const headersOf = (asked: Dispatcher.DispatchOptions) => asked.headers as Record<string, string>

const bodyOf = ({ body }: Dispatcher.DispatchOptions): Uint8Array =>
  body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : '')

const failed = (code: string): Error => Object.assign(new Error(code), { code })

function fault(status: number, headers: Record<string, string> = {}): Answer {
  const { contentType, body } = faultBody(status)
  return { status, headers: { 'content-type': contentType, ...headers }, body }
}

/** The platform's answer that the adapter reads as this failure. */
function answerOf(failure: PlatformFailure, now: Millis): Answer | Error {
  const { status, message } = failure
  if (status === null) return failed('undone' in failure ? 'ECONNREFUSED' : 'UND_ERR_HEADERS_TIMEOUT')
  if (failure.outcome === 'rate_limited') {
    return textAnswer(429, message, { 'retry-after': String(Math.max(0, Math.round((failure.retryAt - now) / 1000))) })
  }
  // In its own JSON the platform says that nothing was done; a proxy in front of it cannot know that.
  const isOpen = failure.outcome === 'unavailable' && !failure.undone
  return isOpen ? textAnswer(status, message) : jsonAnswer(status, { errorCode: status, message })
}
