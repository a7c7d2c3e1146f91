// Long: one table of acts. What a random list of commands does with a store: each act is done on two engines in step, and answers.
// Ids are drawn by their place in the order in which they were made, because the engines may number differently.

import { decideNamedAs } from '#app/domain/account-id.ts'
import type { ActionParameters } from '#app/domain/automations/rule.ts'
import type { RunRequest } from '#app/domain/automations/run.ts'
import { LAST_RUNS } from '#app/domain/automations/run-record.ts'
import { nextStep } from '#app/features/events/delivering/delivery.ts'
import { chooseEndpoints } from '#app/features/events/fan-out.ts'
import { DEFAULT_MAIL_CHOICE } from '#app/features/notices/notice-mail.ts'
import { days, hours, minutes } from '#app/lib/duration.ts'
import type { AttemptReport, DeliveryJob, GrownReplay, SettleOptions } from '#db/store/deliveries.ts'
import type { IncomingEvent } from '#db/store/events.ts'
import type { NewJournalRow, RowWrite, RunFence } from '#db/store/runs.ts'
import type { Store } from '#db/store.ts'
import { aRule, aStep, aWish } from './automation-world.server.ts'
import { anEffect } from './journal-rows.ts'

/** Tables whose rows are numbered by the database. */
export const MADE = [
  'endpoint',
  'webhook',
  'forwarding_rule',
  'subscription',
  'event',
  'delivery',
  'attempt',
  'replay',
  'automation',
  'run',
  'mute',
  'notice',
  'automation_template',
  'api_activity',
  'audit_entry',
  'account_mapping',
  'customer_message',
  'plan',
  'backup_run',
] as const
export type Made = (typeof MADE)[number]

/** One command of a list: small numbers that an act takes as it likes. */
export interface Command {
  act: string
  /** Which account. */
  who: number
  /** Which of the things that were made. */
  pick: number
  /** A second choice: object, status, record. */
  kind: number
  yes: boolean
}

/** One of the two engines, as a command sees it. */
export interface Side {
  store: Store
  /** Ids in the order in which they were made. */
  ids(of: Made): readonly number[]
}

interface Act {
  /** What an `id` or a bare number in the answer names. */
  of?: Made
  run(side: Side, given: Command & { account: string; object: string; record: string; now: number }): Promise<unknown>
}

const ACCOUNTS = [
  'aaaaaaaa-0000-4000-8000-000000000001',
  'bbbbbbbb-0000-4000-8000-000000000002',
  'cccccccc-0000-4000-8000-000000000003',
]
const OBJECTS = ['job', 'company', 'jobcontact']
const STATUSES = [200, 500, 410, 429, 404]
const OUTCOMES = ['delivered', 'http_error', 'gone', 'rate_limited', 'http_error'] as const
const OWNERS = ['process-1', 'process-2']
const ACCEPT = {
  choose: chooseEndpoints,
  limit: { deliveries: 30, bytes: 20_000 },
  retryFor: hours(72),
  stoppedReason: 'Stopped.',
}

/** What a command means, beside the side it is done on. */
export const meaningOf = (command: Command, now: number) => ({
  ...command,
  account: ACCOUNTS[command.who % ACCOUNTS.length] ?? '',
  object: OBJECTS[command.kind % OBJECTS.length] ?? '',
  record: `record-${command.kind % 4}`,
  now,
})

/** The picked one of its kind; an id that nobody has when there is none, so that this is asked too. */
const idOf = (side: Side, of: Made, pick: number): number => {
  const ids = side.ids(of)
  return ids[pick % Math.max(ids.length, 1)] ?? 999_999
}

function eventOf(account: string, object: string, record: string, now: number, n: number): IncomingEvent {
  return {
    accountUuid: account,
    subscriptionId: null,
    source: 'object',
    object,
    objectUuid: record,
    changedFields: n % 3 === 0 ? [] : ['status', `field_${n % 2}`],
    receivedAt: now,
    // A few of them are repeats.
    dedupe: `${object}-${record}-${n % 5}-${Math.floor(now / minutes(2))}`,
    body: JSON.stringify({ object, entry: [{ uuid: record, text: 'é'.padEnd(n * 100, 'x') }] }),
  }
}

function reportOf(job: DeliveryJob, { kind, yes, now }: Command & { now: number }): AttemptReport {
  const statusCode = STATUSES[kind % STATUSES.length] ?? 200
  const outcome = OUTCOMES[kind % OUTCOMES.length] ?? 'delivered'
  const said = { durationMs: 12, dnsMs: 1, connectMs: 2, tlsMs: null, firstByteMs: 10, peerIp: '203.0.113.9' }
  const verdict = {
    outcome,
    statusCode,
    retryAfterMs: outcome === 'rate_limited' ? 60_000 : null,
    sentence: 'It was said.',
  }
  return {
    job,
    probe: yes,
    startedAt: now,
    endedAt: now + 12,
    result: { kind: 'sent', verdict, ...said, responseBody: yes ? 'Thank you.' : null },
  }
}

const SETTLE: SettleOptions = {
  decide: (report, verdict, endpoint, moved) =>
    nextStep(report.job, endpoint, verdict, { now: report.endedAt, random: () => 0.5, probe: report.probe, moved }),
  reasons: { deliveredByAnother: 'Delivered by another.', stopped: 'Stopped.' },
}

const ruleOf = (object: string, yes: boolean) => {
  const parameters: ActionParameters = { staffMessage: 'Ring them', note: 'é' }
  const rule = aRule([aStep('s1', 'send_sms', parameters), aStep('s2', 'create_task', parameters, true)])
  return yes ? rule : { ...rule, trigger: { ...rule.trigger, object } }
}

