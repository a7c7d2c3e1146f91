// The judgement of `npm run doctor`: facts in, findings out. Every problem names the next step.

import { missingKeysSentence } from '#app/domain/sealed-places.ts'
import { sizeText } from '#app/domain/size-text.ts'
import { plural } from '#app/domain/time/moments.ts'
import { untoldOf } from '#app/features/notices/notice-reasons.ts'
import type { Millis } from '../../lib/clock.ts'
import { days, hours, minutes, seconds } from '../../lib/duration.ts'
import type { ConfigurationFacts, ContentFacts, DiskFacts, Facts, OpenedFile } from './doctor-facts.ts'
import { NO_BACKUPS } from './doctor-facts.ts'

export type Finding =
  | { level: 'good'; topic: Topic; sentence: string }
  /** warning: works, but needs a check. bad: does not do what the product promises. */
  | { level: 'warning' | 'bad'; topic: Topic; sentence: string; next: string }

type Topic =
  | 'configuration'
  | 'versions'
  | 'file'
  | 'server'
  | 'members'
  | 'schema'
  | 'integrity'
  | 'disk'
  | 'space'
  | 'overdue'
  | 'subscriptions'
  | 'accounts'
  | 'notices'
  | 'secrets'
  | 'backups'

const OLDEST_SQLITE = [3, 51, 3] as const
/** End of security fixes for each Node line (nodejs.org, release schedule). */
const NODE_ENDS: Record<number, string> = { 20: '2026-04-30', 22: '2027-04-30', 24: '2028-04-30' }
const SLOW_SYNC_MS = 50
export const FULL_AT = 0.95
export const NEARLY_FULL_AT = 0.8
const LONG_WAL = 256 * 1024 * 1024
const LATE_AFTER = minutes(5)
const BACKUP_LATE_AFTER = hours(2)
const BACKUP_MISSED_AFTER = hours(24)
const DRILL_LATE_AFTER = days(2)

export function examine(facts: Facts): Finding[] {
  return [
    ...configuration(facts.configuration, facts.disk),
    ...versions(facts),
    ...file(facts),
    ...disk(facts.disk),
    ...space(facts),
    ...(facts.file.outcome === 'opened' && facts.file.content ? content(facts, facts.file, facts.file.content) : []),
  ]
}

/** 1 = something is bad. Warnings do not count as failure. */
export function exitCodeOf(findings: readonly Finding[]): 0 | 1 {
  return findings.some(({ level }) => level === 'bad') ? 1 : 0
}

const MARKS = { good: '✓', warning: '!', bad: '✗' } as const

/** The printed form: one line per finding, the next step below. */
export function doctorLines(findings: readonly Finding[]): string[] {
  const lines = findings.flatMap((finding) => [
    `${MARKS[finding.level]} ${finding.sentence}`,
    ...(finding.level === 'good' ? [] : [`    → ${finding.next}`]),
  ])
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length
  const all = [`${count('good')} fine`, plural(count('warning'), 'warning'), plural(count('bad'), 'problem')]
  return [...lines, '', all.join(', ')]
}

export const good = (topic: Topic, sentence: string): Finding => ({ level: 'good', topic, sentence })
const told = (level: 'warning' | 'bad') => (topic: Topic, sentence: string, next: string) =>
  ({ level, topic, sentence, next }) satisfies Finding
export const warning = told('warning')
export const bad = told('bad')

