// The operator's list of accounts: which need care and why, from states and numbers only.
import type { CallsLeft } from '#app/domain/call-budget.ts'
import type { OutlinedAccount } from '#app/domain/operations.ts'
import { grouped } from '#app/domain/time/moments.ts'
import { PHASE_TEXTS } from '#app/features/billing/plan-view.ts'
import type { Millis } from '#app/lib/clock.ts'
import { phaseOf } from '../billing/plan-phase.ts'
import { addressesText } from './failure-class.ts'

export interface Care {
  /** Never the red of problems that the operator has to fix: an account's trouble is its owner's. */
  tone: 'attention' | 'held'
  words: string
}

export interface AccountLine extends Pick<OutlinedAccount, 'uuid' | 'name' | 'connection' | 'waiting' | 'endpoints'> {
  care: Care[]
  /** The plan's state in a word or two. */
  plan: string
  lastEventAt: Millis | null
  /** Remaining calls to ServiceM8. */
  calls: CallsLeft
}

export const ACCOUNTS_ON_A_PAGE = 15

/** One account reaches this many pending deliveries only when its receivers have been silent for long. */
const MUCH_WAITS = 10_000

/** `–` = no plan. */
export function planWord({ plan }: Pick<OutlinedAccount, 'plan'>, now: Millis): string {
  if (plan === null) return '–'
  const phase = phaseOf(plan, now)
  if (phase === 'ending') return 'Active, ends'
  return phase === 'other' ? plan.status : PHASE_TEXTS[phase]
}

/** Most urgent first. */
export function careOf(account: OutlinedAccount): Care[] {
  const { connection, failing, stopped, plan, waiting } = account
  const care: Care[] = []
  if (connection === 'reconnect') care.push({ tone: 'attention', words: 'Disconnected' })
  if (failing > 0) care.push({ tone: 'attention', words: `${addressesText(failing)} failing` })
  if (stopped > 0) care.push({ tone: 'attention', words: `${stopped} stopped` })
  if (waiting >= MUCH_WAITS) care.push({ tone: 'attention', words: `${grouped(waiting)} waiting` })
  if (plan?.heldSince != null) care.push({ tone: 'held', words: 'On hold: unpaid' })
  return care
}

/** A hold is a normal state that needs no care. */
export function needsCare(account: OutlinedAccount): boolean {
  return careOf(account).some(({ tone }) => tone === 'attention')
}

function weightOf({ connection, failing, stopped, waiting, plan }: OutlinedAccount): number {
  const broken = Number(connection === 'reconnect') + Number(failing > 0)
  const resting = Number(stopped > 0) + Number(waiting >= MUCH_WAITS)
  return broken * 10_000 + resting * 100 + Number(plan?.heldSince != null)
}

/** Accounts that need care first, then by most pending, then by name. */
export function byCare<A extends OutlinedAccount>(accounts: readonly A[]): A[] {
  const weighed = accounts.map((account) => ({ account, weight: weightOf(account) }))
  weighed.sort(
    (a, b) =>
      b.weight - a.weight ||
      b.account.waiting - a.account.waiting ||
      a.account.name.localeCompare(b.account.name, 'en') ||
      (a.account.uuid < b.account.uuid ? -1 : 1),
  )
  return weighed.map(({ account }) => account)
}

/** The requested page, limited to the existing pages. */
export function pageOf(asked: string | null, count: number): { page: number; pages: number } {
  const pages = Math.max(1, Math.ceil(count / ACCOUNTS_ON_A_PAGE))
  const wanted = asked !== null && /^[1-9]\d{0,5}$/.test(asked) ? Number(asked) : 1
  return { page: Math.min(wanted, pages), pages }
}

/** `163 · 18,950`: this minute and today. */
export function callsText({ minute, day, pausedUntil }: CallsLeft): string {
  return `${pausedUntil === null ? grouped(minute) : 'paused'} · ${grouped(day)}`
}
