// The frame of every page of the stage: title, navigation, clock.
import { Clock3, Drama } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Millis } from '#app/lib/clock.ts'
import { days, hours, minutes } from '#app/lib/duration.ts'
import { Form } from './parts.tsx'
import { StageFrame } from './stage-frame.tsx'
import { clockWords, placeOf, spanText, type Tone } from './words.ts'

export interface ClockView {
  now: Millis
  /** Offset ahead of the machine's clock. */
  moved: Millis
  zones: readonly string[]
  /** It cannot be moved: no buttons for that. */
  still?: boolean
}

type Here = 'stage' | 'trail' | 'receivers' | 'account' | 'elsewhere'

interface PageProps {
  title: string
  here: Here
  /** Path and query of this page: forms return to it. */
  back: string
  clock?: ClockView
  /** Result of the last action. */
  said?: Said | null
  /** Shows the clock's buttons expanded. */
  clockOpen?: boolean
  children: ReactNode
}

export interface Said {
  tone: Extract<Tone, 'working' | 'failing' | 'attention'>
  text: string
}

export function Page({ title, here, back, clock, said, clockOpen, children }: PageProps) {
  return (
    <StageFrame
      title={title}
      owner="Pretend ServiceM8"
      curtain={
        <>
          <p className="brand">
            <a className="home" href="/sandbox">
              <Drama aria-hidden size={22} />
              Pretend ServiceM8
            </a>
            <span className="motto">Nothing here reaches a real customer.</span>
          </p>
          <nav aria-label="Stage" className="places">
            <NavLink to="/sandbox" here={here === 'stage'} words="Stage" />
            <NavLink to="/sandbox/console/trail" here={here === 'trail'} words="Trail" />
            <NavLink to="/sandbox/console/receivers" here={here === 'receivers'} words="Receiver" />
          </nav>
        </>
      }
      below={clock ? <Clock clock={clock} back={back} open={clockOpen ?? false} /> : null}
    >
      {said ? (
        <p className={`said ${said.tone}`} role={said.tone === 'failing' ? 'alert' : 'status'}>
          {said.text}
        </p>
      ) : null}
      {children}
    </StageFrame>
  )
}

function NavLink({ to, here, words }: { to: string; here: boolean; words: string }) {
  return (
    <a className="place" href={to} aria-current={here ? 'page' : undefined}>
      {words}
    </a>
  )
}

export const CLOCK_STEPS: readonly { key: string; ms: Millis; words: string }[] = [
  { key: '1m', ms: minutes(1), words: '1 minute' },
  { key: '1h', ms: hours(1), words: '1 hour' },
  { key: '1d', ms: days(1), words: '1 day' },
  { key: '3d', ms: days(3), words: '3 days' },
  { key: '14d', ms: days(14), words: '14 days' },
]

function Clock({ clock, back, open }: { clock: ClockView; back: string; open: boolean }) {
  const { now, moved, zones, still = false } = clock
  const buttons = (
    <Form to="clock" back={back} className="buttons" label="Move the clock forward">
      {CLOCK_STEPS.map((step) => (
        <button key={step.key} name="by" value={step.key} type="submit">
          <span className="hidden">Move the clock forward by</span>
          <span aria-hidden>+</span> {step.words}
        </button>
      ))}
    </Form>
  )
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section is a chapter, and wants a heading.
    <div role="region" className="clock" aria-label="Clock">
      <div className="inner">
        <p className="clock-words">
          <Clock3 aria-hidden size={18} />
          <span>
            It is{' '}
            {zones.map((zone, index) => (
              <span key={zone}>
                {index > 0 ? ' and ' : ''}
                <strong>{clockWords(now, zone)}</strong> in {placeOf(zone)}
              </span>
            ))}
            {moved >= 1000 ? `, ${spanText(moved)} ahead of the real time` : ''}.
            {open && !still ? (
              <span className="hint"> Move it forward: Fieldhook’s retries, schedules and trials follow.</span>
            ) : null}
          </span>
        </p>
        {still ? null : open ? (
          buttons
        ) : (
          <details className="clock-moves">
            <summary>Move the clock forward</summary>
            {buttons}
            <p className="hint">Fieldhook’s retries, schedules and trials follow this clock. It never goes back.</p>
          </details>
        )}
      </div>
    </div>
  )
}

interface AccountNavProps {
  account: { uuid: string; name: string }
  here: AccountPage
}

type AccountPage = 'jobs' | 'office' | 'outbox' | 'webhooks' | 'posts' | 'opening' | 'payments' | 'switches'

const ACCOUNT_PAGES: readonly (readonly [page: AccountPage, path: string, words: string])[] = [
  ['jobs', '', 'Jobs'],
  ['office', '/office', 'Office'],
  ['outbox', '/outbox', 'Outbox'],
  ['webhooks', '/webhooks', 'Webhooks'],
  ['posts', '/posts', 'Posts'],
  ['opening', '/opening', 'Opening'],
  ['payments', '/payments', 'Payments'],
  ['switches', '/switches', 'Switches'],
]

/** The pages of one account, under its name. */
export function AccountNav({ account, here }: AccountNavProps) {
  return (
    <nav aria-label={account.name} className="tabs">
      {ACCOUNT_PAGES.map(([page, path, words]) => (
        <a
          key={page}
          className="tab"
          href={`/sandbox/console/accounts/${account.uuid}${path}`}
          aria-current={page === here ? 'page' : undefined}
        >
          {words}
        </a>
      ))}
    </nav>
  )
}
