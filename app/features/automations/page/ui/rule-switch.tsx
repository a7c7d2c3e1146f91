import { Form } from '@remix-run/react'
import { clsx } from 'clsx'
import type { AutomationAccount } from '#app/domain/automations/automation-address.ts'
import type { RuleCardView } from '../../rules/rule-view.ts'
import { ActFields, useIsActing, useWithDraft } from './rule-button.tsx'

/** On and off, by a form: it works without scripts. */
export function RuleSwitch({ rule, account }: { rule: RuleCardView; account: AutomationAccount }) {
  const values = { act: 'switch', id: String(rule.id), to: rule.active ? 'off' : 'on' }
  const pending = useIsActing(values)
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
