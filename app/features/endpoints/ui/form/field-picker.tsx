import { Check, Plus } from 'lucide-react'
import { useState } from 'react'
import { fieldPresets, OBJECT_KINDS, pickerFields } from '#app/domain/object-catalog.ts'
import { buttonStyles } from '#app/ui/button.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { TextField } from '#app/ui/form/text-input.tsx'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import { addFields, splitFields, toggleField } from './field-text.ts'

interface FieldPickerProps {
  id: string
  name: string
  label: string
  /** Type of the object whose fields are offered; '' when none is chosen yet. */
  objectType: string
  value: string
  onChange: (text: string) => void
  errors?: string[]
  autoFocus: boolean
}

/** Fields as free text, with preset groups and single fields to pick from. Empty means all, and the picker says so. */
export function FieldPicker({ id, name, label, objectType, value, onChange, errors, autoFocus }: FieldPickerProps) {
  const chosen = splitFields(value)
  const presets = fieldPresets(objectType)
  const singles = pickerFields(objectType)
  return (
    <div className="grid gap-2">
      <TextField
        id={id}
        label={label}
        errors={errors}
        hint={
          chosen.length === 0
            ? 'Every change. Pick fields to narrow it down.'
            : `${chosen.length} ${chosen.length === 1 ? 'field' : 'fields'} chosen. Clear it for every change.`
        }
        name={name}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        placeholder="All fields"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus={autoFocus}
      />
      {presets.length > 0 ? (
        <fieldset className="needs-script">
          <legend className="mb-1.5 text-dense text-ink-soft">Add a group of fields</legend>
          <div className="flex flex-wrap gap-2">
            {presets.map((preset) => (
              <PresetChip
                key={preset.name}
                name={preset.name}
                added={preset.fields.every((field) => chosen.includes(field))}
                onAdd={() => onChange(addFields(value, preset.fields))}
              />
            ))}
            {chosen.length > 0 ? (
              <button type="button" className={buttonStyles({ variant: 'quiet' })} onClick={() => onChange('')}>
                Clear: all fields
              </button>
            ) : null}
          </div>
        </fieldset>
      ) : null}
      {singles.length > 0 ? (
        <Disclosure summary="Choose single fields" className="needs-script">
          <SingleFields
            id={id}
            fields={singles}
            chosen={chosen}
            onToggle={(field) => onChange(toggleField(value, field))}
          />
        </Disclosure>
      ) : null}
      <FieldNames objectType={objectType} />
    </div>
  )
}

const chipStyles =
  'inline-flex min-h-11 items-center gap-1.5 rounded-pill border px-3.5 text-dense font-medium transition-colors'

function PresetChip({ name, added, onAdd }: { name: string; added: boolean; onAdd: () => void }) {
  const Icon = added ? Check : Plus
  return (
    <button
      type="button"
      onClick={onAdd}
      className={`${chipStyles} ${added ? 'border-accent bg-accent-soft text-accent' : 'border-line-strong hover:border-ink-soft hover:bg-sunken'}`}
    >
      <Icon aria-hidden className="size-3.5" />
      {name}
      {added ? <VisuallyHidden> (added)</VisuallyHidden> : null}
    </button>
  )
}

interface SingleFieldsProps {
  id: string
  fields: readonly string[]
  chosen: readonly string[]
  onToggle: (field: string) => void
}

/** With at least this many fields, the list has a search. */
const WORTH_SEARCHING = 12

function SingleFields({ id, fields, chosen, onToggle }: SingleFieldsProps) {
  const [search, setSearch] = useState('')
  const found = fields.filter((field) => field.includes(search.trim().toLowerCase().replaceAll(' ', '_')))
  return (
    <div className="grid gap-3 rounded-control border border-line p-3">
      {fields.length >= WORTH_SEARCHING ? (
        <TextField
          id={`${id}-search`}
          label="Search fields"
          type="search"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          // The search is not part of the form: Enter must not submit it.
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.preventDefault()
          }}
          autoComplete="off"
        />
      ) : null}
      <ul aria-label="Single fields" className="flex max-h-60 flex-wrap gap-1.5 overflow-y-auto p-0.5">
        {found.map((field) => {
          const pressed = chosen.includes(field)
          return (
            <li key={field}>
              <button
                type="button"
                aria-pressed={pressed}
                onClick={() => onToggle(field)}
                className={`${chipStyles} ${pressed ? 'border-accent bg-accent-soft text-accent' : 'border-line hover:border-ink-soft hover:bg-sunken'}`}
              >
                {pressed ? <Check aria-hidden className="size-3.5" /> : null}
                {field}
              </button>
            </li>
          )
        })}
      </ul>
      {found.length === 0 ? (
        <p className="text-label text-ink-soft">No field of that name. You can still type it above.</p>
      ) : null}
    </div>
  )
}

/** Lists the field names that users without scripts can type. */
function FieldNames({ objectType }: { objectType: string }) {
  const kinds = OBJECT_KINDS.filter((kind) => (objectType ? kind.type === objectType : true)).filter(
    (kind) => kind.pickerFields.length > 0,
  )
  if (kinds.length === 0) return null
  return (
    <Disclosure summary="Names of the fields" className="without-script">
      <dl className="grid max-h-96 gap-3 overflow-y-auto rounded-control border border-line p-3 text-dense">
        {kinds.map((kind) => (
          <div key={kind.type}>
            <dt className="font-semibold">{kind.label}</dt>
            {kind.presets.map((preset) => (
              <dd key={preset.name} className="wrap-anywhere">
                <span className="font-medium">{preset.name}:</span> {preset.fields.join(', ')}
              </dd>
            ))}
            <dd className="wrap-anywhere text-ink-soft">
              <span className="font-medium">All:</span> {kind.pickerFields.join(', ')}
            </dd>
          </div>
        ))}
      </dl>
    </Disclosure>
  )
}
