// The fields of an endpoint's forms: one form creates, one edits, for webhooks and forwarding rules alike.
import { Form } from '@remix-run/react'
import { Fragment, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import type { EndpointKind } from '#app/domain/endpoint-key.ts'
import { OBJECT_KINDS, type ObjectKind } from '#app/domain/object-catalog.ts'
import { Button, ButtonLink } from '#app/ui/button.tsx'
import { HiddenFields } from '#app/ui/form/sent-values.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { WIRE_NAMES } from '../../endpoint-kinds.ts'
import type { EndpointView } from '../../endpoint-view.ts'
import { cardId, type ManagerAccount, managerSearch } from '../manager-address.ts'
import { AddressField } from './address-field.tsx'
import { forgetDraft } from './draft.ts'
import { FieldPicker } from './field-picker.tsx'
import { joinFields } from './field-text.ts'
import type { FormResult } from './form-result.ts'
import { editId, FORMS, type Part } from './form-wording.ts'
import { useManagerForm } from './manager-form.tsx'
import { type KnownField, ObjectChoice, TextField } from './object-choice.tsx'
import { useDraft } from './use-draft.tsx'
import { useSending } from './use-sending.tsx'

interface CreateFormProps {
  kind: EndpointKind
  account: ManagerAccount
  /** The objects to choose from. */
  open: readonly ObjectKind[]
  refused: FormResult | null
  sending: boolean
}

/** The form for a new endpoint. */
export function CreateForm({ kind, account, open, refused, sending }: CreateFormProps) {
  const { intent, id, parts, refused: title, button, sending: pendingLabel } = FORMS[kind].create
  const submit = (
    <Button
      type="submit"
      variant="primary"
      {...(kind === 'webhook' ? { size: 'wide' } : {})}
      disabled={open.length === 0 && !account.admin}
      pending={sending}
      pendingLabel={pendingLabel}
    >
      {button}
    </Button>
  )
  return (
    <EndpointForm act="create" {...{ kind, account, id, parts, title, open, refused }} sent={{ intent }}>
      {kind === 'webhook' ? submit : <div>{submit}</div>}
    </EndpointForm>
  )
}

interface EditFormProps {
  endpoint: EndpointView
  account: ManagerAccount
  refused: FormResult | null
}

/** The form to edit one endpoint. The page's URL opens and closes it, so only one is open at a time. */
export function EditForm({ endpoint, account, refused }: EditFormProps) {
  const { id, kind } = endpoint
  const sending = useSending('update', id)
  const box = useFirstField<HTMLDivElement>()
  return (
    <div ref={box}>
      <EndpointForm
        act="edit"
        {...{ kind, account, endpoint, refused }}
        id={editId(id)}
        parts={FORMS[kind].edit.parts}
        title="The changes were not saved"
        sent={{ intent: 'update', id: String(id) }}
      >
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" pending={sending} pendingLabel="Saving…">
            Save
          </Button>
          <ButtonLink
            to={`${managerSearch(account)}#${cardId(id)}`}
            preventScrollReset
            onClick={() => forgetDraft(editId(id), account.accountUUID)}
          >
            Cancel
          </ButtonLink>
        </div>
      </EndpointForm>
    </div>
  )
}

/** The objects that already have a webhook, in one text. */
function typesBesides(open: readonly ObjectKind[]): string {
  return OBJECT_KINDS.filter((kind) => !open.includes(kind))
    .map(({ type }) => type)
    .join(' ')
}

type Act = 'create' | 'edit'

function loads(kind: EndpointKind, act: Act) {
  return async () => (await import('./check-webhook-form.ts')).checkOf(kind, act)
}

/** One function each, so that its identity is stable across renders. */
const CHECKS: Record<EndpointKind, Record<Act, ReturnType<typeof loads>>> = {
  webhook: { create: loads('webhook', 'create'), edit: loads('webhook', 'edit') },
  extra: { create: loads('extra', 'create'), edit: loads('extra', 'edit') },
}

interface EndpointFormProps {
  act: Act
  kind: EndpointKind
  account: ManagerAccount
  id: string
  parts: readonly Part[]
  /** Title of the notice about a refusal as a whole. */
  title: string
  /** The endpoint to edit; missing for a new one. */
  endpoint?: EndpointView
  open?: readonly ObjectKind[]
  refused: FormResult | null
  sent: Record<string, string>
  /** The form's buttons. */
  children: ReactNode
}

function EndpointForm({ act, kind, account, id, parts, title, endpoint, open = [], ...rest }: EndpointFormProps) {
  const { refused, sent, children } = rest
  const wire: Record<Part, string> = { name: 'name', ...WIRE_NAMES[kind] }
  const start = startOf(endpoint)
  const { form, fields, formProps, firstInvalid } = useManagerForm<Record<string, string>>({
    id,
    result: refused,
    defaultValue: Object.fromEntries(
      parts.flatMap((part) => [[wire[part], start[part]], ...(part === 'object' ? [['customObject', '']] : [])]),
    ),
    loadCheck: CHECKS[kind][act],
  })
  const [object, setObject] = useState(refused?.values[wire.object] ?? start.object)
  const [custom, setCustom] = useState(refused?.values.useCustom === 'on')
  const [fieldText, setFieldText] = useState(refused?.values[wire.fields] ?? start.fields)

  const used = kind === 'extra' ? '' : typesBesides(open)
  const saved = Object.fromEntries(endpoint ? parts.map((part) => [wire[part], start[part]]) : [])
  const draft = useDraft({ act, id, account, saved, used, fieldText }, (typed) => {
    setObject(String(typed.get(wire.object) ?? ''))
    setCustom(typed.get('useCustom') === 'on')
    setFieldText(String(typed.get(wire.fields) ?? ''))
  })

  const wording = FORMS[kind]
  const known = (name: string): KnownField => {
    const field = fields[name]
    if (!field) throw new Error(`the form has no field ${name}`)
    return field
  }
  const part: Record<Part, () => ReactNode> = {
    name: () => (
      <TextField
        field={known('name')}
        label="Rule name"
        hint="For example “Accounting”."
        autoFocus={firstInvalid === 'name'}
      />
    ),
    object: () => (
      <ObjectChoice
        wording={wording.object}
        field={known(wire.object)}
        customField={known('customObject')}
        admin={account.admin}
        open={open}
        typed={refused?.values}
        chosen={{ object, custom }}
        firstInvalid={firstInvalid}
        onChoose={(next) => {
          setObject(next.object)
          setCustom(next.custom)
          // What was typed before the first choice stays: it is meant for the object chosen now.
          if (object !== '' || custom) setFieldText('')
        }}
      />
    ),
    url: () => <AddressField field={known(wire.url)} {...wording.url} autoFocus={firstInvalid === wire.url} />,
    fields: () => (
      <FieldPicker
        id={known(wire.fields).id}
        name={wire.fields}
        label={wording.fields[act]}
        objectType={endpoint?.objectType ?? (custom ? '' : object)}
        value={fieldText}
        onChange={setFieldText}
        errors={known(wire.fields).errors}
      />
    ),
  }

  return (
    <Form method="post" preventScrollReset {...formProps} onInput={draft.keep} className="grid gap-3">
      <HiddenFields values={{ ...sent, accountUUID: account.accountUUID }} />
      {form.errors ? (
        <div id={form.errorId}>
          <Notice tone="failing" title={title}>
            {form.errors.map((error) => (
              <p key={error}>{error}</p>
            ))}
          </Notice>
        </div>
      ) : null}
      {parts.map((name) => (
        <Fragment key={name}>{part[name]()}</Fragment>
      ))}
      <div>
        <p role="status" className="pb-1 text-dense text-ink-soft empty:pb-0">
          {draft.note}
        </p>
        {children}
      </div>
    </Form>
  )
}

function startOf(endpoint: EndpointView | undefined): Record<Part, string> {
  const { name, objectType = '', callbackUrl = '', fields = [] } = endpoint ?? {}
  return { name: name ?? '', object: objectType, url: callbackUrl, fields: joinFields(fields) }
}

/** Focuses the first invalid field of a form that just opened, or else its first field, ready for typing. */
function useFirstField<Box extends HTMLElement>(): RefObject<Box> {
  const box = useRef<Box>(null)
  useEffect(() => {
    const first = (selector: string) => box.current?.querySelector<HTMLInputElement>(selector)
    const target = first('[aria-invalid]') ?? first('input:not([type=hidden])')
    target?.focus()
  }, [])
  return box
}