/** `disk`: null = the database is on a server, which makes its own backups. */
export function configuration(facts: ConfigurationFacts, disk: DiskFacts | null): Finding[] {
  if (facts.outcome === 'wrong') {
    const next = 'Set it, and look again: .env.example explains every variable. Until then Fieldhook does not start.'
    return facts.problems.map((problem) => bad('configuration', problem, next))
  }
  if (facts.platform === 'sandbox') {
    const next = 'Fine for trying. For real firms set PLATFORM=servicem8 and what the start then asks for.'
    return [warning('configuration', 'This is the sandbox: its pretend ServiceM8 lets anybody in.', next)]
  }
  const found = [good('configuration', `The configuration is complete: ServiceM8, at ${facts.origin}.`)]
  if (!facts.origin.startsWith('https://')) {
    const next = 'Put a proxy with a certificate in front and let APP_ORIGIN begin with https://.'
    found.push(warning('configuration', 'APP_ORIGIN begins with http://: cookies and events travel in the open.', next))
  }
  if (facts.hold) {
    const next = 'When you have looked at what was restored, release it (docs/backups.md) and take HOLD out.'
    found.push(warning('configuration', 'HOLD=yes: events are stored and nothing is sent.', next))
  }
  if (disk && !facts.backups)
    found.push(warning('backups', NO_BACKUPS, 'Set BACKUP_TO and BACKUP_KEY: docs/backups.md.'))
  if (facts.metricsToken !== 'set') {
    const sentence =
      facts.metricsToken === 'none'
        ? 'METRICS_TOKEN is not set: anybody on the private network can read /metrics.'
        : 'METRICS_TOKEN is short enough to be guessed.'
    found.push(warning('configuration', sentence, 'Set METRICS_TOKEN to the output of: openssl rand -hex 32'))
  }
  if (facts.admins === 0) {
    const next = "Set ADMIN_ACCOUNTS to your own firm's account UUID: docs/operating.md, section 5."
    found.push(warning('configuration', "ADMIN_ACCOUNTS is empty: nobody can open the operator's page.", next))
  }
  if (facts.listensToAll && facts.trustProxy === 'none') {
    const next =
      'On Fly set TRUST_PROXY=fly; with Caddy do as compose.yml does. Without a proxy this is right as it is.'
    found.push(
      warning('configuration', 'TRUST_PROXY is none: behind a proxy all visitors share one limit of requests.', next),
    )
  }
  found.push(...databaseLimit(facts.maxDbMb, disk?.totalBytes ?? 0))
  if (!facts.payments) found.push(good('configuration', 'No payments are configured: nobody pays, nothing is limited.'))
  return found
}

function databaseLimit(maxDbMb: number, totalBytes: number): Finding[] {
  const diskMb = totalBytes / 2 ** 20
  if (diskMb === 0 || maxDbMb <= diskMb * NEARLY_FULL_AT) return []
  const next = `Set MAX_DB_MB to at most ${Math.floor(diskMb * NEARLY_FULL_AT)}, or enlarge the disk.`
  return [warning('space', `MAX_DB_MB is ${maxDbMb}, and the whole disk has ${sizeText(totalBytes)}.`, next)]
}

export function nodeVersion({ node, now }: Pick<Facts, 'node' | 'now'>): Finding {
  const ends = NODE_ENDS[Number(node.replace(/^v/, '').split('.')[0])]
  if (ends === undefined || now <= Date.parse(ends) + days(1)) return good('versions', `Node ${node}.`)
  const next = 'Move to the newest even line of Node.'
  return warning('versions', `Node ${node} gets no security fixes since ${ends}.`, next)
}

function versions(facts: Facts): Finding[] {
  const { sqlite } = facts
  const parts = sqlite.split('.').map(Number)
  const at = OLDEST_SQLITE.findIndex((least, index) => (parts[index] ?? 0) !== least)
  const tooOld = at !== -1 && (parts[at] ?? 0) < (OLDEST_SQLITE[at] ?? 0)
  const sqliteFinding = tooOld
    ? bad(
        'versions',
        `SQLite ${sqlite} can damage a file that two programs have open.`,
        'Install the packages of this release again: npm ci --ignore-scripts && npm rebuild better-sqlite3 --ignore-scripts=false',
      )
    : good('versions', `SQLite ${sqlite}.`)
  return [nodeVersion(facts), sqliteFinding]
}

function file({ file: facts }: Facts): Finding[] {
  if (facts.outcome === 'missing') {
    const next = 'The first start makes it. If there should be one, check DATABASE_URL and that the volume is there.'
    return [warning('file', `There is no database at ${facts.path}.`, next)]
  }
  if (facts.outcome === 'unreadable') return [bad('file', facts.sentence, facts.next)]
  const whose = ofOtherPlatform(facts.otherPlatform)
  return [...whose, ...schema(facts), ...integrity(facts), ...promises(facts), ...copy('file', facts.held)]
}

export function ofOtherPlatform(sentence: string | null): Finding[] {
  return sentence === null ? [] : [bad('configuration', sentence, 'Until then Fieldhook does not start.')]
}

