import { Form } from '@remix-run/react'
import { useState } from 'react'
import { type AutomationAccount, automationAddress } from '#app/domain/automations/automation-address.ts'
import { Button, ButtonLink } from '#app/ui/button.tsx'
import { cardStyles } from '#app/ui/card.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { Field } from '#app/ui/form/field.tsx'
import { useIsSending } from '#app/ui/form/sent-values.tsx'
import { controlStyles } from '#app/ui/form/text-input.tsx'
import type { PageResult } from '../act-on-rule.ts'
import { IMPORT_FAILED } from '../page-text.ts'
import { ActFields } from './rule-button.tsx'

interface ImportPanelProps {
  account: AutomationAccount
  result: PageResult | null
}

/** Imports the JSON of "Copy as JSON", from here or elsewhere. */
export function ImportPanel({ account, result }: ImportPanelProps) {
  const refused = result?.kind === 'import_refused' ? result : null
  // A rejected import redraws the panel, open and with the pasted text.
  const [canceled, setCanceled] = useState(0)
  const pending = useIsSending({ act: 'import' })
  return (
    <section aria-labelledby="import-title" className={`${cardStyles} px-4 py-1.5 sm:px-5`}>
      <h2 id="import-title" className="sr-only">
        Import Automation
      </h2>
      <Disclosure
        key={`${refused ? refused.message : ''}${canceled}`}
        summary="Import Automation"
        open={refused !== null}
      >
        <Form method="post" preventScrollReset className="grid gap-3 pt-1 pb-2">
          <ActFields account={account} values={{ act: 'import' }} />
          <Field
            id="import-json"
            label="Paste JSON"
            hint="Loads into the form as a new automation, switched off."
            errors={refused ? [`${IMPORT_FAILED}: ${refused.message}`] : []}
          >
            {(control) => (
              <textarea
                {...control}
                name="json"
                rows={6}
                required
                spellCheck={false}
                defaultValue={refused?.text ?? ''}
                className={controlStyles({ className: 'resize-y py-2 font-mono' })}
              />
            )}
          </Field>
          <div className="flex flex-wrap gap-2">
            <Button type="submit" variant="primary" pending={pending}>
              Import
            </Button>
            <ButtonLink
              to={automationAddress(account)}
              onClick={() => setCanceled((count) => count + 1)}
              preventScrollReset
            >
              Cancel
            </ButtonLink>
          </div>
        </Form>
      </Disclosure>
    </section>
  )
}
