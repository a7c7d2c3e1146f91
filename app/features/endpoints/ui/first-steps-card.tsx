import { ArrowRight, CircleCheck } from 'lucide-react'
import { automationAddress } from '#app/domain/automations/automation-address.ts'
import { cardStyles } from '#app/ui/card.tsx'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import type { FirstStep, FirstStepView } from '../first-steps.ts'
import type { ManagerAccount } from './manager-address.ts'

interface FirstStepsCardProps {
  steps: readonly FirstStepView[]
  account: ManagerAccount
  /** An address that receives events, set when the built-in stand-in plays the platform. */
  demoAddress: string | null
  /** True when a card has an address, and therefore the button for a test event. */
  canTest: boolean
}

/** Shows a new user three steps that tick themselves off. Renders nothing once they are no longer needed. */
export function FirstStepsCard({ steps, account, demoAddress, canTest }: FirstStepsCardProps) {
  if (steps.length === 0) return null
  return (
    <section aria-labelledby="first-steps-title" className={`${cardStyles} mb-5 grid gap-2 p-4`}>
      <h2 id="first-steps-title" className="font-semibold text-dense text-ink-soft">
        First steps
      </h2>
      <ol className="grid gap-2 md:grid-cols-3 md:gap-4">
        {steps.map(({ step, done, next }, index) => (
          <li key={step} className="flex gap-3" aria-current={next ? 'step' : undefined}>
            <StepMark done={done} next={next} number={index + 1} />
            <div className="min-w-0">
              <p className={`font-semibold text-label ${done ? 'text-ink-soft' : ''}`}>
                {TITLES[step]}
                {done ? <VisuallyHidden> (done)</VisuallyHidden> : null}
              </p>
              {done ? null : (
                <div className={`text-label text-ink-soft ${next ? '' : 'hidden'}`}>
                  <Explanation step={step} account={account} demoAddress={demoAddress} canTest={canTest} />
                </div>
              )}
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}

function StepMark({ done, next, number }: { done: boolean; next: boolean; number: number }) {
  if (done) return <CircleCheck aria-hidden className="mt-0.5 size-6 shrink-0 text-working" />
  return (
    <span
      aria-hidden
      className={`mt-0.5 grid size-6 shrink-0 place-items-center rounded-pill font-semibold text-dense ${next ? 'bg-accent text-on-accent' : 'bg-sunken text-ink-soft'}`}
    >
      {number}
    </span>
  )
}

const TITLES: Record<FirstStep, string> = {
  webhook: 'Choose what to pass on',
  event: 'Watch the first event arrive',
  automation: 'Automate something',
}

function Explanation({
  step,
  account,
  demoAddress,
  canTest,
}: { step: FirstStep } & Omit<FirstStepsCardProps, 'steps'>) {
  switch (step) {
    case 'webhook':
      return (
        <>
          <p>Choose an object like Job under “Create New Webhook”. No address yet? Leave it empty.</p>
          {demoAddress ? (
            <p className="mt-1 wrap-anywhere">
              To try it out: <code className="text-dense">{demoAddress}</code>
            </p>
          ) : null}
        </>
      )
    case 'event':
      return canTest ? (
        <p>Press “Send test event” on its card, or change a job in ServiceM8. It takes a second or two.</p>
      ) : (
        <p>Change a job in ServiceM8. It takes a second or two.</p>
      )
    case 'automation':
      return (
        <>
          <p>For example a text when a job is done.</p>
          <a
            href={automationAddress(account, { step: 'none' }, 'templates')}
            className="inline-flex min-h-11 items-center gap-1.5 font-semibold text-accent underline underline-offset-4"
          >
            Choose an automation
            <ArrowRight aria-hidden className="size-4" />
          </a>
        </>
      )
  }
}