function wishOf(side: Side, given: Command & { record: string; now: number }): RunRequest {
  const { pick, kind, record, yes, now } = given
  return aWish(idOf(side, 'automation', pick), [record, `other-${kind}`], now, {
    ledger: yes
      ? [{ recordUuid: record, occurrence: kind % 2 ? '-' : 'week', expiresAt: kind > 3 ? now + hours(1) : null }]
      : [],
    held: kind % 5 === 4 ? { code: 'ask_first' } : null,
    wakeAt: now + (kind % 3) * minutes(1),
    groupKey: kind % 2 ? `group-${kind}` : null,
  } as Partial<RunRequest>)
}

const fenceOf = (side: Side, { account, pick, kind }: Command & { account: string }): RunFence => ({
  accountUuid: account,
  runId: idOf(side, 'run', pick),
  owner: OWNERS[kind % 4 === 3 ? 1 : 0] ?? '',
})

const newRow = (stepId: string, itemKey: string, now: number): NewJournalRow => ({
  stepId,
  itemKey,
  state: 'planned',
  attempt: 0,
  clientUuid: `client-${stepId}-${itemKey}`,
  effect: anEffect('customer'),
  notes: null,
  errorClass: null,
  sentence: null,
  nextAttemptAt: null,
  plannedAt: now,
  endedAt: null,
})

const writeOf = (state: RowWrite['state'], attempt: number, now: number): RowWrite => ({
  state,
  attempt,
  errorClass: state === 'failed' ? 'permanent' : null,
  sentence: state === 'sent' ? null : 'It was not known.',
  nextAttemptAt: null,
  result: state === 'sent' ? { sms_id: '7' } : null,
  tries: [],
  released: false,
  at: now,
})

const STATES = ['sent', 'failed', 'unknown', 'sent'] as const
const stepOf = (kind: number) => ({ stepId: kind % 2 ? 's1' : 's2', itemKey: String(kind % 3 === 2 ? 1 : 0) })
const noteOf = (side: Side, pick: number, kind: number) => ({
  automationId: idOf(side, 'automation', pick),
  channel: kind % 2 ? ('sms' as const) : ('email' as const),
  receiverHash: `hash-${kind % 3}`,
})

