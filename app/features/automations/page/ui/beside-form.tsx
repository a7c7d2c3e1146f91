import { Form } from '@remix-run/react'
import { Workflow } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { automationAddress } from '#app/domain/automations/automation-address.ts'
import { Button, ButtonLink } from '#app/ui/button.tsx'
import { Card, cardStyles } from '#app/ui/card.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { EmptyState } from '#app/ui/empty-state.tsx'
import { Field } from '#app/ui/form/field.tsx'
import { useIsSending } from '#app/ui/form/sent-values.tsx'
import { controlStyles } from '#app/ui/form/text-input.tsx'
import { Notice } from '#app/ui/notice.tsx'
import type { RuleCardView } from '../../rules/rule-view.ts'
import { IMPORT_FAILED, RULES_NOT_FETCHED } from '../page-text.ts'
import { UndoDelete } from './delete-rule.tsx'
import { ActFields, useWithDraft } from './rule-button.tsx'
import { RuleCard, type RuleCardProps } from './rule-card.tsx'

/** What stands beside the form of a rule: the import, and the rules there are. */
export function BesideForm(props: RuleListProps) {
  return (
    <>
      <ImportPanel {...props} />
      <RuleList {...props} />
    </>
  )
}

interface RuleListProps extends Omit<RuleCardProps, 'rule'> {
  rules: RuleCardView[] | null
  deleted: { id: number; name: string } | null
}

/** The list of rules. When a removed rule had the focus, the heading gets it. */
function RuleList({ rules, deleted, ...card }: RuleListProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const length = rules?.length ?? 0
  const count = useRef(length)
  useEffect(() => {
    if (length < count.current && (document.activeElement ?? document.body) === document.body) heading.current?.focus()
    count.current = length
  }, [length])
  return (
    <section aria-labelledby="rules-title">
      <h2 id="rules-title" ref={heading} tabIndex={-1} className="mb-3 font-semibold text-title">
        Existing Automations
      </h2>
      {deleted === null ? null : <UndoDelete deleted={deleted} account={card.account} />}
      {rules === null ? (
        <Notice tone="failing" title={RULES_NOT_FETCHED}>
          They are safe and still run. Please load the page again in a moment.
        </Notice>
      ) : rules.length === 0 ? (
        <Card>
          <EmptyState icon={Workflow} title="No automations yet">
            Pick a recipe above.
          </EmptyState>
        </Card>
      ) : (
        <ul className="long-list grid items-start gap-4">
          {rules.map((rule) => (
            <li key={rule.id} className="min-w-0">
              <RuleCard rule={rule} {...card} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** Imports the JSON of "Copy as JSON", from here or elsewhere. */
function ImportPanel({ account, result, typed }: Pick<RuleListProps, 'account' | 'result' | 'typed'>) {
  const refused = result?.kind === 'import_refused' ? result : null
  const [canceled, setCanceled] = useState(0)
  // Once open, it stays open when the result of another button follows.
  const json = typed?.json ?? ''
  const open = useRef(json !== '')
  open.current ||= refused !== null
  const pending = useIsSending({ act: 'import' })
  const withDraft = useWithDraft({ act: 'import' })
  return (
    <section aria-labelledby="import-title" className={`${cardStyles} px-4 py-1.5 sm:px-5`}>
      <h2 id="import-title" className="sr-only">
        Import Automation
      </h2>
      <Disclosure key={canceled} summary="Import Automation" open={open.current}>
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
                form={withDraft.form}
                name="json"
                rows={6}
                required
                spellCheck={false}
                defaultValue={refused?.text ?? json}
                className={controlStyles({ className: 'resize-y py-2 font-mono' })}
              />
            )}
          </Field>
          <div className="flex flex-wrap gap-2">
            <Button {...withDraft} type="submit" variant="primary" pending={pending}>
              Import
            </Button>
            <ButtonLink
              to={automationAddress(account)}
              onClick={() => {
                open.current = false
                setCanceled((count) => count + 1)
              }}
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
