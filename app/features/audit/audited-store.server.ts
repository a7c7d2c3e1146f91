// Wraps the store and records every action that an owner should be able to look up, after it is done, whoever calls.
// Reads, events and deliveries pass through unchanged.
import type { App } from '#app/context/app-context.ts'
import type { AuditDetail } from '#app/domain/audit.ts'
import type { Mute } from '#app/domain/automations/receipt.ts'
import type { RunRequest, StartedRun } from '#app/domain/automations/run.ts'
import { reasonCode } from '#app/domain/reason.ts'
import { type Caller, currentCaller } from '#app/lib/caller.server.ts'
import { isoOrNull } from '#app/lib/clock.ts'
import { eachMethod, type MethodsOf, withMethods } from '#app/lib/families.ts'
import { hostOf } from '#app/lib/url.ts'
import type { Store } from '#db/store.ts'
import { type NewAudit, type Removed, recordAudit } from './audit.server.ts'
import { maskEmail } from './audit.ts'

type AuditNote = NewAudit | null | readonly (NewAudit | null)[]

type StoreMethods = MethodsOf<Store>

type Describers = {
  [Method in keyof StoreMethods]?: (
    args: Parameters<StoreMethods[Method]>,
    result: Awaited<ReturnType<StoreMethods[Method]>>,
    store: Store,
  ) => AuditNote | Promise<AuditNote>
}

const switched = (active: boolean | undefined) =>
  active === undefined ? null : active ? 'switched on' : 'switched off'
/** Only the number of scopes: the connection's own card names them. */
const namesIn = (scope: string) => scope.split(/[\s,]+/).filter(Boolean).length
const list = (...parts: (string | false | null | undefined)[]) => parts.filter(Boolean).join(', ')

/** Shows an owner that the operator did it, not one of their own people. */
const askedBy = (): AuditDetail => (currentCaller()?.operator ? { asked: 'the operator of this service' } : {})

/** Names an endpoint by the host of its address, the clearest name. */
async function endpointName(store: Store, accountUuid: string, endpointId: number): Promise<string> {
  const target = await store.notices.findCheckTarget(accountUuid, endpointId)
  return target === null ? `address ${endpointId}` : hostOf(target.url, '')
}

async function ruleName(store: Store, accountUuid: string, automationId: number): Promise<string> {
  return (await store.automations.findAutomation(accountUuid, automationId))?.name ?? `number ${automationId}`
}

/** Only the customer's uuid: the entry outlives the customer's data. */
const mutedRecord = ({ kind, recordUuid }: Pick<Mute, 'kind' | 'recordUuid'>) =>
  `${kind === 'company' ? 'customer' : 'job'} ${recordUuid}`

/** Returns null when no person started it, or no run began. */
async function ranByHand(
  store: Store,
  accountUuid: string,
  { source, automationId, replayOf }: RunRequest,
  started: StartedRun | undefined,
): Promise<NewAudit | null> {
  if (source !== 'person' || started?.outcome !== 'started') return null
  const detail = { run: started.runId }
  if (replayOf !== null) return { accountUuid, action: 'run.again', target: `run ${replayOf}`, detail }
  return { accountUuid, action: 'run.started', target: await ruleName(store, accountUuid, automationId), detail }
}

const ACCESS: Describers = {
  completeSignIn: ([{ account, named, tokens }], meaning) => {
    const accountUuid = account.uuid
    // A taken id stores nothing; the end of the sign-in records it.
    if (meaning === 'taken') return null
    return [
      { accountUuid, action: 'sign_in', actor: 'session' },
      { accountUuid, action: 'connection.stored', actor: 'session', detail: { scopes: namesIn(tokens.scope) } },
      meaning === 'new' ? { accountUuid, action: 'id.linked', target: named, actor: 'session' } : null,
    ]
  },
  openSession: ([{ account }]) => {
    const { accountUuid, staffUuid } = account
    return { accountUuid, action: 'opened', actor: 'platform', staffUuid }
  },
  endSessionsOf: ([accountUuid, hashes], ended) => {
    if (hashes === null) return { accountUuid, action: 'sessions.ended', detail: { count: ended, ...askedBy() } }
    return ended > 0 ? { accountUuid, action: 'session.ended' } : null
  },
  changeRole: ([accountUuid, staffUuid, role], outcome) =>
    outcome === 'changed' ? { accountUuid, action: 'role.changed', target: staffUuid, detail: { role } } : null,
  mapAccountId: ([target, accountUuid], outcome) => linked(accountUuid, target, outcome),
  linkWithTicket: ([, target], linking) =>
    linking.outcome === 'unknown' ? null : linked(linking.accountUuid, target, linking.outcome),
  saveCredential: ([accountUuid, { scope }]) => ({
    accountUuid,
    action: 'connection.stored',
    detail: { scopes: namesIn(scope) },
  }),
  markReconnect: ([accountUuid, , reason], marked) =>
    marked === 'marked'
      ? { accountUuid, action: 'connection.lost', outcome: 'failed', actor: 'system', detail: { reason } }
      : null,
}

