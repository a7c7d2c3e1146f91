// The space ladder: what the product does and stops doing as the database fills up. Never removes pending deliveries.
import { days, hours } from '#app/lib/duration.ts'

export type SpaceLevel = 'enough' | 'warn' | 'shorten' | 'lean' | 'share' | 'full'

/** Lowest level first. `from`: the fraction of the budget at which a level begins. */
const LADDER: readonly { level: SpaceLevel; from: number }[] = [
  { level: 'enough', from: 0 },
  { level: 'warn', from: 0.8 },
  { level: 'shorten', from: 0.85 },
  { level: 'lean', from: 0.9 },
  { level: 'share', from: 0.95 },
  // The gap between the last two levels is the reserve of accounts within their share.
  { level: 'full', from: 0.995 },
]

/** A level ends this fraction of the budget below its start, so it does not flip with every event. */
const STICKS_FOR = 0.02

/**
 * Goes up at once, as many levels as needed; goes down only when there is clearly room again. `used`: occupied bytes.
 * More bytes, or a higher previous level, never give a lower level.
 */
export function nextLevel(current: SpaceLevel, used: number, budget: number): SpaceLevel {
  const part = used / budget
  let level: SpaceLevel = 'enough'
  let held = true
  for (const rung of LADDER) {
    if (part >= rung.from - (held ? STICKS_FOR : 0)) level = rung.level
    if (rung.level === current) held = false
  }
  return level
}

/** Is `level` this one or a higher one? */
export function reaches(level: SpaceLevel, other: SpaceLevel): boolean {
  return rank(level) >= rank(other)
}

function rank(level: SpaceLevel): number {
  return LADDER.findIndex((rung) => rung.level === level)
}

/** What a level switches on. A higher level includes everything below it. */
export interface SpaceSwitches {
  /** Keeps fully delivered bodies for a day only: for accounts over their share, the biggest first. */
  shortenBodies: boolean
  /** Keeps fully delivered log entries for four days only: for accounts over their share, the biggest first. */
  shortenLog: boolean
  /** Stores receivers' responses with the attempt. */
  keepSnippets: boolean
  /** Allows new replays. */
  newReplays: boolean
  /** Continues running replays. */
  growReplays: boolean
  /** Answers 429 to events of accounts over their share. */
  refuseOverShare: boolean
  /** Answers 503 to all events. */
  refuseAll: boolean
}

export function switchesOf(level: SpaceLevel): SpaceSwitches {
  return {
    shortenBodies: reaches(level, 'shorten'),
    shortenLog: reaches(level, 'lean'),
    keepSnippets: !reaches(level, 'lean'),
    newReplays: !reaches(level, 'lean'),
    growReplays: !reaches(level, 'share'),
    refuseOverShare: reaches(level, 'share'),
    refuseAll: reaches(level, 'full'),
  }
}

/** ms a fully delivered body of an account over its share is kept, once space is short. */
const SHORT_BODIES = hours(24)
/** The same when accounts within their share are using the reserve. */
const SHORTEST_BODIES = hours(1)

export function shortBodies({ refuseOverShare }: SpaceSwitches): number {
  return refuseOverShare ? SHORTEST_BODIES : SHORT_BODIES
}

/** The platform repeats an event for 72 hours, so we must recognize it for that long. */
export const SHORT_LOG = days(4)

/** The fraction of the budget that accounts share. While their total is below it, no account is over its share. */
const SHARED = 0.8

/** What each account may use: accounts that use less leave the rest to the others. Infinite while everything fits. */
export function fairShare(bytesOfAccounts: readonly number[], budget: number): number {
  let left = budget * SHARED
  const sorted = [...bytesOfAccounts].sort((a, b) => a - b)
  for (const [index, bytes] of sorted.entries()) {
    const share = left / (sorted.length - index)
    if (bytes > share) return share
    left -= bytes
  }
  return Number.POSITIVE_INFINITY
}

/**
 * Accounts over their share, biggest first, and the share. Divides the used bytes by `weights`, so bytes that belong to
 * no account (free space within pages, our own tables) are spread over all.
 */
export function overShare(
  weights: ReadonlyMap<string, number>,
  used: number,
  budget: number,
): { share: number; accounts: { accountUuid: string; bytes: number }[] } {
  let total = 0
  for (const weight of weights.values()) total += weight
  if (total <= 0) return { share: Number.POSITIVE_INFINITY, accounts: [] }
  const all = [...weights].map(([accountUuid, weight]) => ({ accountUuid, bytes: (weight / total) * used }))
  const share = fairShare(
    all.map(({ bytes }) => bytes),
    budget,
  )
  const accounts = all.filter(({ bytes }) => bytes > share).sort((a, b) => b.bytes - a.bytes)
  return { share, accounts }
}

/** May an event be stored? over_share → 429 · full → 503. */
export type Admission = 'admitted' | 'over_share' | 'full'

/** The questions the rest of the product asks while space may be short. */
export interface Space {
  /**
   * Called for every request before its events are stored; reserves their room at once. `bytes`: of their bodies;
   * `events`: how many, default 1.
   */
  admit(accountUuid: string, bytes: number, events?: number): Admission
  /** Releases the reservation with the same numbers: the events are in the file now, or never will be. */
  settled(bytes: number, events?: number): void
  switches(): SpaceSwitches
  /** Does this account use more than its share, as of the latest weighing? */
  isOverShare(accountUuid: string): boolean
}

/**
 * Each account's share while the owners of the older bytes are still unknown. `arrived` = recent bytes per account.
 * Older bytes belong to no account and reduce the room to share.
 */
export function shareOfArrivals(arrived: readonly number[], used: number, budget: number): number {
  const before = used - arrived.reduce((sum, bytes) => sum + bytes, 0)
  return fairShare(arrived, budget - Math.max(0, before))
}

/** For setups where space is never short. */
export const AMPLE_SPACE: Space = {
  admit: () => 'admitted',
  settled: () => {},
  switches: () => switchesOf('enough'),
  isOverShare: () => false,
}

export const NO_ROOM_FOR_REPLAYS =
  'Storage is nearly full: resending in bulk is paused. Single events can still be resent.'

const REMEDY = 'Raise MAX_DB_MB if the disk has room, or lower RETENTION_DAYS.'

/** For the operator: how full the database is, the consequences, and what helps. */
export function spaceSentence(level: SpaceLevel, used: number, budget: number): string {
  const full = `The database uses ${Math.round((used / budget) * 100)} % of its ${megabytes(budget)} MB.`
  const sentences: Record<SpaceLevel, string> = {
    enough: `${full} There is room.`,
    warn: `${full} From 85 % on, delivered payloads are kept for 24 hours. ${REMEDY}`,
    shorten: `${full} Accounts over their share keep delivered payloads for 24 hours. ${REMEDY}`,
    lean: `${full} Responses are dropped and bulk resends wait. Accounts over their share keep their log for 4 days. ${REMEDY}`,
    share: `${full} Events of accounts over their share get 429; ServiceM8 resends them. The rest is reserved for the others. ${REMEDY}`,
    full: `${full} All events get 503; ServiceM8 resends them. Waiting deliveries are safe. ${REMEDY}`,
  }
  return sentences[level]
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024)
}
