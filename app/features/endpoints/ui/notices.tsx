import { Form } from '@remix-run/react'
import { CircleAlert, CircleCheck, type LucideIcon, OctagonX, X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { NoticeKind } from '#app/domain/notices/notice.ts'
import type { EndpointNotice } from '#app/features/notices/notice-view.ts'
import { type Tone, toneStyles } from '#app/ui/badge.tsx'
import { Button } from '#app/ui/button.tsx'
import { useIsSending } from '#app/ui/form/sent-values.tsx'
import { Time } from '#app/ui/time/time.tsx'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import type { EndpointView } from '../endpoint-view.ts'
import { useAccountNews, useCardNews } from './account-news.tsx'
import { CardFields } from './card-button.tsx'
import { cardId, type ManagerAccount, managerSearch } from './manager-address.ts'

const FAILS = { tone: 'failing', icon: CircleAlert } as const
const MARKS: Partial<Record<NoticeKind, { tone: Tone; icon: LucideIcon }>> = {
  stopped: { tone: 'failing', icon: OctagonX },
  recovered: { tone: 'working', icon: CircleCheck },
}

/** Shows what happened since the last visit, above everything else. Each notice stays until it is dismissed. */
export function Notices({ account }: { account: ManagerAccount }) {
  const notices = useAccountNews()?.notices ?? []
  if (notices.length === 0) return null
  return (
    <section aria-labelledby="notices-title" className="mb-5 grid gap-2">
      <h2 id="notices-title" className="sr-only">
        Notices
      </h2>
      <ul className="grid gap-2">
        {notices.map((notice) => (
          <li key={notice.id}>
            <NoticeLine notice={notice} account={account} link={<ToCard notice={notice} account={account} />} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function ToCard({ notice, account }: { notice: EndpointNotice; account: ManagerAccount }) {
  return (
    <a
      href={`${managerSearch(account, { step: 'card', webhookId: notice.card })}#${cardId(notice.card)}`}
      className="inline-flex min-h-11 items-center font-semibold underline underline-offset-4"
    >
      Show
      <VisuallyHidden> the card: {notice.title}</VisuallyHidden>
    </a>
  )
}

/** The notice on the card itself: whether it was mailed, and its sentence when the card's status does not say it. */
export function CardNotice({ webhook, account }: { webhook: EndpointView; account: ManagerAccount }) {
  const { notice } = useCardNews(webhook.id)
  if (!notice) return null
  const lasts = webhook.status === 'failing' || webhook.status === 'stopped'
  return (
    <NoticeLine notice={notice} account={account}>
      {lasts ? null : <p>{notice.sentence}</p>}
      {notice.mail === null ? null : <p className="text-dense">{notice.mail}</p>}
    </NoticeLine>
  )
}

interface NoticeLineProps {
  notice: EndpointNotice
  account: ManagerAccount
  /** Next to the button. */
  link?: ReactNode
  /** Below the title. */
  children?: ReactNode
}

function NoticeLine({ notice, account, link, children }: NoticeLineProps) {
  const { tone, icon: Icon } = MARKS[notice.kind] ?? FAILS
  return (
    <div
      className={`flex flex-wrap items-start gap-x-3 gap-y-1 rounded-control px-3.5 py-1.5 text-label ${toneStyles[tone]}`}
    >
      <Icon aria-hidden className="mt-3.5 size-4 shrink-0" />
      <div className="min-w-0 flex-1 basis-48 wrap-anywhere py-2.5">
        <p>
          <strong className="font-semibold">{notice.title}</strong> <Time at={notice.since} />.
        </p>
        {children}
      </div>
      <div className="ml-auto flex items-center gap-3">
        {link}
        <Dismiss notice={notice} account={account} />
      </div>
    </div>
  )
}

function Dismiss({ notice, account }: { notice: EndpointNotice; account: ManagerAccount }) {
  const values = { intent: 'dismiss_notice', notice: String(notice.id) }
  const pending = useIsSending(values)
  return (
    <Form method="post" preventScrollReset className="contents">
      <CardFields account={account} values={values} />
      <Button type="submit" icon={X} pending={pending} aria-label={`Dismiss: ${notice.title}`}>
        Dismiss
      </Button>
    </Form>
  )
}
