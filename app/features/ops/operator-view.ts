// The operator's page: decides whether anything needs attention, and says so in one sentence at the top.

import type { KeptKind } from '#app/domain/kept-until.ts'
import type { RunOfBackup } from '#app/domain/operations.ts'
import type { LoopState, ProcessSigns, SpaceSigns } from '#app/domain/process-signs.ts'
import { sizeText } from '#app/domain/size-text.ts'
import { reaches } from '#app/domain/space.ts'
import { grouped, plural, spanText } from '#app/domain/time/moments.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days, hours, minutes } from '#app/lib/duration.ts'
import { auditText } from '../audit/audit.ts'
import type { DayCurves } from './day-curves.ts'
import { NO_BACKUPS } from './doctor-facts.ts'
import { addressesText, type FailingGroup } from './failure-class.ts'
import type { AccountLine } from './operator-accounts.ts'
import type { Outlook } from './space-outlook.ts'

export interface DeliveringView {
  ready: boolean
  /** Why it is not ready. */
  reasons: string[]
  /** The key figure: ms that the oldest delivery not on hold has been due. */
  oldestDueAgeMs: number
  instances: ProcessSigns['instances']
  waiting: number
  waitingBytes: number
  /** Parts of `waiting`: on hold on purpose; backing off, as the address fails or asked for a pause. */
  held: number
  backingOff: number
  inFlight: number
  loops: { name: 'Deliveries' | 'Automations'; state: LoopState; inFlight: number; lastBeatAt: Millis | null }[]
  /** ms; null = not measured yet. */
  loopDelayMs: number | null
}

export interface SpaceView extends SpaceSigns {
  fileBytes: number
  freeBytes: number
  /** Null = the database is on a server. */
  walBytes: number | null
  /** Null = the database is on another machine. */
  diskFreeBytes: number | null
  /** Largest users of space first; `rest` is one of them. */
  kinds: { words: string; bytes: number; rows: number | null; estimated: boolean }[]
  outlook: Outlook
}

export interface BackupsView {
  /** `server` = the database server makes its own; `copy` = a restored or moved copy makes none while it is held. */
  setUp: boolean | 'server' | 'copy'
  lastBackupAt: Millis | null
  lastDrillAt: Millis | null
  /** Newest first. */
  runs: RunOfBackup[]
}

export interface MachineView extends Pick<ProcessSigns, 'node' | 'startedAt' | 'memoryBytes'> {
  version: string
  schema: number
  database: string
  /** Is there a mail server for notices? And how many notices of the last 24 hours could be told to nobody by e-mail. */
  mailServer: boolean
  untoldNotices: number
  platform: 'sandbox' | 'ServiceM8'
  payments: 'stripe' | 'sandbox' | 'off'
}

export interface AuditView {
  since: Millis
  /** Not all rows were checked: the numbers are lower bounds. */
  atLeast: boolean
  lines: { words: string; refused: boolean; count: number; latestAt: Millis }[]
}

export interface OperatorFacts {
  now: Millis
  curves: DayCurves
  delivering: DeliveringView
  accounts: { count: number; needCare: number; page: number; pages: number; lines: AccountLine[] }
  failing: { accounts: number; addresses: number; more: boolean; groups: FailingGroup[] }
  space: SpaceView
  kept: KeptKind[]
  backups: BackupsView
  /** A restored copy in quarantine: nothing is sent. */
  held: boolean
  machine: MachineView
  audit: AuditView
}

interface Trouble {
  tone: 'failing' | 'attention'
  sentence: string
}

export interface OperatorView extends OperatorFacts {
  verdict: { tone: 'working' | 'attention' | 'failing'; sentence: string }
  /** Most urgent first. */
  troubles: Trouble[]
}

