import { CheckCheck, ListChecks, Play, RotateCcw, Send, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { type Tone, toneStyles } from '#app/ui/badge.tsx'
import { cardStyles } from '#app/ui/card.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { EmptyState } from '#app/ui/empty-state.tsx'
import { PostButton } from '#app/ui/form/post-button.tsx'
import { MessageCard } from '#app/ui/pictures/message-card.tsx'
import { Time, usePresent } from '#app/ui/time/time.tsx'
import { durationText } from '#app/ui/time/time-text.ts'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import type { ItemView, RunView, StepView } from '../run-detail-view.ts'
import { ExecutedTexts, MatchedRecords, TextList } from './executed-parts.tsx'
import { ReceiptLine } from './receipt-line.tsx'
import { type Mark, MarkPill, stepMark } from './run-pills.tsx'

/** What started the run, then every step in order, as points of one line. */
export function RunSteps({ run }: { run: RunView }) {
  const { line, source, changes, matched, steps, offers } = run
  const failed = steps.filter((step) => step.mark === 'failed')
  return (
    <section aria-labelledby="steps-title" className={`${cardStyles} grid gap-4 p-4 sm:p-5`}>
      <h2 id="steps-title" className="font-semibold text-title">
        Steps
      </h2>
      <ol aria-labelledby="steps-title" className="grid">
        <Point mark={{ tone: 'accent', icon: Play }} isLast={steps.length === 0 && matched === null}>
          <h3 className="wrap-anywhere font-semibold text-body">Trigger: {source}</h3>
          {changes.slice(0, 1).map((change) => (
            <p key={change} className="wrap-anywhere text-label text-ink-soft">
              {change}
            </p>
          ))}
          {changes.length < 2 ? null : (
            <Disclosure dense summary={changes.length === 2 ? '1 more change' : `${changes.length - 1} more changes`}>
              <ul className="grid gap-0.5 text-dense">
                {changes.slice(1).map((change) => (
                  <li key={change} className="wrap-anywhere">
                    {change}
                  </li>
                ))}
              </ul>
            </Disclosure>
          )}
        </Point>
        {matched === null ? null : (
          <Point mark={stepMark('done')} isLast={steps.length === 0}>
            <div className="-mt-2.5">
              <MatchedRecords matched={matched} />
            </div>
          </Point>
        )}
        {steps.map((step, index) => (
          <Point key={step.stepId} mark={stepMark(step.mark)} isLast={index === steps.length - 1}>
            <Step runId={line.id} step={step} />
            {offers.failedAgain !== null && step === failed[0] ? (
              <div className="grid justify-items-start gap-1.5">
                <PostButton
                  wraps
                  values={{ act: 'failed_again', run: String(line.id) }}
                  icon={RotateCcw}
                  aria-label={failed.length === 1 ? `Try this step again: ${step.label}` : undefined}
                >
                  {failed.length === 1 ? 'Try this step again' : 'Try the failed steps again'}
                </PostButton>
                <p className="wrap-anywhere text-dense text-ink-soft">{offers.failedAgain}</p>
              </div>
            ) : null}
          </Point>
        ))}
      </ol>
      {steps.length > 0 ? null : (
        <EmptyState icon={ListChecks} title="No steps">
          <p>We no longer have that version of the automation.</p>
        </EmptyState>
      )}
    </section>
  )
}

/** One point of the line: its mark on the rail, its content beside. */
function Point({
  mark: { tone, icon: Icon },
  isLast,
  children,
}: {
  mark: PointMark
  isLast: boolean
  children: ReactNode
}) {
  return (
    <li className="grid grid-cols-[2rem_minmax(0,1fr)] gap-x-3">
      <div className="relative flex justify-center">
        {isLast ? null : (
          <span
            aria-hidden
            className={`absolute top-8 bottom-0 w-0.5 ${tone === 'failing' ? 'bg-failing' : 'bg-line'}`}
          />
        )}
        <span aria-hidden className={`inline-flex size-8 items-center justify-center rounded-pill ${toneStyles[tone]}`}>
          <Icon className="size-4.5" />
        </span>
      </div>
      <div className={`grid min-w-0 content-start gap-1.5 pt-1 ${isLast ? '' : 'pb-5'}`}>{children}</div>
    </li>
  )
}

type PointMark = Pick<Mark, 'icon'> & { tone: Tone }

function Step({ runId, step }: { runId: number; step: StepView }) {
  const { stepId, number, label, mark, warnings, notes, items } = step
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <h3 className="wrap-anywhere min-w-0 font-semibold text-body">
          {number}. {label}
          {mark === 'done' ? <VisuallyHidden> Done</VisuallyHidden> : null}
        </h3>
        {mark === 'done' ? null : <MarkPill mark={mark} />}
      </div>
      {items.length === 0 ? null : (
        <ul className="grid gap-3">
          {items.map((item) => (
            <li key={item.key} className="grid gap-1.5">
              <Item item={item} isOnly={items.length === 1} />
              {item.settle ? <Settle runId={runId} stepId={stepId} item={item} /> : null}
            </li>
          ))}
        </ul>
      )}
      {warnings.map((warning) => (
        <p key={warning} className="flex items-start gap-1.5 text-attention text-label">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span className="wrap-anywhere min-w-0">{warning}</span>
        </p>
      ))}
      {notes.map((note) => (
        <p key={note} className="wrap-anywhere text-dense text-ink-soft">
          {note}
        </p>
      ))}
      <Details step={step} />
    </>
  )
}

