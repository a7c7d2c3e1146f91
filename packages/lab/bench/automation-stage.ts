// The process's automation parts, assembled as in `app/boot/boot.server.ts`, on a database file and the machine's
// clock; the platform is the sandbox's in this process, with delayed answers.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import { signForward } from '#app/adapters/standard-webhooks.server.ts'
import { createAutomationEngine } from '#app/boot/automation-engine.server.ts'
import { createAutomationTriggers } from '#app/boot/automation-triggers.server.ts'
import { createDeliveryEngine } from '#app/boot/delivery-engine.server.ts'
import { localStamp } from '#app/domain/time/local-time.ts'
import { createCallAsAccount } from '#app/features/accounts/call-as-account.server.ts'
import { sealTokens } from '#app/features/accounts/sealed-tokens.server.ts'
import { createCommitter } from '#app/features/automations/actions/commit/commit-effect.server.ts'
import { ACTIONS } from '#app/features/automations/actions/registry.server.ts'
import { snapshotFields } from '#app/features/automations/records/changes.ts'
import { createFactLoader } from '#app/features/automations/records/load-facts.server.ts'
import { planDefaults } from '#app/features/automations/runs/plan-defaults.server.ts'
import { recordPlatformCall } from '#app/features/events/activity.server.ts'
import { systemClock } from '#app/lib/clocks.server.ts'
import { days } from '#app/lib/duration.ts'
import type { Log } from '#app/lib/log.ts'
import { wallAt } from '#app/lib/zone.ts'
import { sqlStore } from '#db/sql/store.server.ts'
import { openClient } from '#db/sqlite/client.server.ts'
import { memoryOutbound } from '#tests/support/memory-outbound.ts'
import { type Around, type PlatformInProcess, platformInProcess } from '#tests/support/platform-in-process.server.ts'
import { TEST_SETTINGS } from '#tests/support/test-app.server.ts'
import { createChance } from '../stage/chance.ts'
import { RULES } from './automation-rules.ts'

const ZONE = 'Europe/London'
/** Range of an answer's delay, uniformly distributed. */
const ANSWER_MS = [60, 150] as const
/** Our own writes come back as events, like those of people. */
const ECHO_MS = 400

export interface MadeCall {
  account: string
  verb: string
  object: string
  at: number
}

export interface Reached {
  account: string
  /** `sms …` or `set …`: see `expectedOf`. */
  what: string
  at: number
}

export interface Stage {
  platform: PlatformInProcess
  /** Calls that passed the budget, in order. */
  calls: MadeCall[]
  /** Texts and changed fields, with the time they reached the platform. */
  reached: Reached[]
  /** Errors and warnings by message. */
  complaints: Map<string, number>
  /** Changes the job at the platform, and posts the event. Resolves when the event is on disk. */
  change(account: string, jobUuid: string, fields: Record<string, string>): Promise<void>
  /** Whether something about this job is queued or waits for a person. */
  waits(account: string, jobUuid: string): boolean
  /** Runs on this job, oldest first. */
  runsOn(account: string, jobUuid: string): { createdAt: number; startedAt: number | null }[]
  /** Pending work of the account. */
  left(account: string): { records: number; runs: number; held: number }
  /** Resolves when no record is pending, no run is due, and no echo is in flight; or after `limitMs`. */
  quiet(account: string | null, limitMs: number): Promise<boolean>
  close(): Promise<void>
}

