import { BellOff, Undo2 } from 'lucide-react'
import { automationAddress } from '#app/domain/automations/automation-address.ts'
import type { Mute } from '#app/domain/automations/receipt.ts'
import { managerAddress } from '#app/domain/delivery-address.ts'
import type { Millis } from '#app/lib/clock.ts'
import { CardSection } from '#app/ui/card.tsx'
import { EmptyState } from '#app/ui/empty-state.tsx'
import { ownerOf } from '#app/ui/form/draft.ts'
import { PostButton } from '#app/ui/form/post-button.tsx'
import { PageHeader } from '#app/ui/page/page-header.tsx'
import { AccountTimeProvider, Time } from '#app/ui/time/time.tsx'
import type { HistoryFrameProps } from '../../history/ui/history-frame.tsx'
import type { SettingsForm } from '../automation-settings.ts'
import { mutedName, SOMEBODY } from '../settings-text.ts'
import { MutedSince } from './muted-since.tsx'
import { SettingsFormCard, type SettingsFormProps } from './settings-form.tsx'

export interface SettingsPageProps
  extends Omit<HistoryFrameProps, 'needsYou'>,
    Pick<SettingsFormProps, 'defaults' | 'senders' | 'refused'> {
  /** As saved. */
  form: SettingsForm
  mutes: Mute[]
  /** Number beyond those listed. */
  moreMutes: number
  /** Newest first. */
  changes: { at: Millis; by: string | null; words: string }[]
}

/** How all automations treat customers, who signs, and which customers are muted. */
export function SettingsPage(props: SettingsPageProps) {
  const { account, accountName, timezone, now, defaults, senders, refused } = props
  return (
    <AccountTimeProvider now={now} zone={timezone}>
      <PageHeader
        title="Automation settings"
        overline={accountName}
        back={{ to: automationAddress(account), words: 'Back to automations' }}
        summary={
          <p className="max-w-prose text-ink-soft">
            These apply to every automation, at the moment a message goes out. Each run shows which message it held, and
            why.{' '}
            <a href={`${managerAddress(account)}#mail`} className="text-accent underline underline-offset-4">
              Notices by e-mail
            </a>{' '}
            are chosen in the Webhook Manager.
          </p>
        }
      />
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_22rem] lg:gap-6">
        <SettingsFormCard
          account={ownerOf(account)}
          saved={props.form}
          refused={refused}
          defaults={defaults}
          senders={senders}
          zone={timezone}
        />
        <div className="grid min-w-0 gap-5">
          <Muted mutes={props.mutes} more={props.moreMutes} />
          <Changes changes={props.changes} />
        </div>
      </div>
    </AccountTimeProvider>
  )
}

function Muted({ mutes, more }: { mutes: Mute[]; more: number }) {
  return (
    <CardSection id="muted" title="No messages to">
      {mutes.length === 0 ? (
        <EmptyState icon={BellOff} title="No blocked customers">
          <p>Open a run about a customer in the history. Then press "Stop messages to this customer".</p>
        </EmptyState>
      ) : (
        <ul className="grid gap-3">
          {mutes.map((mute) => (
            <li key={mute.id} className="grid gap-1.5 border-line border-t pt-3 first:border-t-0 first:pt-0">
              <p className="wrap-anywhere font-medium text-label first-letter:uppercase">{mutedName(mute)}</p>
              <MutedSince mute={mute} />
              <div>
                <PostButton
                  wraps
                  values={{ act: 'allow', mute: String(mute.id) }}
                  icon={Undo2}
                  aria-label={`Allow again: ${mutedName(mute)}`}
                >
                  Allow again
                </PostButton>
              </div>
            </li>
          ))}
        </ul>
      )}
      {more > 0 ? <p className="mt-3 text-dense text-ink-soft">And {more} more.</p> : null}
    </CardSection>
  )
}

function Changes({ changes }: Pick<SettingsPageProps, 'changes'>) {
  return (
    <CardSection id="changes" title="Who changed what">
      {changes.length === 0 ? (
        <p className="text-label text-ink-soft">No changes yet.</p>
      ) : (
        <ol className="grid gap-3">
          {changes.map(({ at, by, words }, index) => (
            <li key={`${at}-${index}`} className="grid gap-0.5">
              <p className="wrap-anywhere text-label">{words}</p>
              <p className="wrap-anywhere text-dense text-ink-soft">
                {by ?? SOMEBODY}, <Time at={at} />
              </p>
            </li>
          ))}
        </ol>
      )}
    </CardSection>
  )
}
