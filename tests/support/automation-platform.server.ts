// A platform in memory for runs: records, messages, files; exchanges that lose their answer, answer late, refuse or are too many;
// and a log of everything that ever reached anybody, so that nothing can be sent twice unseen.
import { randomUUID } from 'node:crypto'
import type {
  CallAsAccount,
  PlatformApi,
  PlatformFailure,
  PlatformRecord,
  PlatformResult,
} from '#app/adapters/platform.ts'
import { localStamp } from '#app/domain/local-time.ts'
import type { Clock, Millis } from '#app/lib/clock.ts'
import { wallAt } from '#app/lib/zone.ts'

export interface Exchange {
  /** Counts from 0. */
  number: number
  account: string
  verb: 'list' | 'read' | 'create' | 'update' | 'remove' | 'sms' | 'email' | 'document' | 'upload' | 'vendor' | 'file'
  object: string
}

/** What becomes of an exchange. */
export type Fate =
  | 'well'
  /** No connection: certainly not done. */
  | 'not_reached'
  /** 500 before anything was done, and nobody can know that. */
  | 'broken'
  /** Done, and the answer is lost. */
  | 'answer_lost'
  /** The answer is lost, and it is done half a minute later. */
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
  at: Millis
}

export interface AutomationPlatform {
  /** The platform as one process reaches it: what it asks goes through `around`, which may never come back. */
  connect(around?: Around): CallAsAccount
  /** The same without tokens: what one account can ask. */
  apiOf(account: string, around: Around): PlatformApi
  /** By account and object, then by uuid. */
  records(account: string, object: string): Map<string, PlatformRecord>
  put(account: string, object: string, record: PlatformRecord & { uuid: string }): void
  messages: SentMessage[]
  /** Every record that was made by a call, in order; one that came twice stands here twice. */
  made: { account: string; object: string; uuid: string; fields: Record<string, string>; at: Millis }[]
  /** Every change made by a call. */
  changed: { account: string; object: string; uuid: string; fields: Record<string, string>; at: Millis }[]
  exchanges: Exchange[]
  /** Decides over the next exchanges; default: all go well. */
  fate: (exchange: Exchange) => Fate
}

/** Wraps one exchange: `reach` does it at the platform. */
export type Around = <T>(exchange: Exchange, reach: () => Promise<T>) => Promise<T>

const LATE_MS = 30_000

