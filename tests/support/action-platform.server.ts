// One account at the platform in process, and the dependencies of a plan and a commit: for tests of actions.
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import { signForward } from '#app/adapters/standard-webhooks.server.ts'
import type { App } from '#app/context/app-context.ts'
import type { ActionType } from '#app/domain/automations/action-parameters.ts'
import type { CommitResult, Effect, Plan, StepResult } from '#app/domain/automations/effect.ts'
import type { ActionParameters } from '#app/domain/automations/rule.ts'
import type { AccountProfile, Committer, PlanContext } from '#app/features/automations/actions/action.server.ts'
import { createCommitter } from '#app/features/automations/actions/commit/commit-effect.server.ts'
import { ACTIONS } from '#app/features/automations/actions/registry.server.ts'
import type { FactPart, RecordFacts } from '#app/features/automations/records/facts.ts'
import { createFactLoader } from '#app/features/automations/records/load-facts.server.ts'
import { type FixedClock, fixedClock } from '#app/lib/clocks.server.ts'
import { type MemoryOutbound, memoryOutbound } from './memory-outbound.ts'
import { type PlatformInProcess, platformInProcess } from './platform-in-process.server.ts'
import { QUIET, TEST_SETTINGS } from './test-app.server.ts'

export const ACCOUNT = 'aaaaaaaa-0000-4000-8000-000000000001'
export const JOB = '10000000-0000-4000-8000-000000000001'
export const OTHER_JOB = '10000000-0000-4000-8000-000000000002'
export const CUSTOMER = '20000000-0000-4000-8000-000000000001'
export const PRIYA = '30000000-0000-4000-8000-000000000001'
export const TOM = '30000000-0000-4000-8000-000000000002'
export const LEFT = '30000000-0000-4000-8000-000000000003'
export const QUEUE = '40000000-0000-4000-8000-000000000001'
export const CARING_QUEUE = '40000000-0000-4000-8000-000000000002'
export const OLD_QUEUE = '40000000-0000-4000-8000-000000000003'
export const HEATING = '50000000-0000-4000-8000-000000000001'
const CLIENT_UUID = 'cccccccc-0000-5000-8000-000000000001'

/** Mon 5 Jan 2026, 09:00 in London. */
const NOW = Date.UTC(2026, 0, 5, 9, 0, 0)

export const PROFILE: AccountProfile = {
  accountUuid: ACCOUNT,
  name: 'Alder & Finch',
  email: 'office@alder.example',
  zone: 'Europe/London',
  currency: 'GBP',
  country: 'GB',
}

type PlannedPlan = Extract<Plan, { outcome: 'planned' }>

export interface ActionWorld {
  platform: PlatformInProcess
  outbound: MemoryOutbound
  clock: FixedClock
  app: Pick<App, 'callAsAccount' | 'clock' | 'log' | 'store' | 'outbound' | 'secrets' | 'settings'>
  facts: ReturnType<typeof createFactLoader>
  committer: Committer
  /** Addresses of the account's webhooks; the first one's secret is used for signing. */
  webhooks: { id: number; url: string; state: string; secret: string; previous?: { secret: string; until: number } }[]
  put(object: string, record: { uuid: string } & Record<string, unknown>): void
  /** Changes fields of an existing record. */
  set(object: string, uuid: string, values: Record<string, unknown>): void
  /** The record as a rule sees it, with every part. */
  record(object?: string, uuid?: string): Promise<RecordFacts>
  plan(type: ActionType, parameters: ActionParameters, more?: Partial<PlanContext>): Promise<Plan>
  planned(type: ActionType, parameters: ActionParameters, more?: Partial<PlanContext>): Promise<PlannedPlan>
  commit(
    effect: Effect,
    more?: { results?: Record<string, StepResult>; siblings?: (StepResult | null)[] },
  ): Promise<CommitResult>
  /** Performs every effect in order; returns how each ended. */
  commitAll(plan: PlannedPlan, results?: Record<string, StepResult>): Promise<CommitResult[]>
  /** `verb object` of each exchange since the last call. */
  asked(): string[]
}

export const EVERY_PART: readonly FactPart[] = [
  'contact',
  'company',
  'company_contact',
  'staff',
  'job',
  'queue',
  'category',
]

