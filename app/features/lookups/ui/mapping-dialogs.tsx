// The two dialogs of dynamic mappings. Loaded on first use, to keep the page small.
import { Download, Plus, Trash2, Upload } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { Button } from '#app/ui/button.tsx'
import { Field, FieldError } from '#app/ui/form/field.tsx'
import { SelectField } from '#app/ui/form/select.tsx'
import { controlStyles, TextField } from '#app/ui/form/text-input.tsx'
import { SheetDialog } from '#app/ui/sheet-dialog.tsx'
import { useToast } from '#app/ui/toast/toast.tsx'
import { API_LABELS } from '../api-fields.ts'
import {
  type DynamicMapping,
  type DynamicMappings,
  exportMappings,
  MOST_LINKS,
  makeMapping,
  mappingKey,
  readMappings,
} from '../dynamic-mapping.ts'
import { API_NAMES, type ApiName } from '../lookups.ts'

const NAMES = Object.keys(API_NAMES) as ApiName[]

interface CreateMappingDialogProps {
  /** The field the user started from; '' = none yet. */
  field: string
  api: ApiName
  taken: DynamicMappings
  onClose: () => void
  onSave: (key: string, mapping: DynamicMapping) => void
}

export function CreateMappingDialog({ field, api, taken, onClose, onSave }: CreateMappingDialogProps) {
  const [name, setName] = useState('')
  const [chain, setChain] = useState([{ id: 0, api, field }])
  const [error, setError] = useState<{ at: 'name' | 'chain'; message: string } | null>(null)
  const toast = useToast()
  const key = mappingKey(name)

  function change(id: number, part: Partial<{ api: ApiName; field: string }>) {
    setChain(chain.map((link) => (link.id === id ? { ...link, ...part } : link)))
  }

  function save(event: FormEvent) {
    event.preventDefault()
    // The dialog is inside the page's React tree: keep its submit away from outer forms.
    event.stopPropagation()
    const made = makeMapping(name, chain, new Date().toISOString())
    if (made.outcome === 'refused') return setError(made)
    toast({ kind: 'success', title: 'Dynamic mapping saved', description: `${made.mapping.name} is ${made.key}.` })
    onSave(made.key, made.mapping)
  }

  return (
    <SheetDialog
      open
      onClose={onClose}
      title="Create Dynamic Mapping"
      description="A name of your own for a field that the API gives."
    >
      <form onSubmit={save} noValidate className="grid gap-4">
        <TextField
          id="mapping-name"
          label="Field name"
          hint={
            key === ''
              ? 'Like Customer e-mail.'
              : `Its key is ${key}.${Object.hasOwn(taken, key) ? ' It replaces the one of that key.' : ''}`
          }
          {...(error?.at === 'name' ? { errors: [error.message] } : {})}
          value={name}
          maxLength={100}
          autoComplete="off"
          onChange={(event) => setName(event.target.value)}
        />
        <ol className="grid gap-3">
          {chain.map((link, index) => (
            <li key={link.id} className="grid items-end gap-2 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto]">
              <SelectField
                id={`mapping-api-${link.id}`}
                label={index === 0 ? 'API endpoint' : `Then look it up in (${index + 1})`}
                value={link.api}
                onChange={(event) => {
                  const next = NAMES.find((one) => one === event.target.value)
                  if (next) change(link.id, { api: next })
                }}
                options={NAMES.map((one) => [one, API_LABELS[one]])}
              />
              <TextField
                id={`mapping-field-${link.id}`}
                label={index === 0 ? 'Field of the answer' : `Field of that record (${index + 1})`}
                code
                value={link.field}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                onChange={(event) => change(link.id, { field: event.target.value })}
              />
              {index === 0 ? null : (
                <Button
                  variant="danger-quiet"
                  size="icon"
                  aria-label={`Remove call ${index + 1}`}
                  icon={Trash2}
                  onClick={() => setChain(chain.filter((one) => one.id !== link.id))}
                />
              )}
            </li>
          ))}
        </ol>
        {error?.at === 'chain' ? <FieldError id="mapping-error" errors={[error.message]} /> : null}
        <div className="flex flex-wrap justify-between gap-2">
          {chain.length < MOST_LINKS ? (
            <Button
              variant="quiet"
              icon={Plus}
              onClick={() => {
                const id = Math.max(...chain.map((link) => link.id)) + 1
                setChain([...chain, { id, api: 'companies', field: '' }])
              }}
            >
              Add a call
            </Button>
          ) : null}
          <Button type="submit" variant="primary">
            Save mapping
          </Button>
        </div>
      </form>
    </SheetDialog>
  )
}

