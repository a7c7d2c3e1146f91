// Handles the forms and buttons around notices: dismiss one, choose how they are mailed, check an address, compare with
// the platform.
import type { App } from '#app/context/app-context.ts'
import { parseEndpointKey } from '#app/domain/endpoint-key.ts'
import { worstStep } from '#app/domain/endpoints/endpoint-check.ts'
import { changedChoices, differsFrom, mailChoiceForm } from '#app/features/notices/mail-form.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import type { Flash } from '#app/lib/flash.ts'
import { parseJson } from '#app/lib/json.ts'
import { failedFlash, goneSentence, tooMany } from '../controls/control-text.ts'
import { type CheckApp, checkCard } from '../controls/endpoint-check.server.ts'
import { checkSummary } from '../controls/endpoint-check.ts'
import { type FieldErrors, fieldErrorsOf, parseWebhookId } from '../endpoint.ts'
import { compareSubscriptions } from '../subscriptions/repair-subscriptions.server.ts'
import type { SubscriptionApp } from '../subscriptions/subscriptions.server.ts'
import { comparisonFlash } from '../subscriptions/upstream-text.ts'
import { changeMailChoice, loadMailSettings } from './mail-choice.server.ts'

export const NOTICE_INTENTS = ['dismiss_notice', 'mail_settings', 'check_address', 'compare'] as const

export type NoticeIntent = (typeof NOTICE_INTENTS)[number]

export function isNoticeIntent(text: string | undefined): text is NoticeIntent {
  return NOTICE_INTENTS.some((intent) => intent === text)
}

/** Takes one of the few allowed per minute, or returns the ms until the next one. Bound to one account. */
type Take = () => { outcome: 'taken' } | { outcome: 'wait'; ms: number }

export interface NoticeLimits {
  takeCheck: Take
  takeCompare: Take
}

export type NoticeAct =
  | { outcome: 'done'; flash: Flash }
  /** The input is invalid. */
  | { outcome: 'invalid'; errors: FieldErrors; flash: Flash }

type ActApp = CheckApp & SubscriptionApp & Pick<App, 'store'>

interface Press {
  app: ActApp
  limits: NoticeLimits
  accountUuid: string
  values: Record<string, string>
}

/** `values`: `notice` (dismiss_notice), `opened` and the choices (mail_settings), the card's `id` (check_address). */
export async function actOnNotices(
  app: ActApp,
  limits: NoticeLimits,
  accountUuid: string,
  intent: NoticeIntent,
  values: Record<string, string>,
): Promise<NoticeAct> {
  return PRESSES[intent]({ app, limits, accountUuid, values })
}

const PRESSES: Record<NoticeIntent, (press: Press) => Promise<NoticeAct>> = {
  dismiss_notice: dismiss,
  mail_settings: saveMailSettings,
  check_address: check,
  compare,
}

async function dismiss({ app, accountUuid, values }: Press): Promise<NoticeAct> {
  const id = parseWebhookId(values.notice ?? '')
  if (id !== null) await app.store.notices.dismissNotice(accountUuid, id, app.clock.now())
  return done({ kind: 'success', title: 'Notice dismissed' })
}

async function saveMailSettings({ app, accountUuid, values }: Press): Promise<NoticeAct> {
  const parsed = mailChoiceForm.safeParse(values)
  if (!parsed.success) {
    const errors = fieldErrorsOf(parsed.error)
    const why = Object.values(errors)[0]?.[0] ?? 'Invalid input'
    return { outcome: 'invalid', errors, flash: { kind: 'error', title: 'Not saved', description: why } }
  }
  const { choice, problem } = await loadMailSettings(app, accountUuid)
  const change = changedChoices(parsed.data, parseJson(values.opened ?? ''), choice)
  const stored = await changeMailChoice(app, accountUuid, change)
  const { byMail, email } = stored
  // Also a page from before, reached with Back, on which an older value was saved again.
  if (Object.entries(parsed.data).some(differsFrom(stored))) {
    const title = Object.keys(change).length === 0 ? 'Nothing changed' : 'Saved'
    const description = 'Settings changed after this page was opened stayed as they are.'
    return done({ kind: 'info', title, description })
  }
  if (!byMail) {
    const description = 'When something goes wrong, you will see it on the pages.'
    return done({ kind: 'success', title: 'E-mails are switched off', description })
  }
  const to = email ?? 'the e-mail address of your ServiceM8 account'
  return done({ kind: 'success', title: 'Saved', description: problem ?? `Notices go to ${to}.` })
}

async function check({ app, limits, accountUuid, values }: Press): Promise<NoticeAct> {
  const key = parseEndpointKey(values.id ?? '')
  const gone = failedFlash('check the address', goneSentence(typeof key === 'string' ? 'rule' : 'webhook'))
  if (key === null) return done(gone)
  const taken = limits.takeCheck()
  if (taken.outcome === 'wait') return done(failedFlash('check the address', tooMany('checks', taken.ms)))
  const checked = await checkCard(app, accountUuid, key)
  switch (checked.outcome) {
    case 'checked': {
      const verdict = worstStep(checked.steps)?.verdict ?? 'ok'
      const title = CHECKED[verdict === 'skipped' ? 'ok' : verdict]
      return done({
        kind: verdict === 'fail' ? 'error' : verdict === 'warn' ? 'info' : 'success',
        title,
        description: checkSummary(checked.steps),
      })
    }
    case 'no_address':
      return done(failedFlash('check the address', checked.message))
    case 'not_found':
      return done(gone)
    default:
      return assertNever(checked)
  }
}

const CHECKED = {
  ok: 'Address checked: all well',
  warn: 'Address checked: one warning',
  fail: 'Address checked: something is wrong',
} as const

async function compare({ app, limits, accountUuid }: Press): Promise<NoticeAct> {
  const taken = limits.takeCompare()
  if (taken.outcome === 'wait') return done(failedFlash('compare with ServiceM8', tooMany('comparisons', taken.ms)))
  const comparison = await compareSubscriptions(app, accountUuid)
  const timezone = (await app.store.accounts.findAccount(accountUuid))?.timezone ?? 'UTC'
  return done(comparisonFlash(comparison, app.clock.now(), timezone))
}

function done(flash: Flash): NoticeAct {
  return { outcome: 'done', flash }
}