export const ACTS: Readonly<Record<string, Act>> = {
  // ---- accounts ----
  ensureAccount: {
    run: ({ store }, { account, yes }) =>
      store.accounts.ensureAccount({ uuid: account, name: yes ? 'Leeds' : '', timezone: 'Europe/London' }),
  },
  describeAccount: {
    run: ({ store }, { account, kind }) =>
      store.accounts.describeAccount({ uuid: account, name: `Brisbane ${kind}`, timezone: 'Australia/Brisbane' }),
  },
  findAccount: {
    run: async ({ store }, { account }) => [
      await store.accounts.findAccount(account),
      await store.accounts.resolveAccountId(`ext-${account}`),
    ],
  },
  mapAccountId: {
    run: ({ store }, { account, kind }) => store.accounts.mapAccountId(`ext-${kind}`, account, 2, decideNamedAs),
  },
  saveCredential: {
    run: ({ store }, { account, now }) =>
      store.accounts.saveCredential(account, {
        accessTokenSealed: 'a',
        refreshTokenSealed: 'r',
        expiresAt: now + hours(1),
        scope: 'read',
      }),
  },
  replaceTokens: {
    run: ({ store }, { account, kind, now }) =>
      store.accounts.replaceTokens(account, kind % 3, {
        accessTokenSealed: 'b',
        refreshTokenSealed: 's',
        expiresAt: now,
        scope: 'read',
      }),
  },
  markReconnect: {
    run: ({ store }, { account, kind }) => store.accounts.markReconnect(account, kind % 3, 'it is dead'),
  },
  noteRefusedScope: {
    run: ({ store }, { account, kind }) => store.accounts.noteRefusedScope(account, kind % 3, `scope_${kind}`),
  },
  findCredential: {
    run: async ({ store }, { account, now }) => [
      await store.accounts.findCredential(account),
      await store.accounts.accountsIdleSince(now - hours(1)),
    ],
  },
  markPlaceholder: { run: ({ store }, { kind, now }) => store.accounts.markPlaceholder(`ext-${kind}`, now + hours(1)) },
  openSession: {
    run: ({ store }, { account, kind, now, yes }) =>
      store.accounts.openSession({
        tokenHash: `session-${kind}-${now}`,
        expiresAt: now + hours(9),
        account: { accountUuid: account, staffUuid: yes ? `staff-${kind}` : null, proof: 'oauth', provedAt: now },
        replaces: [`session-${kind}`],
        carryProofsSince: now - hours(2),
      }),
  },
  listSessions: { run: ({ store }, { account }) => store.accounts.listSessions(account) },
  endSessionsOf: { run: ({ store }, { account }) => store.accounts.endSessionsOf(account, null) },
  admitPerson: { run: ({ store }, { account, kind }) => store.accounts.admitPerson(account, `staff-${kind}`) },
  changeRole: {
    run: async ({ store }, { account, kind, yes }) => [
      await store.accounts.changeRole(account, `staff-${kind}`, yes ? 'owner' : 'member'),
      await store.accounts.listPeople(account),
    ],
  },
  ticket: {
    run: async ({ store }, { account, kind, now, yes }) =>
      yes
        ? store.accounts.issueTicket({
            tokenHash: `ticket-${kind}-${now}`,
            kind: 'launch',
            accountUuid: account,
            staffUuid: null,
            expiresAt: now + minutes(5),
          })
        : store.accounts.takeTicket('launch', `ticket-${kind}-${now}`),
  },
  rememberSigned: {
    run: ({ store }, { account, kind, now }) =>
      store.accounts.rememberSigned({
        tokenHash: `signed-${kind}`,
        accountUuid: account,
        staffUuid: null,
        expiresAt: now + minutes(5),
      }),
  },
  forgetExpired: { run: ({ store }, { now }) => store.accounts.forgetExpired(now - hours(12)) },
  beginErasure: {
    run: ({ store }, { account, now }) =>
      store.accounts.beginErasure(account, { code: 'erased', reason: 'Erased.', at: now, removeAt: now + hours(1) }),
  },
  eraseStep: {
    run: async ({ store }, { account, yes }) => {
      if ((await store.accounts.erasuresUnderWay()).every(({ accountUuid }) => accountUuid !== account))
        return 'not under way'
      if (await store.accounts.eraseHistoryStep(account, 3)) return 'more'
      await store.accounts.endErasure(account, { answerGone: yes })
      return store.accounts.closeErasure(account)
    },
  },
  // ---- endpoints ----
  saveEndpoint: {
    run: ({ store }, { account, object, kind, yes, now }) => {
      const address = {
        objectType: object,
        url: `https://receiver.example.com/${kind}`,
        fieldFilter: kind > 4 ? 'status' : '',
        active: kind !== 3,
        secretSealed: 'sealed',
        subscription: null,
        at: now,
      }
      return store.endpoints.saveEndpoint(
        account,
        yes ? { kind: 'webhook', fields: '', ...address } : { kind: 'extra', name: `Rule ${kind}`, ...address },
      )
    },
  },
  listEndpoints: { run: ({ store }, { account }) => store.endpoints.listEndpoints(account) },
  listOutlines: { run: ({ store }, { account }) => store.endpoints.listOutlines(account) },
  findWebhook: { run: ({ store }, { account, object }) => store.endpoints.findWebhookOfObject(account, object) },
  updateEndpoint: {
    run: async (side, { account, pick, kind, yes, now }) => {
      const webhook = (await side.store.endpoints.listEndpoints(account))[pick % 3]
      if (!webhook) return 'none'
      return side.store.endpoints.updateEndpoint(
        account,
        { kind: webhook.kind, id: webhook.id },
        {
          ...(yes ? { active: kind % 2 === 0 } : { url: `https://other.example.com/${kind}` }),
          subscription: null,
          at: now,
        },
      )
    },
  },
  deleteEndpoint: {
    of: 'subscription',
    run: async (side, { account, pick, yes, now }) => {
      const one = (await side.store.endpoints.listEndpoints(account))[pick % 3]
      if (!one) return 'none'
      return side.store.endpoints.deleteEndpoint(
        account,
        { kind: one.kind, id: one.id },
        { endSubscriptions: yes, at: now },
      )
    },
  },
  restoreEndpoint: {
    of: 'subscription',
    run: async (side, { account, pick, now }) => {
      const ref = { kind: pick % 2 === 0 ? ('webhook' as const) : ('extra' as const), id: (pick % 3) + 1 }
      const since = now - minutes(1)
      const taken = await side.store.endpoints.findDeletedEndpoint(account, ref, since)
      if (taken && (await side.store.endpoints.findWebhookOfObject(account, taken.objectType))) return 'taken'
      return [taken, await side.store.endpoints.restoreEndpoint(account, ref, { since, subscription: null, at: now })]
    },
  },
  rotateSecret: {
    run: (side, { account, pick, kind, now }) =>
      side.store.endpoints.rotateSecret(account, idOf(side, 'endpoint', pick), {
        secretSealed: `sealed-${kind}`,
        overlapMs: hours(24),
        sameRequestMs: minutes(1),
        at: now,
      }),
  },
  beginSubscription: {
    of: 'subscription',
    run: ({ store }, { account, object, kind, now }) =>
      store.endpoints.beginSubscription(account, {
        object,
        fields: 'status',
        tokenHash: `hash-${kind}-${now}-${account}`,
        tokenSealed: 'sealed',
        at: now,
      }),
  },
  switchSubscription: {
    run: (side, { account, pick, now }) =>
      side.store.endpoints.switchSubscription(account, {
        id: idOf(side, 'subscription', pick),
        fields: 'status',
        replacedUntil: now + minutes(5),
        at: now,
      }),
  },
  updateSubscription: {
    run: (side, { account, pick, yes, now }) =>
      side.store.endpoints.updateSubscription(account, idOf(side, 'subscription', pick), {
        stateReason: yes ? 'No events.' : null,
        at: now,
      }),
  },
  listSubscriptions: {
    of: 'subscription',
    run: async ({ store }, { account }) => [
      await store.endpoints.listSubscriptions(account),
      await store.endpoints.accountsToReconcile(),
      await store.endpoints.accountsToReconcile(account),
    ],
  },
  // ---- events and deliveries ----
  accept: {
    run: ({ store }, { account, object, record, pick, now }) =>
      store.events.acceptEvents(
        Array.from({ length: 1 + (pick % 4) }, (_, n) => eventOf(account, object, record, now, n + pick)),
        ACCEPT,
      ),
  },
  acceptOfMany: {
    run: ({ store }, { pick, now }) =>
      store.events.acceptEvents(
        ACCOUNTS.flatMap((account) =>
          OBJECTS.map((object, n) => eventOf(account, object, `record-${n}`, now, n + pick)),
        ),
        ACCEPT,
      ),
  },
  testDelivery: {
    of: 'delivery',
    run: (side, { account, pick, object, record, now }) =>
      side.store.events.createTestDelivery(
        account,
        idOf(side, 'endpoint', pick),
        { object, objectUuid: record, changedFields: [], body: '{}' },
        now,
      ),
  },
  eventLog: {
    run: ({ store }, { account, object, kind, yes, now }) =>
      store.events.listEventLog(account, {
        object: yes ? object : null,
        since: kind > 4 ? now - hours(1) : null,
        forwarding: (['all', 'forwarded', 'not_forwarded', 'success', 'failed'] as const)[kind % 5] ?? 'all',
        before: null,
        limit: 5,
        withBody: true,
        withResponses: yes,
      }),
  },
  search: {
    run: ({ store }, { account, object, kind, yes }) =>
      store.events.searchDeliveries(account, {
        object: yes ? object : null,
        endpointId: kind > 2 ? kind : null,
        seqs: null,
        from: null,
        until: null,
        before: null,
        withCodes: true,
        matches: () => true,
        limit: 3 + kind,
        scanAtMost: 20,
      }),
  },
  findDelivery: {
    of: 'delivery',
    run: (side, { account, pick }) => side.store.events.findDelivery(account, idOf(side, 'delivery', pick)),
  },
  recordActivity: {
    run: ({ store }, { account, kind, yes }) =>
      store.events.recordApiActivity({
        accountUuid: account,
        activityType: 'api_call',
        endpoint: `/api/${kind}`,
        method: 'GET',
        requestData: yes ? 'a=1' : null,
        responseData: null,
        statusCode: 200,
        userAgent: null,
        remoteIp: null,
        durationMs: 5,
        counts: yes,
      }),
  },
  listActivity: {
    of: 'api_activity',
    run: async ({ store }, { account, now }) => [
      await store.events.listApiActivity(account, 5),
      await store.events.recentApiCalls(account, { since: now - hours(1), day: Math.floor(now / days(1)) }),
      await store.events.lastEventAt(account),
    ],
  },
  settle: {
    run: async (side, given) => {
      const ids = [idOf(side, 'delivery', given.pick), ...(given.yes ? [idOf(side, 'delivery', given.pick + 1)] : [])]
      const jobs = (await side.store.deliveries.loadDeliveries([...new Set(ids)])).filter((job) => job !== null)
      return [
        jobs,
        await side.store.deliveries.settleAttempts(
          jobs.map((job) => reportOf(job, given)),
          SETTLE,
        ),
      ]
    },
  },
  settleNewest: {
    run: async (side, given) => {
      const jobs = (await side.store.deliveries.loadDeliveries(side.ids('delivery').slice(-6))).filter(
        (job) => job !== null,
      )
      return side.store.deliveries.settleAttempts(
        jobs.map((job) => reportOf(job, given)),
        SETTLE,
      )
    },
  },
  due: {
    of: 'delivery',
    run: (side, { pick, kind }) =>
      side.store.deliveries.dueDeliveries([
        ...(['live', 'replay', 'by_hand'] as const).map((lane) => ({
          endpointId: idOf(side, 'endpoint', pick),
          kind: lane,
          limit: kind + 1,
        })),
        { endpointId: idOf(side, 'endpoint', pick + 1), kind: 'live', limit: 4 },
      ]),
  },
  endpointsWithWork: {
    run: async ({ store }) => (await store.deliveries.endpointsWithWork()).sort((a, b) => a.endpointId - b.endpointId),
  },
  bringForward: {
    run: (side, { pick, kind, now }) => side.store.deliveries.bringForward(idOf(side, 'endpoint', pick), now, kind + 1),
  },
  adopt: {
    run: (side, { pick }) =>
      side.store.deliveries.adoptEndpoints(
        [pick, pick + 1].map((one) => idOf(side, 'endpoint', one)),
        minutes(2),
      ),
  },
  resume: {
    run: (side, { account, pick, now }) =>
      side.store.deliveries.resumeEndpoint(account, idOf(side, 'endpoint', pick), now),
  },
  retry: {
    run: (side, { account, pick, now }) =>
      side.store.deliveries.retryDelivery(account, idOf(side, 'delivery', pick), now, hours(72)),
  },
  startReplay: {
    of: 'replay',
    run: (side, { account, pick, kind, yes, now }) =>
      side.store.deliveries.startReplay(
        account,
        idOf(side, 'endpoint', pick),
        { since: now - days(2), status: yes ? 'all' : 'failed', objectUuid: kind > 4 ? 'record-1' : null },
        5,
        now,
      ),
  },
  replayable: {
    run: (side, { account, pick, yes, now }) =>
      side.store.deliveries.findReplayableEvents(
        account,
        idOf(side, 'endpoint', pick),
        { since: now - days(2), status: yes ? 'all' : 'failed', objectUuid: null },
        null,
      ),
  },
  growReplays: {
    of: 'delivery',
    async run({ store }, { now }) {
      const options = {
        choose: chooseEndpoints,
        limit: ACCEPT.limit,
        waitingPerReplay: 3,
        step: 4,
        retryFor: hours(72),
      }
      const grown: GrownReplay[] = []
      for (const id of await store.deliveries.listRunningReplays())
        grown.push(await store.deliveries.growReplayStep(id, now, options))
      return grown.flat()
    },
  },
  findReplay: {
    of: 'replay',
    run: (side, { account, pick }) => side.store.deliveries.findReplay(account, idOf(side, 'replay', pick)),
  },
  cancelReplay: {
    run: (side, { account, pick, now }) => side.store.deliveries.cancelReplay(account, idOf(side, 'replay', pick), now),
  },
  endStopped: {
    async run({ store }, { now }) {
      const ended: unknown[] = []
      for (const ending of await store.deliveries.listEndings(now, now - minutes(1)))
        ended.push([ending.because, await store.deliveries.endStoppedStep(ending, ending.because, now, 3)])
      return ended
    },
  },
  expireHeld: {
    of: 'delivery',
    run: ({ store }, { now }) =>
      store.deliveries.expireHeldStep(now, null, {
        graceMs: minutes(2),
        pausedForMs: days(30),
        reason: () => 'too late',
        failure: (_, lost) => ({ failingSince: now, failureEvents: lost.map(({ eventSeq }) => eventSeq).slice(0, 3) }),
      }),
  },
  tidy: {
    run: ({ store }, { now }) =>
      store.deliveries.tidyAfterRestart(now, {
        alone: true,
        spreadMs: { from: 1_000, to: 1_000 },
        graceMs: hours(1),
        sampleReason: 'interrupted',
      }),
  },
  waitingTotals: {
    run: async ({ store }, { now }) => [await store.deliveries.waitingTotals(), await store.ops.readBacklog(now, [])],
  },
  // ---- notices and checks ----
  watched: { run: ({ store }) => store.notices.watchedEndpointsStep(0, 5) },
  raiseNotice: {
    run: (side, { account, pick, kind, yes, now }) =>
      side.store.notices.raiseNotice(
        { accountUuid: account, endpointId: idOf(side, 'endpoint', pick), latestId: null },
        {
          kind: yes ? 'failing' : 'recovered',
          since: now - minutes(kind),
          reason: 'It fails.',
          at: now,
          mail: yes ? { state: 'pending', dueAt: now } : { state: 'none', reason: 'No mail.' },
        },
      ),
  },
  raiseTrouble: {
    run: (side, { account, pick, kind, yes, now }) =>
      side.store.notices.raiseTrouble(
        account,
        yes ? { kind: 'rule', id: idOf(side, 'automation', pick) } : { kind: 'account', id: 0 },
        {
          ...{
            kind: yes ? 'waiting' : 'plan',
            fingerprint: `trouble ${kind}`,
            since: now,
            count: kind + 1,
            runId: null,
          },
          ...{ reason: { code: 'waiting' }, total: kind % 2 === 0 },
        },
        now,
      ),
  },
  endTrouble: {
    run: (side, { account, pick, kind, yes, now }) =>
      side.store.notices.endTrouble(
        account,
        yes ? { kind: 'rule', id: idOf(side, 'automation', pick) } : { kind: 'account', id: 0 },
        `trouble ${kind}`,
        { at: now, say: yes ? { code: 'run_works' } : null },
      ),
  },
  watchRules: {
    run: async ({ store }, { account, yes, now }) => {
      const troubled = await store.notices.troubledRules(now - days(7))
      return [
        troubled.map(({ kind, count, since }) => ({ kind, count, since })),
        await store.notices.accountCauses(),
        (await store.notices.openTroubles(['waiting', 'plan'])).map(({ kind, fingerprint }) => ({ kind, fingerprint })),
        (await store.notices.namedRules(account)).map(({ name }) => name),
        (await store.notices.rhythmRulesStep(0, 9)).rules.map(({ timezone, holidaysOff }) => ({
          timezone,
          holidaysOff,
        })),
        await store.notices.weeklyAccounts(),
        await store.notices.weekFigures(account, now - days(7), now),
        await store.notices.accountsWithoutEmail(5),
        await store.notices.mailEnds(now - days(1)),
        yes ? await store.notices.endOutdated(now) : null,
        yes
          ? await store.notices.raiseWeekly(account, { since: now - days(1), reason: { code: 'weekly' }, at: now })
          : null,
        yes ? await store.notices.noteAccountEmail(account, 'a@example.com') : null,
      ]
    },
  },
  quartersOfRuns: {
    run: (side, { pick }) => side.store.notices.quartersOfRuns(idOf(side, 'automation', pick), 0),
  },
  listNotices: { of: 'notice', run: ({ store }, { account, now }) => store.notices.listNotices(account, 5, now) },
  dueMails: { of: 'notice', run: ({ store }, { now }) => store.notices.dueNoticeMails(now, 3) },
  claimMail: {
    run: (side, { account, pick, now }) =>
      side.store.notices.claimNoticeMail(account, idOf(side, 'notice', pick), {
        at: now,
        countSince: now - days(1),
        most: 2,
        unclear: 'unclear',
        tooMany: 'too many',
      }),
  },
  dismissNotice: {
    run: (side, { account, pick, now }) => side.store.notices.dismissNotice(account, idOf(side, 'notice', pick), now),
  },
  mailChoice: {
    run: async ({ store }, { account, yes, now }) => [
      await store.notices.findMailChoice(account),
      await store.notices.findAccountEmail(account),
      await store.notices.saveMailChoice(
        account,
        { byMail: yes, weekly: yes, email: yes ? null : 'a@example.com' },
        DEFAULT_MAIL_CHOICE,
        now,
      ),
    ],
  },
  rhythm: {
    run: (side, { account, pick }) => side.store.notices.eventRhythm(account, idOf(side, 'endpoint', pick), 24),
  },
  // ---- rules ----
  createAutomation: {
    of: 'automation',
    run: ({ store }, { account, object, kind, yes, now }) =>
      store.automations.createAutomation(account, {
        name: `Rule ${kind}`,
        definition: ruleOf(object, yes),
        active: kind !== 2,
        nextRunAt: kind % 3 ? null : now + minutes(kind),
        baselined: yes,
        triggerKey: null,
        at: now,
      }),
  },
  listAutomations: {
    of: 'automation',
    run: async ({ store }, { account, object, now }) => [
      await store.automations.listAutomations(account),
      await store.automations.sizeOfAutomations(account),
      await store.automations.automationsWatching(account, object),
      await store.automations.dueAutomations(now, 5),
      await store.automations.nextAutomationDueAt(),
    ],
  },
  changeAutomation: {
    of: 'automation',
    run: (side, { account, object, pick, kind, yes, now }) =>
      side.store.automations.changeAutomation(account, idOf(side, 'automation', pick), {
        ...(kind % 2 ? { active: yes } : { name: `Again ${kind}`, definition: ruleOf(object, yes) }),
        at: now,
      }),
  },
  deleteAutomation: {
    run: (side, { account, pick, now }) =>
      side.store.automations.deleteAutomation(account, idOf(side, 'automation', pick), {
        reason: { code: 'rule_deleted' },
        at: now,
      }),
  },
  restoreAutomation: {
    run: async (side, { account, pick, now }) => {
      const id = idOf(side, 'automation', pick)
      return [
        await side.store.automations.findDeletedAutomation(account, id, now - minutes(1)),
        await side.store.automations.restoreAutomation(account, id, {
          since: now - minutes(1),
          triggerKeyHash: null,
          deletedReason: { code: 'rule_deleted' },
          reason: { code: 'rule_restored' },
          at: now,
        }),
      ]
    },
  },
  pauseAutomations: {
    run: (side, { account, pick, yes, now }) =>
      side.store.runs.pauseAutomations(account, {
        automationId: yes ? idOf(side, 'automation', pick) : null,
        reason: 'Too much.',
        at: now,
      }),
  },
  resumeAutomations: {
    run: async (side, { account, now }) => [
      await side.store.runs.pausedAutomations(),
      await side.store.runs.resumeAutomations(account, ['Too much.'], now),
    ],
  },
  dueTouched: { of: 'event', run: ({ store }, { now }) => store.triggers.dueTouched(now, { limit: 5, perAccount: 2 }) },
  settleTouched: {
    run: async (side, { account, pick, yes, now }) => {
      const [touched] = await side.store.triggers.dueTouched(now, { limit: 1, perAccount: 1 })
      if (!touched) return 'none'
      const automationId = idOf(side, 'automation', pick)
      return side.store.triggers.settleTouched(
        touched.accountUuid,
        {
          touched,
          snapshot: yes
            ? { recordUuid: touched.recordUuid, editDate: '2026-01-05 09:00:00', fields: { status: 'Quote' } }
            : null,
          verdicts: [{ automationId, recordUuid: touched.recordUuid, verdict: 'fired', detail: null }],
          requests:
            touched.accountUuid === account
              ? [wishOf(side, { act: '', who: 0, pick, kind: 0, yes, record: touched.recordUuid, now })]
              : [],
        },
        now,
      )
    },
  },
  sweeps: { run: ({ store }, { now }) => store.triggers.dueSweeps(now, 5) },
  verdicts: {
    run: async ({ store }, { account, record, now }) => [
      await store.automations.verdictsOn(account, record),
      await store.automations.ledgerOn(account, record),
      await store.automations.upcomingRuns(account, now, 3),
    ],
  },
  polls: {
    run: async ({ store }, { account, object, now, yes, kind }) => {
      const source = `webhook:${object}`
      const cursor = await store.records.findPollCursor(account, source)
      const claimed = await store.records.claimPoll(account, source, cursor?.nextAt ?? null, now + minutes(1))
      if (!claimed || kind === 0) return [cursor, claimed]
      const records = [0, 1, 2].map((n) => ({
        record: {
          recordUuid: `record-${n}`,
          editDate: `2026-01-05 09:00:0${kind}`,
          fields: { status: yes ? 'Quote' : 'é' },
        },
        event: n < kind ? eventOf(account, object, `record-${n}`, now, n) : null,
      }))
      const taken = await store.records.takeInPolled(
        {
          accountUuid: account,
          source,
          object,
          claimedUntil: now + minutes(1),
          records,
          cursor: yes ? { watermark: `2026-01-05 09:00:0${kind}`, nextAt: now + minutes(10) } : null,
          at: now,
        },
        ACCEPT,
      )
      return [
        cursor,
        taken,
        await store.records.duePolls({ purpose: 'webhook', objects: OBJECTS, now }),
        await store.records.loadSnapshots(account, object, ['record-1', 'record-0']),
        await store.records.knownOf(account, [{ object, recordUuid: 'record-1' }]),
        await store.records.listRecordsCalled(account, '1', 5),
        await store.events.attemptsByHour(account, 0),
        await store.events.deliveriesBeside(account, { seq: 2, deliveryId: 2 }),
      ]
    },
  },
  trimSnapshots: {
    run: ({ store }, { account, object, yes }) =>
      store.records.trimSnapshotsStep(account, object, {
        keep: yes ? 1 : 2,
        editedBefore: '2026-01-05 09:00:05',
        limit: 2,
      }),
  },
  templates: {
    of: 'automation_template',
    run: async ({ store }, { account, object, kind, yes, now }) => [
      await store.templates.createTemplate(
        account,
        {
          name: `Template ${kind}`,
          description: '',
          category: 'reporting',
          isPublic: yes,
          definition: ruleOf(object, yes),
        } as Parameters<Store['templates']['createTemplate']>[1],
        now,
      ),
      await store.templates.countTemplateUse(kind),
      await store.templates.listTemplates(account),
      await store.templates.templateUses(),
    ],
  },
  // ---- runs ----
  startRuns: {
    run: (side, given) =>
      side.store.runs.startRuns(
        given.account,
        [wishOf(side, given), wishOf(side, { ...given, kind: given.kind + 1 })],
        given.now,
      ),
  },
  startRunOnce: {
    run: (side, given) =>
      side.store.runs.startRunOnce(
        given.account,
        wishOf(side, given),
        [{ key: `key-${given.kind}`, expiresAt: given.now + minutes(10) }],
        given.now,
      ),
  },
  dueRuns: {
    of: 'run',
    run: async ({ store }, { now }) => [
      await store.runs.dueRuns(now, { limit: 3, perAccount: 2 }),
      await store.runs.nextRunDueAt(now),
    ],
  },
  claimRun: {
    of: 'run',
    run: async (side, given) => {
      const [due] = await side.store.runs.dueRuns(given.now, { limit: 1, perAccount: 1 })
      const fence =
        due && !given.yes
          ? { ...fenceOf(side, given), accountUuid: due.accountUuid, runId: due.id }
          : fenceOf(side, given)
      return side.store.runs.claimRun(fence.accountUuid, fence.runId, fence.owner, given.now)
    },
  },
  plan: {
    run: (side, given) =>
      side.store.runs.planEffects(fenceOf(side, given), given.yes ? 's1' : 's2', [
        newRow(given.yes ? 's1' : 's2', '0', given.now),
        newRow(given.yes ? 's1' : 's2', '1', given.now),
      ]),
  },
  send: {
    run: async (side, given) => {
      const fence = fenceOf(side, given)
      const { stepId, itemKey } = stepOf(given.kind)
      const began = await side.store.runs.beginSending(
        fence,
        { stepId, itemKey, state: 'planned', attempt: 0 },
        {
          writes: given.yes
            ? [
                {
                  object: 'job',
                  recordUuid: given.record,
                  field: 'status',
                  value: 'Quote',
                  automationId: idOf(side, 'automation', given.pick),
                  hop: 0,
                },
              ]
            : [],
          at: given.now,
        },
      )
      return [
        began,
        await side.store.runs.endSending(
          given.account,
          fence.runId,
          { stepId, itemKey, attempt: 1 },
          writeOf(STATES[given.kind % 4] ?? 'sent', 1, given.now),
          { message: began ? noteOf(side, given.pick, given.kind) : null, writes: [] },
        ),
      ]
    },
  },
  journal: { run: (side, given) => side.store.runs.readJournal(fenceOf(side, given)) },
  sentForEvent: { run: (side, given) => side.store.runs.sentForEvent(given.account, idOf(side, 'run', given.pick)) },
  park: {
    run: async (side, given) => {
      const fence = fenceOf(side, given)
      const seen = await side.store.runs.readJournal(fence)
      if (!seen) return 'not ours'
      return given.yes
        ? side.store.runs.parkRun(fence, seen.stamp, {
            state: given.kind % 2 ? 'waiting' : 'held',
            wakeAt: given.now + minutes(1),
            reason: { code: 'ask_first' },
            told:
              given.kind % 3
                ? []
                : [{ stepId: stepOf(given.kind).stepId, fingerprint: 'failing:1:invalid', reason: 'It fails.' }],
            at: given.now,
          } as Parameters<Store['runs']['parkRun']>[2])
        : side.store.runs.finishRun(fence, seen.stamp, {
            outcome: given.kind % 2 ? 'success' : 'failure',
            reason: null,
            cancelledReason: 'Cancelled.',
            told:
              given.kind % 2
                ? 'works'
                : [{ stepId: stepOf(given.kind).stepId, fingerprint: 'failing:1:invalid', reason: 'It failed.' }],
            at: given.now,
          })
    },
  },
  cancelRun: {
    run: (side, given) =>
      side.store.runs.cancelRun(given.account, idOf(side, 'run', given.pick), {
        reason: 'Cancelled.',
        rowReason: 'Cancelled before.',
        at: given.now,
      }),
  },
  releaseRuns: {
    of: 'run',
    run: async (side, given) => {
      const held = await side.store.runs.heldRuns(given.account, idOf(side, 'automation', given.pick))
      return [held, await side.store.runs.releaseRuns(given.account, held, { reason: 'Released.', at: given.now })]
    },
  },
  settleUnknown: {
    run: (side, given) =>
      side.store.runs.settleUnknown(
        given.account,
        idOf(side, 'run', given.pick),
        stepOf(given.kind),
        given.yes
          ? { decision: 'went_out', reason: 'It went out.', at: given.now }
          : { decision: 'send', message: noteOf(side, given.pick, given.kind), at: given.now },
      ),
  },
  rerunFailed: {
    run: (side, given) =>
      side.store.runs.rerunFailed(given.account, idOf(side, 'run', given.pick), { reason: 'Again.', at: given.now }),
  },
  runToRepeat: { run: (side, given) => side.store.runs.findRunToRepeat(given.account, idOf(side, 'run', given.pick)) },
  listRuns: {
    of: 'run',
    run: async ({ store }, { account, record, kind, yes }) => [
      await store.runs.listRuns(account, {
        ...LAST_RUNS,
        limit: 4,
        status:
          (['success', 'failure', 'queued', 'waiting', 'held', 'needs_you', 'cancelled', null] as const)[kind % 8] ??
          null,
        recordUuid: yes ? record : null,
        text: kind > 4 ? 'RULE' : null,
      }),
      await store.runs.countRunsThatNeedPerson(account, 5),
      await store.runs.recentRuns(account, 5),
    ],
  },
  messageFacts: {
    run: async (side, { account, pick, kind, yes, now }) => [
      await side.store.runs.messageFacts(account, {
        automationId: idOf(side, 'automation', pick),
        runId: yes ? idOf(side, 'run', pick) : null,
        receiverHashes: [`hash-${kind % 3}`, 'old'],
        companyUuids: ['company-1'],
        jobUuids: [`record-${kind % 4}`],
        now,
        dayStart: now - hours(9),
        hourStart: now - hours(1),
      }),
      await side.store.runs.messagesTo(account, [`hash-${kind % 3}`], 3),
      await side.store.runs.countMessages(account, 0),
    ],
  },
  mute: {
    of: 'mute',
    run: async ({ store }, { account, kind, yes, now }) => [
      await store.runs.saveMute(
        account,
        {
          kind: yes ? 'company' : 'job',
          recordUuid: yes ? 'company-1' : `record-${kind % 4}`,
          until: kind % 2 ? now + hours(1) : null,
          name: 'Mrs Jones',
        },
        now,
        { by: null, words: 'Muted.' },
      ),
      await store.runs.listMutes(account, now),
      await store.runs.listGuardChanges(account),
    ],
  },
  removeMute: { run: (side, { account, pick }) => side.store.runs.removeMute(account, idOf(side, 'mute', pick)) },
  forgetRuns: { of: 'run', run: ({ store }, { now }) => store.runs.forgetRunsStep(now - days(2), 0, 5) },
  forgetLeftovers: {
    run: ({ store }, { kind, now }) =>
      store.runs.forgetLeftoversStep(
        (['verdict', 'ledger', 'own_write', 'message', 'trigger_call', 'mute'] as const)[kind % 6] ?? 'mute',
        now - hours(1),
        3,
      ),
  },
  // ---- billing ----
  ensurePlan: { run: ({ store }, { account, now }) => store.billing.ensurePlan(account, days(14), now) },
  holdPlan: {
    run: async ({ store }, { account, yes, kind, now }) => {
      const plan = await store.billing.findPlan(account)
      if (!plan) return 'none'
      const change = yes
        ? { heldSince: now, holdReason: 'trial_ended' }
        : {
            heldSince: null,
            holdReason: null,
            customerId: `cus_${account}`,
            subscriptionId: 'sub',
            currentPeriodStart: now - days(5),
            currentPeriodEnd: now + days(25),
            status: 'active',
          }
      return store.billing.savePlan(
        account,
        kind === 7 ? plan.updatedAt - 1 : plan.updatedAt,
        change,
        now,
        yes ? null : { runsDueBefore: now, reason: 'Held meanwhile.' },
      )
    },
  },
  plans: {
    run: async ({ store }, { account, now }) => [
      await store.billing.beginMissingTrials(days(14), now),
      await store.billing.plansAfter('', 5),
      await store.billing.accountsToSync(now, 5),
      await store.billing.usageOfDays(account, 0, 99_999),
    ],
  },
  paymentEvent: {
    run: async ({ store }, { kind, yes, now }) => [
      await store.billing.beginPaymentEvent({ id: `evt_${kind}`, type: 'invoice.paid', createdAt: now }, now),
      yes
        ? await store.billing.endPaymentEvent(`evt_${kind}`, now)
        : await store.billing.failPaymentEvent(`evt_${kind}`, 'failed'),
    ],
  },
  renewal: {
    run: async ({ store }, { account, kind, yes, now }) => [
      await store.billing.noteRenewalPaid(account, { paymentId: `pay_${kind}`, amount: 500 }, now),
      await store.billing.renewalsToApply(5),
      yes ? await store.billing.endRenewal(account, `pay_${kind}`, 'applied', now) : null,
    ],
  },
  usageReports: {
    run: async ({ store }, { now }) => [
      await store.billing.makeUsageReports(0, Math.floor(now / days(1)), now),
      await store.billing.usageReportsToSend(0, 5),
    ],
  },
  // ---- operations ----
  audit: {
    of: 'audit_entry',
    run: async ({ store }, { account, kind, yes, now }) => [
      await store.audit.appendAudit({
        at: now,
        accountUuid: kind > 5 ? null : account,
        actor: 'session',
        staffUuid: null,
        action: kind % 2 ? 'sign_in' : 'calls.refused',
        target: `target-${kind}`,
        outcome: yes ? 'done' : 'refused',
        ip: null,
        detail: { count: kind },
      }),
      await store.audit.listAudit(account, {
        actions: null,
        outcome: yes ? 'done' : null,
        since: null,
        until: null,
        before: null,
        limit: 4,
      }),
      await store.ops.countAudit(0, ['sign_in'], 20),
    ],
  },
  forgetAudit: { run: ({ store }, { now }) => store.audit.forgetAuditStep(now - days(1), 2) },
  lease: {
    run: async ({ store }, { kind, yes, now }) => [
      await store.ops.acquireLease(
        'deliveries',
        OWNERS[kind % 2] ?? '',
        now,
        now + minutes(1),
        yes ? (OWNERS[(kind + 1) % 2] ?? null) : null,
      ),
      await store.ops.findLease('deliveries'),
      kind > 5 ? await store.ops.releaseLease('deliveries', OWNERS[kind % 2] ?? '') : null,
    ],
  },
  outlines: {
    run: async ({ store }, { now }) => [
      await store.ops.accountOutlines(),
      await store.ops.troubledEndpoints(5),
      await store.ops.waitingSplit(now),
    ],
  },
  kept: { run: ({ store }, { account }) => store.ops.countKept(account, 5) },
  deleteOld: {
    of: 'event',
    run: ({ store }, { kind, now }) =>
      kind % 2
        ? store.ops.deleteOldEventsStep(now - days(2), 0, 5)
        : store.ops.deleteOldBodiesStep(now - hours(1), now - days(2), 0, 5),
  },
  deleteOldHours: { run: ({ store }, { now }) => store.ops.deleteOldHours(Math.floor((now - days(2)) / hours(1))) },
  weigh: { run: ({ store }) => store.ops.weighEventsStep(0, 50) },
  shorten: {
    run: ({ store }, { account, yes, now }) =>
      yes
        ? store.ops.shortenBodiesStep(account, now - hours(1), 0, 5)
        : store.ops.shortenLogStep(account, now - days(1), 0, 5),
  },
  backups: {
    of: 'backup_run',
    run: async ({ store }, { yes, now }) => [
      await store.backups.beginBackupRun(yes ? 'backup' : 'drill', now, 'It was lost.'),
      await store.backups.listBackupRuns(3),
      await store.backups.forgetBackupRuns(2),
    ],
  },
}
