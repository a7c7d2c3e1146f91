// Watches what stops several automations of an account at once: one notice for the cause, which names all of them.
import type { App } from '#app/context/app-context.ts'
import { objectLabel } from '#app/domain/object-catalog.ts'
import type { CodedReason } from '#app/domain/reason.ts'
import { dayText } from '#app/domain/time/moments.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { AccountCause, NamedRule } from '#db/store/notices.ts'
import { LATE_GRACE } from '../billing/hold.ts'
import { noticeReason, noticeReasonText } from './notice-reasons.ts'
import { namesText, paramsOf } from './notice-text.ts'

const ACCOUNT = { kind: 'account', id: 0 } as const
const KINDS = ['reconnect', 'suspended', 'permission', 'plan', 'upstream'] as const
const PAST_DUE = 'past_due'

/** Every minute. A cause is told once, and once that it is over; a permission also when it stops more than it did. */
export async function watchAccounts(app: Pick<App, 'store' | 'clock' | 'payments'>): Promise<void> {
  const { notices } = app.store
  const now = app.clock.now()
  const causes = (await notices.accountCauses()).filter((cause) => isTold(cause, app.payments !== null, now))
  const told = await notices.openTroubles(KINDS)
  const known = new Map(told.map(({ accountUuid, fingerprint, reason }) => [keyOf(accountUuid, fingerprint), reason]))
  for (const cause of causes) {
    const fingerprint = fingerprintOf(cause)
    const stopped = (await notices.namedRules(cause.accountUuid)).filter((rule) => isStoppedBy(cause, rule))
    const reason = reasonOf(cause, namesText(stopped.map(({ name }) => name)), await graceOf(app.store, cause))
    const count = cause.kind === 'permission' ? stopped.length : 1
    const before = known.get(keyOf(cause.accountUuid, fingerprint)) ?? ''
    if (cause.kind !== 'permission' && noticeReasonText(before) === noticeReasonText(reason)) continue
    const trouble = { kind: cause.kind, fingerprint, since: cause.since, count, reason, runId: null, total: true }
    await notices.raiseTrouble(cause.accountUuid, ACCOUNT, trouble, now)
  }
  const lasting = new Set(causes.map((cause) => keyOf(cause.accountUuid, fingerprintOf(cause))))
  for (const { accountUuid, fingerprint, kind, reason } of told) {
    if (lasting.has(keyOf(accountUuid, fingerprint))) continue
    // Something else may hold everything up, nothing stood still, or nothing is on any more.
    const isHeld = causes.some((cause) => cause.accountUuid === accountUuid && cause.what !== PAST_DUE)
    const isNews = !isHeld && fingerprint !== `plan:${PAST_DUE}` && (await isAnythingOn(app.store, accountUuid))
    const cause = { kind, what: fingerprint.slice(kind.length + 1), rules: String(paramsOf(reason).rules) }
    const say = isNews ? noticeReason('account_works', cause) : null
    await notices.endTrouble(accountUuid, ACCOUNT, fingerprint, { at: now, say })
  }
}

/** A failed payment stops nothing yet, and never does where payments are off. After its grace the hold is told. */
const isTold = ({ what, since }: AccountCause, takesPayments: boolean, now: Millis) =>
  what !== PAST_DUE || (takesPayments && now < since + LATE_GRACE)

async function graceOf({ accounts }: App['store'], { accountUuid, what, since }: AccountCause) {
  const account = what === PAST_DUE ? await accounts.findAccount(accountUuid) : null
  return account === null ? {} : { until: dayText(since + LATE_GRACE, account.timezone) }
}

async function isAnythingOn({ notices, endpoints }: App['store'], accountUuid: string): Promise<boolean> {
  if ((await notices.namedRules(accountUuid)).some(({ pausedCode }) => pausedCode === null)) return true
  const all = await endpoints.listEndpoints(accountUuid)
  return all.some(({ endpoint: { url, state } }) => url !== '' && (state === 'active' || state === 'failing'))
}

const keyOf = (accountUuid: string, fingerprint: string) => `${accountUuid}|${fingerprint}`

function fingerprintOf({ kind, what }: AccountCause): string {
  return what === '' ? kind : `${kind}:${what}`
}

function isStoppedBy({ kind, what }: AccountCause, { pausedCode, pausedScope, watchedObject }: NamedRule): boolean {
  if (kind === 'suspended') return pausedCode === 'suspended'
  if (kind === 'permission') return pausedCode === 'scope' && pausedScope === what
  return kind !== 'upstream' || watchedObject === what
}

function reasonOf({ kind, what }: AccountCause, rules: string, until: { until?: string }): CodedReason {
  switch (kind) {
    case 'reconnect':
    case 'suspended':
      return noticeReason(kind, { rules })
    case 'permission':
      return noticeReason('permission', { scope: what, rules })
    case 'plan':
      return noticeReason('plan', { hold: what, rules, ...until })
    case 'upstream':
      return noticeReason('upstream', { object: objectLabel(what), rules })
    default:
      return assertNever(kind)
  }
}
