import type { ReactNode } from 'react'
import { isPolled, type ObjectKind } from '#app/domain/object-catalog.ts'
import { CHECKED_TEXTS } from '#app/domain/polling.ts'
import { Checkbox } from '#app/ui/form/checkbox.tsx'
import { Field } from '#app/ui/form/field.tsx'
import { SelectField } from '#app/ui/form/select.tsx'
import { TextInput } from '#app/ui/form/text-input.tsx'
import { PollingNote } from '../polling-facts.tsx'

interface Chosen {
  object: string
  custom: boolean
}

interface ObjectChoiceProps {
  wording: { label: string; choose: string; custom: string; customName: string }
  field: KnownField
  customField: KnownField
  admin: boolean
  open: readonly ObjectKind[]
  typed: Record<string, string> | undefined
  chosen: Chosen
  firstInvalid: string | undefined
  onChoose: (next: Chosen) => void
}

/** Chooses the object: one of the catalog, or in admin mode one typed by name. */
export function ObjectChoice(props: ObjectChoiceProps) {
  const { wording, field, customField, admin, open, typed, chosen, firstInvalid, onChoose } = props
  const polled = open.filter((kind) => kind.delivery === 'polled')
  const option = (kind: ObjectKind) => (
    <option key={kind.type} value={kind.type}>
      {kind.label}
    </option>
  )
  return (
    <div className="group/object grid gap-3">
      <SelectField
        id={field.id}
        label={wording.label}
        errors={field.errors}
        hint={open.length === 0 && 'Every object type has its webhook already. Edit or delete one in the list.'}
        name={field.name}
        defaultValue={typed?.[field.name] ?? ''}
        autoFocus={firstInvalid === field.name}
        onChange={(event) => onChoose({ ...chosen, object: event.currentTarget.value })}
      >
        <option value="">{wording.choose}</option>
        {open.filter((kind) => kind.delivery === 'subscribed').map(option)}
        {polled.length > 0 ? <optgroup label={CHECKED_TEXTS}>{polled.map(option)}</optgroup> : null}
      </SelectField>
      {!chosen.custom && isPolled(chosen.object) ? (
        <div role="status" className="rounded-control bg-sunken px-3.5 py-2.5 text-label">
          <PollingNote objectType={chosen.object} />
        </div>
      ) : null}
      {admin ? (
        <>
          <Checkbox
            name="useCustom"
            defaultChecked={typed?.useCustom === 'on'}
            onChange={(event) => onChoose({ ...chosen, custom: event.currentTarget.checked })}
          >
            {wording.custom}
          </Checkbox>
          <div className="hidden group-has-[input:checked]/object:block">
            <TextField
              field={customField}
              label={wording.customName}
              hint="Its name in ServiceM8, e.g. jobactivity. It replaces the choice above."
              plain
              autoFocus={firstInvalid === 'customObject'}
            />
          </div>
        </>
      ) : null}
    </div>
  )
}

/** What the form library knows about one field. */
export interface KnownField {
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
  /** Set for text that is not in a natural language. */
  plain?: boolean
  autoFocus: boolean
}

export function TextField({ field, label, hint, plain = false, autoFocus }: TextFieldProps) {
  return (
    <Field id={field.id} label={label} hint={hint} errors={field.errors}>
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
