// Streams the export: however long an account's history is, only a few rows are in memory, and a slow reader slows the
// writing down.
import type { App } from '#app/context/app-context.ts'
import { runReasonText } from '#app/domain/automations/run-reasons.ts'
import { LAST_RUNS, type RunRecord } from '#app/domain/automations/run-record.ts'
import { planHoldText } from '#app/domain/plan-hold.ts'
import type { Reason } from '#app/domain/reason.ts'
import { dayOf, isoDate } from '#app/domain/time/local-time.ts'
import { iso } from '#app/lib/clock.ts'
import type { AutomationRow } from '#db/store/automations.ts'
import type { EndpointRecord, EndpointRow } from '#db/store/endpoints.ts'
import { EXPORT_HISTORY, withoutCapabilities } from './export.ts'

type ExportApp = Pick<App, 'store' | 'clock' | 'settings'>

const ROWS_AT_ONCE = 20

/** Returns the JSON text in pieces; null when the account does not exist. */
export async function exportAccount(app: ExportApp, accountUuid: string): Promise<AsyncGenerator<string> | null> {
  const account = await app.store.accounts.findAccount(accountUuid)
  return account && pieces(app, account)
}

async function* pieces(
  app: ExportApp,
  account: { uuid: string; name: string; timezone: string },
): AsyncGenerator<string> {
  const { store, clock, settings } = app
  const { uuid } = account
  const now = clock.now()
  const since = now - EXPORT_HISTORY
  const credential = await store.accounts.findCredential(uuid)
  const plan = await store.billing.findPlan(uuid)
  const templates = (await store.templates.listTemplates(uuid)).filter((template) => template.accountUuid === uuid)
  yield `{\n${field('format', { name: 'Fieldhook export', version: 1, product: settings.version })}`
  yield `,\n${field('exportedAt', iso(now))}`
  yield `,\n${field('account', { ...account, email: await store.notices.findAccountEmail(uuid) })}`
  yield* listed('people', await store.accounts.listPeople(uuid), (one) => ({ ...one, since: iso(one.since) }))
  yield `,\n${field('connection', credential && { state: credential.state, since: iso(credential.createdAt), scopes: credential.scope })}`
  yield `,\n${field('plan', plan && { ...plan, holdReason: plan.holdReason && planHoldText(plan.holdReason) })}`
  const { byDay } = await store.billing.usageOfDays(uuid, 0, dayOf(now) + 1)
  yield* listed('usage', byDay, ({ day, count }) => ({ day: isoDate(day), count }))
  yield `,\n${field('settings', {
    automations: await store.runs.findAccountGuards(uuid),
    notices: await store.notices.findMailChoice(uuid),
    changes: await store.runs.listGuardChanges(uuid),
  })}`
  const webhooks = await store.endpoints.listEndpoints(uuid, 'webhook')
  const forwardingRules = await store.endpoints.listEndpoints(uuid, 'extra')
  yield* listed('webhooks', webhooks, (one) => ({
    ...endpointFacts(one),
    fields: one.fields,
    address: addressFacts(one.endpoint),
  }))
  yield* listed('forwardingRules', forwardingRules, (one) => ({
    ...endpointFacts(one),
    name: one.name,
    address: addressFacts(one.endpoint),
  }))
  yield* listed('automations', await store.automations.listAutomations(uuid), ruleFacts)
  yield* listed('templates', templates, (template) => template)
  yield* listed('mutes', await store.runs.listMutes(uuid, now), (mute) => mute)
  yield* paged('auditLog', (before) =>
    store.audit.listAudit(uuid, {
      actions: null,
      outcome: null,
      since: null,
      until: null,
      before,
      limit: ROWS_AT_ONCE,
    }),
  )
  const owners = new Map([...webhooks, ...forwardingRules].map((one) => [one.endpoint.id, one]))
  const asked = { object: null, since, forwarding: 'all', limit: ROWS_AT_ONCE } as const
  yield* paged('events', async (before) => {
    const rows = await store.events.listEventLog(uuid, { ...asked, before, withBody: true, withResponses: true })
    return rows.map(({ deliveries, ...row }) => ({
      ...{ ...row, id: row.seq, eventId: row.id },
      // Both null: it was deleted since.
      deliveries: deliveries.map(({ standing: _standing, endpointId, ...facts }) => {
        const { kind, id = null } = owners.get(endpointId) ?? {}
        return { ...facts, webhookId: kind === 'webhook' ? id : null, forwardingRuleId: kind === 'extra' ? id : null }
      }),
    }))
  })
  yield* paged('answers', (before) => store.listening.listAnswers(uuid, null, ROWS_AT_ONCE, before))
  yield* paged('runs', async (before) =>
    (await store.runs.listRuns(uuid, { ...LAST_RUNS, limit: ROWS_AT_ONCE, before, since })).map(runFacts),
  )
  yield '\n}\n'
}

/** An endpoint without its secrets. */
function endpointFacts({ id, accountUuid, objectType, createdAt, updatedAt }: EndpointRecord) {
  return { id, accountUuid, objectType, createdAt, updatedAt }
}

function addressFacts({ url, fieldFilter, state, stateReason, lastSuccessAt }: EndpointRow) {
  return { url, fieldFilter, state, stateReason, lastSuccessAt }
}

/** A rule without its trigger key. */
function ruleFacts({ triggerKeySealed, pausedReason, ...rule }: AutomationRow) {
  return { ...rule, pausedReason: said(pausedReason), hasTriggerAddress: triggerKeySealed !== null }
}

/** Writes reasons as sentences, because people read the export. */
function runFacts({ reason, accountHold, journal, ...run }: RunRecord) {
  return {
    ...run,
    reason: said(reason),
    ...(accountHold !== undefined && { accountHold: accountHold && planHoldText(accountHold) }),
    journal: journal.map(({ sentence, tries, ...row }) => ({
      ...row,
      sentence: said(sentence),
      tries: tries.map((one) => ({ ...one, sentence: said(one.sentence) })),
    })),
  }
}

function said(reason: Reason | null): string | null {
  return reason && runReasonText(reason)
}

async function* listed<Row>(name: string, rows: readonly Row[], facts: (row: Row) => object): AsyncGenerator<string> {
  yield `,\n${JSON.stringify(name)}: [`
  for (const [index, row] of rows.entries()) yield `${index === 0 ? '\n' : ',\n'}${json(facts(row))}`
  yield '\n]'
}

/** Newest first, page by page until one is empty. */
async function* paged<Row extends { id: number }>(
  name: string,
  read: (before: number | null) => Promise<readonly Row[]>,
): AsyncGenerator<string> {
  yield `,\n${JSON.stringify(name)}: [`
  let first = true
  for (let page = await read(null); page.length > 0; page = await read(page.at(-1)?.id ?? 0)) {
    for (const row of page) {
      yield `${first ? '\n' : ',\n'}${json(row)}`
      first = false
    }
  }
  yield '\n]'
}

function field(name: string, value: unknown): string {
  return `${JSON.stringify(name)}: ${json(value)}`
}

/** Removes our own addresses and keys from any text, and writes moments for people. */
function json(value: unknown): string {
  return withoutCapabilities(JSON.stringify(value ?? null, asMoment))
}

/** Moments (`…At` and `at`, however deep) are written as ISO 8601. A number outside 1973 to 5138 is none. */
function asMoment(name: string, value: unknown): unknown {
  const named = name === 'at' || /(At|Since|Until|until|Start|End)$/.test(name)
  return named && typeof value === 'number' && value > 1e11 && value < 1e14 ? iso(value) : value
}
