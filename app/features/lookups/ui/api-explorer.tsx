import { Form, useNavigation } from '@remix-run/react'
import { Play, SquareStack, Tag } from 'lucide-react'
import { useEffect, useState } from 'react'
import { AUTOMATION_PATH, automationQuery } from '#app/domain/automations/automation-address.ts'
import { Button } from '#app/ui/button.tsx'
import { CardSection } from '#app/ui/card.tsx'
import { CopyButton } from '#app/ui/form/copy-field.tsx'
import { SelectField } from '#app/ui/form/select.tsx'
import { HiddenFields } from '#app/ui/form/sent-values.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { useOnDemand } from '#app/ui/on-demand.tsx'
import { API_LABELS, type ApiTest, type FoundField } from '../api-fields.ts'
import { type DynamicMappings, exportMappings, readMappings } from '../dynamic-mapping.ts'
import { API_NAMES, type ApiName } from '../lookups.ts'

export interface ApiExplorerProps {
  /** Null = no test yet. */
  test: ApiTest | null
  admin: boolean
  /** From the address. */
  accountId: string
}

const NAMES = Object.keys(API_NAMES) as ApiName[]

/** The open dialog: a new mapping (of this field), or the list of mappings. */
type Open = { dialog: 'create'; field: string } | { dialog: 'list' } | null

const loadDialogs = () => import('./mapping-dialogs.tsx')

/** Queries one of the platform's lists and shows the response. For admins. */
export function ApiExplorer({ test, admin, accountId }: ApiExplorerProps) {
  const { state, location } = useNavigation()
  const testing = state === 'loading' && location?.search.includes('api=') === true
  const [mappings, setMappings] = useKeptMappings(accountId)
  const [open, setOpen] = useState<Open>(null)
  const { part: dialogs } = useOnDemand(loadDialogs, open !== null)
  const count = Object.keys(mappings).length

  return (
    <CardSection
      id="api-explorer"
      title="API Explorer"
      action={
        <span className="needs-script flex flex-wrap gap-2">
          <Button icon={SquareStack} onClick={() => setOpen({ dialog: 'list' })}>
            Dynamic Mapping Manager{count > 0 ? ` (${count})` : ''}
          </Button>
          <Button icon={Tag} onClick={() => setOpen({ dialog: 'create', field: '' })}>
            Create Dynamic Mapping
          </Button>
        </span>
      }
    >
      <div className="grid gap-5">
        <Form
          method="get"
          action={AUTOMATION_PATH}
          preventScrollReset
          className="grid max-w-xl items-end gap-3 sm:grid-cols-[minmax(0,1fr)_auto]"
        >
          <HiddenFields values={automationQuery({ accountUUID: accountId, admin }, { step: 'none' }, 'api')} />
          <SelectField
            id="api-name"
            label="API endpoint"
            name="api"
            defaultValue={test?.api ?? 'jobs'}
            options={NAMES.map((name) => [name, API_LABELS[name]])}
          />
          <Button type="submit" variant="primary" icon={Play} pending={testing} pendingLabel="Testing…">
            Test API
          </Button>
        </Form>
        {test === null ? (
          <p className="text-label text-ink-soft">
            Pick an endpoint and test it. You will see the raw response and its fields here. Nothing changes in
            ServiceM8.
          </p>
        ) : test.outcome === 'failed' ? (
          <Notice tone="failing" title="API Error">
            <p>{test.message}</p>
          </Notice>
        ) : (
          <Found test={test} onMap={(field) => setOpen({ dialog: 'create', field })} />
        )}
        <p className="needs-script text-dense text-ink-soft">
          Mappings stay until you close this browser tab. Export them to keep them longer.
        </p>
        <p className="without-script text-dense text-ink-soft">Dynamic mappings need JavaScript.</p>
      </div>
      {dialogs && open?.dialog === 'create' ? (
        <dialogs.CreateMappingDialog
          field={open.field}
          api={test?.api ?? 'jobs'}
          taken={mappings}
          onClose={() => setOpen(null)}
          onSave={(key, mapping) => {
            setMappings({ ...mappings, [key]: mapping })
            setOpen(null)
          }}
        />
      ) : null}
      {dialogs && open?.dialog === 'list' ? (
        <dialogs.MappingManagerDialog mappings={mappings} onChange={setMappings} onClose={() => setOpen(null)} />
      ) : null}
    </CardSection>
  )
}

