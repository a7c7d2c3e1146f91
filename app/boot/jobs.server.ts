// Every scheduled job: name, cron pattern (UTC), function. Nothing else runs by itself.
import type { App } from '#app/context/app-context.ts'
import type { TimedJob } from '#app/engine/scheduler.server.ts'
import { finishErasures } from '#app/features/accounts/erase-account.server.ts'
import { forgetExpiredSignIns, keepConnectionsAlive } from '#app/features/accounts/upkeep.server.ts'
import { forgetOldAudit, type Removed } from '#app/features/audit/audit.server.ts'
import { endRefusalMinute } from '#app/features/audit/refusals.server.ts'
import { forgetOldRuns } from '#app/features/automations/runs/run-upkeep.server.ts'
import { moveTicks } from '#app/features/automations/triggers/poll.server.ts'
import { chargesStillEnded } from '#app/features/billing/manage-billing.server.ts'
import { catchUpPayments, judgeHolds, reconcilePlans, reportUsage } from '#app/features/billing/upkeep.server.ts'
import { watchEndpoints } from '#app/features/endpoints/notices/watch-endpoints.server.ts'
import { repairSubscriptions } from '#app/features/endpoints/subscriptions/repair-subscriptions.server.ts'
import { forgetOldEvents } from '#app/features/events/delivering/retention.server.ts'
import { pollObjects, trimSnapshots } from '#app/features/events/poll-objects.server.ts'
import { forgetNames } from '#app/features/events/record-names.server.ts'
import { forgetNotices, sendDueMails } from '#app/features/notices/send-mails.server.ts'
import { watchAccounts } from '#app/features/notices/watch-accounts.server.ts'
import { learnAddresses, tellWeek, watchRules, watchSilence } from '#app/features/notices/watch-rules.server.ts'
import { rotateKeys } from '#app/features/ops/rotate-keys.server.ts'
import type { SpaceLadder } from '#app/features/ops/space.server.ts'
import { days, seconds } from '#app/lib/duration.ts'
import { forgetSafetyCopies } from '#db/sqlite/safety-copy.server.ts'
import { backupJobs } from './backup-jobs.server.ts'
import type { Env } from './env.server.ts'

/** Odd minutes on purpose, to avoid everyone's daily jobs on the hour. */
export function timedJobs(
  app: App,
  env: Pick<Env, 'retentionDays' | 'backups' | 'databaseFile' | 'databaseServer'>,
  space: Pick<SpaceLadder, 'relieve'>,
  removed: Removed,
): TimedJob[] {
  const judged = new Map<number, number>()
  return [
    {
      // A subscription dropped by the platform is repaired or explained within 30 s of a start (contract, section 8).
      name: 'subscriptions.repair',
      pattern: '17 4 * * *',
      afterStartMs: seconds(5),
      run: async (signal) => void (await repairSubscriptions(app, { signal })),
    },
    {
      name: 'connections.keep_alive',
      pattern: '43 3 * * *',
      run: (signal) => keepConnectionsAlive(app, signal, (accountUuid) => moveTicks(app, accountUuid)),
    },
    {
      name: 'accounts.erase',
      pattern: '* * * * *',
      afterStartMs: seconds(12),
      run: (signal) => finishErasures(app, (accountUuid) => chargesStillEnded(app, accountUuid), signal),
    },
    { name: 'refusals.count', pattern: '* * * * *', run: () => endRefusalMinute(app) },
    { name: 'audit.forget', pattern: '53 1 * * *', run: (signal) => forgetOldAudit(app, removed, signal) },
    { name: 'notices.raise', pattern: '* * * * *', run: (signal) => raiseNotices(app, signal) },
    { name: 'notices.rhythm', pattern: '33 * * * *', run: (signal) => watchRhythms(app, judged, signal) },
    { name: 'sign_ins.forget', pattern: '23 * * * *', run: () => forgetExpiredSignIns(app) },
    {
      name: 'events.forget',
      pattern: '*/10 * * * *',
      run: (signal) => forgetOldEvents(app, { keepMs: days(env.retentionDays) }, signal),
    },
    // Each object has its own time within five minutes: this only picks up what is due.
    { name: 'objects.poll', pattern: '* * * * *', afterStartMs: seconds(8), run: (signal) => pollObjects(app, signal) },
    { name: 'snapshots.trim', pattern: '37 2 * * *', run: (signal) => trimSnapshots(app, signal) },
    { name: 'names.forget', pattern: '41 2 * * *', run: (signal) => forgetNames(app, signal) },
    { name: 'automations.forget', pattern: '7,37 * * * *', run: (signal) => forgetOldRuns(app, signal) },
    { name: 'plans.hold', pattern: '* * * * *', afterStartMs: seconds(3), run: (signal) => judgeHolds(app, signal) },
    { name: 'plans.reconcile', pattern: '11 5 * * *', run: (signal) => reconcilePlans(app, signal) },
    {
      name: 'payments.catch_up',
      pattern: '29 * * * *',
      afterStartMs: seconds(20),
      run: (signal) => catchUpPayments(app, signal),
    },
    // ENC_KEYS changes only with a start: the rows are updated soon after, and checked again every hour.
    {
      name: 'keys.rotate',
      pattern: '51 * * * *',
      afterStartMs: seconds(10),
      run: async (signal) => void (await rotateKeys({ ...app, store: app.store.accounts }, signal)),
    },
    { name: 'usage.report', pattern: '13 * * * *', run: (signal) => reportUsage(app, signal) },
    { name: 'space.relieve', pattern: '* * * * *', run: (signal) => space.relieve(signal) },
    ...(env.databaseServer === null ? jobsOfAFile(app, env) : []),
  ]
}

/** What is seen becomes a notice before any e-mail is sent. */
async function raiseNotices(app: App, signal: AbortSignal): Promise<void> {
  await watchEndpoints(app, signal)
  await watchRules(app)
  await watchAccounts(app)
  await sendDueMails(app, signal)
  await forgetNotices(app)
}

async function watchRhythms(app: App, judged: Map<number, number>, signal: AbortSignal): Promise<void> {
  await watchSilence(app, judged, signal)
  await tellWeek(app)
  await learnAddresses(app, signal)
}

/** A database server makes its own backups. */
function jobsOfAFile(app: App, env: Pick<Env, 'backups' | 'databaseFile'>): TimedJob[] {
  return [
    {
      // Safety copies are useful for days; after that they only keep data that was erased since.
      name: 'copies.forget',
      pattern: '47 2 * * *',
      run: async () => void forgetSafetyCopies(env.databaseFile, app.clock.now() - days(14)),
    },
    ...backupJobs(app, env),
  ]
}
