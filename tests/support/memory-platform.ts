// The platform's webhook subscriptions in memory, with the challenge inside the subscribe call as on the real one, and
// every way to fail on demand. It remembers what it was asked.
import type { PlatformApi, PlatformFailure, RemoteSubscription } from '#app/adapters/platform.ts'

export interface MemoryPlatform {
  api: PlatformApi
  /** What its own list shows, inactive ones included. */
  listed: RemoteSubscription[]
  /** In order: `subscribe job`, `list`, `delete <uuid>`. */
  asked: string[]
  /** Fields it was asked to watch, per subscribe call. */
  askedFields: string[][]
  /** What the next calls of that kind answer instead, one after the other. */
  failures: { subscribe: PlatformFailure[]; list: PlatformFailure[]; remove: PlatformFailure[] }
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
    failures: { subscribe: [], list: [], remove: [] },
    unknownFields: new Set(),
    unknownObjects: new Set(),
    behaviour: 'beside',
    challenge: async () => true,
    onSubscribed: () => undefined,
    api: {
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
        const entry = { callbackUrl, fields: [...fields], active: true, lastFailureReason: null }
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
      vendor: () => Promise.reject(new Error('not asked by webhooks')),
      list: () => Promise.reject(new Error('not asked by webhooks')),
      read: () => Promise.reject(new Error('not asked by webhooks')),
    },
  }
  return platform
}

function refused(message: string): PlatformFailure {
  return { outcome: 'refused', status: 400, message }
}
