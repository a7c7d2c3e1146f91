// For webhook use cases: two accounts, a real database file, a stopped clock, and the sandbox's platform in process.
import type { OutboundProbe } from '#app/adapters/outbound/outbound.ts'
import type { PlatformFailure } from '#app/adapters/platform.ts'
import type { App } from '#app/context/app-context.ts'
import { AMPLE_SPACE } from '#app/domain/space.ts'
import { neededFields } from '#app/features/automations/rules/triggers.ts'
import { chooseEndpoints } from '#app/features/events/fan-out.ts'
import { beginPolling } from '#app/features/events/poll-objects.server.ts'
import { type FixedClock, fixedClock } from '#app/lib/clocks.server.ts'
import { hours } from '#app/lib/duration.ts'
import { hashToken } from '#app/lib/token.server.ts'
import type { Client } from '#db/sqlite/client.server.ts'
import type { SubscriptionView } from '#sandbox/world.ts'
import { type Around, type Exchange, type PlatformInProcess, platformInProcess } from './platform-in-process.server.ts'
import { QUIET, TEST_SETTINGS, testApp } from './test-app.server.ts'

export type { SubscriptionView }

export const LEEDS = 'aaaaaaaa-0000-4000-8000-000000000001'
export const BRISBANE = 'bbbbbbbb-0000-4000-8000-000000000002'
export const ORIGIN = TEST_SETTINGS.origin

/** The parts that webhook use cases use; others are missing. */
type WorldApp = Pick<
  App,
  | 'store'
  | 'clock'
  | 'log'
  | 'settings'
  | 'secrets'
  | 'outbound'
  | 'callAsAccount'
  | 'acceptPolled'
  | 'beginPolling'
  | 'fieldsOfRule'
  | 'wakeDeliveries'
  | 'space'
>

/** No answer to a subscribe call, which has the longest timeout. */
export const HANGS: PlatformFailure = {
  outcome: 'unavailable',
  status: null,
  message: 'ServiceM8 did not answer within 25 seconds.',
}

/** The platform with a log of the use cases' calls. */
interface AskedPlatform extends PlatformInProcess {
  /** In order: `subscribe job`, `list`, `delete <uuid>`, `page jobcontact`, `read job <uuid>`, `vendor`, `email <to>`. */
  asked: string[]
  /** Fields to watch, per subscribe call. */
  askedFields: string[][]
  /** Filters of the list calls. */
  askedFilters: string[]
  /** Failures for the next calls of that kind, one after the other. */
  failures: Record<'subscribe' | 'list' | 'remove' | 'page' | 'read' | 'vendor' | 'email', PlatformFailure[]>
  /** Subscriptions of every account, including inactive ones. */
  listed(): SubscriptionView[]
  /** Empties the lists from now on. */
  forgetSubscriptions(): void
  /** Runs while a call is held open. */
  before: (exchange: Exchange) => Promise<void> | void
  /** Runs after the call is performed, before the caller has its answer. */
  after: (exchange: Exchange) => void
}

export interface WebhookWorld {
  app: WorldApp
  client: Client
  clock: FixedClock
  platform: AskedPlatform
  /** Accounts without credentials answer `not_connected`. */
  connected: Set<string>
  /** Verdict of the outbound guard per address; others are allowed. */
  addresses: Map<string, Awaited<ReturnType<App['outbound']['check']>>>
  /** Results of the next probes of an address, in order; by default all is well. */
  probes: Map<string, OutboundProbe[]>
  /** Probed addresses, in order. */
  probed: string[]
  woken: number[]
  close(): void
}

/** Call `close` when the test is over. The clock stands at Mon 5 Jan 2026, 09:00 UTC. */
export async function openWebhookWorld(): Promise<WebhookWorld> {
  const clock = fixedClock()
  const base = testApp(clock, { adminAccounts: new Set([LEEDS]), version: '0.0.0' })
  const { client, close } = base
  const { store } = base.app
  const { platform, callAsAccount } = askedPlatform(clock)
  const connected = new Set([LEEDS, BRISBANE])
  const addresses: WebhookWorld['addresses'] = new Map()
  const probes: WebhookWorld['probes'] = new Map()
  const probed: string[] = []
  const woken: number[] = []
  // Like the real challenge: only an address with a stored, active token is echoed.
  platform.challenge = async (callbackUrl) => {
    const ingress = await store.events.findIngress(hashToken(callbackUrl.slice(`${ORIGIN}/hooks/platform/`.length)))
    return ingress !== null && ingress.state !== 'deleted'
  }
  const app: WorldApp = {
    ...base.app,
    log: QUIET,
    outbound: {
      check: async (url) => addresses.get(url) ?? { verdict: 'allowed' },
      post: () => Promise.reject(new Error('webhook use cases send no event themselves')),
      async probe({ url }) {
        probed.push(url)
        return probes.get(url)?.shift() ?? seenWell()
      },
      knock: async () => false,
      close: async () => undefined,
    },
    callAsAccount: async (accountUuid, call) =>
      connected.has(accountUuid)
        ? callAsAccount(accountUuid, call)
        : { outcome: 'not_connected', message: 'No authentication credentials found' },
    acceptPolled: (take) =>
      store.records.takeInPolled(take, {
        choose: chooseEndpoints,
        limit: { deliveries: 50_000, bytes: 50_000_000 },
        retryFor: hours(72),
        stoppedReason: 'stopped',
      }),
    beginPolling: (accountUuid, object) => beginPolling(app, accountUuid, object),
    fieldsOfRule: neededFields,
    wakeDeliveries: (endpointId) => woken.push(endpointId),
    space: AMPLE_SPACE,
  }
  await store.accounts.ensureAccount({ uuid: LEEDS, name: 'Leeds Electrical', timezone: 'Europe/London' })
  await store.accounts.ensureAccount({ uuid: BRISBANE, name: 'Brisbane Plumbing', timezone: 'Australia/Brisbane' })
  return {
    app,
    client,
    clock,
    platform,
    connected,
    addresses,
    probes,
    probed,
    woken,
    close,
  }
}