export function actionWorld(): ActionWorld {
  const clock = fixedClock(NOW)
  const platform = platformInProcess(clock)
  const outbound = memoryOutbound(clock)
  const secrets = createSecretBox(`k1:${Buffer.alloc(32, 7).toString('base64')}`)
  const webhooks: ActionWorld['webhooks'] = []
  const put: ActionWorld['put'] = (object, record) => platform.put(ACCOUNT, object, record)
  let looked = 0
  const app = {
    callAsAccount: platform.connect(),
    clock,
    log: QUIET,
    outbound,
    secrets,
    settings: { ...TEST_SETTINGS, origin: 'https://fieldhook.test' },
    store: {
      accounts: { findAccount: async () => ({ uuid: ACCOUNT, name: PROFILE.name, timezone: PROFILE.zone }) },
      endpoints: {
        listEndpoints: async () =>
          Promise.all(
            webhooks.map(async ({ id, url, state, secret, previous }) => ({
              kind: 'webhook',
              id,
              endpoint: {
                ...{ id, url, state },
                secretSealed: await secrets.seal(`endpoint|${ACCOUNT}|secret`, secret),
                previousSecretSealed: previous && (await secrets.seal(`endpoint|${ACCOUNT}|secret`, previous.secret)),
                previousSecretUntil: previous?.until ?? null,
              },
            })),
          ),
      },
    },
  } as unknown as ActionWorld['app']
  const facts = createFactLoader(app)
  const committer = createCommitter(app, { sign: signForward })
  seed(put)

  const world: ActionWorld = {
    platform,
    outbound,
    clock,
    app,
    facts,
    committer,
    webhooks,
    put,
    set(object, uuid, values) {
      const record = platform.records(ACCOUNT, object).get(uuid)
      if (!record) throw new Error(`there is no ${object} ${uuid}`)
      Object.assign(record, values)
    },
    async record(object = 'job', uuid = JOB) {
      const loaded = await facts.one(ACCOUNT, object, uuid, EVERY_PART)
      if (loaded.outcome !== 'ok') throw new Error(`the record is not there: ${loaded.outcome}`)
      return loaded.facts
    },
    async plan(type, parameters, more = {}) {
      const records = more.records ?? [await world.record()]
      const step = { id: 's1', type, parameters, waitForPrevious: false }
      const context: PlanContext = {
        now: clock.now(),
        account: PROFILE,
        step,
        records,
        trigger: {},
        results: {},
        order: ['s1'],
        read: facts.reader(ACCOUNT),
        origin: app.settings.origin,
        ...more,
      }
      looked = platform.exchanges.length
      return ACTIONS[type].plan(context)
    },
    async planned(type, parameters, more) {
      const plan = await world.plan(type, parameters, more)
      if (plan.outcome !== 'planned') throw new Error(`not planned: ${JSON.stringify(plan)}`)
      return plan
    },
    commit: (effect, { results = {}, siblings = [] } = {}) =>
      committer.commit(effect, { identity: identity(siblings.length), results, siblings }),
    async commitAll(plan, results = {}) {
      const ended: CommitResult[] = []
      const siblings: (StepResult | null)[] = []
      for (const effect of plan.effects) {
        const one = await world.commit(effect, { results, siblings })
        ended.push(one)
        siblings.push(one.outcome === 'sent' ? one.result : null)
      }
      return ended
    },
    asked() {
      const since = platform.exchanges.slice(looked)
      looked = platform.exchanges.length
      return since.map(({ verb, object }) => `${verb} ${object}`)
    },
  }
  return world
}

export function identity(item: number) {
  return {
    accountUuid: ACCOUNT,
    runId: 1,
    stepId: 's1',
    itemKey: String(item),
    clientUuid: `${CLIENT_UUID.slice(0, -2)}${String(item + 1).padStart(2, '0')}`,
    sendingAt: NOW,
  }
}

export function effectsOf<Kind extends Effect['kind']>(plan: Plan, kind: Kind): Extract<Effect, { kind: Kind }>[] {
  if (plan.outcome !== 'planned') throw new Error(`not planned: ${JSON.stringify(plan)}`)
  return plan.effects.filter((effect): effect is Extract<Effect, { kind: Kind }> => effect.kind === kind)
}

function seed(put: ActionWorld['put']): void {
  put('vendor', {
    uuid: ACCOUNT,
    name: PROFILE.name,
    email: PROFILE.email,
    timezone_name: PROFILE.zone,
    currency: 'GBP',
    default_region: 'United Kingdom',
    invoice_terms: '21 days',
  })
  put('staff', { uuid: PRIYA, first: 'Priya', last: 'Alder', email: 'priya@alder.example', mobile: '07700 900101' })
  put('staff', { uuid: TOM, first: 'Tom', last: 'Finch', email: 'tom@alder.example', mobile: '+447700900102' })
  put('staff', { uuid: LEFT, first: 'Rob', last: 'Tilley', email: 'rob@alder.example', mobile: '', active: 0 })
  put('queue', { uuid: QUEUE, name: 'Waiting for parts', default_timeframe: 7, requires_assignment: 0 })
  put('queue', { uuid: CARING_QUEUE, name: 'To be booked', default_timeframe: '3', requires_assignment: '1' })
  put('queue', { uuid: OLD_QUEUE, name: 'Winter', default_timeframe: 2, active: 0 })
  put('category', { uuid: HEATING, name: 'Heating' })
  put('company', { uuid: CUSTOMER, name: 'Smith & Sons', address: '1 Low Road', payment_terms: '30 days' })
  put('companycontact', {
    uuid: '21000000-0000-4000-8000-000000000001',
    company_uuid: CUSTOMER,
    first: 'Ann',
    last: 'Smith',
    phone: '0113 496 0001',
    mobile: '',
    email: 'office@smith.example',
    is_primary_contact: '1',
  })
  put('job', {
    uuid: JOB,
    status: 'Quote',
    generated_job_id: '1041',
    job_description: 'Replace the boiler',
    job_address: '12 High Street, Dundee',
    company_uuid: CUSTOMER,
    category_uuid: HEATING,
    date: '2026-01-02 00:00:00',
    edit_date: '2026-01-04 17:30:00',
    total_invoice_amount: '1234.50',
    queue_uuid: '',
    completion_date: '0000-00-00 00:00:00',
    purchase_order_number: '',
  })
  put('jobcontact', {
    uuid: '11000000-0000-4000-8000-000000000001',
    job_uuid: JOB,
    type: 'JOB',
    first: 'Margaret',
    last: 'Smith',
    phone: '0113 496 0000',
    mobile: '07700 900123',
    email: 'margaret@smith.example',
  })
  put('jobcontact', {
    uuid: '11000000-0000-4000-8000-000000000002',
    job_uuid: JOB,
    type: 'BILLING',
    first: 'Accounts',
    last: '',
    phone: '',
    mobile: '',
    email: 'pay@smith.example',
  })
}