function Item({ item, isOnly }: { item: ItemView; isOnly: boolean }) {
  const { mark, summary, message, sentence, nextAt, receipt } = item
  const now = usePresent()
  const isSent = mark === 'done' || mark === 'unknown'
  return (
    <>
      {message === null ? <p className="wrap-anywhere text-label">{summary === '' ? sentence : summary}</p> : null}
      {isOnly ? null : (
        <p>
          <MarkPill mark={mark} />
        </p>
      )}
      {message === null ? null : (
        <MessageCard message={message} says={isSent ? summary : `Not sent: ${summary}`} sent={isSent} />
      )}
      {sentence === null || summary === '' ? null : (
        <p className={`wrap-anywhere text-label ${mark === 'failed' ? 'text-failing' : 'text-ink-soft'}`}>{sentence}</p>
      )}
      <ReceiptLine receipt={receipt} />
      {nextAt === null || nextAt <= now ? null : (
        <p className="text-dense text-ink-soft">
          Next try <Time at={nextAt} />.
        </p>
      )}
    </>
  )
}

/** What was sent, what came back, every attempt, and how the texts were made. */
function Details({ step: { items, executed, mark, label } }: { step: StepView }) {
  if (items.length === 0 && executed === null) return null
  // Before something without a message goes out, a person wants to see all of it.
  const isOpen = mark !== 'done' && items.some((item) => item.message === null && item.went.length > 0)
  return (
    <Disclosure
      dense
      open={isOpen}
      summary={
        <>
          Details<VisuallyHidden> of {label}</VisuallyHidden>
        </>
      }
    >
      <div className="grid gap-3 rounded-control bg-sunken p-3">
        {items.map(({ key, summary, went, came, tries }) => (
          <div key={key} className="grid gap-3">
            {items.length === 1 ? null : <p className="wrap-anywhere font-semibold text-dense">{summary}</p>}
            <TextList title="Sent" texts={went} />
            <TextList title="Result" texts={came} />
            <Attempts tries={tries} />
          </div>
        ))}
        {executed === null ? null : <ExecutedTexts executed={executed} />}
      </div>
    </Disclosure>
  )
}

function Attempts({ tries }: Pick<ItemView, 'tries'>) {
  if (tries.length === 0) return null
  return (
    <div>
      <p className="font-semibold text-dense">Attempts</p>
      <ol className="grid gap-1.5 text-dense">
        {tries.map((one, index) => (
          <li key={`${one.at}-${one.words}`} className="wrap-anywhere">
            {index + 1}. <Time at={one.at} as="clock" className="tabular-nums" />
            {' · '}
            {one.words} after {durationText(Math.max(0, one.ms))}
            {one.sentence === null ? null : `. ${one.sentence}`}
          </li>
        ))}
      </ol>
    </div>
  )
}

/** Delivery is unknown: a person checks the job diary and reports the outcome. */
function Settle({ runId, stepId, item }: { runId: number; stepId: string; item: ItemView }) {
  const values = { run: String(runId), step: stepId, item: item.key }
  return (
    <div className="grid gap-2 rounded-control bg-attention-soft p-3 text-attention">
      <p className="text-label">Check the job's diary in ServiceM8. Sending it twice reaches the customer twice.</p>
      <div className="flex flex-wrap gap-2">
        <PostButton
          wraps
          values={{ act: 'went_out', ...values }}
          icon={CheckCheck}
          aria-label={`It went out: ${item.summary}`}
        >
          It went out
        </PostButton>
        <PostButton wraps values={{ act: 'send_it', ...values }} icon={Send} aria-label={`Send it: ${item.summary}`}>
          Send it
        </PostButton>
      </div>
    </div>
  )
}
