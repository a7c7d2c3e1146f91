import { CheckCheck, ListChecks, RotateCcw, Send, TriangleAlert } from 'lucide-react'
import { cardStyles } from '#app/ui/card.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { EmptyState } from '#app/ui/empty-state.tsx'
import { Time, usePresent } from '#app/ui/time/time.tsx'
import { durationText } from '#app/ui/time/time-text.ts'
import type { ItemView, StepView } from '../run-detail-view.ts'
import { ExecutedParts, Texts } from './executed-parts.tsx'
import { RunButton } from './run-button.tsx'
import { MarkPill } from './run-pills.tsx'

interface RunStepsProps {
  runId: number
  steps: readonly StepView[]
  /** What a retry does; null = not offered. */
  failedAgain: string | null
}

/** All steps in order: status, input and output. */
export function RunSteps({ runId, steps, failedAgain }: RunStepsProps) {
  const firstFailed = failedAgain === null ? null : steps.find((step) => step.mark === 'failed')
  return (
    <section aria-labelledby="steps-title" className="grid gap-3">
      <h2 id="steps-title" className="font-semibold text-title">
        Steps
      </h2>
      {steps.length === 0 ? (
        <div className={cardStyles}>
          <EmptyState icon={ListChecks} title="No steps">
            <p>What the automation said at that time is no longer known, and it did nothing.</p>
          </EmptyState>
        </div>
      ) : (
        <ol aria-labelledby="steps-title" className="grid gap-3">
          {steps.map((step) => (
            <li key={step.stepId} className={`${cardStyles} grid gap-3 p-4`}>
              <Step runId={runId} step={step} />
              {step === firstFailed ? (
                <div className="grid justify-items-start gap-1.5">
                  <p className="wrap-anywhere text-dense text-ink-soft">{failedAgain}</p>
                  <RunButton
                    values={{ act: 'failed_again', run: String(runId) }}
                    icon={RotateCcw}
                    label={`Run again from step ${step.number}`}
                  >
                    Run again from here
                  </RunButton>
                </div>
              ) : null}
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

function Step({
  runId,
  step: { stepId, number, label, mark, warnings, notes, executed, items },
}: {
  runId: number
  step: StepView
}) {
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="wrap-anywhere min-w-0 font-semibold text-body">
          {number}. {label}
        </h3>
        <MarkPill mark={mark} />
      </div>
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
      {items.length === 0 ? (
        <p className="text-label text-ink-soft">Not started</p>
      ) : (
        <ul className="grid gap-4 divide-y divide-line">
          {items.map((item) => (
            <li key={item.key} className="grid gap-2 [&:not(:first-child)]:pt-4">
              <Item item={item} isOnly={items.length === 1} />
              {item.settle ? <Settle runId={runId} stepId={stepId} item={item} /> : null}
            </li>
          ))}
        </ul>
      )}
      {executed === null ? null : (
        <div>
          <ExecutedParts executed={executed} />
        </div>
      )}
    </>
  )
}

function Item({ item, isOnly }: { item: ItemView; isOnly: boolean }) {
  const { mark, summary, sentence, went, came, tries, nextAt } = item
  const now = usePresent()
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-2">
        <p className="wrap-anywhere min-w-0 flex-1 text-label">{summary === '' ? sentence : summary}</p>
        {isOnly ? null : <MarkPill mark={mark} />}
      </div>
      {sentence === null || summary === '' ? null : (
        <p className="wrap-anywhere text-label text-ink-soft">{sentence}</p>
      )}
      {nextAt === null || nextAt <= now ? null : (
        <p className="text-dense text-ink-soft">
          Next try <Time at={nextAt} />.
        </p>
      )}
      <Texts title="What went in" texts={went} open={mark !== 'done'} />
      <Texts title="What came out" texts={came} open={false} />
      {tries.length === 0 ? null : (
        <Disclosure dense summary={tries.length === 1 ? '1 attempt' : `${tries.length} attempts`}>
          <ol className="grid gap-1.5 text-dense">
            {tries.map((one, index) => (
              <li key={`${one.at}-${one.words}`} className="wrap-anywhere">
                <span className="font-semibold">{index + 1}.</span>{' '}
                <Time at={one.at} as="clock" className="tabular-nums" />
                {' · '}
                {one.words} after {durationText(Math.max(0, one.ms))}
                {one.sentence === null ? null : `. ${one.sentence}`}
              </li>
            ))}
          </ol>
        </Disclosure>
      )}
    </>
  )
}

/** Delivery is unknown: a person checks the job diary and reports the outcome. */
function Settle({ runId, stepId, item }: { runId: number; stepId: string; item: ItemView }) {
  const values = { run: String(runId), step: stepId, item: item.key }
  return (
    <div className="grid gap-2 rounded-control bg-attention-soft p-3 text-attention">
      <p className="text-label">
        Look in the diary of the job at ServiceM8. Sending it when it did go out means that the customer gets it twice.
      </p>
      <div className="flex flex-wrap gap-2">
        <RunButton values={{ act: 'went_out', ...values }} icon={CheckCheck} label={`It went out: ${item.summary}`}>
          It went out
        </RunButton>
        <RunButton values={{ act: 'send_it', ...values }} icon={Send} label={`Send it: ${item.summary}`}>
          Send it
        </RunButton>
      </div>
    </div>
  )
}
