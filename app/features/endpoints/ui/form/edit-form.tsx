import { Form } from '@remix-run/react'
import { useState } from 'react'
import { Button, ButtonLink } from '#app/ui/button.tsx'
import { useFirstField } from '#app/ui/form/first-field.ts'
import { Notice } from '#app/ui/notice.tsx'
import type { EndpointView } from '../../endpoint-view.ts'
import { cardId, type ManagerAccount, managerSearch } from '../manager-address.ts'
import { AddressField } from './address-field.tsx'
import { FieldPicker } from './field-picker.tsx'
import { joinFields } from './field-text.ts'
import type { FormResult } from './form-result.ts'
import { useManagerForm, useSending } from './manager-form.tsx'

interface EditFormProps {
  webhook: EndpointView
  account: ManagerAccount
  refused: FormResult | null
}

async function loadCheck() {
  return (await import('./check-webhook-form.ts')).checkUpdateForm
}

/** Monitored fields and address of one webhook. It opens and closes by the page's address, so there is one at a time. */
export function EditForm({ webhook, account, refused }: EditFormProps) {
  const { form, fields, formProps, firstInvalid } = useManagerForm({
    id: `edit-${webhook.id}`,
    result: refused,
    defaultValue: { fields: joinFields(webhook.fields), callback_url: webhook.callbackUrl },
    loadCheck,
  })
  const [fieldText, setFieldText] = useState(refused?.values.fields ?? joinFields(webhook.fields))
  const sending = useSending('update', webhook.id)

  const box = useFirstField<HTMLDivElement>()

  return (
    <div ref={box}>
      <Form method="post" preventScrollReset {...formProps} className="grid gap-4">
        <input type="hidden" name="intent" value="update" />
        <input type="hidden" name="id" value={webhook.id} />
        <input type="hidden" name="accountUUID" value={account.accountUUID} />
        {form.errors ? (
          <div id={form.errorId}>
            <Notice tone="failing" title="The changes were not saved">
              {form.errors.map((error) => (
                <p key={error}>{error}</p>
              ))}
            </Notice>
          </div>
        ) : null}
        <FieldPicker
          id={fields.fields.id}
          name="fields"
          label="Monitored fields"
          objectType={webhook.objectType}
          value={fieldText}
          onChange={setFieldText}
          errors={fields.fields.errors}
        />
        <AddressField
          field={fields.callback_url}
          label="Callback URL"
          hint="Where events are sent. Leave it empty to only watch them here."
          autoFocus={firstInvalid === 'callback_url'}
        />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look="primary" pending={sending} pendingLabel="Saving…">
            Save
          </Button>
          <ButtonLink to={`${managerSearch(account)}#${cardId(webhook.id)}`} preventScrollReset>
            Cancel
          </ButtonLink>
        </div>
      </Form>
    </div>
  )
}