export async function openStage(
  accounts: ReadonlyMap<string, readonly string[]>,
  seed: number,
  atOnce: boolean,
): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'fieldhook-bench-'))
  const client = openClient(join(folder, 'bench.db'), 'db/migrations')
  const clock = systemClock()
  const store = sqlStore(client, clock)
  const platform = platformInProcess(clock)
  const outbound = memoryOutbound(clock)
  const complaints = new Map<string, number>()
  const log = complaining(complaints)
  const secrets = createSecretBox(`bench:${randomBytes(32).toString('base64')}`)
  const chance = createChance(seed, 'answers')
  const calls: MadeCall[] = []
  const reached: Reached[] = []
  let echoes = 0
  let events = 0

  const around =
    (account: string, counts: boolean): Around =>
    async (exchange, reach) => {
      const { verb, object, uuid, sent } = exchange
      const at = clock.now()
      calls.push({ account, verb, object, at })
      const length = chance.whole(...ANSWER_MS)
      await pause(length / 2)
      const answer = await reach()
      if (verb === 'sms') reached.push({ account, what: `sms ${String(sent.message)}`, at: clock.now() })
      if (verb === 'update') {
        for (const value of Object.values(sent))
          reached.push({ account, what: `set ${String(value)}`, at: clock.now() })
        void echo(account, uuid, Object.keys(sent))
      }
      await pause(length / 2)
      const method = verb === 'read' || verb === 'list' ? 'GET' : 'POST'
      const call = {
        accountUuid: account,
        method,
        path: `/api_1.0/${object}.json`,
        request: null,
        status: 200,
      } as const
      recordPlatformCall({ store, log }, { ...call, outcome: 'ok', answer: '', durationMs: clock.now() - at, counts })
      return answer
    }

  const callAsAccount = createCallAsAccount({
    store: { ...store.accounts, ...store.events },
    clock,
    log,
    secrets,
    oauth: { refresh: () => Promise.reject(new Error('tokens last longer than this')) },
    platformApi: {
      ...platform.adapterOf('nobody'),
      actingFor: (account, { gate, counts }) =>
        platform.adapterOf(account, around(account, counts)).actingFor(account, { gate, counts }),
    },
  })
  const deliveries = createDeliveryEngine({ store, clock, log, outbound, secrets, settings: TEST_SETTINGS })
  const facts = createFactLoader({ callAsAccount, clock })
  const committer = createCommitter(
    { callAsAccount, clock, log, store, outbound, secrets, settings: TEST_SETTINGS },
    { sign: signForward },
  )
  const runs = createAutomationEngine({
    store,
    clock,
    log,
    secrets,
    settings: TEST_SETTINGS,
    callAsAccount,
    parts: {
      actions: ACTIONS,
      facts,
      defaults: planDefaults({ store, settings: TEST_SETTINGS, outbound }),
      committer,
    },
  })
  const triggers = createAutomationTriggers({
    ...{ store, clock, log, secrets, settings: TEST_SETTINGS, callAsAccount, facts },
    wakeRuns: runs.wake,
  })

  async function post(account: string, jobUuid: string, changedFields: string[]): Promise<void> {
    events += 1
    const accepted = await deliveries.acceptEvent({
      accountUuid: account,
      subscriptionId: null,
      source: 'object',
      object: 'job',
      objectUuid: jobUuid,
      changedFields,
      receivedAt: clock.now(),
      dedupe: `bench-${events}`,
      body: JSON.stringify({ object: 'job', entry: [{ uuid: jobUuid, changed_fields: changedFields }] }),
    })
    if (accepted.outcome !== 'stored') throw new Error(`an event was not stored: ${accepted.outcome}`)
    if (accepted.touched) triggers.touched()
  }

  const now = () => localStamp(wallAt(clock.now(), ZONE))

  async function echo(account: string, jobUuid: string, fields: string[]): Promise<void> {
    const job = platform.records(account, 'job').get(jobUuid)
    if (job) job.edit_date = now()
    echoes += 1
    try {
      await pause(ECHO_MS)
      await post(account, jobUuid, [...fields, 'edit_date'])
    } finally {
      echoes -= 1
    }
  }

  /** As if the account had signed in and enabled its rules a while ago. */
  async function settleIn(account: string, number: number, jobs: readonly string[]): Promise<void> {
    const at = clock.now()
    await store.accounts.ensureAccount({ uuid: account, name: `Account ${number}`, timezone: ZONE })
    await store.accounts.saveCredential(
      account,
      await sealTokens({ secrets }, account, {
        accessToken: `access-${number}`,
        refreshToken: `refresh-${number}`,
        expiresAt: at + days(1),
        scope: '',
      }),
    )
    platform.put(account, 'vendor', { uuid: account, name: `Account ${number}`, timezone_name: ZONE, currency: 'GBP' })
    for (const [index, uuid] of jobs.entries()) fillJob(account, uuid, number * 1_000 + index)
    for (const [index, rule] of RULES.entries()) {
      const definition = atOnce ? { ...rule, trigger: { ...rule.trigger, atOnce } } : rule
      const id = await store.automations.createAutomation(account, {
        name: `Rule ${index + 1}`,
        definition,
        active: true,
        nextRunAt: null,
        baselined: index > 0,
        triggerKey: null,
        at,
      })
      if (index > 0) continue
      const snapshots = [...platform.records(account, 'job').values()].map((record) => ({
        recordUuid: String(record.uuid),
        editDate: String(record.edit_date),
        fields: snapshotFields(record),
      }))
      const input = { automationId: id, version: 1, ledger: [], object: 'job', snapshots }
      if (
        !(await store.triggers.noteBaseline(account, { ...input, watermark: now(), partial: false, done: true }, at))
      ) {
        throw new Error('the jobs that are there could not be noted')
      }
    }
  }

  function fillJob(account: string, uuid: string, number: number): void {
    const other = (kind: string) => `${kind}${uuid.slice(1)}`
    platform.put(account, 'company', { uuid: other('c'), name: `Customer ${number}` })
    platform.put(account, 'jobcontact', {
      uuid: other('d'),
      job_uuid: uuid,
      type: 'JOB',
      first: 'Margaret',
      last: 'Smith',
      mobile: `+447700${String(number).padStart(6, '0')}`,
      email: `customer-${number}@example.test`,
    })
    platform.put(account, 'job', {
      uuid,
      status: 'Quote',
      generated_job_id: String(number),
      job_description: 'Replace boiler',
      job_address: '12 High Street, Dundee',
      billing_address: '',
      work_done_description: '',
      purchase_order_number: '',
      badges: '',
      queue_uuid: '',
      payment_received: '0',
      company_uuid: other('c'),
      edit_date: localStamp(wallAt(clock.now() - days(1), ZONE)),
      total_invoice_amount: '120.00',
    })
  }

  const waits = client.sql
    .prepare<{ account: string; job: string }, number>(
      `SELECT EXISTS (SELECT 1 FROM touched_record WHERE account_uuid = @account AND record_uuid = @job)
         OR EXISTS (SELECT 1 FROM run WHERE account_uuid = @account AND record_uuid = @job AND state <> 'done')`,
    )
    .pluck()
  const runsOn = client.sql.prepare<[string, string], { createdAt: number; startedAt: number | null }>(
    `SELECT created_at AS createdAt, started_at AS startedAt FROM run WHERE account_uuid = ? AND record_uuid = ? ORDER BY id`,
  )
  const left = client.sql.prepare<{ account: string }, { records: number; runs: number; held: number }>(
    `SELECT (SELECT count(*) FROM touched_record WHERE account_uuid = @account) AS records,
       (SELECT count(*) FROM run WHERE account_uuid = @account AND state IN ('queued', 'running', 'waiting')) AS runs,
       (SELECT count(*) FROM run WHERE account_uuid = @account AND state = 'held') AS held`,
  )
  const anyLeft = client.sql
    .prepare<{ account: string | null }, number>(
      `SELECT EXISTS (SELECT 1 FROM touched_record WHERE @account IS NULL OR account_uuid = @account)
         OR EXISTS (SELECT 1 FROM run WHERE state IN ('queued', 'running', 'waiting')
           AND (@account IS NULL OR account_uuid = @account))`,
    )
    .pluck()

  let number = 0
  for (const [account, jobs] of accounts) {
    number += 1
    await settleIn(account, number, jobs)
  }
  deliveries.start()
  runs.start()
  triggers.start()

  return {
    platform,
    calls,
    reached,
    complaints,
    async change(account, jobUuid, fields) {
      const job = platform.records(account, 'job').get(jobUuid)
      platform.put(account, 'job', { ...job, ...fields, uuid: jobUuid, edit_date: now() })
      await post(account, jobUuid, [...Object.keys(fields), 'edit_date'])
    },
    waits: (account, job) => waits.get({ account, job }) === 1,
    runsOn: (account, job) => runsOn.all(account, job),
    left: (account) => left.get({ account }) ?? { records: 0, runs: 0, held: 0 },
    async quiet(account, limitMs) {
      for (const until = clock.now() + limitMs; clock.now() < until; await pause(100)) {
        if (echoes === 0 && anyLeft.get({ account }) === 0) return true
      }
      return false
    },
    async close() {
      await triggers.stop()
      await Promise.all([runs.drain(), deliveries.drain()])
      client.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function complaining(complaints: Map<string, number>): Log {
  const count = (fields: Record<string, unknown>, message: string) => {
    const { error } = fields
    const name = error instanceof Error ? `${message}: ${error.message}` : message
    complaints.set(name, (complaints.get(name) ?? 0) + 1)
  }
  const log: Log = { debug() {}, info() {}, warn: count, error: count, child: () => log }
  return log
}