export function automationPlatform(clock: Clock): AutomationPlatform {
  const store = new Map<string, Map<string, PlatformRecord>>()
  let jobs = 1000

  function records(account: string, object: string): Map<string, PlatformRecord> {
    const key = `${account}|${object}`
    const known = store.get(key)
    if (known) return known
    const made = new Map<string, PlatformRecord>()
    store.set(key, made)
    return made
  }

  const platform: AutomationPlatform = {
    records,
    apiOf,
    put(account, object, record) {
      records(account, object).set(record.uuid, { active: 1, ...record })
    },
    messages: [],
    made: [],
    changed: [],
    exchanges: [],
    fate: () => 'well',
    connect(around = (_exchange, reach) => reach()) {
      return async (account, call) => call(apiOf(account, around), 'access-token')
    },
  }

  function apiOf(account: string, around: Around): PlatformApi {
    async function exchange<T>(
      verb: Exchange['verb'],
      object: string,
      reach: () => PlatformResult<T>,
    ): Promise<PlatformResult<T>> {
      const asked: Exchange = { number: platform.exchanges.length, account, verb, object }
      platform.exchanges.push(asked)
      return around(asked, async () => happen(platform.fate(asked), reach))
    }

    function happen<T>(fate: Fate, reach: () => PlatformResult<T>): PlatformResult<T> {
      switch (fate) {
        case 'well':
          return reach()
        case 'not_reached':
          return { ...unavailable(null, 'No connection.'), undone: true }
        case 'broken':
          return unavailable(500, 'Internal error')
        case 'answer_lost':
          reach()
          return unavailable(null, 'No answer in time.')
        case 'done_late':
          clock.wake(clock.now() + LATE_MS, () => void reach())
          return unavailable(null, 'No answer in time.')
        case 'too_many':
          return { outcome: 'rate_limited', status: 429, message: 'Too many', retryAt: clock.now() + 20_000 }
        case 'unauthorized':
          return { outcome: 'unauthorized', status: 401, message: 'Authorization Required' }
        case 'forbidden':
          return { outcome: 'forbidden', status: 403, message: 'insufficient_scope: publish_sms scope required' }
        case 'suspended':
          return { outcome: 'suspended', status: 402, message: 'Account suspended' }
      }
    }

    const ok = <T>(value: T): PlatformResult<T> => ({ outcome: 'ok', value })
    const find = (object: string, filter: string | undefined) =>
      [...records(account, object).values()].filter((record) => fits(record, filter)).map((record) => ({ ...record }))

    const api: PlatformApi = {
      vendor: () =>
        exchange('vendor', 'vendor', () =>
          ok({ uuid: account, name: 'Leeds Electrical', timezone: 'Europe/London', email: 'office@example.test' }),
        ),
      list: (_token, object, { filter, limit } = {}) =>
        exchange('list', object, () => ok(find(object, filter).slice(0, limit ?? Number.POSITIVE_INFINITY))),
      listPage: (_token, object, { filter } = {}) =>
        exchange('list', object, () => ok({ records: find(object, filter), next: null })),
      read: (_token, object, uuid) =>
        exchange('read', object, () => {
          const record = records(account, object).get(uuid)
          return record ? ok({ ...record }) : notFound()
        }),
      create: (_token, object, fields, input = {}) =>
        exchange('create', object, () => {
          const uuid = input.uuid ?? randomUUID()
          const own = records(account, object)
          if (own.has(uuid)) return { outcome: 'refused', status: 409, message: 'uuid already exists' }
          const number = object === 'job' ? { generated_job_id: String(++jobs) } : {}
          own.set(uuid, { active: 1, ...number, ...fields, uuid })
          platform.made.push({ account, object, uuid, fields: { ...fields }, at: clock.now() })
          return ok({ uuid })
        }),
      update: (_token, object, uuid, fields) =>
        exchange('update', object, () => {
          const record = records(account, object).get(uuid)
          if (!record) return notFound()
          Object.assign(record, fields)
          platform.changed.push({ account, object, uuid, fields: { ...fields }, at: clock.now() })
          return ok(null)
        }),
      remove: (_token, object, uuid) =>
        exchange('remove', object, () => {
          const record = records(account, object).get(uuid)
          if (!record) return notFound()
          record.active = 0
          return ok(null)
        }),
      sendSms: (_token, { to, message }) =>
        exchange('sms', 'sms', () => {
          platform.messages.push({
            account,
            channel: 'sms',
            to,
            subject: '',
            text: message,
            attachments: [],
            at: clock.now(),
          })
          return ok({ messageId: `sms-${platform.messages.length}` })
        }),
      sendEmail: (_token, { to, subject, textBody = '', htmlBody = '', attachmentUuids = [] }) =>
        exchange('email', 'email', () => {
          const text = textBody === '' ? htmlBody : textBody
          const attachments = [...attachmentUuids]
          platform.messages.push({ account, channel: 'email', to, subject, text, attachments, at: clock.now() })
          return ok({ messageId: `email-${platform.messages.length}` })
        }),
      produceDocument: (_token, { objectUuid, outputFormat, storeToDiary }) =>
        exchange('document', 'document', () => {
          // The platform's own copy, under an id that the caller is not told.
          if (storeToDiary) {
            const uuid = randomUUID()
            const timestamp = localStamp(wallAt(clock.now(), 'UTC'))
            const fields = { related_object_uuid: objectUuid, file_type: `.${outputFormat}`, timestamp }
            records(account, 'attachment').set(uuid, { active: 1, ...fields, uuid })
          }
          return ok({ bytes: new TextEncoder().encode(`%PDF ${objectUuid}`), mediaType: 'application/pdf' })
        }),
      uploadFile: (_token, file) =>
        exchange('upload', 'attachment', () => {
          const uuid = file.uuid ?? randomUUID()
          const own = records(account, 'attachment')
          const fields = { attachment_name: file.name, related_object_uuid: file.relatedObjectUuid }
          if (!own.has(uuid)) platform.made.push({ account, object: 'attachment', uuid, fields, at: clock.now() })
          own.set(uuid, { active: 1, ...fields, uuid })
          return ok({ uuid })
        }),
      fileAddress: (_token, uuid) =>
        exchange('file', 'attachment', () =>
          records(account, 'attachment').has(uuid) ? ok({ url: `https://files.example.test/${uuid}` }) : notFound(),
        ),
      postToFeed: () => exchange('create', 'feed', () => ok(null)),
      subscribeObject: () => Promise.reject(new Error('runs subscribe to nothing')),
      listSubscriptions: () => Promise.reject(new Error('runs ask for no subscriptions')),
      deleteSubscription: () => Promise.reject(new Error('runs delete no subscriptions')),
    }
    return api
  }

  return platform
}

function unavailable(status: number | null, message: string): PlatformFailure & { outcome: 'unavailable' } {
  return { outcome: 'unavailable', status, message }
}

function notFound(): PlatformFailure {
  return { outcome: 'refused', status: 404, message: 'Record not found' }
}

/** The platform's filter, as far as it is used: clauses joined by `and`. */
function fits(record: PlatformRecord, filter: string | undefined): boolean {
  if (filter === undefined) return true
  return filter.split(' and ').every((clause) => {
    const [, field = '', operator, wanted = ''] = /^(\w+) (eq|ne|gt|lt) '?(.*?)'?$/.exec(clause.trim()) ?? []
    const value = String(record[field] ?? '')
    if (operator === 'eq') return value === wanted
    if (operator === 'ne') return value !== wanted
    if (operator === 'gt') return value > wanted
    return operator === 'lt' && value < wanted
  })
}
