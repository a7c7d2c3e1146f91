// The platform's webhook subscriptions in memory, with the challenge inside the subscribe call as on the real one, and
// every way to fail on demand. It remembers what it was asked.
import type {
  PlatformApi,
  PlatformEmail,
  PlatformFailure,
  PlatformRecord,
  RemoteSubscription,
} from '#app/adapters/platform.ts'
import { NO_WRITES } from './no-writes.ts'

export interface MemoryPlatform {
  api: PlatformApi
  /** What its own list shows, inactive ones included. */
  listed: RemoteSubscription[]
  /** Records of its lists, by object. Only `edit_date gt '…'` is understood as a filter. */
  records: Record<string, PlatformRecord[]>
  /** Of a page. */
  pageSize: number
  /** Told when a page was read, before the caller gets it. */
  onPage: () => void
  /** Filters of the lists it was asked for. */
  askedFilters: string[]
  /** In order: `subscribe job`, `list`, `delete <uuid>`, `page jobcontact`. */
  asked: string[]
  /** Fields it was asked to watch, per subscribe call. */
  askedFields: string[][]
  /** What the next calls of that kind answer instead, one after the other. */
  failures: {
    subscribe: PlatformFailure[]
    list: PlatformFailure[]
    remove: PlatformFailure[]
    page: PlatformFailure[]
    vendor: PlatformFailure[]
    email: PlatformFailure[]
  }
  /** Of the account; '' = it has none. */
  vendorEmail: string
  /** Those that were sent. */
  emails: PlatformEmail[]
  /** Called while a send call is held open. */
  onEmail: (email: PlatformEmail) => Promise<void>
  /** Fields it refuses, without saying which. */
  unknownFields: Set<string>
  /** Objects it refuses in this spelling. */
  unknownObjects: Set<string>
  /** `beside` = one per callback address (new behaviour); `replaces` = one per object (old behaviour). */
  behaviour: 'beside' | 'replaces'
  /** Is the challenge at this address echoed? Called while the subscribe call is held open. */
  challenge: (callbackUrl: string) => Promise<boolean>
  /** Told when a subscription stands, before the caller gets its answer. */
  onSubscribed: () => void
}

export const HANGS: PlatformFailure = {
  outcome: 'unavailable',
  status: null,
  message: 'ServiceM8 did not answer within 25 seconds.',
}

export function memoryPlatform(): MemoryPlatform {
  let made = 0
  const platform: MemoryPlatform = {
    listed: [],
    asked: [],
    askedFields: [],
    failures: { subscribe: [], list: [], remove: [], page: [], vendor: [], email: [] },
    vendorEmail: 'office@leeds.example',
    emails: [],
    onEmail: async () => undefined,
    records: {},
    pageSize: 5000,
    onPage: () => undefined,
    askedFilters: [],
    unknownFields: new Set(),
    unknownObjects: new Set(),
    behaviour: 'beside',
    challenge: async () => true,
    onSubscribed: () => undefined,
    api: {
      ...NO_WRITES,
      async subscribeObject(_token, { object, fields, callbackUrl }) {
        platform.asked.push(`subscribe ${object}`)
        platform.askedFields.push([...fields])
        const failure = platform.failures.subscribe.shift()
        if (failure) return failure
        if (platform.unknownObjects.has(object)) return refused(`Object ${object} does not support subscription`)
        if (fields.length === 0 || fields.some((field) => platform.unknownFields.has(field))) {
          return refused('"" is not a valid field for subscription')
        }
        if (!(await platform.challenge(callbackUrl))) return refused('Challenge failed')
        const subject = object.toLowerCase().replaceAll('_', '')
        const known = platform.listed.find((one) =>
          platform.behaviour === 'beside'
            ? one.subject === subject && one.callbackUrl === callbackUrl
            : one.subject === subject,
        )
        const entry = { callbackUrl, fields: [...fields], active: true, lastFailureReason: null, lastFailureAt: null }
        if (known) Object.assign(known, entry)
        else platform.listed.push({ uuid: `remote-${++made}`, kind: 'object', subject, ...entry })
        platform.onSubscribed()
        return { outcome: 'ok', value: null }
      },
      async listSubscriptions() {
        platform.asked.push('list')
        const failure = platform.failures.list.shift()
        return failure ?? { outcome: 'ok', value: structuredClone(platform.listed) }
      },
      async deleteSubscription(_token, uuid) {
        platform.asked.push(`delete ${uuid}`)
        const failure = platform.failures.remove.shift()
        if (failure) return failure
        const entry = platform.listed.find((one) => one.uuid === uuid && one.active)
        if (!entry) return { outcome: 'refused', status: 404, message: 'No matching webhook found' }
        // Deleted ones stay listed as inactive, without a reason.
        entry.active = false
        return { outcome: 'ok', value: null }
      },
      async vendor() {
        platform.asked.push('vendor')
        const failure = platform.failures.vendor.shift()
        if (failure) return failure
        const vendor = { uuid: 'vendor-1', name: 'Leeds Electrical', timezone: 'Europe/London' }
        return { outcome: 'ok', value: { ...vendor, email: platform.vendorEmail } }
      },
      async sendEmail(_token, email) {
        platform.asked.push(`email ${email.to}`)
        await platform.onEmail(email)
        const failure = platform.failures.email.shift()
        if (failure) return failure
        platform.emails.push(email)
        return { outcome: 'ok', value: { messageId: `message-${platform.emails.length}` } }
      },
      async listPage(_token, object, { filter = '', cursor } = {}) {
        platform.asked.push(`page ${object}`)
        platform.askedFilters.push(filter)
        const failure = platform.failures.page.shift()
        if (failure) return failure
        const after = /^edit_date gt '([^']*)'$/.exec(filter)?.[1]
        if (filter !== '' && after === undefined) return refused(`Invalid filter near "${filter}"`)
        const rows = (platform.records[object] ?? []).filter((row) => String(row.edit_date) > (after ?? ''))
        const from = cursor === undefined ? 0 : rows.findIndex((row) => row.uuid === cursor) + 1
        const records = structuredClone(rows.slice(from, from + platform.pageSize))
        const next = from + platform.pageSize < rows.length ? String(records.at(-1)?.uuid) : null
        platform.onPage()
        return { outcome: 'ok', value: { records, next } }
      },
      list: () => Promise.reject(new Error('not asked by webhooks')),
      read: () => Promise.reject(new Error('not asked by webhooks')),
    },
  }
  return platform
}

function refused(message: string): PlatformFailure {
  return { outcome: 'refused', status: 400, message }
}