interface FoundProps {
  test: Extract<ApiTest, { outcome: 'found' }>
  onMap: (field: string) => void
}

function Found({ test: { api, count, shown, raw, fields }, onMap }: FoundProps) {
  return (
    <div className="grid gap-5 lg:grid-cols-2">
      <section aria-labelledby="api-fields-title" className="grid min-w-0 content-start gap-2">
        <h3 id="api-fields-title" className="font-semibold text-body">
          Fields found
        </h3>
        <p role="status" className="text-dense text-ink-soft">
          {count === 0
            ? `${API_LABELS[api]}: no records.`
            : `${API_LABELS[api]}: ${fields.length} fields in ${count === 1 ? '1 record' : `${count} records`}.`}
        </p>
        <FoundFields fields={fields} count={count} onMap={onMap} />
      </section>
      <section aria-labelledby="api-raw-title" className="grid min-w-0 content-start gap-2">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <h3 id="api-raw-title" className="font-semibold text-body">
            Raw JSON
          </h3>
          <CopyButton text={raw} what="the raw JSON" />
        </div>
        {shown < count ? <p className="text-dense text-ink-soft">{`The first ${shown} of ${count} records.`}</p> : null}
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs it.
          tabIndex={0}
          className="max-h-[32rem] overflow-auto whitespace-pre-wrap break-all rounded-control bg-sunken p-3 font-mono text-dense"
        >
          {raw}
        </pre>
      </section>
    </div>
  )
}

interface FoundFieldsProps {
  fields: readonly FoundField[]
  /** Number of records. */
  count: number
  onMap: (field: string) => void
}

/** Lists all fields with an example; each can be mapped to a name. */
function FoundFields({ fields, count, onMap }: FoundFieldsProps) {
  return (
    <ul aria-labelledby="api-fields-title" className="grid max-h-[32rem] divide-y divide-line overflow-y-auto">
      {fields.map(({ path, kinds, sample, filled }) => (
        <li key={path} className="flex items-center gap-3 py-1.5">
          <div className="min-w-0 flex-1">
            <p className="break-all font-mono text-dense">
              {path} <span className="font-sans text-ink-soft">{kinds.join(' or ')}</span>
            </p>
            <p className="wrap-anywhere text-dense text-ink-soft">
              {sample === null ? 'empty everywhere' : sample}
              {sample !== null && filled < count ? ` · in ${filled} of ${count}` : ''}
            </p>
          </div>
          <span className="needs-script shrink-0">
            <Button
              variant="quiet"
              size="icon"
              aria-label={`Create Dynamic Mapping for ${path}`}
              icon={Tag}
              onClick={() => onMap(path)}
            />
          </span>
        </li>
      ))}
    </ul>
  )
}

// Dynamic mappings survive a tab switch and a reload: stored in this browser tab, per account.

/** Inside a frame, browser storage may be denied: then mappings last as long as the page. */
const inMemory = new Map<string, DynamicMappings>()

/** Returns the account's mappings and their setter; empty on the server and on first render. */
function useKeptMappings(accountId: string): [DynamicMappings, (mappings: DynamicMappings) => void] {
  const [mappings, setMappings] = useState<DynamicMappings>({})
  useEffect(() => setMappings(load(accountId)), [accountId])
  return [
    mappings,
    (changed) => {
      setMappings(changed)
      keep(accountId, changed)
    },
  ]
}

function placeOf(accountId: string): string {
  return `fieldhook.dynamic-mappings.${accountId}`
}

function load(accountId: string): DynamicMappings {
  const known = inMemory.get(accountId)
  if (known) return known
  try {
    const read = readMappings(sessionStorage.getItem(placeOf(accountId)) ?? '')
    return read.outcome === 'read' ? read.mappings : {}
  } catch {
    return {}
  }
}

function keep(accountId: string, mappings: DynamicMappings): void {
  inMemory.set(accountId, mappings)
  try {
    sessionStorage.setItem(placeOf(accountId), exportMappings(mappings, new Date().toISOString()))
  } catch {
    // Denied or full: the mappings stay in memory.
  }
}