function linked(accountUuid: string, target: string, outcome: 'mapped' | 'same' | 'taken' | 'full'): AuditNote {
  if (outcome === 'same') return null
  if (outcome === 'mapped') return { accountUuid, action: 'id.linked', target }
  return { accountUuid, action: 'id.linked', target, outcome: 'refused', detail: { reason: outcome } }
}

const AUDITED = { webhook: 'webhook', extra: 'rule' } as const

const updated: NonNullable<Describers['updateEndpoint']> = async ([accountUuid, ref, update], saved, store) => {
  const { name, fields, url, active } = update
  const changed = list(
    name !== undefined && 'name',
    fields && 'fields',
    url !== undefined && 'address',
    switched(active),
  )
  if (saved === null || changed === '') return null
  const found = await store.endpoints.findEndpoint(accountUuid, ref)
  const target = found?.name ?? found?.objectType ?? ''
  const address = url === undefined ? null : hostOf(url, '')
  return { accountUuid, action: `${AUDITED[ref.kind]}.changed`, target, detail: { changed, address } }
}

const WEBHOOKS: Describers = {
  saveEndpoint: ([accountUuid, input], saved, store) => {
    const { objectType, url } = input
    const address = hostOf(url, '')
    if (input.kind === 'extra') {
      return { accountUuid, action: 'rule.created', target: input.name, detail: { object: objectType, address } }
    }
    if (saved.replaced) return updated([accountUuid, { kind: 'webhook', id: saved.id }, saved.replaced], saved, store)
    return { accountUuid, action: 'webhook.created', target: objectType, detail: { address } }
  },
  updateEndpoint: updated,
  deleteEndpoint: ([accountUuid, { kind }], deleted) =>
    deleted && { accountUuid, action: `${AUDITED[kind]}.deleted`, target: deleted.objectType },
  restoreEndpoint: ([accountUuid, { kind }], restored) =>
    restored && { accountUuid, action: `${AUDITED[kind]}.restored`, target: restored.objectType },
  rotateSecret: async ([accountUuid, endpointId], rotation, store) =>
    rotation?.rotated
      ? { accountUuid, action: 'secret.rotated', target: await endpointName(store, accountUuid, endpointId) }
      : null,
  resumeEndpoint: async ([accountUuid, endpointId], done, store) =>
    done
      ? { accountUuid, action: 'sending.resumed', target: await endpointName(store, accountUuid, endpointId) }
      : null,
  startReplay: async ([accountUuid, endpointId, { status }, count], replayId, store) =>
    replayId === null
      ? null
      : {
          accountUuid,
          action: 'replay.started',
          target: await endpointName(store, accountUuid, endpointId),
          detail: { replay: replayId, count, status },
        },
  cancelReplay: ([accountUuid, replayId], done) =>
    done ? { accountUuid, action: 'replay.cancelled', target: `number ${replayId}` } : null,
  retryDelivery: ([accountUuid, deliveryId], made) =>
    made.outcome === 'created' ? { accountUuid, action: 'delivery.again', target: `delivery ${deliveryId}` } : null,
  settleNoticeMail: ([accountUuid, notice, after, claimed]) =>
    claimed && after.state === 'sent'
      ? {
          accountUuid,
          action: 'message.sent',
          actor: 'system',
          target: 'you, about something that fails or works again',
          detail: { channel: 'e-mail', notice },
        }
      : null,
  saveMailChoice: ([accountUuid], { byMail, email, weekly, topicsOff, holidaysOff, closedDays }) => ({
    accountUuid,
    action: 'mail.changed',
    detail: {
      ...{ mail: byMail, to: email === null ? null : maskEmail(email), weekly, off: topicsOff.join(', ') || null },
      ...{ holidaysOff, closedDays: closedDays.length },
    },
  }),
}