const ACCOUNTS = [LEEDS, BRISBANE]

/** How a call is logged, and which failures apply to it. */
const ASKED: Partial<
  Record<Exchange['verb'], [kind: keyof AskedPlatform['failures'], words: (of: Exchange) => string]>
> = {
  subscribe: ['subscribe', ({ object }) => `subscribe ${object}`],
  subscriptions: ['list', () => 'list'],
  unsubscribe: ['remove', ({ uuid }) => `delete ${uuid}`],
  list: ['page', ({ object }) => `page ${object}`],
  read: ['read', ({ object, uuid }) => `read ${object} ${uuid}`],
  vendor: ['vendor', () => 'vendor'],
  email: ['email', ({ sent }) => `email ${String(sent.to)}`],
}

function askedPlatform(clock: FixedClock) {
  const base = platformInProcess(clock)
  const platform: AskedPlatform = Object.assign(base, {
    asked: [],
    askedFields: [],
    askedFilters: [],
    failures: { subscribe: [], list: [], remove: [], page: [], read: [], vendor: [], email: [] },
    listed: () => ACCOUNTS.flatMap((uuid) => base.account(uuid).subscriptions),
    forgetSubscriptions() {
      for (const uuid of ACCOUNTS) base.account(uuid).subscriptions = []
    },
    before: () => undefined,
    after: () => undefined,
  })
  for (const uuid of ACCOUNTS) {
    base.put(uuid, 'vendor', {
      uuid,
      name: 'Leeds Electrical',
      timezone_name: 'Europe/London',
      email: 'office@leeds.example',
    })
  }
  // An admin may watch objects outside our catalogue.
  for (const uuid of ACCOUNTS) base.account(uuid).options.undocumentedWebhooks = ['staff', 'queue']
  base.fate = ({ verb }) => platform.failures[askedAs(verb).kind].shift() ?? 'well'
  const around: Around = async (exchange, reach) => {
    const { verb, sent, query } = exchange
    if (verb === 'subscribe') platform.askedFields.push(String(sent.fields).split(','))
    if (verb === 'list') platform.askedFilters.push(query.get('$filter') ?? '')
    platform.asked.push(askedAs(verb).words(exchange))
    await platform.before(exchange)
    const answer = await reach()
    platform.after(exchange)
    return answer
  }
  return { platform, callAsAccount: base.connect(around) }
}

function askedAs(verb: Exchange['verb']) {
  const found = ASKED[verb]
  if (!found) throw new Error(`webhook use cases ask for no ${verb}`)
  return { kind: found[0], words: found[1] }
}

/** The result of a successful probe; `over` overrides it. */
export function seenWell(over: Partial<OutboundProbe> = {}): OutboundProbe {
  const timing = { totalMs: 90, dnsMs: 10, connectMs: 20, tlsMs: 30, firstByteMs: 30 }
  const answer = { headers: {}, body: '', bodyTruncated: false, peerIp: '203.0.113.9', timing }
  return {
    result: { outcome: 'response', status: 204, ...answer },
    endedAt: 'answer',
    secure: true,
    literal: false,
    certificate: { validUntil: Date.UTC(2026, 2, 1), issuer: "Let's Encrypt" },
    ...over,
  }
}

/** A forwarding rule in the store; the platform is not asked. */
export function saveRule({ app, clock }: WebhookWorld, account: string, name: string) {
  return app.store.endpoints.saveEndpoint(account, {
    kind: 'extra',
    name,
    objectType: 'job',
    url: 'https://example.com/in',
    fieldFilter: '',
    active: true,
    secretSealed: 'sealed-secret',
    subscription: null,
    at: clock.now(),
  })
}
