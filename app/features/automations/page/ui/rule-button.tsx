import { Form } from '@remix-run/react'
import { clsx } from 'clsx'
import { forwardRef } from 'react'
import type { AutomationAccount } from '#app/domain/automations/automation-address.ts'
import { Button, type ButtonProps } from '#app/ui/button.tsx'
import { HiddenFields, useIsSending } from '#app/ui/form/sent-values.tsx'
import { useHydrated } from '#app/ui/hydrated.tsx'
import { FORM } from '../../form/ui/preview-pane.tsx'
import type { RuleCardView } from '../../rules/rule-view.ts'
import { PRESS, type RuleAct } from '../act-on-rule.ts'

interface RuleButtonProps extends Omit<ButtonProps, 'type' | 'pending' | 'name' | 'value'> {
  /** What the page's action is asked to do. */
  act: RuleAct
  ruleId: number
  account: AutomationAccount
  /** What else it needs to know. */
  values?: Record<string, string>
}

/** A button that does one thing with one rule: a form of its own, so that it works without scripts. */
export const RuleButton = forwardRef<HTMLButtonElement, RuleButtonProps>(function RuleButton(
  { act, ruleId, account, values = {}, ...button },
  ref,
) {
  const sent = { act, id: String(ruleId), ...values }
  const pending = useIsSending(sent)
  const withDraft = useWithDraft(sent)
  return (
    <Form method="post" preventScrollReset className="contents">
      <ActFields account={account} values={sent} />
      <Button {...button} {...withDraft} ref={ref} type="submit" pending={pending} />
    </Form>
  )
})

/**
 * Until scripts run, a press sends the form of the rule along, so that nothing is lost that was written there: the button then belongs
 * to that form, and says in its value what it does.
 */
export function useWithDraft(values: Record<string, string>): { form?: string; name?: string; value?: string } {
  return useHydrated() ? {} : { form: FORM, name: PRESS, value: String(new URLSearchParams(values)) }
}

/** What every form around the rules carries along. */
export function ActFields({ account, values }: { account: AutomationAccount; values: Record<string, string> }) {
  return <HiddenFields values={{ ...values, accountUUID: account.accountUUID }} />
}

/** On and off, by a form: it works without scripts. */
export function RuleSwitch({ rule, account }: { rule: RuleCardView; account: AutomationAccount }) {
  const values = { act: 'switch', id: String(rule.id), to: rule.active ? 'off' : 'on' }
  const pending = useIsSending(values)
  const withDraft = useWithDraft(values)
  // While it is on its way it stands where it is going.
  const on = pending ? !rule.active : rule.active
  return (
    <Form method="post" preventScrollReset className="contents">
      <ActFields account={account} values={values} />
      <button
        {...withDraft}
        type="submit"
        role="switch"
        aria-checked={on}
        aria-label={`Active: ${rule.name}`}
        aria-disabled={pending || undefined}
        onClick={(event) => {
          if (pending) event.preventDefault()
        }}
        className="grid size-11 shrink-0 place-items-center rounded-control"
      >
        <span
          aria-hidden
          className={clsx(
            'flex h-6 w-11 items-center rounded-pill border px-0.5 transition-colors forced-colors:border-current',
            on ? 'justify-end border-accent bg-accent' : 'justify-start border-line-strong bg-sunken',
          )}
        >
          <span
            className={clsx('size-4.5 rounded-pill forced-colors:bg-current', on ? 'bg-on-accent' : 'bg-line-strong')}
          />
        </span>
      </button>
    </Form>
  )
}
