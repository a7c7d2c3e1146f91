import { CircleAlert, CircleCheck, CirclePause, LogOut, type LucideIcon, Unplug } from 'lucide-react'
import type { ReactNode } from 'react'
import { grouped } from '#app/domain/time/moments.ts'
import { StatusPill, type Tone } from '#app/ui/badge.tsx'
import { ButtonLink } from '#app/ui/button.tsx'
import { PostButton } from '#app/ui/form/post-button.tsx'
import { Time } from '#app/ui/time/time.tsx'
import { type AccountLine, type Care, callsText } from '../operator-accounts.ts'
import { operatorAddress } from '../operator-address.ts'
import type { OperatorFacts } from '../operator-view.ts'
import { Part } from './part.tsx'

const CARE: Record<Care['tone'], { tone: Tone; icon: LucideIcon }> = {
  attention: { tone: 'attention', icon: CircleAlert },
  held: { tone: 'held', icon: CirclePause },
}

interface AccountsCardProps {
  accounts: OperatorFacts['accounts']
  /** The operator's own account. */
  accountUUID: string
  /** The account that the page asks about signing everyone out of. */
  asked: string | null
}

const COLUMNS = 'lg:grid lg:grid-cols-[minmax(0,1fr)_5.5rem_7.5rem_4.5rem_5rem_7rem_7rem] lg:items-center lg:gap-x-4'

/** Every account with what it needs, without its content: table rows, stacked on a phone. */
export function AccountsCard({ accounts, accountUUID, asked }: AccountsCardProps) {
  const { count, needCare, page, pages, lines } = accounts
  const at = (over: { page?: number; asked?: string }) =>
    `${operatorAddress(accountUUID, { page, ...over })}#accounts-title`
  return (
    <Part id="accounts" title="Accounts" className="lg:col-span-2">
      <p className="text-label text-ink-soft">
        {grouped(count)} {count === 1 ? 'account' : 'accounts'}
        {needCare === 0
          ? ', none needs attention.'
          : `, ${grouped(needCare)} ${needCare === 1 ? 'needs' : 'need'} attention.`}
      </p>
      {/* Visual only: screen readers get each value's name beside it. */}
      <div aria-hidden className={`mt-4 hidden pb-2 text-dense text-ink-soft ${COLUMNS}`}>
        <span>Account</span>
        <span>Plan</span>
        <span>Last event</span>
        <span>Waiting</span>
        <span>Addresses</span>
        <span>Calls left</span>
      </div>
      <ul aria-labelledby="accounts-title" className="mt-2 grid lg:mt-0">
        {lines.map((line) => (
          <Line
            key={line.uuid}
            line={line}
            asking={asked === line.uuid}
            ask={at({ asked: line.uuid })}
            leave={at({})}
          />
        ))}
      </ul>
      <p className="mt-3 text-dense text-ink-soft">Calls left: to ServiceM8, this minute · today.</p>
      {pages > 1 ? (
        <nav aria-label="Pages of the list of accounts" className="mt-4 flex flex-wrap items-center gap-2 print:hidden">
          {page > 1 ? <ButtonLink to={at({ page: page - 1 })}>Previous</ButtonLink> : null}
          {page < pages ? <ButtonLink to={at({ page: page + 1 })}>Next</ButtonLink> : null}
          <span className="text-dense text-ink-soft">
            Page {page} of {pages}
          </span>
        </nav>
      ) : null}
    </Part>
  )
}

interface LineProps {
  line: AccountLine
  asking: boolean
  /** The page with the question, and without it. */
  ask: string
  leave: string
}

function Line({ line, asking, ask, leave }: LineProps) {
  const { uuid, name, care, connection, plan, lastEventAt, waiting, endpoints, calls } = line
  const called = name === '' ? 'Without a name' : name
  return (
    <li className="border-line border-t py-2">
      <div className={`grid grid-cols-[minmax(0,1fr)_auto] gap-x-2 ${COLUMNS}`}>
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <h3 className="min-w-0 wrap-anywhere text-label font-medium">{called}</h3>
          {care.map(({ tone, words }) => (
            <StatusPill key={words} {...CARE[tone]}>
              {words}
            </StatusPill>
          ))}
          {connection === null ? (
            <StatusPill tone="neutral" icon={Unplug}>
              Not connected
            </StatusPill>
          ) : care.length === 0 ? (
            <StatusPill tone="working" icon={CircleCheck}>
              Fine
            </StatusPill>
          ) : null}
        </div>
        <dl className="col-span-2 row-start-2 flex flex-wrap gap-x-3 text-dense tabular-nums lg:contents lg:text-label">
          <Value name="Plan">{plan}</Value>
          <Value name="Last event">{lastEventAt === null ? '–' : <Time at={lastEventAt} />}</Value>
          <Value name="Waiting">{grouped(waiting)}</Value>
          <Value name="Addresses">{grouped(endpoints)}</Value>
          <Value name="Calls left">{callsText(calls)}</Value>
        </dl>
        <ButtonLink
          to={ask}
          variant="quiet"
          preventScrollReset
          className="col-start-2 row-start-1 justify-self-end lg:col-start-auto lg:row-start-auto print:hidden"
          aria-label={`Sign out of ${called}`}
        >
          Sign out
        </ButtonLink>
      </div>
      {asking ? <Question uuid={uuid} name={called} leave={leave} /> : null}
    </li>
  )
}

/** On a phone the name precedes the value; in the table it is in the top row. */
function Value({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex gap-1 lg:block">
      <dt className="text-ink-soft lg:sr-only">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  )
}

function Question({ uuid, name, leave }: { uuid: string; name: string; leave: string }) {
  return (
    <section
      aria-labelledby="sign-out-title"
      className="mt-2 mb-1 grid gap-3 rounded-control border border-failing p-4 print:hidden"
    >
      <h4 id="sign-out-title" className="wrap-anywhere font-semibold">
        Sign everybody out of {name}?
      </h4>
      <p className="max-w-prose text-label text-ink-soft">
        Signs out every browser. People come back from ServiceM8. Deliveries and automations continue. The account sees
        this in its log.
      </p>
      <div className="flex flex-wrap gap-2">
        <ButtonLink to={leave} preventScrollReset>
          Leave them signed in
        </ButtonLink>
        <PostButton
          values={{ intent: 'end_sessions', account: uuid }}
          variant="danger"
          icon={LogOut}
          pendingLabel="Signing out…"
        >
          Sign out everywhere
        </PostButton>
      </div>
    </section>
  )
}