interface MappingManagerDialogProps {
  mappings: DynamicMappings
  onChange: (mappings: DynamicMappings) => void
  onClose: () => void
}

export function MappingManagerDialog({ mappings, onChange, onClose }: MappingManagerDialogProps) {
  const entries = Object.entries(mappings)
  return (
    <SheetDialog
      open
      onClose={onClose}
      title="Dynamic Mapping Manager"
      description="The mappings of this screen. They stay until you close this browser tab: export them to keep them longer."
    >
      <div className="grid gap-5">
        {entries.length === 0 ? (
          <p className="text-label text-ink-soft">
            No mappings yet. Create one from a field that was found, or import some.
          </p>
        ) : (
          <ul aria-label="Dynamic mappings" className="grid divide-y divide-line">
            {entries.map(([key, { name, apiChain }]) => (
              <li key={key} className="flex items-center gap-3 py-2">
                <div className="min-w-0 flex-1">
                  <p className="wrap-anywhere font-semibold text-label">
                    {name} <span className="font-mono font-normal text-dense text-ink-soft">{key}</span>
                  </p>
                  <p className="wrap-anywhere font-mono text-dense text-ink-soft">
                    {apiChain.map((link) => `${link.api}.${link.field}`).join(' → ')}
                  </p>
                </div>
                <Button
                  variant="danger-quiet"
                  size="icon"
                  aria-label={`Delete mapping ${name}`}
                  icon={Trash2}
                  onClick={() => onChange(Object.fromEntries(entries.filter(([one]) => one !== key)))}
                />
              </li>
            ))}
          </ul>
        )}
        <ExportImport mappings={mappings} onChange={onChange} />
      </div>
    </SheetDialog>
  )
}

function ExportImport({ mappings, onChange }: Pick<MappingManagerDialogProps, 'mappings' | 'onChange'>) {
  const [text, setText] = useState('')
  const [error, setError] = useState<string | null>(null)
  const box = useRef<HTMLTextAreaElement>(null)
  const toast = useToast()
  const isEmpty = Object.keys(mappings).length === 0

  function save() {
    const now = new Date().toISOString()
    const address = URL.createObjectURL(new Blob([exportMappings(mappings, now)], { type: 'application/json' }))
    const link = document.createElement('a')
    link.href = address
    link.download = `dynamic-mappings-${now.slice(0, 10)}.json`
    link.click()
    URL.revokeObjectURL(address)
  }

  function take() {
    const read = readMappings(text)
    if (read.outcome === 'refused') {
      setError(read.message)
      box.current?.focus()
      return
    }
    setError(null)
    setText('')
    onChange({ ...mappings, ...read.mappings })
    toast({ kind: 'success', title: read.count === 1 ? '1 mapping imported' : `${read.count} mappings imported` })
  }

  return (
    <div className="grid gap-4">
      <div>
        <Button icon={Download} disabled={isEmpty} onClick={save}>
          Export mappings
        </Button>
      </div>
      <Field
        id="mapping-import"
        label="Import mappings"
        hint="Paste an export here."
        {...(error ? { errors: [error] } : {})}
      >
        {(control) => (
          <textarea
            {...control}
            ref={box}
            rows={4}
            value={text}
            spellCheck={false}
            onChange={(event) => setText(event.target.value)}
            className={controlStyles({ text: 'code', className: 'py-2' })}
          />
        )}
      </Field>
      <div>
        <Button icon={Upload} onClick={take}>
          Import mappings
        </Button>
      </div>
    </div>
  )
}
