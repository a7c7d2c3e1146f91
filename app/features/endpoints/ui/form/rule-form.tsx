import { Form } from '@remix-run/react'
import { type ReactNode, useEffect, useState } from 'react'
import { isPolled, OBJECT_KINDS } from '#app/domain/object-catalog.ts'
import { CHECKED_WORDS } from '#app/domain/polling.ts'
import { Button, ButtonLink } from '#app/ui/button.tsx'
import { Checkbox } from '#app/ui/form/checkbox.tsx'
import { Field } from '#app/ui/form/field.tsx'
import { useFirstField } from '#app/ui/form/first-field.ts'
import { Select } from '#app/ui/form/select.tsx'
import { TextInput } from '#app/ui/form/text-input.tsx'
import { Notice } from '#app/ui/notice.tsx'
import type { EndpointView } from '../../endpoint-view.ts'
import { cardId, type ManagerAccount, managerSearch } from '../manager-address.ts'
import { PollingNote } from '../polling-facts.tsx'
import { AddressField } from './address-field.tsx'
import { FieldPicker } from './field-picker.tsx'
import { joinFields } from './field-text.ts'
import type { FormResult } from './form-result.ts'
import { useManagerForm, useSending } from './manager-form.tsx'

async function loadAddCheck() {
  return (await import('./check-webhook-form.ts')).checkAddRuleForm
}

async function loadChangeCheck() {
  return (await import('./check-webhook-form.ts')).checkRuleChangeForm
}

interface AddRuleFormProps {
  account: ManagerAccount
  refused: FormResult | null
  sending: boolean
}

const ADD_FORM = 'add-rule'

/** One more address for an object's events. */
export function AddRuleForm({ account, refused, sending }: AddRuleFormProps) {
  const { form, fields, formProps, firstInvalid } = useManagerForm({
    id: ADD_FORM,
    result: refused,
    defaultValue: { name: '', objectType: '', customObject: '', forwardUrl: '', fieldFilters: '' },
    loadCheck: loadAddCheck,
  })
  const typed = refused?.values
  const [object, setObject] = useState(typed?.objectType ?? '')
  const [custom, setCustom] = useState(typed?.useCustom === 'on')
  const [filter, setFilter] = useState(typed?.fieldFilters ?? '')

  // What was chosen before the page came alive counts.
  useEffect(() => {
    const element = document.getElementById(ADD_FORM)
    if (!(element instanceof HTMLFormElement)) return
    const early = new FormData(element)
    setObject(String(early.get('objectType') ?? ''))
    setCustom(early.get('useCustom') === 'on')
    setFilter(String(early.get('fieldFilters') ?? ''))
  }, [])

  return (
    <Form method="post" preventScrollReset {...formProps} className="grid gap-4">
      <input type="hidden" name="intent" value="create_rule" />
      <input type="hidden" name="accountUUID" value={account.accountUUID} />
      <FormErrors id={form.errorId} title="The address was not added" errors={form.errors} />
      <TextField field={fields.name} label="Rule name" hint={NAME_HINT} autoFocus={firstInvalid === 'name'} />
      <div className="group/object grid gap-3">
        <Field id={fields.objectType.id} label="Object" errors={fields.objectType.errors}>
          {(control) => (
            <Select
              {...control}
              name="objectType"
              defaultValue={typed?.objectType ?? ''}
              autoFocus={firstInvalid === 'objectType'}
              onChange={(event) => {
                setObject(event.currentTarget.value)
                setFilter('')
              }}
            >
              <option value="">Choose whose events to send</option>
              {OBJECT_KINDS.filter((kind) => kind.delivery === 'subscribed').map((kind) => (
                <option key={kind.type} value={kind.type}>
                  {kind.label}
                </option>
              ))}
              <optgroup label={CHECKED_WORDS}>
                {OBJECT_KINDS.filter((kind) => kind.delivery === 'polled').map((kind) => (
                  <option key={kind.type} value={kind.type}>
                    {kind.label}
                  </option>
                ))}
              </optgroup>
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
                setFilter('')
              }}
            >
              Another object, by name
            </Checkbox>
            <div className="hidden group-has-[input:checked]/object:block">
              <TextField
                field={fields.customObject}
                label="Name of the object"
                hint="As the platform spells it, e.g. jobactivity. It is used instead of the list above."
                plain
                autoFocus={firstInvalid === 'customObject'}
              />
            </div>
          </>
        ) : null}
      </div>
      <UrlField field={fields.forwardUrl} autoFocus={firstInvalid === 'forwardUrl'} />
      <FieldPicker
        id={fields.fieldFilters.id}
        name="fieldFilters"
        label="Field filter"
        objectType={custom ? '' : object}
        value={filter}
        onChange={setFilter}
        errors={fields.fieldFilters.errors}
      />
      <div>
        <Button type="submit" look="primary" pending={sending} pendingLabel="Adding…">
          Add address
        </Button>
      </div>
    </Form>
  )
}

