import { Form, useNavigation } from '@remix-run/react'
import { Plus } from 'lucide-react'
import { type AutomationAccount, automationQuery } from '#app/domain/automations/automation-address.ts'
import { CATEGORIES, CATEGORY_LABELS } from '#app/domain/template-categories.ts'
import { Button } from '#app/ui/button.tsx'
import { Card } from '#app/ui/card.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { Checkbox } from '#app/ui/form/checkbox.tsx'
import { Field } from '#app/ui/form/field.tsx'
import { Select } from '#app/ui/form/select.tsx'
import { controlStyles, TextInput } from '#app/ui/form/text-input.tsx'
import { CREATE_TEXTS } from '../template-text.ts'
import { NEW_TEMPLATE_PATH } from '../template-view.ts'

interface CreateTemplateProps {
  account: AutomationAccount
  rules: { id: number; name: string }[]
}

/** For admins: creates a template from a working automation. The response returns here with the result. */
export function CreateTemplate({ account, rules }: CreateTemplateProps) {
  const { state, formAction } = useNavigation()
  const pending = state !== 'idle' && formAction?.startsWith(NEW_TEMPLATE_PATH) === true
  const query = new URLSearchParams(automationQuery(account))
  return (
    <Card className="px-4 py-1 sm:px-5">
      <Disclosure summary={CREATE_TEXTS.summary}>
        {rules.length === 0 ? (
          <p className="pb-2 text-label text-ink-soft">{CREATE_TEXTS.noRules}</p>
        ) : (
          <Form method="post" action={`${NEW_TEMPLATE_PATH}?${query}`} preventScrollReset className="grid gap-4 pb-2">
            <div className="grid items-start gap-4 sm:grid-cols-2">
              <Field id="template-rule" label={CREATE_TEXTS.rule} hint={CREATE_TEXTS.ruleHint}>
                {(control) => <Select {...control} name="rule" options={rules.map(({ id, name }) => [id, name])} />}
              </Field>
              <Field id="template-new-category" label={CREATE_TEXTS.category}>
                {(control) => (
                  <Select {...control} name="category" options={CATEGORIES.map((one) => [one, CATEGORY_LABELS[one]])} />
                )}
              </Field>
            </div>
            <Field id="template-name" label={CREATE_TEXTS.name}>
              {(control) => <TextInput {...control} name="name" maxLength={200} autoComplete="off" />}
            </Field>
            <Field id="template-description" label={CREATE_TEXTS.description}>
              {(control) => (
                <textarea
                  {...control}
                  name="description"
                  rows={3}
                  maxLength={2_000}
                  className={controlStyles({ className: 'py-2' })}
                />
              )}
            </Field>
            <Checkbox name="isPublic" value="yes" defaultChecked>
              {CREATE_TEXTS.isPublic}
            </Checkbox>
            <div>
              <Button type="submit" variant="primary" icon={Plus} pending={pending} pendingLabel="Creating…">
                {CREATE_TEXTS.create}
              </Button>
            </div>
          </Form>
        )}
      </Disclosure>
    </Card>
  )
}
