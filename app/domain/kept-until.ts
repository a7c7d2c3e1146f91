// Retention of each kind of data: how long, and why. The cleanup jobs read the durations from here; pages and guide
// read the wording, so they always match.
import { days, hours } from '#app/lib/duration.ts'
import { AUDIT_KEPT, REFUSED_KEPT } from './audit.ts'
import { PAUSED_FOR_AT_MOST, RETRY_FOR } from './deliveries/delivery.ts'
import { NOTICES_KEPT } from './notices/notice.ts'
import { SESSION_ABSOLUTE, SESSION_IDLE } from './session.ts'
import { SHORT_LOG, type SpaceSwitches, shortBodies } from './space.ts'
import { grouped, spanText } from './time/moments.ts'

/** The default of RETENTION_DAYS. */
const USUAL_EVENT_DAYS = 30
/** The platform repeats an event for 72 hours, so we must recognize it for that long, whatever is configured. */
export const LEAST_EVENTS = days(4)
/** The body of an event without a delivery that waits or has failed; its log entry stays. */
export const DELIVERED_BODIES = days(7)
/** Hourly counts per address, for the small graphs. */
export const HOURLY_COUNTERS = days(400)
/** Runs with the texts they sent, and the answers to "why not?". */
export const RUNS_KEPT = days(90)
/** The fact that a message was sent. Counts for cool-downs of up to a year. */
export const MESSAGES_KEPT = days(400)
/** A rule's own writes: we recognize their events as our own. An hourly sweep reports a new record that late. */
export const OWN_WRITES_KEPT = hours(2)
/** An expired mute is still displayed for a while. */
export const ENDED_MUTES_KEPT = hours(24)
/** Events of the payment provider, to recognize repeated ones. */
export const PAYMENT_EVENTS_KEPT = days(60)
/** The backups kept, as `backups.ts` decides; a test compares both. */
export const BACKUPS_KEPT = 'all of the last 24 hours, one a day for 30 days, one a month for 12 months'
/** Who keeps the backups: Fieldhook, which removes old ones (true) or leaves that to their store (kept), or the server. */
export type Backups = boolean | 'kept' | 'server'
/** Calls to and from the platform, per account. The store enforces the limit; a test compares both. */
export const EXCHANGES_KEPT = 1_000

/** Snapshots per object and account; the longest unedited are deleted first. */
export const SNAPSHOTS_KEPT = 20_000

/** Rows are counted up to this number: "more than 100,000" is precise enough. */
export const MOST_COUNTED = 100_000

export type KeptId =
  | 'events'
  | 'bodies'
  | 'waiting'
  | 'runs'
  | 'messages'
  | 'replies'
  | 'exchanges'
  | 'audit'
  | 'notices'
  | 'settings'
  | 'usage'
  | 'sessions'
  | 'snapshots'
  | 'counters'
  | 'payment_events'
  | 'short'
  | 'backups'

export interface KeptKind {
  id: KeptId
  /** The kind of data, in an owner's words. */
  what: string
  /** How long, as part of a sentence. */
  long: string
  /** '' = plain from the kind itself. */
  why: string
  /** True = shown to owners; false = only useful to the operator. */
  forOwners: boolean
}

interface KeptSetting {
  /** RETENTION_DAYS; missing = not configured. */
  retentionDays?: number | undefined
  /** Missing = there are none. */
  backups?: Backups
}

/** ms that events and deliveries are kept. */
export function eventsKept(retentionDays: number | undefined): number {
  return Math.max(days(retentionDays ?? USUAL_EVENT_DAYS), LEAST_EVENTS)
}

/** ms that the body of an event without a delivery that waits or has failed is kept. `short`: storage is, for its account. */
export function bodiesKept(retentionDays: number | undefined, short: SpaceSwitches | null): number {
  const kept = Math.min(DELIVERED_BODIES, eventsKept(retentionDays))
  return short?.shortenBodies ? Math.min(kept, shortBodies(short)) : kept
}

const inHours = (ms: number) => `${ms / hours(1)} hours`