const NAME_HINT = 'What you know it by, e.g. “Accounting”.'

interface EditRuleFormProps {
  rule: EndpointView
  account: ManagerAccount
  refused: FormResult | null
}

/** Name, address and filter of one rule. It opens and closes by the page's address, so there is one at a time. */
export function EditRuleForm({ rule, account, refused }: EditRuleFormProps) {
  const { form, fields, formProps, firstInvalid } = useManagerForm({
    id: `edit-${rule.id}`,
    result: refused,
    defaultValue: { name: rule.name ?? '', forwardUrl: rule.callbackUrl, fieldFilters: joinFields(rule.fields) },
    loadCheck: loadChangeCheck,
  })
  const [filter, setFilter] = useState(refused?.values.fieldFilters ?? joinFields(rule.fields))
  const sending = useSending('update', rule.id)

  const box = useFirstField<HTMLDivElement>()

  return (
    <div ref={box}>
      <Form method="post" preventScrollReset {...formProps} className="grid gap-4">
        <input type="hidden" name="intent" value="update" />
        <input type="hidden" name="id" value={rule.id} />
        <input type="hidden" name="accountUUID" value={account.accountUUID} />
        <FormErrors id={form.errorId} title="The changes were not saved" errors={form.errors} />
        <TextField field={fields.name} label="Rule name" hint={NAME_HINT} autoFocus={firstInvalid === 'name'} />
        <UrlField field={fields.forwardUrl} autoFocus={firstInvalid === 'forwardUrl'} />
        <FieldPicker
          id={fields.fieldFilters.id}
          name="fieldFilters"
          label="Field filter"
          objectType={rule.objectType}
          value={filter}
          onChange={setFilter}
          errors={fields.fieldFilters.errors}
        />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look="primary" pending={sending} pendingLabel="Saving…">
            Save
          </Button>
          <ButtonLink to={`${managerSearch(account)}#${cardId(rule.id)}`} preventScrollReset>
            Cancel
          </ButtonLink>
        </div>
      </Form>
    </div>
  )
}

function FormErrors({ id, title, errors }: { id: string; title: string; errors: string[] | undefined }) {
  if (!errors) return null
  return (
    <div id={id}>
      <Notice tone="failing" title={title}>
        {errors.map((error) => (
          <p key={error}>{error}</p>
        ))}
      </Notice>
    </div>
  )
}

/** What the form's library knows of one field. */
interface KnownField {
  id: string
  key: string | undefined
  name: string
  initialValue: string | undefined
  errors: string[] | undefined
}

interface TextFieldProps {
  field: KnownField
  label: string
  hint: ReactNode
  /** No word of a language. */
  plain?: boolean
  autoFocus: boolean
}

function TextField({ field, label, hint, plain = false, autoFocus }: TextFieldProps) {
  return (
    <Field id={field.id} label={label} hint={hint} {...(field.errors ? { errors: field.errors } : {})}>
      {(control) => (
        <TextInput
          {...control}
          {...(plain ? { autoCapitalize: 'none', spellCheck: false } : {})}
          key={field.key}
          name={field.name}
          defaultValue={field.initialValue}
          autoComplete="off"
          autoFocus={autoFocus}
        />
      )}
    </Field>
  )
}

function UrlField({ field, autoFocus }: { field: KnownField; autoFocus: boolean }) {
  return (
    <AddressField
      field={field}
      label="Forward to"
      hint="The address that gets these events too."
      autoFocus={autoFocus}
    />
  )
}
