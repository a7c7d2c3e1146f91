import { Form, useNavigation } from '@remix-run/react'
import { forwardRef } from 'react'
import { Button, type ButtonProps } from '#app/ui/button.tsx'
import type { AutomationAccount } from '../automation-address.ts'

interface RuleButtonProps extends Omit<ButtonProps, 'type' | 'pending' | 'name' | 'value'> {
  /** What the page's action is asked to do. */
  act: string
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
  const pending = useIsActing(sent)
  return (
    <Form method="post" preventScrollReset className="contents">
      <ActFields account={account} values={sent} />
      <Button {...button} ref={ref} type="submit" pending={pending} />
    </Form>
  )
})

/** What every form around the rules carries along. */
export function ActFields({ account, values }: { account: AutomationAccount; values: Record<string, string> }) {
  return (
    <>
      {Object.entries({ ...values, accountUUID: account.accountUUID }).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
    </>
  )
}

/** Is the form with these values on its way? */
export function useIsActing(values: Record<string, string>): boolean {
  const { state, formData } = useNavigation()
  if (state === 'idle' || !formData) return false
  return Object.entries(values).every(([name, value]) => formData.get(name) === value)
}