const AUTOMATIONS: Describers = {
  createAutomation: ([accountUuid, { name, active, definition }], id) => ({
    accountUuid,
    action: 'automation.created',
    target: name,
    detail: { automation: id, active, trigger: definition.trigger.source },
  }),
  changeAutomation: ([accountUuid, automation, change], rule) => {
    if (rule === null) return null
    const target = rule.name
    const by = { accountUuid, target, detail: { automation, version: rule.version } }
    if (change.definition !== undefined || change.name !== undefined) {
      return { ...by, action: 'automation.changed', detail: { ...by.detail, active: rule.active } }
    }
    if (change.active !== undefined) return { ...by, action: change.active ? 'automation.on' : 'automation.off' }
    // The engine only moved its own due times: no person acted.
    return change.triggerKey === undefined ? null : { ...by, action: 'automation.key_renewed' }
  },
  deleteAutomation: async ([accountUuid, id], deleted, { automations }) => {
    if (!deleted) return null
    const target = (await automations.findDeletedAutomation(accountUuid, id, 0))?.name ?? `number ${id}`
    return { accountUuid, action: 'automation.deleted', target, detail: { automation: id } }
  },
  restoreAutomation: ([accountUuid, id], rule) =>
    rule === null
      ? null
      : { accountUuid, action: 'automation.restored', target: rule.name, detail: { automation: id } },
  pauseAutomations: ([accountUuid, { automationId, reason }], count) =>
    count > 0
      ? {
          accountUuid,
          action: 'automation.paused',
          actor: 'system',
          detail: { automation: automationId, count, reason: reasonCode(reason) },
        }
      : null,
  createTemplate: ([accountUuid, { name, isPublic }]) => ({
    accountUuid,
    action: 'template.created',
    target: name,
    detail: { public: isPublic },
  }),
  saveAccountGuards: ([accountUuid, , , change]) => ({
    accountUuid,
    action: 'limits.changed',
    target: change?.words ?? 'limits',
  }),
  // With its own `by` it only gets its name.
  saveMute: ([accountUuid, mute]) =>
    mute.by === undefined
      ? { accountUuid, action: 'customer.muted', target: mutedRecord(mute), detail: { until: isoOrNull(mute.until) } }
      : null,
  removeMute: ([accountUuid], removed) =>
    removed && { accountUuid, action: 'customer.allowed', target: mutedRecord(removed) },
  startRuns: ([accountUuid, requests], started, store) =>
    Promise.all(requests.map((request, index) => ranByHand(store, accountUuid, request, started[index]))),
  startRunOnce: ([accountUuid, request], started, store) =>
    started.outcome === 'repeated' ? null : ranByHand(store, accountUuid, request, started),
  cancelRun: ([accountUuid, run], { outcome }) =>
    outcome === 'cancelled' || outcome === 'cancelling'
      ? { accountUuid, action: 'run.cancelled', target: `run ${run}` }
      : null,
  releaseRuns: ([accountUuid, runs], count) =>
    count > 0
      ? {
          accountUuid,
          action: 'run.released',
          target: runs.length === 1 ? `run ${runs[0]}` : `${runs.length} runs`,
          detail: { count },
        }
      : null,
  settleUnknown: ([accountUuid, run, , { decision }], { outcome }) =>
    outcome === 'settled'
      ? {
          accountUuid,
          action: 'run.settled',
          target: decision === 'went_out' ? 'it went out' : 'send it',
          detail: { run },
        }
      : null,
  settleAnswer: ([accountUuid, id, { state }], settled) =>
    settled && {
      accountUuid,
      action: 'answer.settled',
      target: state === 'went_on' ? 'go on' : 'stop',
      detail: { answer: id },
    },
  rerunFailed: ([accountUuid, run], again) =>
    again.outcome === 'again'
      ? { accountUuid, action: 'run.again', target: `what failed in run ${run}`, detail: { count: again.rows } }
      : null,
}

const REST: Describers = {
  endRenewal: ([accountUuid, , state]) => ({
    accountUuid,
    action: 'payment.renewal',
    target: state === 'applied' ? 'the paid month was added' : 'the payment was given back',
  }),
  beginErasure: ([accountUuid], begun) => (begun === null ? null : { accountUuid, action: 'erasure.begun' }),
  closeErasure: ([accountUuid]) => ({ accountUuid, action: 'erased', actor: 'system' }),
}

