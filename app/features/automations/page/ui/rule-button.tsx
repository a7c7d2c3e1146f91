import { Form, useFormAction } from '@remix-run/react'
import { clsx } from 'clsx'
import { type ComponentPropsWithoutRef, forwardRef } from 'react'
import { type AutomationAccount, ruleAnchor } from '#app/domain/automations/automation-address.ts'
import { Button, type ButtonProps } from '#app/ui/button.tsx'
import { HiddenFields, useIsSending } from '#app/ui/form/sent-values.tsx'
import { useHydrated } from '#app/ui/hydrated.tsx'
import { FORM } from '../../form/form-preview.ts'
import type { RuleCardView } from '../../rules/rule-view.ts'
import { PRESS, type RuleAct } from '../act-on-rule.ts'

interface RuleButtonProps extends Omit<ButtonProps, 'type' | 'pending' | 'name' | 'value'> {
  /** Name of the page action. */
  act: RuleAct
  ruleId: number
  account: AutomationAccount
  /** The rule's name, for a button that says only what it does: `Preview: Thank customers`. */
  of?: string
  /** Further values of the action. */
  values?: Record<string, string>
}

/** A button for one action on one rule. Has its own form, so it works without scripts. */
export const RuleButton = forwardRef<HTMLButtonElement, RuleButtonProps>(function RuleButton(
  { act, ruleId, account, of, values = {}, ...button },
  ref,
) {
  const sent = { act, id: String(ruleId), ...values }
  const pending = useIsSending(sent)
  const withDraft = useWithDraft(sent)
  return (
    <Form method="post" preventScrollReset className="contents">
      <ActFields account={account} values={sent} />
      <Button {...nameOf(button, of)} {...button} {...withDraft} ref={ref} type="submit" pending={pending} />
    </Form>
  )
})

export function nameOf({ children }: Pick<ButtonProps, 'children'>, of: string | undefined) {
  return of === undefined ? {} : { 'aria-label': `${String(children)}: ${of}` }
}

/**
 * Until scripts run, a press submits the rule form too, so its input is not lost: the button then belongs to that form,
 * its value holds the action, and the page comes back at the card of the rule that `values` name. A notice has an id of its own.
 */
export function useWithDraft(values: Record<string, string>): ComponentPropsWithoutRef<'button'> {
  const here = useFormAction()
  if (useHydrated()) return {}
  const ofRule = values.id !== undefined && values.act !== 'dismiss_notice'
  const back = !ofRule ? {} : { formAction: `${here}#${ruleAnchor(Number(values.id))}` }
  return { ...back, form: FORM, name: PRESS, value: String(new URLSearchParams(values)) }
}

/** Hidden fields of every form around the rules. */
export function ActFields({ account, values }: { account: AutomationAccount; values: Record<string, string> }) {
  return <HiddenFields values={{ ...values, accountUUID: account.accountUUID }} />
}

/** On/off switch as a form, so it works without scripts. */
export function RuleSwitch({ rule, account }: { rule: RuleCardView; account: AutomationAccount }) {
  const values = { act: 'switch', id: String(rule.id), to: rule.active ? 'off' : 'on' }
  const pending = useIsSending(values)
  const withDraft = useWithDraft(values)
  // While pending, show the new state.
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
            className={clsx(
              'size-4.5 rounded-pill forced-colors:bg-[ButtonText]',
              on ? 'bg-on-accent' : 'bg-line-strong',
            )}
          />
        </span>
      </button>
    </Form>
  )
}