/** All kinds of data and how long each is kept. */
export function keptUntil({ retentionDays, backups = false }: KeptSetting): KeptKind[] {
  const owners: [KeptId, string, string, string][] = [
    [
      'events',
      'Events, deliveries and responses',
      spanText(eventsKept(retentionDays)),
      'To look up what happened and resend it.',
    ],
    [
      'bodies',
      'Payloads delivered everywhere, or sent nowhere',
      spanText(bodiesKept(retentionDays, null)),
      'Needed to resend.',
    ],
    [
      'waiting',
      'Waiting deliveries',
      `until they are delivered, at most ${inHours(RETRY_FOR)} (for a paused webhook ${spanText(PAUSED_FOR_AT_MOST)})`,
      'Never removed to make room.',
    ],
    ['runs', 'Runs of automations', spanText(RUNS_KEPT), 'To see what customers were sent, and why.'],
    ['messages', 'Messages sent per customer (no text, no number)', spanText(MESSAGES_KEPT), 'Message limits need it.'],
    [
      'replies',
      'Answers of customers',
      `${spanText(RUNS_KEPT)}, longer if a message waits; a STOP until the erasure`,
      'To see what they wrote, and to respect a STOP.',
    ],
    [
      'exchanges',
      'Calls to and from ServiceM8',
      `the latest ${grouped(EXCHANGES_KEPT)}`,
      'To find out why ServiceM8 refused something.',
    ],
    [
      'audit',
      'Who did what',
      `${spanText(AUDIT_KEPT)}; refused requests from others ${spanText(REFUSED_KEPT)}`,
      'Proof for a year. Nobody can change it.',
    ],
    [
      'notices',
      'Notices about failing addresses and automations',
      `${spanText(NOTICES_KEPT)}, longer while they last`,
      '',
    ],
    ['sessions', 'Sessions', `${inHours(SESSION_ABSOLUTE)}, without use ${inHours(SESSION_IDLE)}`, ''],
    [
      'settings',
      'Webhooks, automations and settings',
      'until you delete them',
      'Old runs need some of it until the account is erased.',
    ],
    ['usage', 'Usage per day (numbers only)', 'for good', ''],
    [
      'snapshots',
      'Record snapshots',
      `the latest ${grouped(SNAPSHOTS_KEPT)} of each list; all of a list that an automation watches`,
      'To find changes that send no events, and to show names.',
    ],
  ]
  const operators: [KeptId, string, string, string][] = [
    ['counters', 'Hourly counts per address', spanText(HOURLY_COUNTERS), 'For the graphs.'],
    ['payment_events', 'Events of the payment provider', spanText(PAYMENT_EVENTS_KEPT), 'To recognise repeated ones.'],
    ['short', 'Short-lived tokens and form drafts', `between a minute and ${spanText(ENDED_MUTES_KEPT)}`, ''],
  ]
  const copied: [string, string] =
    backups === 'server'
      ? ['Backups', 'by the database server, as your operator set it up']
      : ['Backups, encrypted', backups === 'kept' ? "until the store's own rules remove them" : BACKUPS_KEPT]
  const copies: [KeptId, string, string, string][] =
    backups === false ? [] : [['backups', ...copied, 'Deleted data stays in older backups until they are removed.']]
  const rows = (list: [KeptId, string, string, string][], forOwners: boolean): KeptKind[] =>
    list.map(([id, what, long, why]) => ({ id, what, long, why, forOwners }))
  return [...rows([...owners, ...copies], true), ...rows(operators, false)]
}

/** The end of a log: `Entries are kept for 30 days.`, plus exceptions while storage is short. */
export function logEnds(retentionDays: number | undefined, switches: SpaceSwitches, overShare: boolean): string {
  const sentence = `Entries are kept for ${spanText(eventsKept(retentionDays))}.`
  if (!switches.shortenLog || !overShare) return sentence
  return `${sentence} Storage is nearly full: delivered ones are kept for ${spanText(SHORT_LOG)}.`
}

/**
 * What owners must know while storage is short; null = nothing. `overShare`: this account uses more than its share of
 * the storage.
 */
export function shortageText(switches: SpaceSwitches, overShare: boolean): string | null {
  if (switches.refuseAll) {
    return 'Storage is full. ServiceM8 keeps new events and resends them for 72 hours. Waiting deliveries are safe.'
  }
  if (!switches.shortenBodies) return null
  const safe = 'Waiting deliveries are always safe.'
  if (!overShare) {
    return `Storage is nearly full. Your account is within its share. ${safe}`
  }
  const log = switches.shortenLog ? ` and the delivery log for ${spanText(SHORT_LOG)}` : ''
  const refused = switches.refuseOverShare ? ' ServiceM8 keeps new events and resends them for 72 hours.' : ''
  return `Storage is nearly full, and this account uses more than its share. For now we keep delivered payloads for ${spanText(shortBodies(switches))}${log}.${refused} ${safe}`
}