export function copy(topic: Topic, held: boolean): Finding[] {
  const next = 'Look at it, then let it go: npm run release (docs/backups.md).'
  return held ? [warning(topic, 'This is a restored or moved copy: events are stored, and nothing is sent.', next)] : []
}

/** Work that waits on purpose is not late. */
export function isOnHold({ configuration: given }: Pick<Facts, 'configuration'>, held: boolean): boolean {
  return held || (given.outcome === 'complete' && given.hold)
}

function schema({ schema: facts }: OpenedFile): Finding[] {
  if (facts.newer) {
    const next = 'Run the newer release, or put back the copy it made: docs/operating.md, section 7.'
    return [bad('schema', 'A newer release than this one has changed the database.', next)]
  }
  const name = facts.newestApplied ?? 'nothing of ours'
  if (facts.pending > 0) {
    const next = 'Start this release: it makes a copy first. Until then only part of the examination is possible.'
    return [warning('schema', `The schema is at ${name}; this release adds ${plural(facts.pending, 'change')}.`, next)]
  }
  return [good('schema', `The schema is this release's: ${name}.`)]
}

function integrity({ integrity: facts, path }: OpenedFile): Finding[] {
  const next = 'Stop Fieldhook, keep the file, restore the newest backup: docs/operating.md, "The file is damaged".'
  const found: Finding[] = []
  const [first, ...others] = facts.problems.map((problem) => problem.replaceAll('*** in database main ***', '').trim())
  if (first !== undefined) {
    const more = others.length === 0 ? '' : ` (and ${others.length} more like it)`
    found.push(bad('integrity', `The file ${path} is damaged: ${first}${more}`, next))
  }
  if (facts.orphans !== null && facts.orphans > 0) {
    found.push(bad('integrity', `${plural(facts.orphans, 'row')} belong to something that is gone.`, next))
  }
  if (found.length > 0) return found
  const what = facts.how === 'full' ? 'Every page, index and reference of the file is sound.' : 'The file is sound.'
  if (facts.tablesLeft === 0) return [good('integrity', what)]
  const looked = facts.tables - facts.tablesLeft
  return [
    good('integrity', `${looked} of ${facts.tables} tables are sound; for the largest there was no time (use --full).`),
  ]
}

function promises({ journalMode, autoVacuum, running }: OpenedFile): Finding[] {
  const found: Finding[] = []
  // A copy that was put in place, as by a restore, has another mode until its first start.
  if (running && journalMode !== 'wal') {
    const next = 'Start Fieldhook again: it puts this right. If it comes back, another program changes the file.'
    found.push(bad('file', `The file is in journal mode "${journalMode}" instead of "wal".`, next))
  }
  if (autoVacuum !== 2) {
    const next =
      'With Fieldhook stopped: sqlite3 <file> "PRAGMA auto_vacuum=INCREMENTAL; VACUUM" (needs its size again).'
    found.push(warning('file', 'The file does not give room back: it was not made by Fieldhook itself.', next))
  }
  return found
}

function disk({ sync, opens, folder, ballastBytes }: DiskFacts): Finding[] {
  if (!sync || !opens) {
    const next = 'Give the user of Fieldhook a folder for the database. A full disk: section "The disk is full".'
    return [bad('disk', `Nothing can be written in ${folder}.`, next)]
  }
  const found = [promised(opens)]
  const figures = `${milliseconds(sync.median)}, the slowest of ${sync.times} in ${milliseconds(sync.slowest)}`
  const kept = `The disk keeps 4 KB for good in ${figures}.`
  const faster = 'Events wait that long for their "200". Look for what else uses the disk, or take a faster one.'
  found.push(sync.slowest > SLOW_SYNC_MS ? warning('disk', kept, faster) : good('disk', kept))
  if (ballastBytes === 0) {
    const next =
      'Fieldhook makes it by itself when it runs and there is room; without it, a full disk needs your hands.'
    found.push(warning('disk', 'The reserve for a full disk is not in place.', next))
  }
  return found
}

