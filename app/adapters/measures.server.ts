// Metrics with prom-client, in a separate registry: two in one process share nothing.
import { Counter, Gauge, Registry } from 'prom-client'
import { countedSeries, isRefusalReason, statusClass, storageCode } from './measure-series.server.ts'
import type { Elsewhere, LaneCounts, Measures, Readings } from './measures.ts'

interface MeasuresInput {
  version: string
  /** Every possible route pattern. */
  routes: readonly string[]
}

export function createMeasures({ version, routes }: MeasuresInput): Measures {
  const registry = new Registry()
  const count = countedSeries(registry, routes)
  const gauge = gaugeSeries(registry, version)
  const knownRoutes = new Set(routes)
  const phase = (name: string, seconds: number | null) => {
    if (seconds !== null) count.attemptPhaseSeconds.observe({ phase: name }, seconds)
  }

  return {
    requestEnded({ route: pattern, status, seconds }) {
      const route = knownRoutes.has(pattern) ? pattern : '/*'
      count.requests.inc({ route, status: statusClass(status) })
      count.requestSeconds.observe({ route }, seconds)
      // An unknown address was not refused to anyone.
      const nowhere = status === 404 && route.endsWith('*')
      if ((status === 401 || status === 403 || status === 404) && !nowhere) {
        count.refusals.inc({ route, status: String(status) })
      }
    },
    ingressAnswered({ status, seconds }) {
      count.ingress.inc({ status: statusClass(status) })
      count.ingressSeconds.observe(seconds)
    },
    commitEnded({ events, seconds }) {
      count.commitSeconds.observe(seconds)
      count.commitEvents.observe(events)
    },
    eventsTaken: (outcome, many) => count.events.inc({ outcome }, many),
    attemptEnded({ outcome, seconds, dns, connect, tls, firstByte, firstAfter }) {
      count.attempts.inc({ outcome })
      count.attemptSeconds.observe(seconds)
      phase('dns', dns)
      phase('connect', connect)
      phase('tls', tls)
      phase('first_byte', firstByte)
      if (firstByte !== null) count.attemptConnections.inc({ kind: connect === null ? 'kept' : 'new' })
      if (firstAfter !== null) count.firstAttemptSeconds.observe(firstAfter)
    },
    deliveriesEnded: (result, many) => count.deliveries.inc({ result }, many),
    trialWritten: (seconds) => count.trialWriteSeconds.observe(seconds),
    serializationRetried: () => count.serializationRetries.inc(),
    storageFailed: (code) => count.storageErrors.inc({ code: storageCode(code) }),
    platformCalled({ outcome, status, seconds }) {
      count.platformCalls.inc({ outcome, status: statusClass(status) })
      count.platformSeconds.observe(seconds)
    },
    tokenRefreshed: (result) => count.refreshes.inc({ result }),
    addressRefused: (reason) => count.addressRefusals.inc({ reason: isRefusalReason(reason) ? reason : 'header' }),
    runsStarted: (many) => count.runsStarted.inc(many),
    runEnded: (outcome) => count.runs.inc({ outcome }),
    actionEnded: (result) => count.actions.inc({ result }),
    expectJobs(jobs) {
      for (const job of jobs) for (const outcome of ['done', 'failed']) count.jobs.inc({ job, outcome }, 0)
    },
    overBudget(whose, of) {
      count.overBudget.inc({ whose, of })
    },
    smtpMailEnded(outcome) {
      count.smtpMails.inc({ outcome })
    },
    longWorkEnded(outcome) {
      count.longWork.inc({ outcome })
    },
    jobEnded(job, outcome, seconds) {
      count.jobs.inc({ job, outcome })
      count.jobSeconds.observe(seconds)
    },
    logged: (level) => count.logLines.inc({ level }),
    async text(readings) {
      gauge(readings)
      return registry.metrics()
    },
    contentType: registry.contentType,
  }
}

// Every series that is read on request: pending work, its age, storage, and the process.
const LANES = ['live', 'replay', 'by_hand'] as const
const LOOPS = ['deliveries', 'runs', 'scheduler'] as const
const ELSEWHERE = 'elsewhere' satisfies Elsewhere
const LEASES = ['deliveries', 'runs'] as const

