// Long: every act of the store that is written down, each as its owner reads it.
import { readdirSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { decideNamedAs } from '#app/domain/account-id.ts'
import type { Effect } from '#app/domain/automations/effect.ts'
import { asCaller, noteProved } from '#app/lib/caller.server.ts'
import { days, hours } from '#app/lib/duration.ts'
import { withMethods } from '#app/lib/families.ts'
import type { Log } from '#app/lib/log.ts'
import type { Store } from '#db/store.ts'
import { aRule } from '#tests/support/automation-world.server.ts'
import { LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import { forgetOldAudit } from './audit.server.ts'
import { auditMessages } from './audited-messages.server.ts'
import { AUDITED_METHODS, type AuditedStore, auditStore } from './audited-store.server.ts'

let world: WebhookWorld
let errors: string[]
let audited: AuditedStore
const ALL = { actions: null, outcome: null, since: null, until: null, before: null, limit: 500 }

beforeEach(async () => {
  world = await openWebhookWorld()
  errors = []
  audited = auditStore({ store: world.app.store, clock: world.clock, log: hearing() })
})
afterEach(() => world.close())

function hearing(): Log {
  const quiet = () => undefined
  const log: Log = {
    debug: quiet,
    info: quiet,
    warn: quiet,
    error: (_fields, message) => errors.push(message),
    child: () => log,
  }
  return log
}

const app = () => ({ store: audited.store, clock: world.clock, log: hearing() })

async function entries(account = LEEDS) {
  return (await world.app.store.audit.listAudit(account, ALL)).reverse()
}

const NEW_WEBHOOK = {
  kind: 'webhook' as const,
  objectType: 'job',
  fields: '',
  url: 'https://hooks.example.com/very/secret?key=abc',
  fieldFilter: '',
  active: true,
  secretSealed: 'sealed',
  subscription: null,
  at: 1,
}

describe('an act', () => {
  it('is written down after it was done, with who and from where', async () => {
    const { id, endpointId } = await asCaller('192.0.2.7', async () => {
      noteProved([{ accountUuid: LEEDS, staffUuid: 'staff-1' }])
      return audited.store.endpoints.saveEndpoint(LEEDS, NEW_WEBHOOK)
    })
    await asCaller('192.0.2.8', async () => {
      noteProved([{ accountUuid: LEEDS, staffUuid: null }])
      await audited.store.endpoints.updateEndpoint(
        LEEDS,
        { kind: 'webhook', id: id },
        {
          url: 'https://other.example.com/x',
          active: false,
          subscription: null,
          at: 2,
        },
      )
      await audited.store.deliveries.resumeEndpoint(LEEDS, endpointId, 3)
    })
    await audited.store.endpoints.deleteEndpoint(LEEDS, { kind: 'webhook', id: id }, { endSubscriptions: false, at: 4 })
    expect(await entries()).toMatchObject([
      {
        action: 'webhook.created',
        actor: 'staff',
        staffUuid: 'staff-1',
        ip: '192.0.2.7',
        target: 'job',
        outcome: 'done',
        detail: { address: 'hooks.example.com' },
      },
      {
        action: 'webhook.changed',
        actor: 'session',
        ip: '192.0.2.8',
        detail: { changed: 'address, switched off', address: 'other.example.com' },
      },
      { action: 'sending.resumed', target: 'other.example.com' },
      { action: 'webhook.deleted', actor: 'system', ip: null, target: 'job' },
    ])
    expect(JSON.stringify(await entries())).not.toContain('secret')
  })

  it('that replaces a webhook tells what is different, and nothing when nothing is', async () => {
    await audited.store.endpoints.saveEndpoint(LEEDS, NEW_WEBHOOK)
    const moved = { ...NEW_WEBHOOK, url: 'https://other.example.com/x', fields: 'status', active: false }
    for (const one of [NEW_WEBHOOK, moved, moved]) await audited.store.endpoints.saveEndpoint(LEEDS, one)
    expect(await entries()).toMatchObject([
      { action: 'webhook.created', target: 'job' },
      {
        action: 'webhook.changed',
        target: 'job',
        detail: { changed: 'fields, address, switched off', address: 'other.example.com' },
      },
    ])
  })

  it('on the e-mail alerts tells also the days that do not count', async () => {
    const closedDays = [{ from: '2026-12-24', to: '2027-01-03' }]
    const choice = { byMail: true, email: null, topicsOff: [], weekly: false, holidaysOff: true, closedDays }
    await audited.store.notices.saveMailChoice(LEEDS, choice, choice, 1)
    expect(await entries()).toMatchObject([
      { action: 'mail.changed', detail: { weekly: false, holidaysOff: true, closedDays: 1 } },
    ])
  })

  it('names the automation that is gone, and the customer who gets messages again', async () => {
    const { automations, runs } = audited.store
    const rule = { name: 'Chase quotes', definition: aRule([]), active: true, nextRunAt: null, baselined: true }
    const automation = await automations.createAutomation(LEEDS, { ...rule, triggerKey: null, at: 1 })
    await automations.deleteAutomation(LEEDS, automation, { reason: 'x', at: 2 })
    const { id } = await runs.saveMute(LEEDS, { kind: 'company', recordUuid: 'joan', until: null }, 3)
    await runs.removeMute(LEEDS, id)
    expect(await entries()).toMatchObject([
      { action: 'automation.created' },
      { action: 'automation.deleted', target: 'Chase quotes', detail: { automation } },
      { action: 'customer.muted', target: 'customer joan' },
      { action: 'customer.allowed', target: 'customer joan' },
    ])
  })

  it('that changes nothing is not told', async () => {
    await audited.store.endpoints.updateEndpoint(
      LEEDS,
      { kind: 'webhook', id: 9 },
      { active: true, subscription: null, at: 1 },
    )
    await audited.store.endpoints.deleteEndpoint(LEEDS, { kind: 'webhook', id: 9 }, { endSubscriptions: true, at: 1 })
    await audited.store.automations.deleteAutomation(LEEDS, 9, { reason: 'x', at: 1 })
    await audited.store.runs.removeMute(LEEDS, 9)
    // Already stopped by somebody: it gets its name.
    const named = { kind: 'company', recordUuid: 'joan', until: null, name: 'Joan', by: 'Ann Lee' } as const
    await audited.store.runs.saveMute(LEEDS, named, 1)
    await audited.store.deliveries.cancelReplay(LEEDS, 9, 1)
    await audited.store.accounts.mapAccountId(LEEDS, LEEDS, 50, decideNamedAs)
    expect(await entries()).toEqual([])
  })

  it('that sends a delivery again which already waits for that is not told', async () => {
    const waiting: Store = withMethods(world.app.store, {
      retryDelivery: async () => ({ outcome: 'waiting', deliveryId: 2, endpointId: 1 }),
    })
    await auditStore({ store: waiting, clock: world.clock, log: hearing() }).store.deliveries.retryDelivery(
      LEEDS,
      1,
      1,
      1,
    )
    expect(await entries()).toEqual([])
  })

  it('is done even when it cannot be written down, and that is in the log', async () => {
    const failing: Store = withMethods(world.app.store, { appendAudit: () => Promise.reject(new Error('disk')) })
    const { store } = auditStore({ store: failing, clock: world.clock, log: hearing() })
    expect(await store.accounts.mapAccountId('ext-1', LEEDS, 50, decideNamedAs)).toBe('mapped')
    expect(await store.accounts.resolveAccountId('ext-1')).toBe(LEEDS)
    expect(errors).toEqual(['audit.not_recorded'])
    const unreadable: Store = withMethods(world.app.store, { findEndpoint: () => Promise.reject(new Error('disk')) })
    const second = auditStore({ store: unreadable, clock: world.clock, log: hearing() }).store
    const { id } = await second.endpoints.saveEndpoint(LEEDS, NEW_WEBHOOK)
    expect(
      await second.endpoints.updateEndpoint(
        LEEDS,
        { kind: 'webhook', id: id },
        { active: false, subscription: null, at: 1 },
      ),
    ).not.toBeNull()
    expect(errors).toHaveLength(2)
  })

  it('that a person asks for is in the log before it is done, without what it was given', async () => {
    const order: unknown[] = []
    const log = { ...hearing(), info: (fields: object, message: string) => void order.push([message, fields]) }
    const saveMute: Store['runs']['saveMute'] = (...args) => {
      order.push('done')
      return world.app.store.runs.saveMute(...args)
    }
    const { store, ownWork } = auditStore({
      store: withMethods(world.app.store, { saveMute }),
      clock: world.clock,
      log,
    })
    const mute = { kind: 'company', recordUuid: 'only-the-owner-knows', until: null } as const
    await asCaller('192.0.2.7', async () => {
      noteProved([{ accountUuid: LEEDS, staffUuid: null }])
      await store.runs.saveMute(LEEDS, mute, 1)
    })
    expect(order.slice(0, 2)).toEqual([
      ['audit.begun', { act: 'saveMute', accounts: [LEEDS], ip: '192.0.2.7' }],
      'done',
    ])
    expect(JSON.stringify(order)).not.toContain('only-the-owner')
    order.length = 0
    await ownWork.runs.saveMute(LEEDS, mute, 2)
    expect(order[0]).toBe('done')
  })

  it('that fails is not told as done', async () => {
    const failing: Store = withMethods(world.app.store, { saveMute: () => Promise.reject(new Error('disk')) })
    const { store } = auditStore({ store: failing, clock: world.clock, log: hearing() })
    const mute = { kind: 'company', recordUuid: 'c', until: null } as const
    await expect(store.runs.saveMute(LEEDS, mute, 1)).rejects.toThrow('disk')
    expect(await entries()).toEqual([])
  })

  it('of an engine is nobody’s, in whoever’s request it began', async () => {
    await asCaller('192.0.2.9', async () => {
      noteProved([{ accountUuid: LEEDS, staffUuid: null }])
      await audited.ownWork.accounts.mapAccountId('ext-2', LEEDS, 50, decideNamedAs)
    })
    expect(await entries()).toMatchObject([{ action: 'id.linked', actor: 'system', ip: null, target: 'ext-2' }])
  })
})

test('a run is told when a person set it off, and when one was repeated', async () => {
  const { store } = audited
  const definition = {
    description: '',
    trigger: { source: 'webhook', object: 'job', event: 'job_created' },
    conditions: [],
    grouping: null,
    steps: [],
    once: 'record',
    guards: {},
  }
  const automationId = await store.automations.createAutomation(LEEDS, {
    name: 'Thank you',
    definition: definition as never,
    active: false,
    nextRunAt: null,
    baselined: true,
    triggerKey: null,
    at: 1,
  })
  const request = {
    automationId,
    version: 1,
    source: 'person',
    object: 'job',
    recordUuids: ['job-1'],
    groupKey: null,
    triggerData: {} as never,
    ledger: [],
    hop: 0,
    wakeAt: 1,
    held: null,
    replayOf: null,
  } as const
  await store.runs.startRuns(LEEDS, [{ ...request, source: 'webhook' }, request], 1)
  const keys = [{ key: 'k', expiresAt: 100 }]
  await store.runs.startRunOnce(LEEDS, { ...request, replayOf: 2 }, keys, 1)
  await store.runs.startRunOnce(LEEDS, { ...request, replayOf: 2 }, keys, 1)
  await store.runs.startRunOnce(LEEDS, { ...request, source: 'manual' }, [], 1)
  expect((await entries()).map(({ action, target, detail }) => [action, target, detail.run])).toEqual([
    ['automation.created', 'Thank you', undefined],
    ['run.started', 'Thank you', 2],
    ['run.again', 'run 2', 3],
  ])
})

describe('signing in', () => {
  it('tells the sign-in, the permissions and a new id; an opening names the person', async () => {
    const session = {
      tokenHash: 'hash-of-a-token',
      expiresAt: world.clock.now() + hours(1),
      account: { accountUuid: LEEDS, staffUuid: null, proof: 'oauth', provedAt: world.clock.now() } as const,
      replaces: [],
      carryProofsSince: 0,
    }
    const tokens = {
      accessTokenSealed: 'sealed-a',
      refreshTokenSealed: 'sealed-r',
      expiresAt: 1,
      scope: 'vendor read_jobs',
    }
    const account = { uuid: LEEDS, name: 'Leeds', timezone: 'UTC' }
    await audited.store.accounts.completeSignIn({ account, tokens, named: 'ext-3', session }, decideNamedAs)
    await audited.store.accounts.openSession({
      ...session,
      tokenHash: 'another-hash',
      account: { ...session.account, proof: 'launch', staffUuid: 'staff-2' },
    })
    await audited.store.accounts.markReconnect(LEEDS, 1, 'invalid_grant')
    const told = await entries()
    expect(told.map(({ action, actor, staffUuid, outcome }) => [action, actor, staffUuid, outcome])).toEqual([
      ['sign_in', 'session', null, 'done'],
      ['connection.stored', 'session', null, 'done'],
      ['id.linked', 'session', null, 'done'],
      ['opened', 'platform', 'staff-2', 'done'],
      ['connection.lost', 'system', null, 'failed'],
    ])
    expect(JSON.stringify(told)).not.toMatch(/sealed|hash/)
  })

  it('an id that is taken is told as refused', async () => {
    await audited.store.accounts.mapAccountId('ext-4', LEEDS, 50, decideNamedAs)
    await world.app.store.accounts.ensureAccount({ uuid: 'other', name: '', timezone: 'UTC' })
    await audited.store.accounts.mapAccountId('ext-4', 'other', 50, decideNamedAs)
    expect(await entries('other')).toMatchObject([
      { action: 'id.linked', outcome: 'refused', detail: { reason: 'taken' } },
    ])
  })
})

test('a subscription that changes is told once, whatever is read again', async () => {
  const plan = await audited.store.billing.ensurePlan(LEEDS, days(14), 1)
  const active = await audited.store.billing.savePlan(
    LEEDS,
    plan.updatedAt,
    { status: 'active', currentPeriodEnd: 5 },
    2,
  )
  await audited.store.billing.savePlan(LEEDS, active?.updatedAt ?? 0, { status: 'active', lastSyncedAt: 3 }, 3)
  expect(await entries()).toMatchObject([
    { action: 'payment.changed', target: 'trial became active, a new month', actor: 'system' },
  ])
  const ending = { status: 'past_due', cancelAtPeriodEnd: true }
  const late = await audited.store.billing.savePlan(LEEDS, 3, ending, 4)
  const ended = { status: 'canceled', cancelAtPeriodEnd: false, heldSince: 5 }
  await audited.store.billing.savePlan(LEEDS, late?.updatedAt ?? 0, ended, 5)
  expect((await entries()).map(({ target }) => target).sort()).toEqual([
    'active became past due, ends with the paid month',
    'past due became canceled, sending is held',
    'trial became active, a new month',
  ])
})

test('a message is told with a receiver nobody can read, and the failed ones as failed', async () => {
  const { secrets } = world.app
  const results = [
    { outcome: 'sent', result: {} },
    { outcome: 'failed', errorClass: 'invalid', sentence: '', retry: false },
    { outcome: 'wait', until: 1, sentence: '' },
    { outcome: 'unknown', sentence: '' },
  ] as const
  let call = 0
  const committer = auditMessages(
    { ...app(), secrets },
    {
      commit: async (_effect: Effect, _for: { identity: { accountUuid: string; runId: number } }) => {
        call += 1
        return results[call - 1] ?? results[0]
      },
    },
  )
  const sms = {
    kind: 'send_sms',
    class: 'customer',
    to: '+447700900123',
    message: 'Dear Mrs Jones',
    credits: 1,
    regardingJobUuid: null,
    summary: 'x',
  } as const
  const context = { identity: { accountUuid: LEEDS, runId: 5 } }
  for (let n = 0; n < 4; n += 1) await committer.commit(sms, context)
  const update = {
    kind: 'update_record',
    class: 'set',
    object: 'job',
    recordUuid: 'j',
    before: {},
    fields: {},
    summary: '',
  }
  await committer.commit(update as never, context)
  const told = await entries()
  expect(told.map(({ outcome, target }) => [outcome, target])).toEqual([
    ['done', 'a customer'],
    ['failed', 'a customer'],
    ['done', 'a customer'],
  ])
  expect(told[0]?.detail).toEqual({ channel: 'text message', run: 5, receiver: expect.stringMatching(/^[\w-]{12}$/) })
  expect(told[2]?.detail).toMatchObject({ sure: false })
  expect(JSON.stringify(told)).not.toMatch(/7700|Jones/)
})

test('the daily entry says what was removed, and entries of more than 400 days ago go', async () => {
  await audited.store.accounts.mapAccountId('ext-5', LEEDS, 50, decideNamedAs)
  world.clock.advance(days(401))
  Object.assign(audited.removed, { events: 7, runs: 2 })
  await forgetOldAudit(app(), audited.removed)
  expect(await entries()).toEqual([])
  const row = world.client.sql.prepare("SELECT detail FROM audit_entry WHERE action = 'retention'").get() as {
    detail: string
  }
  expect(JSON.parse(row.detail)).toEqual({ events: 7, bodies: 0, runs: 2, auditEntries: 1, auditKeptDays: 400 })
  expect(audited.removed).toEqual({ events: 0, bodies: 0, runs: 0 })
})

/** What changes something and is not written down, with the reason. */
const NOT_AUDITED: Record<string, string> = {
  account: 'ensureAccount describeAccount: name and zone, as the platform has them',
  tokens: 'replaceTokens: renewed every hour; losing the connection is told',
  attempts: 'markPlaceholder beginSignIn takeSignIn: nobody is anybody yet',
  people: 'admitPerson: the opening itself is told',
  sessions: 'touchSession endSessions: seen again; signing out is told where the request is',
  tickets: 'issueTicket takeTicket rememberSigned: what comes of them is told',
  tidying:
    'forgetExpired deleteOldEventsStep deleteOldBodiesStep deleteOldHours forgetRunsStep forgetLeftoversStep forgetNoticesStep forgetSnapshotsStep forgetNamesStep trimSnapshotsStep dropEndedPoll forgetPaymentEvents forgetAuditStep forgetRefusedStep forgetKeysOfNobody shortenBodiesStep shortenLogStep: told once a day',
  events:
    'acceptEvents takeInPolled createTestDelivery settleAttempts endStoppedStep expireHeldStep growReplayStep: in the log of deliveries and runs',
  engines:
    'adoptEndpoints endRest acquireLease releaseLease claimPoll failPoll dropUnreadPoll endPollUnlessNeeded resumeAutomations claimRun beginSending endSending setRow finishRun failSweep noteBaseline saveEndpointCheck noteUpstream raiseNotice raiseTrouble endTrouble openTroubles endOutdated raiseWeekly noteAccountEmail claimNoticeMail dismissNotice dismissRepeatNotice noteRefusedScope',
  listening:
    'settleLook postponeLook noteTold dismissListening: in the history; a customer who asks for silence is told',
  subscriptions: 'beginSubscription dropPendingSubscription switchSubscription updateSubscription: follow what is told',
  money:
    'ensurePlan beginMissingTrials beginPaymentEvent endPaymentEvent failPaymentEvent noteRenewalPaid makeUsageReports endUsageReport failUsageReport: what follows for the plan is told',
  instances: 'remove take takeNews: which instance works for whom',
  itself: 'appendAudit',
  questions:
    'endpointsOfAccount endpointsWithWork changedElsewhere pausedAutomations failingEndpoints endpoints openAnswer: read only',
  templates: 'countTemplateUse',
  erasure: 'eraseHistoryStep endErasure: begun and ended are told',
  keys: 'forgetAccountKey replaceAccountKey replaceSecret noteFirstKey: part of an erasure, or a new key, which is told',
  limits: 'takeCall beginCalls pauseCalls takeTriggerCall: counters of a minute',
  log: 'recordApiActivity',
  backups: 'beginBackupRun endBackupRun forgetBackupRuns: the operator’s own list',
}

test('whatever the store can change is written down, or there is a reason why not', () => {
  const declared = readdirSync('db/store')
    .map((file) => readFileSync(`db/store/${file}`, 'utf8'))
    .flatMap((text) => [...text.matchAll(/^ {2}([a-z]\w+)\(/gm)].map(([, name]) => name ?? ''))
  const changing =
    /^(save|create|update|delete|change|rotate|pause|resume|start|cancel|retry|release|rerun|remove|begin|end|map|link|mark|make|open|issue|take|touch|forget|replace|claim|fail|drop|raise|settle(Unknown|Notice)|dismiss|note|record|append|ensure|describe|complete|remember|accept|grow|erase|trim|shorten|expire|adopt|acquire|switch|count(TemplateUse))/
  const reasons = new Set(Object.values(NOT_AUDITED).flatMap((text) => text.split(/[\s:]+/)))
  const forgotten = declared.filter(
    (name) => changing.test(name) && !AUDITED_METHODS.includes(name) && !reasons.has(name),
  )
  expect(declared.length).toBeGreaterThan(100)
  expect(forgotten).toEqual([])
})
