import { Plus, X } from 'lucide-react'
import { JOB_STATUSES, OPERATORS, PRIORITIES } from '#app/domain/automations/rule.ts'
import { Field } from '#app/ui/form/field.tsx'
import { Select } from '#app/ui/form/select.tsx'
import { OPERATOR_TEXTS } from '../../rules/form-text.ts'
import type { ConditionRow } from '../form-state.ts'
import { useControl, useRuleForm } from './form-context.tsx'
import { FormSection, IntentButton, SelectControl, ShowFields, TextControl } from './form-controls.tsx'

/** The conditions a record has to meet, joined by AND and OR. */
export function ConditionSection() {
  const { state } = useRuleForm()
  const mixed = new Set(state.conditions.slice(1).map(({ logicalOperator }) => logicalOperator)).size > 1
  return (
    <FormSection
      id="conditions"
      title="Filter Conditions"
      hint={state.conditions.length === 0 ? 'No conditions: runs for every record.' : undefined}
    >
      {state.conditions.length > 0 ? (
        <ol className="grid gap-3">
          {state.conditions.map((row, index) => (
            <ConditionLine key={row.key} row={row} index={index} />
          ))}
        </ol>
      ) : null}
      {mixed ? (
        <p className="text-dense text-ink-soft">Lines joined by AND belong together; OR begins the next possibility.</p>
      ) : null}
      <div className="flex flex-wrap gap-2">
        <IntentButton intent="form.add_condition" id="add-condition" icon={Plus}>
          Add Condition
        </IntentButton>
        {state.conditions.length > 0 ? <ShowFields>Show the values to choose from</ShowFields> : null}
      </div>
    </FormSection>
  )
}

function ConditionLine({ row, index }: { row: ConditionRow; index: number }) {
  const { aids } = useRuleForm()
  const at = (part: string) => `c.${row.key}.${part}`
  const path = (part: string) => `conditions.${index}.${part}`
  const number = index + 1
  const field = aids.fields.find(({ name }) => name === row.field)
  const { id, value, set, errors } = useControl(at('field'), path('field'))
  const known = value === '' || field !== undefined
  const group = (wanted: string, label: string) => (
    <optgroup label={label}>
      {aids.fields
        .filter((one) => one.group === wanted)
        .map((one) => (
          <option key={one.name} value={one.name}>
            {one.label}
          </option>
        ))}
    </optgroup>
  )
  return (
    <li className="grid gap-3 rounded-control border border-line p-3" aria-label={`Condition ${number}`}>
      {index > 0 ? (
        <div className="max-w-40">
          <SelectControl
            name={at('logicalOperator')}
            label="Joined by"
            none={null}
            options={[
              { value: 'AND', label: 'AND' },
              { value: 'OR', label: 'OR' },
            ]}
          />
        </div>
      ) : null}
      <div className="grid grid-cols-[1fr_auto] items-start gap-3">
        <div className="min-w-0">
          <Field id={id} label="Field" hint={field?.never ?? undefined} errors={errors}>
            {(control) => (
              <Select
                {...control}
                name={at('field')}
                value={value}
                onChange={(event) => set(event.currentTarget.value)}
              >
                <option value="">Choose a field</option>
                {group('first', 'Usual')}
                {group('age', 'How long ago')}
                {group('more', 'More fields')}
                {known ? null : <option value={value}>{value}</option>}
              </Select>
            )}
          </Field>
        </div>
        <IntentButton
          intent={`form.remove_condition:${row.key}`}
          variant="danger-quiet"
          size="icon"
          className="mt-6.5"
          aria-label={`Remove condition ${number}`}
        >
          <X aria-hidden className="size-4" />
        </IntentButton>
        <div className="col-span-2 grid items-start gap-3 sm:grid-cols-2">
          <SelectControl
            name={at('operator')}
            path={path('operator')}
            label="Operator"
            none={null}
            options={OPERATORS.map((operator) => ({ value: operator, label: OPERATOR_TEXTS[operator] }))}
          />
          <ConditionValue row={row} index={index} type={field?.type ?? 'text'} />
        </div>
      </div>
    </li>
  )
}

const EMPTY_TESTS: readonly string[] = ['is_empty', 'is_not_empty']
const WHOLE_VALUE: readonly string[] = ['equals', 'not_equals']

function ConditionValue({ row, index, type }: { row: ConditionRow; index: number; type: string }) {
  const { lists } = useRuleForm()
  const shared = { name: `c.${row.key}.value`, path: `conditions.${index}.value`, label: 'Value' }
  if (EMPTY_TESTS.includes(row.operator)) {
    return <TextControl {...shared} disabled placeholder="Nothing to fill in" />
  }
  const options = WHOLE_VALUE.includes(row.operator) ? optionsOf(row.field, type, lists) : []
  if (options.length > 0) return <SelectControl {...shared} none="Choose a value" options={options} />
  if (type === 'date') {
    return <TextControl {...shared} placeholder="2026-03-31" hint="A day, or TODAY, TODAY-3, TODAY+7." />
  }
  if (type === 'age') return <TextControl {...shared} hint="Whole days." />
  return <TextControl {...shared} />
}

function optionsOf(field: string, type: string, lists: ReturnType<typeof useRuleForm>['lists']) {
  const of = (list: readonly { uuid: string; label: string }[]) =>
    list.map(({ uuid, label }) => ({ value: uuid, label }))
  if (field === 'status') return JOB_STATUSES.map((value) => ({ value, label: value }))
  if (field === 'priority') return PRIORITIES.map((value) => ({ value, label: value }))
  if (field === 'queue_uuid') return of(lists.queues)
  if (field === 'company_uuid') return of(lists.companies)
  if (field === 'category_uuid') return of(lists.categories)
  if (field === 'assigned_staff' || field === 'staff_uuid') return of(lists.staff)
  if (type !== 'flag') return []
  return [
    { value: '1', label: 'Yes' },
    { value: '0', label: 'No' },
  ]
}