/** Returns a function that writes a reading into the series. */
function gaugeSeries(registry: Registry, version: string): (readings: Readings) => void {
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] })
  const one = (name: string, help: string) => {
    const series = gauge(name, help)
    return (value: number | Elsewhere | null | undefined) =>
      value === ELSEWHERE ? series.remove() : series.set(value ?? Number.NaN)
  }
  const byLane = (name: string, help: string) => {
    const series = gauge(name, help, ['lane'])
    return (counts: LaneCounts | Elsewhere | undefined) => {
      for (const lane of LANES) {
        if (counts === ELSEWHERE) series.remove({ lane })
        else series.set({ lane }, counts?.[lane] ?? Number.NaN)
      }
    }
  }

  gauge('fieldhook_build_info', 'Always 1; the version is its label.', ['version']).set({ version }, 1)
  const oldestDue = one(
    'fieldhook_oldest_due_delivery_seconds',
    'The one number: age of the oldest delivery that is due, not held and not being sent. 0 = none is.',
  )
  const pending = byLane('fieldhook_deliveries_pending', 'Deliveries that wait for their moment or turn, by lane.')
  const held = byLane('fieldhook_deliveries_held', 'Deliveries held by their endpoint or account, by lane.')
  const inFlight = byLane('fieldhook_deliveries_in_flight', 'Deliveries being sent at this moment, by lane.')
  const oldestRun = one('fieldhook_oldest_due_run_seconds', 'Age of the oldest run of an automation that is due.')
  const scheduleLag = one('fieldhook_schedule_lag_seconds', 'How late the most overdue look at a set time is.')
  const runsInFlight = one('fieldhook_runs_in_flight', 'Runs of automations at work at this moment.')
  const runsKnown = one('fieldhook_runs_waiting', 'Runs that are due and wait for their turn, as far as known.')
  const longWorkWaiting = one('fieldhook_long_work_waiting', 'Work that waits for the thread for long work.')
  const leaseHeld = gauge('fieldhook_lease_held', '1 = this process is the one that does the work.', ['lease'])
  const leaseAge = gauge('fieldhook_lease_age_seconds', 'Time since the lease was last renewed.', ['lease'])
  const members = one('fieldhook_members', 'Instances that live, this one included.')
  const sharesOwned = one('fieldhook_shares_owned', 'Shares of the accounts that this instance works for, of 64.')
  const sharesUnowned = one('fieldhook_shares_unowned', 'Shares that no instance works for.')
  const clockAhead = one('fieldhook_clock_ahead_seconds', "How far the database's clock is ahead of this machine's.")
  const loopTurns = new Counter({
    name: 'fieldhook_loop_turns_total',
    help: 'Signs of life of each loop.',
    labelNames: ['loop'],
    registers: [registry],
  })
  const databaseBytes = one('fieldhook_database_bytes', 'Size of the database file.')
  const databaseFree = one('fieldhook_database_free_bytes', 'Part of the database file that holds nothing.')
  const walBytes = one('fieldhook_database_wal_bytes', "Size of the database's log.")
  const budgetBytes = one('fieldhook_database_budget_bytes', 'How large the database may become (MAX_DB_MB).')
  const diskFree = one('fieldhook_disk_free_bytes', 'Free space of the disk that holds the database.')
  const diskSize = one('fieldhook_disk_size_bytes', 'Size of the disk that holds the database.')
  const backupAge = one('fieldhook_backup_age_seconds', 'Age of the newest good backup; +Inf = there is none.')
  const budgetLeft = one(
    'fieldhook_platform_budget_left',
    'Calls to ServiceM8 that the account with the fewest has left in this minute.',
  )
  const draining = one('fieldhook_draining', '1 = shutting down: nothing new is begun.')
  const readingFailed = gauge('fieldhook_reading_failed', '1 = this part could not be read, and its series say NaN.', [
    'part',
  ])
  const startedAt = one('process_start_time_seconds', 'When the process started, in seconds since 1970.')
  const cpu = new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time used.',
    registers: [registry],
  })
  const resident = one('process_resident_memory_bytes', 'Memory of the process.')
  const descriptors = one('process_open_fds', 'Open file descriptors.')
  const heapUsed = one('nodejs_heap_size_used_bytes', 'Heap in use.')
  const heapTotal = one('nodejs_heap_size_total_bytes', 'Heap taken.')
  const external = one('nodejs_external_memory_bytes', 'Memory outside of the heap that belongs to objects in it.')
  const lagP50 = one('nodejs_eventloop_lag_p50_seconds', 'Delay of the event loop since the last look: median.')
  const lagP99 = one('nodejs_eventloop_lag_p99_seconds', 'The same: one in a hundred was later.')
  const lagMax = one('nodejs_eventloop_lag_max_seconds', 'The same: the longest.')

  return ({ backlog, space, disk, process, ...readings }) => {
    const due = parts(backlog)
    oldestDue(due('oldestDue'))
    pending(due('pending'))
    held(due('held'))
    inFlight(readings.inFlight)
    oldestRun(due('oldestRun'))
    scheduleLag(due('scheduleLag'))
    runsInFlight(readings.runs.inFlight)
    runsKnown(readings.runs.known)
    longWorkWaiting(readings.longWorkWaiting)
    for (const lease of LEASES) {
      const { held: isHeld, age } = readings.leases[lease]
      leaseHeld.set({ lease }, isHeld ? 1 : 0)
      leaseAge.set({ lease }, age ?? Number.POSITIVE_INFINITY)
    }
    members(readings.instances === null ? 1 : readings.instances.members)
    sharesOwned(readings.instances?.sharesOwned)
    sharesUnowned(readings.instances?.sharesUnowned)
    clockAhead(readings.instances?.clockAhead)
    // Counted elsewhere and only reported here.
    loopTurns.reset()
    for (const loop of LOOPS) loopTurns.inc({ loop }, readings.loopTurns[loop])
    const bytes = parts(space)
    databaseBytes(bytes('file'))
    databaseFree(bytes('free'))
    walBytes(bytes('wal'))
    budgetBytes(bytes('budget'))
    const ofDisk = parts(disk)
    diskFree(ofDisk('free'))
    diskSize(ofDisk('size'))
    backupAge(readings.backupAge)
    budgetLeft(readings.budgetLeft)
    draining(readings.draining ? 1 : 0)
    const read = { backlog, space, disk, backup: readings.backupAge, budget: readings.budgetLeft }
    for (const [part, value] of Object.entries(read)) readingFailed.set({ part }, value === null ? 1 : 0)
    startedAt(process.startedAt)
    cpu.reset()
    cpu.inc(process.cpuSeconds)
    resident(process.residentBytes)
    descriptors(process.openDescriptors)
    heapUsed(process.heapUsedBytes)
    heapTotal(process.heapTotalBytes)
    external(process.externalBytes)
    lagP50(process.loopDelay.p50)
    lagP99(process.loopDelay.p99)
    lagMax(process.loopDelay.max)
  }
}

/** One value of a part that may be unreadable or told elsewhere. */
function parts<Part extends object>(part: Part | Elsewhere | null) {
  return <Name extends keyof Part>(name: Name): Part[Name] | Elsewhere | undefined =>
    part === ELSEWHERE ? ELSEWHERE : part?.[name]
}
