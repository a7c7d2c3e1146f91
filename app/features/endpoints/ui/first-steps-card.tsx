import { Check } from 'lucide-react'
import { automationAddress } from '#app/domain/automations/automation-address.ts'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import type { FirstStep, FirstStepView } from '../first-steps.ts'
import type { ManagerAccount } from './manager-address.ts'

interface FirstStepsCardProps {
  steps: readonly FirstStepView[]
  account: ManagerAccount
  /** The object of the first card. */
  label?: string | undefined
}

/** Shows a new user three steps that tick themselves off, in one line. Renders nothing once they are not needed. */
export function FirstStepsCard({ steps, account, label = 'Job' }: FirstStepsCardProps) {
  if (steps.length === 0) return null
  const number = steps.findIndex(({ next }) => next) + 1
  return (
    <section aria-labelledby="first-steps-title" className="-mt-4 mb-2 flex flex-wrap items-center gap-x-4 text-label">
      <h2 id="first-steps-title" className="text-dense text-ink-soft">
        First steps
      </h2>
      <span className="-ml-3 text-dense text-ink-soft sm:hidden">{number} of 3:</span>
      <ol className="flex min-h-11 flex-wrap items-center gap-x-5">
        {steps.map(({ step, done, next }, index) => (
          <li
            key={step}
            aria-current={next ? 'step' : undefined}
            className={`flex items-center gap-2 ${next ? 'font-semibold' : 'text-ink-soft max-sm:sr-only'}`}
          >
            <StepMark done={done} next={next} number={index + 1} />
            {step === 'automation' && next ? (
              <a
                href={automationAddress(account, { step: 'none' }, 'templates')}
                className="inline-flex min-h-11 items-center text-accent underline underline-offset-4"
              >
                {TITLES[step]}
              </a>
            ) : step === 'event' && label !== 'Job' ? (
              `Change any ${label.toLowerCase()} in ServiceM8`
            ) : (
              TITLES[step]
            )}
            {done ? <VisuallyHidden> (done)</VisuallyHidden> : null}
          </li>
        ))}
      </ol>
    </section>
  )
}

function StepMark({ done, next, number }: { done: boolean; next: boolean; number: number }) {
  if (done) return <Check aria-hidden className="size-4 shrink-0 text-working" />
  return (
    <span
      aria-hidden
      className={`grid size-5 shrink-0 place-items-center rounded-pill text-dense ${next ? 'bg-accent text-on-accent' : 'bg-sunken'}`}
    >
      {number}
    </span>
  )
}

const TITLES: Record<FirstStep, string> = {
  webhook: 'Create a webhook',
  event: 'Change a job in ServiceM8',
  automation: 'Choose an automation',
}
