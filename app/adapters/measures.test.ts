import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createMeasures } from './measures.server.ts'
import type { Readings } from './measures.ts'

const ROUTES = ['/', '/api/webhooks/:key', '/api/*', '/*']
const LANES = { live: 0, replay: 0, by_hand: 0 }
const READINGS: Readings = {
  backlog: { oldestDue: 1.5, pending: { live: 3, replay: 2, by_hand: 1 }, held: LANES, oldestRun: 0, scheduleLag: 0 },
  inFlight: LANES,
  runs: { inFlight: 0, known: 0 },
  longWorkWaiting: 0,
  leases: { deliveries: { held: true, age: 2 }, runs: { held: false, age: null } },
  instances: { members: 3, sharesOwned: 22, sharesUnowned: 1, clockAhead: -0.25 },
  loopTurns: { deliveries: 7, runs: 8, scheduler: 9 },
  space: { file: 4096, free: 0, wal: 0, budget: 1e9 },
  disk: { free: 1e9, size: 2e9 },
  backupAge: Number.POSITIVE_INFINITY,
  budgetLeft: 180,
  draining: false,
  process: {
    startedAt: 1,
    cpuSeconds: 2,
    residentBytes: 3,
    heapUsedBytes: 4,
    heapTotalBytes: 5,
    externalBytes: 6,
    openDescriptors: 7,
    loopDelay: { p50: 0, p99: 0.01, max: 0.02 },
  },
}
const measures = () => createMeasures({ version: '1.2.3', routes: ROUTES })
const linesOf = (text: string) => new Set(text.split('\n'))

/** Series by name with the labels they were seen with. */
function seriesIn(text: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const [, name = ''] of text.matchAll(/^# TYPE (\S+)/gm)) found.set(name, new Set())
  for (const [, full = '', labels = ''] of text.matchAll(/^([a-z]\w*)(?:\{(.*)\})? \S+$/gm)) {
    const name = found.has(full) ? full : full.replace(/_(bucket|sum|count)$/, '')
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) if (label !== 'le') found.get(name)?.add(label)
  }
  return found
}

