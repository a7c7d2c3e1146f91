// Collects the data of the operator's page and call: numbers, states and times of all accounts, without any content.
import type { App } from '#app/context/app-context.ts'
import { eventsKept, keptUntil } from '#app/domain/kept-until.ts'
import type { FailingAddress, OutlinedAccount } from '#app/domain/operations.ts'
import { loopState, type ProcessSigns } from '#app/domain/process-signs.ts'
import { untoldOf } from '#app/features/notices/notice-reasons.ts'
import { days } from '#app/lib/duration.ts'
import type { RoomKind, RoomTaken } from '#db/store/operator.ts'
import { shownRun } from './backups.ts'
import { dayCurves } from './day-curves.ts'
import { failingGroups } from './failure-class.ts'
import {
  ACCOUNTS_ON_A_PAGE,
  type AccountLine,
  byCare,
  careOf,
  needsCare,
  pageOf,
  planWord,
} from './operator-accounts.ts'
import {
  type AuditView,
  actWords,
  type BackupsView,
  type DeliveringView,
  OPERATOR_ACTS,
  type OperatorFacts,
  type OperatorView,
  operatorView,
  type SpaceView,
} from './operator-view.ts'
import { outlookOf } from './space-outlook.ts'

type OperatorApp = Pick<App, 'store' | 'clock' | 'settings' | 'ready' | 'signs' | 'callsLeft'>

/** Maximum failing endpoints checked one by one. */
const FAILING_LOOKED_AT = 200
const GROUPS_SHOWN = 50
const AUDIT_SPAN = days(1)
/** Maximum entries of the last day that are counted. */
const AUDIT_COUNTED = 20_000
const RUNS_SHOWN = 6

/** `asked` = the page of the account list, as given in the address. */
export async function loadOperatorPage(app: OperatorApp, asked: string | null): Promise<OperatorView> {
  const { store, clock, settings } = app
  const now = clock.now()
  const signs = app.signs()
  const outlines = await store.ops.accountOutlines()
  const failing = await store.ops.troubledEndpoints(FAILING_LOOKED_AT + 1)
  const machine = await store.ops.machineFacts()
  const backups = await backupsOf(app, now)
  const facts: OperatorFacts = {
    now,
    curves: dayCurves(signs.day, { now, startedAt: signs.startedAt }),
    delivering: await deliveringOf(app, signs, now),
    accounts: await accountsOf(app, outlines, asked, now),
    failing: failingOf(failing, outlines),
    space: await spaceOf(app, signs, machine.diskFreeBytes, now),
    kept: keptUntil(settings),
    backups,
    held: settings.held ?? false,
    machine: {
      version: settings.version,
      schema: machine.schema,
      node: signs.node,
      database: machine.database,
      startedAt: signs.startedAt,
      memoryBytes: signs.memoryBytes,
      mailServer: settings.mailServer ?? false,
      untoldNotices: untoldOf(await store.notices.mailEnds(now - days(1))).count,
      platform: settings.sandbox ? 'sandbox' : 'ServiceM8',
      payments: settings.payments.mode,
    },
    audit: await auditOf(app, now),
  }
  return operatorView(facts)
}

async function deliveringOf(app: OperatorApp, signs: ProcessSigns, now: number): Promise<DeliveringView> {
  const { deliveries, automations, instances } = signs
  const { ready, reasons } = await app.ready()
  const waiting = await app.store.deliveries.waitingTotals()
  // Of all accounts, also those of other instances.
  const { oldestDueSince } = await app.store.ops.readBacklog(now, signs.flights)
  return {
    ready,
    reasons,
    oldestDueAgeMs: oldestDueSince === null ? 0 : Math.max(0, now - oldestDueSince),
    instances: instances && { members: instances.members, unowned: instances.unowned },
    waiting: waiting.deliveries,
    waitingBytes: waiting.bytes,
    ...(await app.store.ops.waitingSplit(now)),
    inFlight: deliveries.inFlight,
    loops: [
      { name: 'Deliveries' as const, loop: deliveries },
      { name: 'Automations' as const, loop: automations },
    ].map(({ name, loop }) => ({
      name,
      state: loopState(loop, now, app.settings.held),
      inFlight: loop.inFlight,
      lastBeatAt: loop.lastBeatAt,
    })),
    loopDelayMs: signs.loopDelayMs,
  }
}

