// Reads for looking at a rule before it is switched on: with the priority of a screen, each answer cached for a minute,
// so typing asks the platform once, and without any way to write.
import type { CallAsAccount, PlatformApi, PlatformRecord, PlatformResult } from '#app/adapters/platform.ts'
import type { App } from '#app/context/app-context.ts'
import type { Clock, Millis } from '#app/lib/clock.ts'
import { minutes } from '#app/lib/duration.ts'
import { createFactCache, type FactCache } from './fact-cache.server.ts'
import type { Values } from './fact-rows.ts'
import { createFactLoader, type FactLoader, type PlanReader } from './load-facts.server.ts'

export interface Reads {
  callAsAccount: CallAsAccount
  facts: FactLoader & PlanReader
}

const FRESH_FOR = minutes(1)
/** Records of all answers together, about 4 KB each; the oldest answers are dropped first. */
const MOST_RECORDS = 20_000

interface Kept {
  account: string
  /** `list job …`, `read job …`. */
  object: string
  until: Millis
  records: PlatformRecord[]
}

interface Memory {
  answers: Map<string, Kept>
  underWay: Map<string, Promise<PlatformResult<PlatformRecord[]>>>
  weight: number
  facts: FactCache<Values[]>
}

const memories = new WeakMap<object, Memory>()

/**
 * `most` = the calls to the platform that this preview may make; cached answers do not count. After that every call
 * returns `rate_limited`, which plans report as "cannot be said now".
 */
export function rememberedReads(
  app: Pick<App, 'callAsAccount' | 'clock' | 'store'>,
  most: number = Number.POSITIVE_INFINITY,
): Reads {
  const memory = memoryOf(app)
  const budget = { left: most }
  const callAsAccount: CallAsAccount = (accountUuid, call, options) =>
    app.callAsAccount(
      accountUuid,
      (api, token) => call(remembering(api, { account: accountUuid, memory, clock: app.clock, budget }), token),
      { ...options, priority: 'screen' },
    )
  return {
    callAsAccount,
    facts: createFactLoader({ callAsAccount, clock: app.clock }, { priority: 'screen', cache: memory.facts }),
  }
}

interface Remembering {
  account: string
  memory: Memory
  clock: Clock
  budget: { left: number }
}

function remembering(api: PlatformApi, { account, memory, clock, budget }: Remembering): PlatformApi {
  async function ask(
    object: string,
    what: string,
    call: () => Promise<PlatformResult<PlatformRecord[]>>,
  ): Promise<PlatformResult<PlatformRecord[]>> {
    const key = `${account}|${object}|${what}`
    const known = memory.answers.get(key)
    if (known && known.until > clock.now()) return { outcome: 'ok', value: known.records }
    const running = memory.underWay.get(key)
    if (running) return running
    if (budget.left <= 0) return spent(clock.now())
    budget.left -= 1
    const asking = call()
      .then((answer) => {
        if (answer.outcome === 'ok')
          keep(memory, key, { account, object, until: clock.now() + FRESH_FOR, records: answer.value })
        return answer
      })
      .finally(() => memory.underWay.delete(key))
    memory.underWay.set(key, asking)
    return asking
  }

  return {
    ...REFUSING,
    vendor: (token) => api.vendor(token),
    list: (token, object, input = {}) =>
      ask(object, `list ${input.filter ?? ''} ${input.limit ?? ''}`, () => api.list(token, object, input)),
    async read(token, object, uuid) {
      const listed = findListed(memory, { account, object, uuid, now: clock.now() })
      if (listed) return { outcome: 'ok', value: listed }
      const answer = await ask(object, `read ${uuid}`, async () => {
        const read = await api.read(token, object, uuid)
        return read.outcome === 'ok' ? { outcome: 'ok', value: [{ ...read.value, uuid }] } : read
      })
      if (answer.outcome !== 'ok') return answer
      const [record] = answer.value
      return record
        ? { outcome: 'ok', value: record }
        : { outcome: 'refused', status: 404, message: 'Record not found' }
    },
  }
}

/** Finds a record in a list that was read within the last minute, to save a read. */
function findListed(
  memory: Memory,
  { account, object, uuid, now }: { account: string; object: string; uuid: string; now: Millis },
): PlatformRecord | null {
  for (const kept of memory.answers.values()) {
    if (kept.account !== account || kept.object !== object || kept.until <= now) continue
    const found = kept.records.find((record) => record.uuid === uuid)
    if (found) return found
  }
  return null
}

function keep(memory: Memory, key: string, kept: Kept): void {
  forget(memory, key)
  memory.answers.set(key, kept)
  memory.weight += kept.records.length + 1
  for (const [oldest, { until }] of memory.answers) {
    if (until > kept.until - FRESH_FOR && memory.weight <= MOST_RECORDS) break
    if (oldest !== key) forget(memory, oldest)
  }
}

function forget(memory: Memory, key: string): void {
  const known = memory.answers.get(key)
  if (!known) return
  memory.answers.delete(key)
  memory.weight -= known.records.length + 1
}

function memoryOf({ store, clock }: Pick<App, 'store' | 'clock'>): Memory {
  const known = memories.get(store)
  if (known) return known
  const made: Memory = {
    answers: new Map(),
    underWay: new Map(),
    weight: 0,
    facts: createFactCache<Values[]>(clock, 40_000),
  }
  memories.set(store, made)
  return made
}

function spent(now: Millis): Extract<PlatformResult<never>, { outcome: 'rate_limited' }> {
  const message = 'This preview needs too many calls to ServiceM8.'
  return { outcome: 'rate_limited', status: 429, message, retryAt: now + FRESH_FOR }
}

/** A preview has no way to write, not even by mistake. */
const refuse = async () =>
  ({ outcome: 'refused', status: 405, message: 'A preview changes nothing.' }) satisfies PlatformResult<never>
const REFUSING: PlatformApi = {
  vendor: refuse,
  subscribeObject: refuse,
  listSubscriptions: refuse,
  deleteSubscription: refuse,
  list: refuse,
  listPage: refuse,
  read: refuse,
  sendEmail: refuse,
  create: refuse,
  update: refuse,
  remove: refuse,
  sendSms: refuse,
  produceDocument: refuse,
  uploadFile: refuse,
  fileAddress: refuse,
  postToFeed: refuse,
}
