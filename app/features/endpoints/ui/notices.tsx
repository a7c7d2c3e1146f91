import { CircleAlert, CircleCheck, type LucideIcon, OctagonX, X } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import type { EndpointKey } from '#app/domain/endpoint-key.ts'
import type { NoticeKind } from '#app/domain/notices/notice.ts'
import type { EndpointNotice } from '#app/features/notices/notice-view.ts'
import { type Tone, toneStyles } from '#app/ui/badge.tsx'
import { PostButton } from '#app/ui/form/post-button.tsx'
import { Time } from '#app/ui/time/time.tsx'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import { useAccountNews, useCardNews } from './account-news.tsx'
import type { CardProps } from './card-button.tsx'
import { cardId, type ManagerAccount, managerSearch } from './manager-address.ts'

const FAILS = { tone: 'failing', icon: CircleAlert } as const
const MARKS: Partial<Record<NoticeKind, { tone: Tone; icon: LucideIcon }>> = {
  stopped: { tone: 'failing', icon: OctagonX },
  recovered: { tone: 'working', icon: CircleCheck },
}

const ROWS_SHOWN = 20

/** What happened since the last visit, until it is dismissed. What the line above said of a card is on that card alone. */
export function Notices({ account, said = [] }: { account: ManagerAccount; said?: readonly EndpointKey[] }) {
  const all = useAccountNews()?.notices ?? []
  const notices = all.filter(({ card, kind }) => kind === 'recovered' || !said.includes(card))
  const shown = notices.slice(0, ROWS_SHOWN)
  const list = useNextFocused(shown.map(({ id }) => id))
  if (notices.length === 0) return null
  return (
    <section aria-labelledby="notices-title" className="mb-4">
      <h2 id="notices-title" className="sr-only">
        Notices
      </h2>
      <ul ref={list} className="grid gap-1">
        {shown.map((notice) => (
          <li key={notice.id}>
            <NoticeLine notice={notice} account={account} short link={<ToCard notice={notice} account={account} />} />
          </li>
        ))}
        {notices.length > ROWS_SHOWN ? <li>And {notices.length - ROWS_SHOWN} more, each on its card.</li> : null}
      </ul>
    </section>
  )
}

/** When a dismissed notice takes the focus with it, the next notice gets it, or else the page's heading. */
function useNextFocused(ids: readonly number[]) {
  const list = useRef<HTMLUListElement>(null)
  const before = useRef(ids)
  useEffect(() => {
    const at = before.current.findIndex((id) => !ids.includes(id))
    before.current = ids
    if (at < 0 || (document.activeElement ?? document.body) !== document.body) return
    const buttons = list.current?.querySelectorAll<HTMLElement>('button') ?? []
    const next = buttons[Math.min(at, buttons.length - 1)] ?? document.querySelector<HTMLElement>('main h1')
    if (next?.tagName === 'H1') next.tabIndex = -1
    next?.focus()
  })
  return list
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
export function CardNotice({ webhook, account }: CardProps) {
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
  /** In one line, with an icon to dismiss it. */
  short?: boolean
  /** Next to the button. */
  link?: ReactNode
  /** Below the title. */
  children?: ReactNode
}

function NoticeLine({ notice, account, short = false, link, children }: NoticeLineProps) {
  const { tone, icon: Icon } = MARKS[notice.kind] ?? FAILS
  return (
    <div
      className={`flex items-start gap-x-3 rounded-control px-3.5 text-label ${short ? '' : 'flex-wrap gap-y-1 py-1.5'} ${toneStyles[tone]}`}
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
        <Dismiss notice={notice} account={account} short={short} />
      </div>
    </div>
  )
}

function Dismiss({ notice, account, short }: { notice: EndpointNotice; account: ManagerAccount; short: boolean }) {
  return (
    <PostButton
      values={{ intent: 'dismiss_notice', notice: String(notice.id), accountUUID: account.accountUUID }}
      icon={X}
      {...(short ? { size: 'icon', variant: 'quiet', title: 'Dismiss' } : {})}
      aria-label={`Dismiss: ${notice.title}`}
    >
      {short ? null : 'Dismiss'}
    </PostButton>
  )
}