/** First attempts start within seconds; a delivery overdue for longer than this is not just a busy minute. */
const OVERDUE = minutes(5)
/** Backups run every hour. */
const BACKUP_LATE = hours(1) + minutes(15)
const BACKUP_LOST = days(1)
/** Drills run every night. */
const DRILL_LATE = days(2)
const BUSY = 250
const SOON = 14
const LITTLE_DISK = 256 * 1024 * 1024

export function operatorView(facts: OperatorFacts): OperatorView {
  const troubles = [
    ...deliveringTroubles(facts),
    ...shareTroubles(facts.delivering),
    ...(typeof facts.backups.setUp === 'string' ? [] : backupTroubles(facts)),
    ...spaceTroubles(facts.space),
  ]
  // The sort is stable, so equally urgent troubles keep their order.
  troubles.sort((a, b) => Number(b.tone === 'failing') - Number(a.tone === 'failing'))
  return { ...facts, troubles, verdict: verdictOf(troubles, facts) }
}

function deliveringTroubles({ delivering, held, now }: OperatorFacts): Trouble[] {
  const troubles: Trouble[] = []
  if (held) {
    troubles.push({
      tone: 'attention',
      sentence: 'On hold (a restored or moved copy, or HOLD=yes): it sends nothing.',
    })
  }
  if (!delivering.ready) {
    troubles.push({ tone: 'failing', sentence: `Not ready: ${delivering.reasons.join(', ')}.` })
  }
  for (const { name, state, lastBeatAt } of delivering.loops) {
    if (state === 'silent' && delivering.ready) {
      const since = lastBeatAt === null ? '' : ` for ${spanText(now - lastBeatAt)}`
      troubles.push({ tone: 'failing', sentence: `${name} gave no sign of life${since}.` })
    }
    if (state === 'elsewhere') {
      troubles.push({ tone: 'attention', sentence: `${name} run in another process. Only one should run.` })
    }
  }
  if (!held && delivering.oldestDueAgeMs > OVERDUE) {
    const age = spanText(delivering.oldestDueAgeMs)
    troubles.push({
      tone: 'failing',
      sentence: `A delivery has been due for ${age}. Seconds are normal.`,
    })
  }
  if (delivering.loopDelayMs !== null && delivering.loopDelayMs > BUSY) {
    const late = Math.round(delivering.loopDelayMs)
    troubles.push({ tone: 'attention', sentence: `The process is very busy: start delay ${late} ms.` })
  }
  return troubles
}

function shareTroubles({ instances }: DeliveringView): Trouble[] {
  if (!instances?.unowned) return []
  const without = `${plural(instances.unowned, 'share')} of the accounts without an instance`
  return [{ tone: 'attention', sentence: `${without}. Seconds are normal.` }]
}

function backupTroubles({ backups, machine, now }: OperatorFacts): Trouble[] {
  if (!backups.setUp) return machine.platform === 'sandbox' ? [] : [{ tone: 'attention', sentence: NO_BACKUPS }]
  const troubles: Trouble[] = []
  const last = backups.lastBackupAt
  const age = last === null ? now - machine.startedAt : now - last
  if (age > BACKUP_LATE) {
    const failed = backups.runs.find(({ kind }) => kind === 'backup')
    const why = failed?.outcome === 'failed' && failed.message !== '' ? ` ${failed.message}` : ''
    troubles.push({
      tone: age > BACKUP_LOST ? 'failing' : 'attention',
      sentence: `${last === null ? 'No backup has been made yet' : `The last backup is ${spanText(age)} old`}; one is due every hour.${why}`,
    })
  }
  const drill = backups.runs.find(({ kind, outcome }) => kind === 'drill' && outcome !== 'running')
  if (drill?.outcome === 'failed') {
    troubles.push({ tone: 'failing', sentence: `The last drill could not restore a backup. ${drill.message}`.trim() })
  } else if (backups.lastDrillAt !== null && now - backups.lastDrillAt > DRILL_LATE) {
    const since = spanText(now - backups.lastDrillAt)
    troubles.push({
      tone: 'attention',
      sentence: `No test restore for ${since}; one is due every night.`,
    })
  }
  return troubles
}

