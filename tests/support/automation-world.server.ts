// Runs on a real database file, a stepped clock, and the platform in process. Engines can be discarded at any moment,
// like a killed process, and recreated on the same file.
import { signForward } from '#app/adapters/standard-webhooks.server.ts'
import {
  type AutomationEngine,
  type AutomationEngineInput,
  createAutomationEngine,
} from '#app/boot/automation-engine.server.ts'
import type { App } from '#app/context/app-context.ts'
import type { ActionType } from '#app/domain/automations/action-parameters.ts'
import {
  type ActionParameters,
  DEFAULT_GUARDS,
  type RuleDefinition,
  type RuleGuards,
  type Step,
} from '#app/domain/automations/rule.ts'
import type { RunRequest, TriggerData } from '#app/domain/automations/run.ts'
import type { RunRecord } from '#app/domain/automations/run-record.ts'
import { createCommitter } from '#app/features/automations/actions/commit/commit-effect.server.ts'
import { ACTIONS } from '#app/features/automations/actions/registry.server.ts'
import { createLastLook } from '#app/features/automations/listening/look.server.ts'
import {
  createFactLoader,
  type FactLoader,
  type PlanReader,
} from '#app/features/automations/records/load-facts.server.ts'
import { planDefaults } from '#app/features/automations/runs/plan-defaults.server.ts'
import type { RunParts } from '#app/features/automations/runs/run-inputs.server.ts'
import type { Client } from '#db/sqlite/client.server.ts'
import type { Store } from '#db/store.ts'
import { type MemoryOutbound, memoryOutbound } from './memory-outbound.ts'
import { type Around, type PlatformInProcess, platformInProcess } from './platform-in-process.server.ts'
import { type SteppingClock, steppingClock } from './stepping-clock.ts'
import { testApp } from './test-app.server.ts'

export const LEEDS = 'aaaaaaaa-0000-4000-8000-000000000001'
export const BRISBANE = 'bbbbbbbb-0000-4000-8000-000000000002'
export const QUEUE = '99999999-0000-4000-8000-00000000000a'
export const STAFF = '88888888-0000-4000-8000-00000000000b'

type WorldApp = Pick<
  App,
  'store' | 'clock' | 'log' | 'settings' | 'secrets' | 'callAsAccount' | 'outbound' | 'wakeRuns'
>

/** Wraps a process's dependencies, in order to kill it. */
export interface Wrapped {
  store?(store: Store): Store
  around?: Around
  outbound?(outbound: App['outbound']): App['outbound']
  clock?: AutomationEngineInput['clock']
  parts?(parts: RunParts): RunParts
  /** The process was killed, so it cannot be stopped in an orderly way. */
  isDead?(): boolean
}

type WorldParts = RunParts & { facts: FactLoader & PlanReader }

export interface AutomationWorld {
  client: Client
  store: Store
  clock: SteppingClock
  platform: PlatformInProcess
  outbound: MemoryOutbound
  /** Log lines as `message`, newest last. */
  logged: string[]
  app: WorldApp
  parts: WorldParts
  /** A process's engine on the file. `app.wakeRuns` is the `wake` of the first one. */
  engine(wrapped?: Wrapped, input?: Partial<AutomationEngineInput>): AutomationEngine
  /** Creates a job with its customer and contact; returns its uuid. */
  job(account: string, values?: Record<string, string>): string
  rule(definition: RuleDefinition, account?: string, name?: string): Promise<number>
  /** Starts a run of the rule over the records; returns its id. */
  start(automationId: number, recordUuids: string[], more?: Partial<RunRequest>, account?: string): Promise<number>
  run(runId: number, account?: string): Promise<RunRecord>
  /** Rows of `run_step`, in order, as `step/item state`. */
  states(runId: number): string[]
  rows(sql: string, ...values: (string | number)[]): Record<string, unknown>[]
  close(): Promise<void>
}