function promised({ journalMode, synchronous, foreignKeys }: NonNullable<DiskFacts['opens']>): Finding {
  if (journalMode === 'wal' && synchronous === 1 && foreignKeys === 1) {
    return good('disk', 'Databases there are opened with WAL, synchronous=NORMAL and foreign keys.')
  }
  const is = `journal_mode=${journalMode}, synchronous=${synchronous}, foreign_keys=${foreignKeys}`
  const next = 'Keep the file on a disk of this machine (no network folder), with the packages of this release.'
  return bad('disk', `A database there does not keep what Fieldhook promises: ${is}.`, next)
}

function space({ disk: { freeBytes, totalBytes }, file: facts, configuration: given }: Facts): Finding[] {
  const used = totalBytes > 0 ? 1 - freeBytes / totalBytes : 0
  const words = `${sizeText(freeBytes)} of ${sizeText(totalBytes)} are free on the disk`
  const next = 'Enlarge the disk, or lower MAX_DB_MB or RETENTION_DAYS: docs/operating.md, "The disk is full".'
  const found: Finding[] = [
    used >= FULL_AT
      ? bad('space', `${words}.`, next)
      : used >= NEARLY_FULL_AT
        ? warning('space', `${words}.`, next)
        : good('space', `${words}.`),
  ]
  if (facts.outcome !== 'opened') return found
  const { file: whole, free, wal } = facts.bytes
  const own = `The database takes ${sizeText(whole)}, ${sizeText(free)} of it free for reuse; its log ${sizeText(wal)}`
  const limit = given.outcome === 'complete' ? given.maxDbMb * 2 ** 20 : null
  if (limit !== null && whole - free > limit * NEARLY_FULL_AT) {
    const raise =
      'Raise MAX_DB_MB if the disk has room, or lower RETENTION_DAYS. Old delivered events are removed first.'
    found.push(warning('space', `${own}; ${sizeText(limit)} are allowed.`, raise))
  } else found.push(good('space', `${own}.`))
  if (wal > LONG_WAL) {
    const end = 'Something reads the file for a long time: end other programs that have it open (a copy, a shell).'
    found.push(warning('space', `The log of the database has grown to ${sizeText(wal)}.`, end))
  }
  return found
}

/** What the product's own rows say, on either engine. */
export function content(
  { now, configuration: given }: Pick<Facts, 'now' | 'configuration'>,
  { running, held }: Pick<OpenedFile, 'running' | 'held'>,
  facts: ContentFacts,
): Finding[] {
  // A restored copy makes none: it was not let go yet.
  const makesBackups = given.outcome === 'complete' && given.backups && !held
  return [
    ...(isOnHold({ configuration: given }, held) ? [] : overdue(now, running, facts)),
    ...subscriptions(facts),
    ...accounts(facts),
    ...untold(facts),
    ...secrets(facts),
    ...(makesBackups ? backups(now, facts) : []),
  ]
}

function overdue(now: Millis, running: boolean, facts: ContentFacts): Finding[] {
  const line = `${plural(facts.waiting, 'delivery', 'deliveries')} in line, ${facts.held} held`
  const kinds = [
    ['The oldest delivery', facts.oldestDueSince],
    ['The oldest run of an automation', facts.oldestRunDueSince],
    ['The automation that looks at a set time', facts.oldestScheduleDueSince],
  ] as const
  const late = kinds.filter(([, since]) => since !== null && now - since > LATE_AFTER)
  if (!running) {
    const next = 'Start it. ServiceM8 keeps trying for a while; what is stored waits and is sent then.'
    return [warning('overdue', `Fieldhook does not run on this database: ${line}.`, next)]
  }
  if (late.length === 0) return [good('overdue', `Nothing is overdue: ${line}.`)]
  const next = 'Look at the log for errors and at /readyz; then start Fieldhook again: nothing is lost by it.'
  return late.map(([what, since]) => bad('overdue', `${what} has been due for ${span(now - (since ?? now))}.`, next))
}

function subscriptions({ subscriptions: { states, troubled, stuck, missing, orphaned } }: ContentFacts): Finding[] {
  const found: Finding[] = []
  const mended = 'Fieldhook repairs this at the start and daily; the page of the account says what is in the way.'
  const active = plural(states.active ?? 0, 'subscription')
  if (missing + troubled + stuck > 0) {
    const parts = [
      missing > 0 ? `${missing} missing` : '',
      troubled > 0 ? `${troubled} with a problem` : '',
      stuck > 0 ? `${stuck} begun and not finished` : '',
    ].filter((part) => part !== '')
    found.push(warning('subscriptions', `${active} active at ServiceM8, ${parts.join(', ')}.`, mended))
  } else found.push(good('subscriptions', `${active} active at ServiceM8, none missing.`))
  if (orphaned > 0) {
    found.push(warning('subscriptions', `${plural(orphaned, 'subscription')} that nothing needs any more.`, mended))
  }
  return found
}

