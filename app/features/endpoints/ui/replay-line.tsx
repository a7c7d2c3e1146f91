import { useRevalidator } from '@remix-run/react'
import { Ban, CircleAlert, CircleCheck, History } from 'lucide-react'
import { useAnnounce } from '#app/ui/announcer.tsx'
import { toneStyles } from '#app/ui/badge.tsx'
import { Time } from '#app/ui/time/time.tsx'
import { replaySentence } from '../controls/replay-text.ts'
import { type EndpointView, type ReplayView, titleOf } from '../endpoint-view.ts'
import { CardButton } from './card-button.tsx'
import { useLiveReplay } from './live-replay.tsx'
import { type ManagerAccount, managerSearch, REPLAY_SOURCE } from './manager-address.ts'

interface ReplayLineProps {
  webhook: EndpointView
  account: ManagerAccount
  replay: ReplayView
}

/** One replay of a webhook: its progress with a button to cancel, or its result. */
export function ReplayLine({ webhook, account, replay: known }: ReplayLineProps) {
  const announce = useAnnounce()
  const { revalidate } = useRevalidator()
  const source = `${REPLAY_SOURCE}${managerSearch(account)}&webhook=${webhook.id}&replay=${known.id}`
  const replay = useLiveReplay(known, source, (ended) => {
    announce(`Sending again to ${titleOf(webhook)}: ${replaySentence(ended)}`)
    // The end of the replay changes the card's status and the number of waiting deliveries.
    revalidate()
  })
  const running = replay.state === 'running'
  const { icon: Icon, tone, word } = lookOf(replay)
  const done = replay.delivered + replay.undelivered
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section is a chapter, and wants a heading.
    <div
      role="region"
      aria-label={`Sending again to ${titleOf(webhook)}`}
      className={`grid gap-2 rounded-control px-3.5 py-3 text-label ${toneStyles[tone]}`}
    >
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p className="flex min-w-0 items-start gap-2.5">
          <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span className="wrap-anywhere">
            <strong className="font-semibold">
              {word}
              {replay.endedAt === null ? null : (
                <>
                  {' '}
                  <Time at={replay.endedAt} />
                </>
              )}
              :
            </strong>{' '}
            <span className="tabular-nums">{replaySentence(replay)}</span>
          </span>
        </p>
        {running ? (
          <CardButton
            intent="cancel_replay"
            webhookId={webhook.id}
            account={account}
            values={{ replay: String(replay.id) }}
            pendingLabel="Cancelling…"
            aria-label={`Cancel sending again to ${titleOf(webhook)}`}
          >
            Cancel
          </CardButton>
        ) : null}
      </div>
      {running ? (
        <progress
          max={Math.max(1, replay.total)}
          value={done}
          aria-label={`${done} of ${replay.total} events`}
          className="h-2 w-full accent-accent"
        />
      ) : null}
      {running && webhook.state === 'paused' ? <p>Paused: it continues when you resume.</p> : null}
    </div>
  )
}

function lookOf(replay: ReplayView) {
  if (replay.state === 'running') return { icon: History, tone: 'accent', word: 'Sending again' } as const
  if (replay.state === 'cancelled') return { icon: Ban, tone: 'neutral', word: 'Sending again cancelled' } as const
  return replay.undelivered > 0
    ? ({ icon: CircleAlert, tone: 'attention', word: 'Sent again' } as const)
    : ({ icon: CircleCheck, tone: 'working', word: 'Sent again' } as const)
}
