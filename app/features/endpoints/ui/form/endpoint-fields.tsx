// The fields of an endpoint's forms: one form creates, one edits, for webhooks and forwarding rules alike.

import { getFormProps, type Submission, type SubmissionResult, useForm } from '@conform-to/react'
import { Form } from '@remix-run/react'
import { Fragment, type ReactNode, type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { EndpointKind } from '#app/domain/endpoint-key.ts'
import type { ObjectKind } from '#app/domain/object-catalog.ts'
import { Button, ButtonLink } from '#app/ui/button.tsx'
import { forgetDraft, keepDraft, ownerOf, restoreDraft } from '#app/ui/form/draft.ts'
import { Field } from '#app/ui/form/field.tsx'
import { HiddenFields } from '#app/ui/form/sent-values.tsx'
import { TextInput } from '#app/ui/form/text-input.tsx'
import { UNREACHED } from '#app/ui/form/unreached.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { useOnDemand } from '#app/ui/on-demand.tsx'
import { WIRE_NAMES } from '../../endpoint-kinds.ts'
import type { EndpointView } from '../../endpoint-view.ts'
import type { FormResult } from '../../form-result.ts'
import { addressSentence } from '../../receiver.ts'
import { cardId, type ManagerAccount, managerSearch } from '../manager-address.ts'
import { FieldPicker } from './field-picker.tsx'
import { joinFields } from './field-text.ts'
import { editId, FORMS, type Part } from './form-wording.ts'
import { type KnownField, ObjectChoice, TextField } from './object-choice.tsx'
import { useSending } from './use-sending.tsx'

interface CreateFormProps extends Required<Pick<EndpointFormProps, 'kind' | 'account' | 'open' | 'refused'>> {
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
            onClick={() => forgetDraft(editId(id), ownerOf(account))}
          >
            Cancel
          </ButtonLink>
        </div>
      </EndpointForm>
    </div>
  )
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
  /** The objects to choose from. */
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

  const saved = Object.fromEntries(endpoint ? parts.map((part) => [wire[part], start[part]]) : [])
  const draft = useDraft({ act, id, account, saved, fieldText }, (typed) => {
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
        autoFocus={firstInvalid === wire.fields}
      />
    ),
  }

  return (
    <Form method="post" preventScrollReset {...formProps} onInput={draft.keep} className="grid gap-3">
      <HiddenFields values={{ ...sent, accountUUID: account.accountUUID }} />
      {form.errors ? (
        <div id={form.errorId}>
          <Notice tone="failing" {...(form.errors.includes(UNREACHED) ? {} : { title })}>
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

interface DraftOf extends Pick<EndpointFormProps, 'act' | 'id' | 'account'> {
  saved: Record<string, string>
  fieldText: string
}

/** Keeps what is typed in this tab. `take` gets what was typed before hydration, or before another page was opened. */
function useDraft(draft: DraftOf, take: (typed: FormData) => void) {
  const { act, id, saved, fieldText } = draft
  const owner = ownerOf(draft.account)
  const [note, setNote] = useState('')
  const now = useRef({ saved, take })
  now.current = { saved, take }
  useEffect(() => {
    const element = document.getElementById(id)
    if (!(element instanceof HTMLFormElement)) return
    if (restoreDraft(element, owner, now.current.saved)) setNote('We kept what you typed.')
    now.current.take(new FormData(element))
  }, [id, owner])

  const keep = useCallback(() => {
    const element = document.getElementById(id)
    if (!(element instanceof HTMLFormElement)) return
    const kept = keepDraft(element, owner, now.current.saved)
    setNote((last) => (kept ? last || (act === 'edit' ? 'Changes not saved' : '') : ''))
  }, [act, id, owner])
  // A preset changes the fields without any typing.
  useEffect(keep, [keep, fieldText])
  return { note, keep }
}

interface AddressFieldProps {
  field: Pick<KnownField, 'id' | 'name'> & Partial<KnownField>
  label: string
  hint: string
  autoFocus: boolean
}

/** The field for the destination address. Says while typing whose address it is, and what a chat program gets. */
export function AddressField({ field, label, hint, autoFocus }: AddressFieldProps) {
  const [address, setAddress] = useState(field.initialValue ?? '')
  const box = useRef<HTMLInputElement>(null)
  // What was typed before hydration, or was kept, came without a change.
  useEffect(() => setAddress(box.current?.value ?? ''))
  return (
    <Field id={field.id} label={label} hint={addressSentence(address) ?? hint} errors={field.errors}>
      {(control) => (
        <TextInput
          {...control}
          ref={box}
          key={field.key}
          type="url"
          name={field.name}
          defaultValue={field.initialValue}
          placeholder="https://"
          autoComplete="off"
          autoFocus={autoFocus}
          onChange={(event) => setAddress(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

// Shared by the forms for webhooks and forwarding rules: connects the form library to this page's answers.

type Check = (formData: FormData) => Submission<unknown>

interface ManagerFormOptions<Values extends Record<string, string>> {
  id: string
  /** The server's refusal of this form; null when it does not apply. */
  result: FormResult | null
  defaultValue: Values
  /** Loads the schema's check; must be the same function on every render. */
  loadCheck: () => Promise<Check>
}

/**
 * A form that is validated on submit and from then on at every change, with the same schema here and on the server.
 * Until the check has loaded (or if it cannot), the server validates alone, which is only slower.
 */
function useManagerForm<Values extends Record<string, string>>(options: ManagerFormOptions<Values>) {
  const { id, result, defaultValue, loadCheck } = options
  const [touched, setTouched] = useState(false)
  const { part: check } = useOnDemand(loadCheck, touched)
  const lastResult = useMemo(() => (result ? asLastResult(result) : null), [result])

  const [form, fields] = useForm<Values>({
    id,
    lastResult,
    // biome-ignore lint/suspicious/noExplicitAny: conform asks for its own recursive type, which plain texts satisfy.
    defaultValue: defaultValue as any,
    shouldValidate: 'onSubmit',
    // Without a check here, revalidating would submit the form.
    shouldRevalidate: check ? 'onInput' : 'onSubmit',
    // biome-ignore lint/suspicious/noExplicitAny: what the check yields is only read for its errors.
    onValidate: check ? ({ formData }) => check(formData) as any : undefined,
  })

  return {
    form,
    fields,
    formProps: { ...getFormProps(form), onFocus: () => setTouched(true) },
    /** The field to focus when the page opens with the refusal, with or without scripts. */
    firstInvalid: result
      ? Object.keys(defaultValue).find((name) => (result.fieldErrors[name]?.length ?? 0) > 0)
      : undefined,
  }
}

function asLastResult(result: FormResult): SubmissionResult {
  const names = [...Object.keys(result.values), ...Object.keys(result.fieldErrors)]
  return {
    status: 'error',
    initialValue: result.values,
    error: { ...result.fieldErrors, ...(result.formError ? { '': [result.formError] } : {}) },
    state: { validated: Object.fromEntries(names.map((name) => [name, true])) },
  }
}
