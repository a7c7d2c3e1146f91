import { ArrowLeft, Download } from 'lucide-react'
import type { ReactNode } from 'react'
import { type AccountLink, type AccountStep, exportAddress } from '#app/domain/account-address.ts'
import { ownerNote, type PeopleOfPage } from '#app/domain/people.ts'
import type { Millis } from '#app/lib/clock.ts'
import { Button, ButtonLink } from '#app/ui/button.tsx'
import { CardSection } from '#app/ui/card.tsx'
import { OwnerOnly } from '#app/ui/owner-only.tsx'
import { PageHeader } from '#app/ui/page/page-header.tsx'
import { AccountTimeProvider } from '#app/ui/time/time.tsx'
import { ConnectionCard, type ConnectionOfPage } from './connection-card.tsx'
import { EraseAccount } from './erase-account.tsx'
import { KeptCard, type KeptCardProps } from './kept-card.tsx'
import { OpenSessions, type SessionOfPage } from './open-sessions.tsx'
import { PeopleCard } from './people-card.tsx'

export interface AccountPageProps {
  account: AccountLink
  accountName: string
  /** The account's IANA zone. */
  timezone: string
  /** The server's time. */
  now: Millis
  /** Null = not connected. */
  connection: ConnectionOfPage | null
  sessions: SessionOfPage[]
  people: PeopleOfPage
  /** What is stored, until when, and how much. */
  kept: KeptCardProps
  /** The question that the URL opens, otherwise null. */
  step: AccountStep | null
  /** The name to type to erase the account. */
  nameToType: string
  /** Why the account was not erased, and the typed name; otherwise null. */
  refused: { name: string; message: string } | null
  /** The audit log. */
  children: ReactNode
}

/** Shows who is signed in, what is stored, and how to export or erase it. */
export function AccountPage(props: AccountPageProps) {
  const { account, step } = props
  const { rights } = props.people
  return (
    <AccountTimeProvider now={props.now} zone={props.timezone}>
      <PageHeader
        title="Account and security"
        overline={props.accountName}
        actions={
          <ButtonLink
            to={`/?${new URLSearchParams(account.admin ? { accountUUID: account.accountUUID, admin: 'yes' } : { accountUUID: account.accountUUID })}`}
            icon={ArrowLeft}
          >
            Back to webhooks
          </ButtonLink>
        }
      />
      <div className="grid items-start gap-5 lg:grid-cols-2 lg:gap-6">
        <OpenSessions account={account} sessions={props.sessions} rights={rights} asked={step === 'end_all'} />
        <div className="grid min-w-0 gap-5 lg:gap-6">
          <PeopleCard {...props.people} accountUUID={account.accountUUID} />
          <ConnectionCard connection={props.connection} accountUUID={account.accountUUID} />
        </div>
        <div className="min-w-0 lg:col-span-2">{props.children}</div>
        <div className="min-w-0 lg:col-span-2">
          <KeptCard {...props.kept} />
        </div>
        <CardSection id="export" title="Take everything along">
          <p className="max-w-prose text-label text-ink-soft">
            One file (JSON) with your webhooks, forwarding rules, automations, settings and templates, whom no message
            goes to, who did what, and the events, deliveries and runs of the last 90 days. Keys, tokens and secrets are
            not in it. It holds what your automations wrote to customers: keep it safe.
          </p>
          <OwnerOnly
            accountUUID={account.accountUUID}
            note={ownerNote(rights, 'download everything')}
            held={rights.refusal === 'fresh'}
          >
            {(held) =>
              held.disabled ? (
                <Button {...held} className="mt-4" icon={Download}>
                  Download everything
                </Button>
              ) : (
                <ButtonLink to={exportAddress(account)} reloadDocument download className="mt-4" icon={Download}>
                  Download everything
                </ButtonLink>
              )
            }
          </OwnerOnly>
        </CardSection>
        <EraseAccount
          account={account}
          rights={rights}
          nameToType={props.nameToType}
          asked={step === 'erase'}
          refused={props.refused}
        />
      </div>
    </AccountTimeProvider>
  )
}