/** `start`: epoch ms; default Monday, 5 January 2026, 09:00 UTC. */
export async function automationWorld(start?: number): Promise<AutomationWorld> {
  const clock = steppingClock(start)
  const base = testApp(clock)
  const { client } = base
  const { store } = base.app
  const platform = platformInProcess(clock)
  const outbound = memoryOutbound(clock)
  const engines: AutomationEngine[] = []
  const dead = new Map<AutomationEngine, () => boolean>()
  const callAsAccount = platform.connect()
  const app: WorldApp = {
    ...base.app,
    callAsAccount,
    outbound,
    wakeRuns: () => engines.at(-1)?.wake(),
  }
  for (const [uuid, name, timezone] of [
    [LEEDS, 'Leeds Electrical', 'Europe/London'],
    [BRISBANE, 'Brisbane Plumbing', 'Australia/Brisbane'],
  ] as const) {
    await store.accounts.ensureAccount({ uuid, name, timezone })
    platform.put(uuid, 'vendor', { uuid, name, timezone_name: timezone, currency: 'GBP', email: 'office@example.test' })
    platform.put(uuid, 'staff', { uuid: STAFF, first: 'Tom', last: 'Finch', email: 'tom@example.test', mobile: '' })
    platform.put(uuid, 'queue', { uuid: QUEUE, name: 'To be booked', default_timeframe: '3', requires_assignment: '0' })
  }
  let jobs = 0

  function partsOf(input: Omit<WorldApp, 'wakeRuns'>): WorldParts {
    return {
      actions: ACTIONS,
      committer: createCommitter(input, { sign: signForward }),
      facts: createFactLoader(input),
      defaults: planDefaults(input),
      lastLook: createLastLook(input),
    }
  }

  return {
    client,
    store,
    clock,
    platform,
    outbound,
    logged: base.logged,
    app,
    parts: partsOf(app),
    engine(wrapped = {}, input = {}) {
      const own = {
        ...app,
        store: wrapped.store?.(store) ?? store,
        clock: wrapped.clock ?? clock,
        outbound: wrapped.outbound?.(outbound) ?? outbound,
        callAsAccount: wrapped.around ? platform.connect(wrapped.around) : callAsAccount,
      }
      const parts = partsOf(own)
      const engine = createAutomationEngine({ ...own, parts: wrapped.parts?.(parts) ?? parts, ...input })
      engines.push(engine)
      if (wrapped.isDead) dead.set(engine, wrapped.isDead)
      return engine
    },
    job(account, values = {}) {
      jobs++
      const uuid = uuidOf('job', jobs)
      const company = values.company_uuid ?? uuidOf('company', jobs)
      platform.put(account, 'company', { uuid: company, name: `Customer ${jobs}` })
      platform.put(account, 'jobcontact', {
        uuid: uuidOf('contact', jobs),
        job_uuid: uuid,
        type: 'JOB',
        first: 'Margaret',
        last: 'Smith',
        mobile: `+4477009${String(jobs).padStart(5, '0')}`,
        email: `customer-${jobs}@example.test`,
      })
      platform.put(account, 'job', {
        uuid,
        status: 'Quote',
        generated_job_id: String(jobs),
        job_description: 'Replace boiler',
        job_address: '12 High Street, Dundee',
        company_uuid: company,
        edit_date: '2026-01-05 08:00:00',
        total_invoice_amount: '120.00',
        ...values,
      })
      return uuid
    },
    rule: (definition, account = LEEDS, name = 'Quote check-in') =>
      store.automations.createAutomation(account, {
        name,
        definition,
        active: true,
        nextRunAt: null,
        baselined: true,
        triggerKey: null,
        at: clock.now(),
      }),
    async start(automationId, recordUuids, more = {}, account = LEEDS) {
      const [started] = await store.runs.startRuns(
        account,
        [aWish(automationId, recordUuids, clock.now(), more)],
        clock.now(),
      )
      if (started?.outcome !== 'started') throw new Error(`the run was not started: ${JSON.stringify(started)}`)
      return started.runId
    },
    async run(runId, account = LEEDS) {
      const found = await store.runs.findRun(account, runId)
      if (!found) throw new Error(`there is no run ${runId}`)
      return found
    },
    states: (runId) =>
      client.sql
        .prepare<[number], { text: string }>(
          `SELECT step_id || '/' || item_key || ' ' || state AS text FROM run_step WHERE run_id = ? ORDER BY seq, item_key`,
        )
        .all(runId)
        .map(({ text }) => text),
    rows: base.rows,
    async close() {
      for (const engine of engines) {
        if (dead.get(engine)?.()) continue
        const drained = engine.drain()
        await clock.run(16_000)
        await drained
      }
      base.close()
    },
  }
}

const KINDS = { job: '1', company: '2', contact: '3' }

/** The same number always gives the same uuid. */
export function uuidOf(kind: keyof typeof KINDS, number: number): string {
  return `${KINDS[kind].repeat(8)}-0000-4000-8000-${number.toString(16).padStart(12, '0')}`
}

export function aStep(id: string, type: ActionType, parameters: ActionParameters, waitForPrevious = false): Step {
  return { id, type, parameters, waitForPrevious }
}

export function aRule(
  steps: Step[],
  more: Partial<Omit<RuleDefinition, 'guards'>> & { guards?: Partial<RuleGuards> } = {},
): RuleDefinition {
  const { guards, ...rest } = more
  return {
    description: '',
    trigger: {
      source: 'webhook',
      object: 'job',
      type: 'job_updated',
      webhookSubscriptionId: null,
      jobUuid: null,
      queueUuid: null,
      fieldName: null,
      fromValue: null,
      settleMinutes: 0,
    },
    conditions: [],
    grouping: { enabled: false, field: null },
    digest: false,
    steps,
    once: 'change',
    ...rest,
    guards: { ...DEFAULT_GUARDS, ...guards },
  }
}

export const TRIGGERED: TriggerData = {
  description: 'status changed',
  object: 'job',
  manualTrigger: false,
  conditionMatching: null,
  values: {},
  bypassedConditions: false,
  changes: [],
}

export function aWish(
  automationId: number,
  recordUuids: string[],
  now: number,
  more: Partial<RunRequest> = {},
): RunRequest {
  return {
    automationId,
    version: 1,
    source: 'webhook',
    object: 'job',
    recordUuids,
    groupKey: null,
    triggerData: TRIGGERED,
    ledger: [],
    hop: 0,
    wakeAt: now,
    held: null,
    replayOf: null,
    ...more,
  }
}
