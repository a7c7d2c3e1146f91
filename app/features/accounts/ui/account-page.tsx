import { Link } from '@remix-run/react'
import {
  ChevronRight,
  CircleCheck,
  Download,
  History,
  Hourglass,
  type LucideIcon,
  MonitorCheck,
  Trash2,
  Unplug,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { type AccountPart, accountAddress } from '#app/domain/account-address.ts'
import { ownerNote, type PeopleOfPage, ROLE_TEXTS, type Role } from '#app/domain/people.ts'
import { plural } from '#app/domain/time/moments.ts'
import type { Millis } from '#app/lib/clock.ts'
import { Badge, StatusPill } from '#app/ui/badge.tsx'
import { buttonStyles } from '#app/ui/button.tsx'
import { CardSection } from '#app/ui/card.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { PostButton } from '#app/ui/form/post-button.tsx'
import { PageHeader } from '#app/ui/page/page-header.tsx'
import { SignInAgain, SignInLink } from '#app/ui/sign-in-again.tsx'
import { AccountTimeProvider, Time } from '#app/ui/time/time.tsx'
import type { AccountFrameProps } from './account-frame.tsx'

export interface AccountPageProps extends AccountFrameProps {
  /** Null = not connected. `scopes` = the permissions that ServiceM8 granted. */
  connection: { state: 'connected' | 'reconnect'; since: Millis; scopes: string[] } | null
  people: PeopleOfPage
  /** Browsers that are signed in. */
  browsers: number
  /** The newest entry of the audit log; null = none. */
  newest: { what: string; facts: string; at: Millis } | null
  /** How long events are kept: `30 days`. */
  eventsKept: string
}

/** Shows people and connection; everything longer has a page of its own. */
export function AccountPage(props: AccountPageProps) {
  const { account, newest } = props
  const to = (part: AccountPart) => accountAddress(account, part)
  return (
    <AccountTimeProvider now={props.now} zone={props.timezone}>
      <PageHeader title="Account and security" overline={props.accountName} />
      <div className="grid items-start gap-5 lg:grid-cols-2 lg:gap-6">
        <div className="grid min-w-0 gap-5 lg:gap-6">
          <ConnectionCard connection={props.connection} accountUUID={account.accountUUID} />
          <PeopleCard {...props.people} accountUUID={account.accountUUID} />
        </div>
        <CardSection id="more" title="Security and data">
          <ul className="-mt-2 grid">
            <Row to={to('sessions')} icon={MonitorCheck} title="Active sessions">
              {plural(props.browsers, 'browser')}
            </Row>
            <Row to={to('activity')} icon={History} title="Who did what">
              {newest === null ? (
                'Nothing yet'
              ) : (
                <>
                  {newest.what}
                  {newest.facts === '' ? null : ` · ${newest.facts}`}, <Time at={newest.at} />
                </>
              )}
            </Row>
            <Row to={to('retention')} icon={Hourglass} title="Data retention">
              Events: {props.eventsKept}
            </Row>
            <Row to={to('export')} icon={Download} title="Export">
              Everything in one file
            </Row>
            <Row to={to('erase')} icon={Trash2} title="Erase this account">
              Deletes its data for good
            </Row>
          </ul>
        </CardSection>
      </div>
    </AccountTimeProvider>
  )
}

interface RowProps {
  to: string
  icon: LucideIcon
  title: string
  /** How it is now. */
  children: ReactNode
}

function Row({ to, icon: Icon, title, children }: RowProps) {
  return (
    <li className="border-line border-t first:border-t-0">
      <Link to={to} className="group flex min-h-14 items-center gap-3 py-2">
        <Icon aria-hidden className="size-5 shrink-0 text-ink-soft" />
        <span className="grid min-w-0 flex-1">
          <span className="font-medium text-label underline-offset-4 group-hover:underline">{title}</span>
          <span className="wrap-anywhere text-dense text-ink-soft">{children}</span>
        </span>
        <ChevronRight aria-hidden className="size-4 shrink-0 text-ink-soft" />
      </Link>
    </li>
  )
}

/** Shows whether ServiceM8 still accepts the connection, since when, and its permissions. */
function ConnectionCard({ connection, accountUUID }: Pick<AccountPageProps, 'connection'> & { accountUUID: string }) {
  const works = connection?.state === 'connected'
  return (
    <CardSection
      id="connection"
      title="Connection to ServiceM8"
      action={
        works ? (
          <StatusPill tone="working" icon={CircleCheck}>
            Connected
          </StatusPill>
        ) : (
          <StatusPill tone="failing" icon={Unplug}>
            Not connected
          </StatusPill>
        )
      }
    >
      {connection === null ? null : (
        <p className="text-label text-ink-soft">
          First connected <Time at={connection.since} />.
          {works ? null : ' ServiceM8 ended it. Sign in again to continue.'}
        </p>
      )}
      {connection && connection.scopes.length > 0 ? (
        <Disclosure summary={`What ServiceM8 allows (${connection.scopes.length})`}>
          <ul className="grid gap-1 text-dense text-ink-soft sm:grid-cols-2">
            {connection.scopes.map((scope) => (
              <li key={scope} className="wrap-anywhere font-mono">
                {scope}
              </li>
            ))}
          </ul>
        </Disclosure>
      ) : null}
      <p className="mt-2">
        <SignInLink accountUUID={accountUUID} className={buttonStyles({ variant: works ? 'secondary' : 'primary' })}>
          Reconnect
        </SignInLink>
      </p>
    </CardSection>
  )
}

/** Shows the owners and members of the company's Fieldhook; owners can change roles. */
function PeopleCard({ people, rights, accountUUID }: PeopleOfPage & { accountUUID: string }) {
  const { refusal } = rights
  // The list itself shows who the owners are.
  const note = people.length === 0 || refusal === 'owner' ? null : ownerNote(rights, 'change roles')
  return (
    <CardSection id="people" title="People">
      {people.length === 0 ? (
        <p className="max-w-prose text-label text-ink-soft">
          Nobody has opened Fieldhook from ServiceM8 yet. The first person who does becomes the owner.
        </p>
      ) : (
        <ul className="grid gap-3">
          {people.map((person) => (
            <li
              key={person.staffUuid}
              className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-line border-t pt-3 first:border-t-0 first:pt-0"
            >
              <div className="grid min-w-0 gap-0.5">
                <p className="flex flex-wrap items-center gap-2 wrap-anywhere text-label font-medium">
                  {person.name}
                  <Badge tone={person.role === 'owner' ? 'accent' : 'neutral'}>{ROLE_TEXTS[person.role]}</Badge>
                  {person.you ? <Badge tone="neutral">You</Badge> : null}
                </p>
                <p className="text-dense text-ink-soft">
                  Here since <Time at={person.since} />
                </p>
              </div>
              {refusal === null || refusal === 'fresh' ? <ChangeRole {...person} held={refusal === 'fresh'} /> : null}
            </li>
          ))}
        </ul>
      )}
      {note === null ? null : (
        <p id={NOTE} className="mt-4 max-w-prose text-label">
          {note}
        </p>
      )}
      {note !== null && refusal === 'fresh' ? <SignInAgain accountUUID={accountUUID} /> : null}
      <p className="mt-4 max-w-prose text-dense text-ink-soft">
        Members do the daily work. Owners also pay, export and erase. They make new keys, name owners and sign everybody
        out.
      </p>
    </CardSection>
  )
}

const NOTE = 'roles-note'

interface ChangeRoleProps {
  staffUuid: string
  role: Role
  name: string
  /** The note explains what to do first. */
  held: boolean
}

function ChangeRole({ staffUuid, role, name, held }: ChangeRoleProps) {
  const next = role === 'owner' ? 'member' : 'owner'
  return (
    <PostButton
      values={{ intent: 'role', person: staffUuid, role: next }}
      pendingLabel="Changing…"
      {...(held && { disabled: true, 'aria-describedby': NOTE })}
      aria-label={`Make ${next}: ${name}`}
    >
      Make {next}
    </PostButton>
  )
}