function accounts({ connections: { connected, reconnect }, endpoints }: ContentFacts): Finding[] {
  const active = endpoints.active ?? 0
  const troubled = (endpoints.failing ?? 0) + (endpoints.stopped ?? 0)
  const addresses = `${plural(active, 'address', 'addresses')} in use, ${troubled} failing or stopped (their owners are told)`
  const all = `${plural(connected, 'account')} connected; ${addresses}.`
  if (reconnect === 0) return [good('accounts', all)]
  const next = 'They see it on their page. If it is many at once: docs/operating.md, "The App Secret is known".'
  return [
    good('accounts', all),
    warning('accounts', `${plural(reconnect, 'account')} must sign in with ServiceM8 again.`, next),
  ]
}

/** Notices that reached nobody by e-mail; their pages show them all the same. */
function untold({ mailEnds }: ContentFacts): Finding[] {
  const { count, bySmtp } = untoldOf(mailEnds)
  if (count === 0) return []
  const next = bySmtp
    ? 'The mail server of SMTP_URL refused some or did not answer: look there. docs/operating.md, "Notices by e-mail".'
    : 'Set SMTP_URL, and Fieldhook sends what ServiceM8 cannot. docs/operating.md, "Notices by e-mail".'
  return [warning('notices', `${plural(count, 'notice')} of the last 24 hours could not be e-mailed to anyone.`, next)]
}

function secrets({ missingKeys, opened }: ContentFacts): Finding[] {
  const next =
    'Put back the key it was. Is it lost for good? npm run keys -- --lost <name>: docs/security.md, section 1.'
  if (missingKeys.length > 0) return [bad('secrets', missingKeysSentence(missingKeys), next)]
  if (opened === null) return []
  if (opened.shut === 0) return [good('secrets', `Secrets open: ${opened.tried} tried.`)]
  return [bad('secrets', `${opened.shut} of ${opened.tried} secrets do not open with ENC_KEYS.`, next)]
}

function backups(now: Millis, { backup, drill }: ContentFacts): Finding[] {
  const found: Finding[] = []
  const look = 'docs/backups.md says how to try one by hand.'
  const since = backup.newestGood ? now - backup.newestGood.startedAt : null
  if (since === null || since > BACKUP_MISSED_AFTER) {
    const sentence = since === null ? 'No backup was made yet.' : `The newest backup is ${span(since)} old.`
    found.push(bad('backups', sentence, `Make one now: npm run backup. ${look}`))
  } else if (since > BACKUP_LATE_AFTER) {
    found.push(warning('backups', `The newest backup is ${span(since)} old; one is made every hour.`, look))
  } else found.push(good('backups', `The newest backup is ${span(since)} old.`))
  if (backup.newest?.outcome === 'failed') {
    found.push(warning('backups', `The latest try failed: ${backup.newest.message}`, look))
  }
  if (drill.newest?.outcome === 'failed') {
    found.push(bad('backups', `The latest drill could not restore a backup: ${drill.newest.message}`, look))
  } else if (!drill.newestGood || now - drill.newestGood.startedAt > DRILL_LATE_AFTER) {
    found.push(warning('backups', 'No restore drill has succeeded in the last two days.', look))
  } else {
    const age = span(now - drill.newestGood.startedAt)
    found.push(good('backups', `The last restore drill, ${age} ago, succeeded.`))
  }
  return found
}

function milliseconds(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`
}

/** `40 seconds`, `12 minutes`, `3 hours`, `5 days`. */
export function span(ms: number): string {
  if (ms < minutes(2)) return plural(Math.round(ms / seconds(1)), 'second')
  if (ms < hours(2)) return plural(Math.round(ms / minutes(1)), 'minute')
  if (ms < days(2)) return plural(Math.round(ms / hours(1)), 'hour')
  return plural(Math.round(ms / days(1)), 'day')
}
