import { ArrowLeftRight, CircleCheck, Hourglass, type LucideIcon, Unplug } from 'lucide-react'
import type { UpstreamNote } from '#app/domain/endpoints/upstream.ts'
import { type Tone, toneStyles } from '#app/ui/badge.tsx'
import { ResultLine } from '#app/ui/result-line.tsx'
import { Time } from '#app/ui/time/time.tsx'
import { resultPlace } from '../controls/control-text.ts'
import { calledOf } from '../endpoint-view.ts'
import { useCardNews } from './account-news.tsx'
import { CardButton, type CardProps } from './card-button.tsx'

const MARKS: Record<UpstreamNote['verdict'], { tone: Tone; icon: LucideIcon }> = {
  ok: { tone: 'working', icon: CircleCheck },
  warn: { tone: 'attention', icon: Unplug },
  fail: { tone: 'failing', icon: Unplug },
}

/** The platform's side: unusual silence, and the result of comparing with its own list. */
export function UpstreamSide({ webhook, account }: CardProps) {
  const { silence, upstream } = useCardNews(webhook.id)
  const broken = webhook.status === 'unsubscribed' && webhook.polling === null
  if (!silence && !upstream && !broken) return null
  const compared = upstream ? MARKS[upstream.verdict] : null
  return (
    <div className="grid gap-2">
      {silence ? (
        <div className={`flex items-start gap-2.5 rounded-control px-3.5 py-3 text-label ${toneStyles.attention}`}>
          <Hourglass aria-hidden className="mt-0.5 size-4 shrink-0" />
          <p className="min-w-0 wrap-anywhere">{silence.sentence}</p>
        </div>
      ) : null}
      {upstream && compared ? (
        <div className={`flex items-start gap-2.5 rounded-control px-3.5 py-3 text-label ${toneStyles[compared.tone]}`}>
          <compared.icon aria-hidden className="mt-0.5 size-4 shrink-0" />
          <p className="min-w-0 wrap-anywhere">
            <strong className="font-semibold">
              <Time at={upstream.at} />:
            </strong>{' '}
            {upstream.sentence}
          </p>
        </div>
      ) : null}
      {silence || broken ? (
        <div>
          <CompareButton webhook={webhook} account={account} />
        </div>
      ) : null}
    </div>
  )
}

/** Compares all of the account's webhooks at once; the card only identifies where the button was pressed. */
export function CompareButton({ webhook, account }: CardProps) {
  return (
    <>
      <CardButton
        intent="compare"
        webhookId={webhook.id}
        account={account}
        icon={ArrowLeftRight}
        wraps
        pendingLabel="Comparing…"
        aria-label={`Compare with ServiceM8 now: ${calledOf(webhook)}`}
      >
        Compare with ServiceM8 now
      </CardButton>
      <ResultLine at={resultPlace(webhook.id, 'compare')} />
    </>
  )
}