async function accountsOf(
  app: OperatorApp,
  outlines: readonly OutlinedAccount[],
  asked: string | null,
  now: number,
): Promise<OperatorFacts['accounts']> {
  const sorted = byCare(outlines)
  const { page, pages } = pageOf(asked, sorted.length)
  const shown = sorted.slice((page - 1) * ACCOUNTS_ON_A_PAGE, page * ACCOUNTS_ON_A_PAGE)
  const lines: AccountLine[] = []
  for (const account of shown) {
    const { uuid, name, connection, waiting, endpoints } = account
    lines.push({
      uuid,
      name,
      care: careOf(account),
      connection,
      plan: planWord(account, now),
      lastEventAt: await app.store.events.lastEventAt(uuid),
      waiting,
      endpoints,
      calls: await app.callsLeft(uuid),
    })
  }
  const needCare = sorted.filter(needsCare).length
  return { count: sorted.length, needCare, page, pages, lines }
}

/** The numbers cover all; the groups contain those that fail longest. */
function failingOf(found: readonly FailingAddress[], outlines: readonly OutlinedAccount[]): OperatorFacts['failing'] {
  const groups = failingGroups(found.slice(0, FAILING_LOOKED_AT))
  const troubled = outlines.filter(({ failing }) => failing > 0)
  return {
    accounts: troubled.length,
    addresses: troubled.reduce((sum, { failing }) => sum + failing, 0),
    more: found.length > FAILING_LOOKED_AT || groups.length > GROUPS_SHOWN,
    groups: groups.slice(0, GROUPS_SHOWN),
  }
}

const ROOM_TEXTS: Record<RoomKind, string> = {
  events: 'Events and deliveries',
  runs: 'Runs of automations',
  exchanges: 'Calls to and from ServiceM8',
  snapshots: 'Record snapshots',
  audit: 'Who did what',
}

async function spaceOf(
  { store, settings }: OperatorApp,
  { space }: ProcessSigns,
  diskFreeBytes: number | null,
  now: number,
): Promise<SpaceView> {
  const used = await store.ops.spaceUsed()
  const usedBytes = used.fileBytes - used.freeBytes
  const since = now - days(1)
  const { bytes, oldestEventAt } = await store.ops.roomSince(since)
  const { level, sentence, budgetBytes, overShare } = space
  return {
    level,
    sentence,
    usedBytes,
    budgetBytes,
    ...used,
    diskFreeBytes,
    overShare,
    kinds: kindsOf(await store.ops.roomTaken(), usedBytes),
    outlook: outlookOf({
      now,
      usedBytes,
      budgetBytes,
      cameBytes: bytes,
      since,
      oldestEventAt,
      keepMs: eventsKept(settings.retentionDays),
    }),
  }
}

/** Largest first. Estimates never exceed the total: the remainder is the rest. */
function kindsOf(taken: readonly RoomTaken[], usedBytes: number): SpaceView['kinds'] {
  const sum = taken.reduce((total, { bytes }) => total + bytes, 0)
  const scale = sum > usedBytes ? usedBytes / sum : 1
  const kinds = taken
    .filter(({ rows }) => rows > 0)
    .map(({ kind, rows, bytes, estimated }) => ({
      words: ROOM_TEXTS[kind],
      bytes: Math.round(bytes * scale),
      rows: rows as number | null,
      estimated,
    }))
    .sort((a, b) => b.bytes - a.bytes)
  const named = kinds.reduce((total, { bytes }) => total + bytes, 0)
  const rest = {
    words: 'Other',
    bytes: usedBytes - named,
    rows: null,
    estimated: true,
  }
  return [...kinds, rest]
}

async function backupsOf({ store, settings }: OperatorApp, now: number): Promise<BackupsView> {
  const made = settings.backups === 'kept' || (settings.backups ?? false)
  const backup = await store.backups.newestBackup('backup')
  const drill = await store.backups.newestBackup('drill')
  const runs = await store.backups.listBackupRuns(RUNS_SHOWN)
  return {
    setUp: made === true && settings.isCopy ? 'copy' : made,
    lastBackupAt: backup?.startedAt ?? null,
    lastDrillAt: drill?.startedAt ?? null,
    // File names and drill counts are only for the log.
    runs: runs.map((run) => {
      const { id, kind, startedAt, endedAt, outcome, databaseBytes, storedBytes, message } = shownRun(run, now)
      return { id, kind, startedAt, endedAt, outcome, databaseBytes, storedBytes, message }
    }),
  }
}

async function auditOf({ store }: OperatorApp, now: number): Promise<AuditView> {
  const since = now - AUDIT_SPAN
  const { counts, all } = await store.ops.countAudit(since, OPERATOR_ACTS, AUDIT_COUNTED)
  const lines = counts.map(({ action, outcome, count, latestAt }) => ({
    words: actWords(action),
    refused: outcome === 'refused',
    count,
    latestAt,
  }))
  return { since, atLeast: !all, lines }
}
