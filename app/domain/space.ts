// The space ladder: what is done, and what is no longer done, while the file fills up. What waits to be sent is never removed.
import { assertNever } from '#app/lib/assert-never.ts'
import { days, hours } from '#app/lib/duration.ts'

export type SpaceLevel = 'enough' | 'warn' | 'shorten' | 'lean' | 'share' | 'full'

/** From the bottom up. `from`: the part of the budget at which a level begins. */
const LADDER: readonly { level: SpaceLevel; from: number }[] = [
  { level: 'enough', from: 0 },
  { level: 'warn', from: 0.8 },
  { level: 'shorten', from: 0.85 },
  { level: 'lean', from: 0.9 },
  { level: 'share', from: 0.95 },
  // What is left between the two is the reserve of accounts within their share.
  { level: 'full', from: 0.995 },
]

/** A level ends this part of the budget below where it began, so that it does not come and go with every event. */
const STICKS_FOR = 0.02

/**
 * Up at once, as many steps as it takes; down only when there is clearly room again. `used`: bytes that hold something.
 * Never lower for more bytes, nor for a higher level before.
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

/** What a level switches on. A higher one has everything of those below it. */
export interface SpaceSwitches {
  /** Bodies that everybody got are kept for a day only: of accounts over their share, the biggest first. */
  shortenBodies: boolean
  /** The log of what everybody got is kept for four days only: of accounts over their share, the biggest first. */
  shortenLog: boolean
  /** What receivers answered is kept with the attempt. */
  keepSnippets: boolean
  /** New replays may begin. */
  newReplays: boolean
  /** Running replays go on. */
  growReplays: boolean
  /** Events of accounts over their share are answered 429. */
  refuseOverShare: boolean
  /** All events are answered 503. */
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

/** ms that a body of an account over its share is still kept after everybody got it, once space is short. */
const SHORT_BODIES = hours(24)
/** The same once accounts within their share live on the reserve. */
const SHORTEST_BODIES = hours(1)

export function shortBodies({ refuseOverShare }: SpaceSwitches): number {
  return refuseOverShare ? SHORTEST_BODIES : SHORT_BODIES
}

/** The platform repeats an event for 72 hours: until then it has to be recognised. */
export const SHORT_LOG = days(4)

/** This part of the budget is divided among the accounts. While all of them together use less, nobody is over the share. */
const SHARED = 0.8

/** What every account may use: whoever uses less leaves the rest to the others. Infinite while all of it fits. */
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

interface AccountSpace {
  accountUuid: string
  bytes: number
}

/**
 * Accounts over their share, the biggest first, and the share. `weights` say how the used bytes are divided: what belongs to
 * nobody (free space within pages, tables of our own) is spread over all by it.
 */
export function overShare(
  weights: ReadonlyMap<string, number>,
  used: number,
  budget: number,
): { share: number; accounts: AccountSpace[] } {
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

/** May an event come in? over_share → 429 · full → 503. */
export type Admission = 'admitted' | 'over_share' | 'full'

/** What the rest of the product asks while space may be short. */
export interface Space {
  /**
   * Asked for every call before its events are stored: their room is reserved at once. `bytes`: of their bodies; `events`: how many,
   * default 1.
   */
  admit(accountUuid: string, bytes: number, events?: number): Admission
  /** What was admitted with the same numbers is in the file now, or never will be. */
  settled(bytes: number, events?: number): void
  switches(): SpaceSwitches
  /** Does this account use more than its share, as far as the accounts have been weighed? */
  isOverShare(accountUuid: string): boolean
}

/**
 * What every account may bring while nobody knows yet whose the rest is: `arrived` = bytes of each lately. What was there
 * before is nobody's, and leaves that much less to share.
 */
export function shareOfArrivals(arrived: readonly number[], used: number, budget: number): number {
  const before = used - arrived.reduce((sum, bytes) => sum + bytes, 0)
  return fairShare(arrived, budget - Math.max(0, before))
}

/** Where nothing is ever short. */
export const AMPLE_SPACE: Space = {
  admit: () => 'admitted',
  settled: () => {},
  switches: () => switchesOf('enough'),
  isOverShare: () => false,
}

export const NO_ROOM_FOR_REPLAYS =
  'Nothing is sent again in bulk at the moment, because storage is nearly full. Please try again later. Single events can still be sent again.'

/** For the operator: how full it is, what follows from it, and what helps. */
export function spaceSentence(level: SpaceLevel, used: number, budget: number): string {
  const full = `The database uses ${Math.round((used / budget) * 100)} % of its ${megabytes(budget)} MB.`
  switch (level) {
    case 'enough':
      return `${full} There is room.`
    case 'warn':
      return `${full} From 85 % on, delivered bodies are kept for 24 hours only. ${REMEDY}`
    case 'shorten':
      return `${full} Accounts over their share keep delivered bodies for 24 hours only, the biggest first. ${REMEDY}`
    case 'lean':
      return `${full} No answers of receivers are kept and no replays begin; accounts over their share keep the log of what was delivered for 4 days only. ${REMEDY}`
    case 'share':
      return `${full} Events of accounts over their share are refused (429); the platform sends them again. The rest is reserved for the others. ${REMEDY}`
    case 'full':
      return `${full} All events are refused (503); the platform sends them again. What waits is kept and sent. ${REMEDY}`
    default:
      return assertNever(level)
  }
}

const REMEDY = 'Raise MAX_DB_MB if the disk has room, or lower RETENTION_DAYS.'

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024)
}
