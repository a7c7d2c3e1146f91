import { Form } from '@remix-run/react'
import type { AutomationAccount } from '#app/domain/automations/automation-address.ts'
import { Button } from '#app/ui/button.tsx'
import { useIsSending } from '#app/ui/form/sent-values.tsx'
import { TextField } from '#app/ui/form/text-input.tsx'
import { Notice } from '#app/ui/notice.tsx'
import type { RuleCardView } from '../../rules/rule-view.ts'
import { blankName } from '../act-on-rule.ts'
import { ActFields, useWithDraft } from './rule-button.tsx'

interface FillBlanksProps {
  rule: Pick<RuleCardView, 'id' | 'name' | 'openBlanks' | 'askedBlanks'>
  account: AutomationAccount
  typed?: Readonly<Record<string, string>> | undefined
}

/** What a rule still needs, to type right on its card; what is chosen from a list is only named. */
export function FillBlanks({ rule: { id, name, openBlanks, askedBlanks }, account, typed = {} }: FillBlanksProps) {
  const values = { act: 'fill', id: String(id) }
  const pending = useIsSending(values)
  const withDraft = useWithDraft(values)
  return (
    <Notice tone="attention" title="Fill these in to switch it on">
      {askedBlanks.length === 0 ? (
        <ul className="list-disc pl-5">
          {openBlanks.map((blank) => (
            <li key={blank}>{blank}</li>
          ))}
        </ul>
      ) : (
        <Form method="post" preventScrollReset className="mt-1 grid gap-3">
          <ActFields account={account} values={values} />
          {askedBlanks.map(({ label, value }, index) => (
            <TextField
              key={label}
              id={`fill-${id}-${index}`}
              label={label}
              form={withDraft.form}
              name={blankName(id, label)}
              defaultValue={typed[blankName(id, label)] ?? value}
              required
              autoComplete="off"
            />
          ))}
          <div>
            <Button
              {...withDraft}
              type="submit"
              variant="primary"
              pending={pending}
              aria-label={`Save and turn on: ${name}`}
            >
              Save and turn on
            </Button>
          </div>
        </Form>
      )}
    </Notice>
  )
}
