import { Form } from '@remix-run/react'
import type { AutomationAccount } from '#app/domain/automations/automation-address.ts'
import { Button } from '#app/ui/button.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { ActFields, useIsActing, useWithDraft } from './rule-button.tsx'

const SENT = { act: 'repeats_told' }

/** Once, to whoever had automations before "how often" could be seen: they work as before. */
export function RepeatNotice({ names, account }: { names: readonly string[]; account: AutomationAccount }) {
  const pending = useIsActing(SENT)
  const withDraft = useWithDraft(SENT)
  return (
    <Notice tone="attention" title="These automations can message a customer more than once" className="mb-5">
      <ul className="list-disc pl-5">
        {names.map((name, index) => (
          <li key={index}>{name}</li>
        ))}
      </ul>
      <p className="mt-1">They work as before. Edit one to choose “How often for the same record”.</p>
      <Form method="post" preventScrollReset className="mt-2">
        <ActFields account={account} values={SENT} />
        <Button {...withDraft} type="submit" pending={pending}>
          Dismiss
        </Button>
      </Form>
    </Notice>
  )
}
