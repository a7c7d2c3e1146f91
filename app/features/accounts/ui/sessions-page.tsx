import { LogOut, MonitorCheck } from 'lucide-react'
import { type AccountLink, accountAddress, accountQuery, END_ALL } from '#app/domain/account-address.ts'
import { type OwnerRights, ownerNote } from '#app/domain/people.ts'
import { plural } from '#app/domain/time/moments.ts'
import { AddressButton } from '#app/ui/address-button.tsx'
import { useAskFirst } from '#app/ui/ask-first.tsx'
import { Badge } from '#app/ui/badge.tsx'
import { ButtonLink } from '#app/ui/button.tsx'
import { CardSection } from '#app/ui/card.tsx'
import { PostButton } from '#app/ui/form/post-button.tsx'
import { OwnerOnly } from '#app/ui/owner-only.tsx'
import { Time } from '#app/ui/time/time.tsx'
import { HOW_TEXTS, type OpenSession } from '../open-sessions.ts'
import { type AccountFrameProps, AccountPartFrame } from './account-frame.tsx'

/** `name` = the person's name in the list of people; null when unknown. */
type SessionOfPage = OpenSession & { name: string | null }

export interface SessionsPageProps extends AccountFrameProps {
  sessions: SessionOfPage[]
  rights: OwnerRights
  /** The URL opens the question whether to sign everybody out. */
  asked: boolean
}

const QUESTION = 'Sign out everywhere?'

/** Lists every browser that can act for the account. */
export function SessionsPage({ sessions, rights, asked, ...frame }: SessionsPageProps) {
  return (
    <AccountPartFrame {...frame} title="Active sessions">
      <Sessions account={frame.account} sessions={sessions} rights={rights} asked={asked} />
    </AccountPartFrame>
  )
}

interface SessionsProps extends Pick<SessionsPageProps, 'sessions' | 'rights' | 'asked'> {
  account: AccountLink
}

function Sessions({ account, sessions, rights, asked: askedByAddress }: SessionsProps) {
  const { button, ask } = useAskFirst(accountAddress(account, 'sessions', END_ALL))
  return (
    <CardSection id="sessions" title={plural(sessions.length, 'browser')} className="max-w-2xl">
      <ul className="grid gap-3">
        {sessions.map((session) => (
          <li
            key={session.id}
            className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-line border-t pt-3 first:border-t-0 first:pt-0"
          >
            <div className="grid min-w-0 gap-0.5">
              <p className="flex flex-wrap items-center gap-2 text-label font-medium">
                {session.name ?? HOW_TEXTS[session.how]}
                {session.current ? (
                  <Badge tone="accent" icon={MonitorCheck}>
                    This browser
                  </Badge>
                ) : null}
              </p>
              {session.name === null ? null : <p className="text-dense text-ink-soft">{HOW_TEXTS[session.how]}</p>}
              <p className="text-dense text-ink-soft">
                Since <Time at={session.since} as="clock" />, last seen <Time at={session.lastSeen} />
              </p>
            </div>
            <EndOne session={session} />
          </li>
        ))}
      </ul>
      <p className="mt-4 max-w-prose text-dense text-ink-soft">Sessions end after 8 hours idle or 24 hours.</p>
      {askedByAddress && rights.refusal === null ? (
        <section aria-labelledby="end-all-title" className="mt-4 grid gap-3 rounded-control border border-failing p-4">
          <h3 id="end-all-title" className="font-semibold">
            {QUESTION}
          </h3>
          <Consequences />
          <div className="flex flex-wrap gap-2">
            <ButtonLink to={accountAddress(account, 'sessions')} preventScrollReset>
              Stay signed in
            </ButtonLink>
            <EndAll />
          </div>
        </section>
      ) : (
        <div className="mt-4">
          <OwnerOnly
            accountUUID={account.accountUUID}
            note={ownerNote(rights, 'sign everybody out')}
            held={rights.refusal === 'fresh'}
          >
            {(held) => (
              <AddressButton
                {...held}
                {...button}
                query={{ ...accountQuery(account), ...END_ALL }}
                variant={held.disabled ? 'secondary' : 'danger-quiet'}
                {...(!held.disabled && { className: '-ml-4' })}
                icon={LogOut}
              >
                Sign out everywhere
              </AddressButton>
            )}
          </OwnerOnly>
        </div>
      )}
      {ask({ title: QUESTION, cancelLabel: 'Stay signed in', action: <EndAll />, children: <Consequences /> })}
    </CardSection>
  )
}

function Consequences() {
  return (
    <p className="text-label text-ink-soft">
      Signs out every browser, this one too. To come back, open Fieldhook from ServiceM8. Deliveries and automations
      continue.
    </p>
  )
}

function EndOne({ session }: { session: SessionOfPage }) {
  return (
    <PostButton
      values={{ intent: 'end_session', id: session.id }}
      pendingLabel="Signing out…"
      aria-label={session.current ? 'Sign out this browser' : `Sign out: ${session.name ?? HOW_TEXTS[session.how]}`}
    >
      Sign out
    </PostButton>
  )
}

function EndAll() {
  return (
    <PostButton values={{ intent: 'end_all' }} variant="danger" pendingLabel="Signing out…">
      Sign out everywhere
    </PostButton>
  )
}
