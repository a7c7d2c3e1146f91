import { CircleAlert, CircleCheck, CircleHelp, CircleMinus, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Badge, type Tone } from '#app/ui/badge.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { MessageCard } from '#app/ui/pictures/message-card.tsx'
import {
  OUTCOME_TEXTS,
  type PreviewEffectView,
  type PreviewStepView,
  type PreviewView,
} from '../../preview/preview-view.ts'
import { creditText } from '../../rules/message-limits.ts'

const looks: Record<PreviewStepView['outcome'], { tone: Tone; icon: LucideIcon }> = {
  would_run: { tone: 'working', icon: CircleCheck },
  left_out: { tone: 'neutral', icon: CircleMinus },
  impossible: { tone: 'failing', icon: CircleAlert },
  unanswered: { tone: 'attention', icon: CircleHelp },
}

interface PreviewBodyProps {
  preview: PreviewView
  /** Extra lines at the top. */
  first?: ReactNode
  /** The record already named in the heading. */
  inHeading?: string
  /** Something to do with one step, by its position. */
  act?: (step: PreviewStepView, place: number) => ReactNode
}

/** What each step would do: recipients, cost, changes, and what blocks it. */
export function PreviewBody({ preview, first, inHeading, act }: PreviewBodyProps) {
  return (
    <>
      <ol className="grid gap-3">
        {preview.steps.map((step, index) => (
          <li key={index} className="grid gap-2 rounded-control border border-line p-3">
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <span className="font-medium text-label">
                {index + 1}. {step.label}
              </span>
              <Badge tone={looks[step.outcome].tone} icon={looks[step.outcome].icon}>
                {OUTCOME_TEXTS[step.outcome]}
              </Badge>
            </div>
            {step.sentence ? <p className="wrap-anywhere text-label">{step.sentence}</p> : null}
            {step.effects.map((effect, place) => (
              <Effect key={place} effect={effect} />
            ))}
            {act?.(step, index)}
            {step.notes.map((note) => (
              <p key={note} className="wrap-anywhere text-dense text-ink-soft">
                {note}
              </p>
            ))}
            {step.warnings.map((warning) => (
              <Notice key={warning} tone="attention">
                {warning}
              </Notice>
            ))}
          </li>
        ))}
      </ol>
      <dl className="grid gap-x-4 gap-y-1 text-label sm:grid-cols-[max-content_minmax(0,1fr)]">
        {preview.about === '' || preview.about === inHeading ? null : <Line label="With">{preview.about}</Line>}
        {first}
        <Line label="How often">{preview.often}</Line>
        {/* One message says its own cost. */}
        {preview.customerMessages > 1 ? <Line label="Messages to customers">{preview.customerMessages}</Line> : null}
        {preview.credits > 1 ? <Line label="SMS credits">{preview.credits}</Line> : null}
      </dl>
    </>
  )
}

/** Labels of the texts that a message shows by itself. */
const OF_MESSAGE: readonly string[] = ['Subject', 'Text']

function Effect({ effect }: { effect: PreviewEffectView }) {
  const { summary, channel, to, texts, changes, credits, attachments, held } = effect
  const text = (label: string) => texts.find((one) => one.label === label)?.text ?? ''
  const rest = channel === null ? texts : texts.filter(({ label }) => !OF_MESSAGE.includes(label))
  return (
    <div className="grid gap-2">
      {channel === null ? (
        summary === '' ? null : (
          <p className="wrap-anywhere text-label">{summary}</p>
        )
      ) : (
        <MessageCard
          message={{
            channel: channel === 'E-mail' ? 'email' : 'sms',
            subject: text('Subject'),
            text: text('Text'),
          }}
          says={[`${channel}${to ? ` to ${to}` : ''}`, ...(credits > 0 ? [creditText(credits)] : [])].join(' · ')}
          sent={false}
        />
      )}
      <dl className="grid gap-x-4 gap-y-1 text-label empty:hidden sm:grid-cols-[max-content_minmax(0,1fr)]">
        {channel === null && to ? <Line label="To">{to}</Line> : null}
        {rest.map(({ label, text: words }) => (
          <Line key={label} label={label}>
            <span className="whitespace-pre-wrap">{words}</span>
          </Line>
        ))}
        {changes.map(({ field, from, to: next }) => (
          <Line key={field} label={field}>
            {from} → {next}
          </Line>
        ))}
        {attachments.length > 0 ? <Line label="Attachments">{attachments.join(', ')}</Line> : null}
      </dl>
      {held ? <Notice tone="attention">{held}</Notice> : null}
    </div>
  )
}

export function Line({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-soft first-letter:uppercase">{label}</dt>
      <dd className="wrap-anywhere min-w-0">{children}</dd>
    </>
  )
}
