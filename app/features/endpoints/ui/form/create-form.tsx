import { Form } from '@remix-run/react'
import { useEffect, useRef, useState } from 'react'
import { isPolled, OBJECT_KINDS } from '#app/domain/object-catalog.ts'
import { CHECKED_WORDS } from '#app/domain/polling.ts'
import { Button } from '#app/ui/button.tsx'
import { CardSection } from '#app/ui/card.tsx'
import { Checkbox } from '#app/ui/form/checkbox.tsx'
import { Field } from '#app/ui/form/field.tsx'
import { Select } from '#app/ui/form/select.tsx'
import { TextInput } from '#app/ui/form/text-input.tsx'
import { Notice } from '#app/ui/notice.tsx'
import type { ManagerAccount } from '../manager-address.ts'
import { PollingNote } from '../polling-facts.tsx'
import { AddressField } from './address-field.tsx'
import { FieldPicker } from './field-picker.tsx'
import { type FormResult, resultFor } from './form-result.ts'
import { useManagerForm, useSending } from './manager-form.tsx'

interface CreateFormProps {
  account: ManagerAccount
  /** Types that have a webhook already. */
  usedTypes: readonly string[]
  result: FormResult | undefined
}

/** The card with the form. After a webhook was made the form starts afresh; after a refusal it keeps what was typed. */
export function CreateWebhook({ account, usedTypes, result }: CreateFormProps) {
  const refused = resultFor(result, 'create')
  const sending = useSending('create')
  const wasSending = useRef(false)
  const [round, setRound] = useState(0)
  useEffect(() => {
    if (wasSending.current && !sending && !refused) setRound((last) => last + 1)
    wasSending.current = sending
  }, [sending, refused])

  return (
    <CardSection id="create" title="Create New Webhook">
      <CreateForm key={round} account={account} usedTypes={usedTypes} refused={refused} sending={sending} />
    </CardSection>
  )
}

async function loadCheck() {
  return (await import('./check-webhook-form.ts')).checkCreateForm
}

interface InnerProps {
  account: ManagerAccount
  usedTypes: readonly string[]
  refused: FormResult | null
  sending: boolean
}

function CreateForm({ account, usedTypes, refused, sending }: InnerProps) {
  const { form, fields, formProps, firstInvalid } = useManagerForm({
    id: 'create-webhook',
    result: refused,
    defaultValue: { callback_url: '', object: '', customObject: '', fields: '' },
    loadCheck,
  })
  const typed = refused?.values
  const [object, setObject] = useState(typed?.object ?? '')
  const [custom, setCustom] = useState(typed?.useCustom === 'on')
  const [fieldText, setFieldText] = useState(typed?.fields ?? '')

  // What was chosen before the page came alive counts.
  useEffect(() => {
    const element = document.getElementById('create-webhook')
    if (!(element instanceof HTMLFormElement)) return
    const early = new FormData(element)
    setObject(String(early.get('object') ?? ''))
    setCustom(early.get('useCustom') === 'on')
    setFieldText(String(early.get('fields') ?? ''))
  }, [])

  const open = OBJECT_KINDS.filter((kind) => !usedTypes.includes(kind.type))
  const posted = open.filter((kind) => kind.delivery === 'subscribed')
  const polled = open.filter((kind) => kind.delivery === 'polled')
  const nothingLeft = open.length === 0

  return (
    <Form method="post" preventScrollReset {...formProps} className="grid gap-4">
      <input type="hidden" name="intent" value="create" />
      <input type="hidden" name="accountUUID" value={account.accountUUID} />
      {form.errors ? (
        <div id={form.errorId}>
          <Notice tone="failing" title="The webhook was not created">
            {form.errors.map((error) => (
              <p key={error}>{error}</p>
            ))}
          </Notice>
        </div>
      ) : null}
      <AddressField
        field={fields.callback_url}
        label="Callback URL"
        hint="Where events are sent. Leave it empty to only watch them here."
        autoFocus={firstInvalid === 'callback_url'}
      />
      <div className="group/object grid gap-3">
        <Field
          id={fields.object.id}
          label="Object type"
          errors={fields.object.errors}
          hint={nothingLeft ? 'Every object type has its webhook already. Edit or delete one in the list.' : undefined}
        >
          {(control) => (
            <Select
              {...control}
              name="object"
              defaultValue={typed?.object ?? ''}
              autoFocus={firstInvalid === 'object'}
              onChange={(event) => {
                setObject(event.currentTarget.value)
                setFieldText('')
              }}
            >
              <option value="">Choose what to watch</option>
              {posted.map((kind) => (
                <option key={kind.type} value={kind.type}>
                  {kind.label}
                </option>
              ))}
              {polled.length > 0 ? (
                <optgroup label={CHECKED_WORDS}>
                  {polled.map((kind) => (
                    <option key={kind.type} value={kind.type}>
                      {kind.label}
                    </option>
                  ))}
                </optgroup>
              ) : null}
            </Select>
          )}
        </Field>
        {!custom && isPolled(object) ? (
          <div role="status" className="rounded-control bg-sunken px-3.5 py-2.5 text-label">
            <PollingNote objectType={object} />
          </div>
        ) : null}
        {account.admin ? (
          <>
            <Checkbox
              name="useCustom"
              defaultChecked={typed?.useCustom === 'on'}
              onChange={(event) => {
                setCustom(event.currentTarget.checked)
                setFieldText('')
              }}
            >
              Use custom object type
            </Checkbox>
            <div className="hidden group-has-[input:checked]/object:block">
              <Field
                id={fields.customObject.id}
                label="Custom object type"
                errors={fields.customObject.errors}
                hint="As the platform spells it, e.g. jobactivity. It is used instead of the list above."
              >
                {(control) => (
                  <TextInput
                    {...control}
                    key={fields.customObject.key}
                    name="customObject"
                    defaultValue={fields.customObject.initialValue}
                    autoComplete="off"
                    autoCapitalize="none"
                    spellCheck={false}
                    autoFocus={firstInvalid === 'customObject'}
                  />
                )}
              </Field>
            </div>
          </>
        ) : null}
      </div>
      <FieldPicker
        id={fields.fields.id}
        name="fields"
        label="Fields"
        objectType={custom ? '' : object}
        value={fieldText}
        onChange={setFieldText}
        errors={fields.fields.errors}
      />
      <Button
        type="submit"
        look="primary"
        size="wide"
        disabled={nothingLeft && !account.admin}
        pending={sending}
        pendingLabel="Creating…"
      >
        Create Webhook
      </Button>
    </Form>
  )
}
