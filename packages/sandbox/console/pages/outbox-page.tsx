// Messages that people would have received: none was really sent.
import { Bell, FileText, type LucideIcon, Mail, MessageSquare, MessagesSquare, Newspaper } from 'lucide-react'
import { assertNever } from '#app/lib/assert-never.ts'
import type { AccountView, OutboxItem } from '../../world.ts'
import { AccountNav, type ClockView, Page, type Said } from '../layout.tsx'
import { At, Card, Empty } from '../parts.tsx'
import { countWords } from '../words.ts'

interface OutboxView {
  account: AccountView
  /** Newest first; filtered by `kind`. */
  items: OutboxItem[]
  /** One kind, or '' for all. */
  kind: string
  counts: Readonly<Partial<Record<OutboxItem['kind'], number>>>
  /** Names by staff uuid. */
  staff: ReadonlyMap<string, string>
  /** Job numbers by job uuid. */
  jobs: ReadonlyMap<string, string>
  clock: ClockView
  said: Said | null
}

const KINDS: readonly (readonly [kind: OutboxItem['kind'], words: string, icon: LucideIcon])[] = [
  ['email', 'E-mail', Mail],
  ['sms', 'Text message', MessageSquare],
  ['staff_message', 'Staff message', MessagesSquare],
  ['document', 'Document', FileText],
  ['notification', 'Notification', Bell],
  ['feed', 'Activity feed', Newspaper],
]

export function OutboxPage(view: OutboxView) {
  const { account, items, kind, counts, clock, said } = view
  const own = `/sandbox/console/accounts/${account.uuid}/outbox`
  const all = Object.values(counts).reduce((sum, count) => sum + (count ?? 0), 0)
  return (
    <Page title={`Outbox of ${account.name}`} here="account" back={own} clock={clock} said={said}>
      <h1>{account.name}</h1>
      <AccountNav account={account} here="outbox" />
      <Card
        id="outbox"
        title="Outbox"
        about={`${countWords(all, 'item', 'items')}, newest first. Nobody received any of it.`}
      >
        <nav aria-label="Kinds" className="chips">
          <a className="chip" href={own} aria-current={kind === '' ? 'page' : undefined}>
            Everything {all}
          </a>
          {KINDS.map(([one, words]) => (
            <a key={one} className="chip" href={`${own}?kind=${one}`} aria-current={kind === one ? 'page' : undefined}>
              {words} {counts[one] ?? 0}
            </a>
          ))}
        </nav>
        {items.length === 0 ? (
          <Empty>
            Nothing yet. What Fieldhook sends to customers and staff of this account shows up here: make an automation
            that sends something, then change a job.
          </Empty>
        ) : (
          <ul className="entries">
            {items.map((item) => (
              <li key={item.id}>
                <Item item={item} view={view} />
              </li>
            ))}
          </ul>
        )}
      </Card>
    </Page>
  )
}

function Item({ item, view }: { item: OutboxItem; view: OutboxView }) {
  const { account, clock } = view
  const [, words, Icon] = KINDS.find(([kind]) => kind === item.kind) ?? ['', item.kind, FileText]
  return (
    <article className="entry open" aria-labelledby={`item-${item.id}`}>
      <div className="entry-head">
        <h3 id={`item-${item.id}`}>
          <Icon aria-hidden size={16} />
          {words}: {titleOf(item, view)}
        </h3>
        <p className="hint">
          <At at={item.at} zone={account.timezone} now={clock.now} begin />
          {item.jobUuid === '' ? null : (
            <>
              {' · '}
              <a href={`/sandbox/console/accounts/${account.uuid}/jobs/${item.jobUuid}`}>
                Job {view.jobs.get(item.jobUuid) ?? '–'}
              </a>
            </>
          )}
        </p>
      </div>
      <Content item={item} view={view} />
    </article>
  )
}

function titleOf(item: OutboxItem, { staff }: OutboxView): string {
  switch (item.kind) {
    case 'email':
      return `“${item.subject}” to ${item.to}`
    case 'sms':
      return `to ${item.to}`
    case 'staff_message':
      return `${staff.get(item.fromStaffUuid) ?? 'somebody'} to ${staff.get(item.toStaffUuid) ?? 'somebody'}`
    case 'document':
      return item.fileName
    case 'notification':
      return item.message || 'without words'
    case 'feed':
      return 'for all staff'
    default:
      return assertNever(item)
  }
}

function Content({ item, view }: { item: OutboxItem; view: OutboxView }) {
  const own = `/sandbox/console/accounts/${view.account.uuid}`
  switch (item.kind) {
    case 'email':
      return (
        <>
          <dl className="facts">
            <Fact name="Copy to" value={item.cc} />
            <Fact name="Answers go to" value={item.replyTo} />
            <Fact name="Signed by" value={item.signedByStaffUuid && (view.staff.get(item.signedByStaffUuid) ?? '–')} />
            <Fact name="Message number" value={item.messageId} />
          </dl>
          {item.htmlBody === '' ? (
            <p className="letter pre">{item.textBody}</p>
          ) : (
            <iframe
              className="letter"
              title={`E-mail “${item.subject}”`}
              sandbox=""
              loading="lazy"
              src={`${own}/outbox/${item.id}/html`}
            />
          )}
          {item.attachments.length > 0 ? (
            <p>
              With{' '}
              {item.attachments.map((file, index) => (
                <span key={file.uuid}>
                  {index > 0 ? ', ' : ''}
                  <a href={`${own}/files/${file.uuid}`}>{file.name}</a>
                </span>
              ))}
            </p>
          ) : null}
        </>
      )
    case 'sms':
      return (
        <>
          <p className="letter bubble pre">{item.message}</p>
          <p className="hint">
            {countWords(item.message.length, 'character', 'characters')},{' '}
            {countWords(item.credits, 'credit', 'credits')} · message number {item.messageId}
          </p>
        </>
      )
    case 'staff_message':
      return <p className="letter bubble pre">{item.message}</p>
    case 'document':
      return (
        <p>
          {item.templateType} as {item.outputFormat}, {countWords(item.bytes, 'byte', 'bytes')}.{' '}
          {item.attachmentUuid === '' ? (
            'Handed to the add-on only.'
          ) : (
            <a href={`${own}/files/${item.attachmentUuid}`}>Kept in the job’s diary</a>
          )}
        </p>
      )
    case 'notification':
      return (
        <dl className="facts">
          <Fact name="Leads to" value={item.destinationUrl} />
          <Fact name="As sent" value={item.body} />
        </dl>
      )
    case 'feed':
      return <p className="letter pre">{item.message}</p>
    default:
      return assertNever(item)
  }
}

function Fact({ name, value }: { name: string; value: string }) {
  if (value === '') return null
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