describe('the text', () => {
  it('holds every series of docs/metrics.md with its labels from the start, and no other', async () => {
    const counted = measures()
    counted.expectJobs(['events.forget'])
    const served = seriesIn(await counted.text(READINGS))
    const page = readFileSync('docs/metrics.md', 'utf8')
    const named = [...page.matchAll(/^\| `((?:fieldhook|process|nodejs)_\w+)` \| (.*?) ?\|/gm)].map(
      ([, name = '', labels = '']) => [name, [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label)] as const,
    )
    const described = (entries: Iterable<readonly [string, Iterable<string>]>) =>
      [...entries].map(([name, labels]) => `${name} ${[...labels].sort().join(',')}`).sort()
    // No counter without labels is seen before it counts, and none of these has any that a first count would add.
    expect(described(served)).toEqual(described(named))
    const inAlarms = [...page.matchAll(/\b((?:fieldhook|nodejs|process)_[a-z0-9_]+)/g)].map(([, name = '']) => name)
    const unknown = inAlarms.filter(
      (name) => !served.has(name) && !served.has(name.replace(/_(bucket|sum|count)$/, '')),
    )
    expect(unknown.filter((name) => !name.endsWith('_'))).toEqual([])
  })

  it('has every label value that a document asks for', async () => {
    const counted = measures()
    counted.expectJobs(['events.forget'])
    const served = (await counted.text(READINGS)).split('\n')
    const pages = readdirSync('docs').filter((name) => name.endsWith('.md'))
    const asked = pages.flatMap((page) => [
      ...readFileSync(`docs/${page}`, 'utf8').matchAll(/\b(fieldhook_\w+)\{(\w+)!?="(\w+)"/g),
    ])
    expect(asked.length).toBeGreaterThan(8)
    const lost = asked.filter(
      ([, name = '', label, value]) =>
        !served.some((line) => line.startsWith(`${name}{`) && line.includes(`${label}="${value}"`)),
    )
    expect(lost.map(([text]) => text)).toEqual([])
  })

  it('says NaN of the other instances while the database does not answer', async () => {
    const instances = { members: null, sharesOwned: 0, sharesUnowned: null, clockAhead: null }
    const lines = linesOf(await measures().text({ ...READINGS, instances }))
    for (const name of ['members', 'shares_unowned', 'clock_ahead_seconds'])
      expect(lines).toContain(`fieldhook_${name} Nan`)
    expect(lines).toContain('fieldhook_shares_owned 0')
  })

  it('leaves out the log that a server keeps', async () => {
    const space = { file: 4096, free: 0, wal: 'elsewhere', budget: 1e9 } as const
    const text = await measures().text({ ...READINGS, space })
    expect(text).toContain('fieldhook_database_bytes 4096')
    expect(text).not.toMatch(/^fieldhook_database_wal_bytes/m)
  })

  it('says what was read, NaN for what could not be read, and that it could not', async () => {
    const lines = linesOf(await measures().text({ ...READINGS, disk: null }))
    expect(lines).toContain('fieldhook_oldest_due_delivery_seconds 1.5')
    expect(lines).toContain('fieldhook_deliveries_pending{lane="replay"} 2')
    expect(lines).toContain('fieldhook_lease_age_seconds{lease="runs"} +Inf')
    expect(lines).toContain('fieldhook_backup_age_seconds +Inf')
    expect(lines).toContain('fieldhook_loop_turns_total{loop="scheduler"} 9')
    expect(lines).toContain('fieldhook_disk_free_bytes Nan')
    expect(lines).toContain('fieldhook_reading_failed{part="disk"} 1')
    for (const part of ['backlog', 'space', 'backup', 'budget'])
      expect(lines).toContain(`fieldhook_reading_failed{part="${part}"} 0`)
    expect(lines).toContain('fieldhook_build_info{version="1.2.3"} 1')
  })

  it('tells totals as they are, however often it is asked', async () => {
    const counted = measures()
    await counted.text(READINGS)
    expect(linesOf(await counted.text(READINGS))).toContain('process_cpu_seconds_total 2')
  })
})

describe('what is counted', () => {
  it('a request counts for its pattern, and one that nobody knows for the rest', async () => {
    const counted = measures()
    counted.requestEnded({ route: '/api/webhooks/:key', status: 404, seconds: 0.02 })
    counted.requestEnded({ route: '/secret-in-a-path', status: 404, seconds: 0.02 })
    counted.requestEnded({ route: '/api/*', status: 404, seconds: 0.02 })
    const text = await counted.text(READINGS)
    const lines = linesOf(text)
    expect(lines).toContain('fieldhook_http_requests_total{route="/api/webhooks/:key",status="4xx"} 1')
    expect(lines).toContain('fieldhook_http_requests_total{route="/*",status="4xx"} 1')
    expect(lines).toContain('fieldhook_http_requests_total{route="/",status="5xx"} 0')
    expect(lines).toContain('fieldhook_http_request_seconds_bucket{le="0.05",route="/api/webhooks/:key"} 1')
    expect(lines).toContain('fieldhook_authorisation_refusals_total{route="/api/webhooks/:key",status="404"} 1')
    // An address that is nowhere was refused to nobody.
    expect(lines).toContain('fieldhook_authorisation_refusals_total{route="/*",status="404"} 0')
    expect(lines).toContain('fieldhook_authorisation_refusals_total{route="/api/*",status="404"} 0')
    expect(text).not.toContain('secret')
  })

  it('codes and reasons outside of the short lists are counted together', async () => {
    const counted = measures()
    counted.storageFailed('SQLITE_IOERR_WRITE')
    counted.storageFailed('SQLITE_CONSTRAINT_UNIQUE')
    counted.addressRefused('private_address')
    counted.addressRefused('whatever')
    counted.platformCalled({ outcome: 'unavailable', status: null, seconds: 10 })
    const lines = linesOf(await counted.text(READINGS))
    expect(lines).toContain('fieldhook_storage_errors_total{code="SQLITE_IOERR"} 1')
    expect(lines).toContain('fieldhook_storage_errors_total{code="other"} 1')
    expect(lines).toContain('fieldhook_guard_refusals_total{reason="private_address"} 1')
    expect(lines).toContain('fieldhook_guard_refusals_total{reason="header"} 1')
    expect(lines).toContain('fieldhook_platform_calls_total{outcome="unavailable",status="none"} 1')
  })

  it('a kept connection is one that was not dialled, and an attempt that was not sent opens none', async () => {
    const counted = measures()
    const attempt = { outcome: 'delivered', seconds: 0.1, dns: null, connect: null, tls: null, firstAfter: null }
    counted.attemptEnded({ ...attempt, firstByte: 0.1 })
    counted.attemptEnded({ ...attempt, connect: 0.01, firstByte: 0.1, firstAfter: 0.2 })
    counted.attemptEnded({ ...attempt, outcome: 'expired', firstByte: null })
    const lines = linesOf(await counted.text(READINGS))
    expect(lines).toContain('fieldhook_attempt_connections_total{kind="kept"} 1')
    expect(lines).toContain('fieldhook_attempt_connections_total{kind="new"} 1')
    expect(lines).toContain('fieldhook_attempts_total{outcome="delivered"} 2')
    expect(lines).toContain('fieldhook_first_attempt_delay_seconds_count 1')
  })

  it('nothing is shared between two of them', async () => {
    const one = measures()
    one.runsStarted(5)
    expect(linesOf(await measures().text(READINGS))).toContain('fieldhook_runs_started_total 0')
  })
})