function spaceTroubles({ level, sentence, outlook, usedBytes, budgetBytes, diskFreeBytes }: SpaceView): Trouble[] {
  const troubles: Trouble[] = []
  if (level !== 'enough') troubles.push({ tone: reaches(level, 'share') ? 'failing' : 'attention', sentence })
  if (outlook.daysLeft !== null && outlook.daysLeft <= SOON) {
    const soon = plural(outlook.daysLeft, 'day')
    troubles.push({ tone: 'attention', sentence: `At this pace the database is full in about ${soon}.` })
  }
  if (diskFreeBytes === null) return troubles
  if (diskFreeBytes < LITTLE_DISK) {
    troubles.push({ tone: 'failing', sentence: `Only ${sizeText(diskFreeBytes)} free on the disk.` })
  } else if (diskFreeBytes < budgetBytes - usedBytes) {
    troubles.push({
      tone: 'attention',
      sentence: `${sizeText(diskFreeBytes)} free on the disk, less than MAX_DB_MB allows.`,
    })
  }
  return troubles
}

function verdictOf(troubles: readonly Trouble[], facts: OperatorFacts): OperatorView['verdict'] {
  const [first, ...more] = troubles
  if (!first) return quietVerdict(facts)
  const rest = more.length === 0 ? '' : ` And ${plural(more.length, 'other thing')} below.`
  const begin = first.tone === 'failing' ? 'Something needs you now' : 'Fieldhook works, one thing needs you'
  return { tone: first.tone, sentence: `${begin}: ${lowerFirst(first.sentence)}${rest}` }
}

/** The installation needs no attention. Its accounts may: then the verdict repeats their badges. */
function quietVerdict({ accounts, failing, backups, now }: OperatorFacts): OperatorView['verdict'] {
  const backup =
    backups.setUp === true && backups.lastBackupAt !== null
      ? `, and the last backup is ${spanText(now - backups.lastBackupAt)} old`
      : ''
  const works = `nothing is overdue${backup}`
  const needCare = Math.max(accounts.needCare, failing.accounts)
  if (needCare === 0) return { tone: 'working', sentence: `Everything is fine: ${works}.` }
  const of = `${grouped(needCare)} of ${plural(accounts.count, 'account')} ${needCare === 1 ? 'needs' : 'need'} attention`
  const why = failing.addresses > 0 ? `: ${addressesText(failing.addresses)} failing` : ''
  return { tone: 'attention', sentence: `Fieldhook works: ${works}. ${of}${why}.` }
}

/** Keeps the case of setting names. */
function lowerFirst(sentence: string): string {
  return /^[A-Z][a-z]* /.test(sentence) ? `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}` : sentence
}

export const LOOP_TEXTS: Record<LoopState, string> = {
  turning: 'Running',
  held: 'On hold',
  ending: 'Shutting down',
  elsewhere: 'In another process',
  silent: 'Silent',
}

const ACT_TEXTS: Readonly<Record<string, string>> = {
  'call.refused': 'Requests refused',
  'calls.refused': 'More requests refused',
  'opening.refused': 'Openings from ServiceM8 refused',
  'id.linked': 'Links of an id refused',
  'connection.lost': 'Connections that ServiceM8 ended',
  'sessions.ended': 'Signed out everywhere',
  'keys.put_in_front': 'New encryption key in use',
  retention: 'Old data was removed',
  'erasure.begun': 'Erasures started',
  erased: 'Accounts erased',
}

/** Acts to show to the operator although they were not refused. */
export const OPERATOR_ACTS = [
  'keys.put_in_front',
  'retention',
  'connection.lost',
  'sessions.ended',
  'erasure.begun',
  'erased',
]

/** Without the act's target. */
export function actWords(action: string): string {
  return ACT_TEXTS[action] ?? auditText({ action, target: '…' })
}
