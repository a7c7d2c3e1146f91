import { Form } from '@remix-run/react'
import { CircleAlert, CircleCheck, X } from 'lucide-react'
import type { AutomationAccount } from '#app/domain/automations/automation-address.ts'
import { noticeAddress } from '#app/features/notices/notice-text.ts'
import type { NoticeView } from '#app/features/notices/notice-view.ts'
import { toneStyles } from '#app/ui/badge.tsx'
import { Button } from '#app/ui/button.tsx'
import { useIsSending } from '#app/ui/form/sent-values.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { Time } from '#app/ui/time/time.tsx'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import { ActFields, useWithDraft } from './rule-button.tsx'

interface RuleNoticesProps {
  notices: readonly NoticeView[]
  account: AutomationAccount
}

/** What automations tell their owner: troubles in one quiet box, good news below it. Each row stays until dismissed. */
export function RuleNotices({ notices, account }: RuleNoticesProps) {
  if (notices.length === 0) return null
  const good = notices.filter(({ kind }) => kind === 'recovered')
  const bad = notices.filter(({ kind }) => kind !== 'recovered')
  return (
    <section aria-labelledby="notices-title" className="mb-5 grid gap-2">
      <h2 id="notices-title" className="sr-only">
        Notices
      </h2>
      {bad.length === 0 ? null : <Rows notices={bad} account={account} tone="failing" />}
      {good.length === 0 ? null : <Rows notices={good} account={account} tone="working" />}
    </section>
  )
}

const ROWS_SHOWN = 20

function Rows({ notices, account, tone }: RuleNoticesProps & { tone: 'failing' | 'working' }) {
  const Icon = tone === 'failing' ? CircleAlert : CircleCheck
  const more = notices.length - ROWS_SHOWN
  return (
    <ul className={`grid gap-1 rounded-control px-3.5 py-1.5 text-label ${toneStyles[tone]}`}>
      {notices.slice(0, ROWS_SHOWN).map((notice) => (
        <li key={notice.id} className="flex flex-wrap items-start gap-x-3 gap-y-1">
          <Icon aria-hidden className="mt-3.5 size-4 shrink-0" />
          <p className="min-w-0 flex-1 basis-64 wrap-anywhere py-2.5">
            <strong className="font-semibold">{notice.name}</strong> {notice.what}
            <When notice={notice} />
          </p>
          <div className="ml-auto flex items-center gap-3">
            <Way notice={notice} account={account} />
            <Dismiss notice={notice} account={account} />
          </div>
        </li>
      ))}
      {more > 0 ? <li className="py-2.5">And {more} more.</li> : null}
    </ul>
  )
}

/** Since when, and why. A silence has its days already, and a cause its own sentence. */
function When({ notice: { kind, since, count, sentence } }: { notice: NoticeView }) {
  switch (kind) {
    case 'failing':
      return (
        <>
          {count === 1 ? ' ' : ' since '}
          <Time at={since} as={count === 1 ? 'relative' : 'clock'} />: {sentence}
        </>
      )
    case 'waiting':
      return (
        <>
          {' since '}
          <Time at={since} as="clock" />.
        </>
      )
    case 'stopped':
    case 'recovered':
      return (
        <>
          {' '}
          <Time at={since} />. {kind === 'stopped' ? sentence : null}
        </>
      )
    case 'silent':
      return <>. Unless it is a holiday, check why.</>
    default:
      return <>. {sentence}</>
  }
}

const LINK = 'inline-flex min-h-11 items-center font-semibold underline underline-offset-4'

function Way({ notice, account }: { notice: NoticeView; account: AutomationAccount }) {
  const { label, to, newTab = false } = wayOf(notice, account)
  return (
    <a href={to} className={LINK} {...(newTab && { target: '_blank', rel: 'noopener' })}>
      {label}
      <VisuallyHidden>{`: ${notice.title}${newTab ? ' (opens in a new tab)' : ''}`}</VisuallyHidden>
    </a>
  )
}

/** `newTab`: ServiceM8's sign-in does not work in its frame. */
function wayOf(notice: NoticeView, account: AutomationAccount): { label: string; to: string; newTab?: boolean } {
  const { kind } = notice
  const to = noticeAddress(account, notice)
  if (kind === 'reconnect' || kind === 'permission') return { label: 'Sign in again', to, newTab: true }
  if (kind === 'silent') return { label: 'Why?', to }
  return { label: 'Open', to }
}

function Dismiss({ notice, account }: { notice: NoticeView; account: AutomationAccount }) {
  const values = { act: 'dismiss_notice', id: String(notice.id) }
  const pending = useIsSending(values)
  const withDraft = useWithDraft(values)
  return (
    <Form method="post" preventScrollReset className="contents">
      <ActFields account={account} values={values} />
      <Button {...withDraft} type="submit" icon={X} pending={pending} aria-label={`Dismiss: ${notice.title}`}>
        Dismiss
      </Button>
    </Form>
  )
}

const DISMISS = { act: 'repeats_told' }

/** Shown once to accounts that had automations before "how often" was visible: they work as before. */
export function RepeatNotice({ names, account }: { names: readonly string[]; account: AutomationAccount }) {
  const pending = useIsSending(DISMISS)
  const withDraft = useWithDraft(DISMISS)
  return (
    <Notice tone="attention" title="These automations can message a customer more than once" className="mb-5">
      <ul className="list-disc pl-5">
        {names.map((name, index) => (
          <li key={index}>{name}</li>
        ))}
      </ul>
      <p className="mt-1">They work as before. Edit one to choose “How often for the same record”.</p>
      <Form method="post" preventScrollReset className="mt-2">
        <ActFields account={account} values={DISMISS} />
        <Button {...withDraft} type="submit" pending={pending}>
          Dismiss
        </Button>
      </Form>
    </Notice>
  )
}