const DESCRIBERS: Describers = { ...ACCESS, ...WEBHOOKS, ...AUTOMATIONS, ...REST }

/** The recorded actions, for the test that finds a forgotten one. */
export const AUDITED_METHODS = [...Object.keys(DESCRIBERS), 'savePlan']

export interface AuditedStore {
  /** For people's requests. */
  store: Store
  /** For engines and scheduled work: they may start during a person's request, but act for nobody. */
  ownWork: Store
  /** Rows that retention removed since the last report. */
  removed: Removed
}

/** `ownStore`: what the product's own work writes with; default the same store. */
export function auditStore(app: Pick<App, 'store' | 'clock' | 'log'> & { ownStore?: Store }): AuditedStore {
  const removed: Removed = { events: 0, bodies: 0, runs: 0 }
  return {
    store: watch(app, removed, currentCaller),
    ownWork: watch({ ...app, store: app.ownStore ?? app.store }, removed, () => null),
    removed,
  }
}

function watch(
  app: Pick<App, 'store' | 'clock' | 'log'>,
  removed: Removed,
  callerOf: () => Readonly<Caller> | null,
): Store {
  const { store } = app
  const tell = async (told: AuditNote): Promise<void> => {
    for (const request of told === null ? [] : [told].flat()) {
      if (request) await recordAudit(app, known(request, callerOf()), callerOf())
    }
  }
  const audited = eachMethod(store, (name, method) => {
    const describer = DESCRIBERS[name as keyof StoreMethods]
    if (!describer) return method
    const describe = describer as (args: unknown[], result: unknown, store: Store) => AuditNote | Promise<AuditNote>
    return async (...args) => {
      sayBegun(app, name, callerOf())
      const result = await method(...args)
      try {
        await tell(await describe(args, result, store))
      } catch (error) {
        // The action is done: a failure to record it must not undo it.
        app.log.error({ error, act: name }, 'audit.not_recorded')
      }
      return result
    }
  })
  return withMethods(audited, {
    async savePlan(accountUuid, ...rest) {
      sayBegun(app, 'savePlan', callerOf())
      const before = await store.billing.findPlan(accountUuid)
      const after = await store.billing.savePlan(accountUuid, ...rest)
      if (before === null || after === null) return after
      const target = list(
        before.status !== after.status && `${before.status} became ${after.status}`.replaceAll('_', ' '),
        // What has ended has no end ahead, and does not go on.
        before.cancelAtPeriodEnd !== after.cancelAtPeriodEnd &&
          after.status !== 'canceled' &&
          (after.cancelAtPeriodEnd ? 'ends with the paid month' : 'goes on after the paid month'),
        (before.heldSince === null) !== (after.heldSince === null) &&
          (after.heldSince === null ? 'sending goes on' : 'sending is held'),
        before.currentPeriodEnd !== after.currentPeriodEnd && 'a new month',
      )
      if (target !== '') await tell({ accountUuid, action: 'payment.changed', target })
      return after
    },
    async deleteOldEventsStep(...args) {
      const step = await store.ops.deleteOldEventsStep(...args)
      removed.events += step.removed
      return step
    },
    async deleteOldBodiesStep(...args) {
      const step = await store.ops.deleteOldBodiesStep(...args)
      removed.bodies += step.removed
      return step
    },
    async forgetRunsStep(...args) {
      const step = await store.runs.forgetRunsStep(...args)
      removed.runs += step.removed
      return step
    },
  })
}

/**
 * The entry follows its action in a separate transaction (decision 0025). If the process ends between the two, this log
 * line is the only trace. Without arguments, because some are secrets.
 */
function sayBegun({ log }: Pick<App, 'log'>, act: string, caller: Readonly<Caller> | null): void {
  if (caller === null) return
  const accounts = caller.accounts.map(({ accountUuid }) => accountUuid)
  log.info({ act, accounts, ip: caller.ip }, 'audit.begun')
}

/** Whoever reaches the store is authorized: without a session it is a call with a key, or from a service. */
function known(request: NewAudit, caller: Readonly<Caller> | null): NewAudit {
  const own = caller?.accounts.some(({ accountUuid }) => accountUuid === request.accountUuid) ?? false
  return own || request.actor ? request : { ...request, actor: 'system' }
}
