import { clsx } from 'clsx'
import { Plus, X } from 'lucide-react'
import { JOB_STATUSES, OPERATORS, PRIORITIES } from '#app/domain/automations/rule.ts'
import { capital } from '#app/lib/plain-text.ts'
import { Field } from '#app/ui/form/field.tsx'
import { Select } from '#app/ui/form/select.tsx'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import { ONLY_WITH_DAYS, OPERATOR_TEXTS } from '../../rules/form-text.ts'
import { isEmptyTest, ONLY_IF } from '../form-blocks.ts'
import { becomesRow } from '../form-shown.ts'
import type { ConditionRow } from '../form-state.ts'
import { Block, Part } from './block.tsx'
import { useControl, useRuleForm } from './form-context.tsx'
import { IntentButton, SelectControl, ShowFields, TextControl } from './form-controls.tsx'

/** The conditions a record has to meet, joined by AND and OR. */
export function ConditionSection() {
  const { state, aids, open } = useRuleForm()
  // It stands in the trigger: "its status becomes Completed".
  const inTrigger = becomesRow(state)
  const rows = state.conditions.filter((row) => row !== inTrigger)
  const mixed = new Set(rows.slice(1).map(({ logicalOperator }) => logicalOperator)).size > 1
  const add = (
    <IntentButton intent="form.add_condition" id="add-condition" icon={Plus}>
      Add Condition
    </IntentButton>
  )
  if (rows.length === 0) {
    return (
      <Block id="conditions" word="Only if" title="Filter Conditions" done>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          {add}
          <p id="part-if" tabIndex={-1} className="text-dense text-ink-soft">
            No conditions: it runs for every {aids.noun}.
          </p>
        </div>
      </Block>
    )
  }
  return (
    <Block id="conditions" word="Only if" title="Filter Conditions" done={!open.has(ONLY_IF)}>
      <Part
        part={ONLY_IF}
        line={capital(aids.sentence?.onlyIf ?? (rows.length === 1 ? '1 condition' : `${rows.length} conditions`))}
      >
        <ol className="grid grid-cols-[minmax(0,1fr)] gap-3">
          {rows.map((row, place) => (
            <ConditionLine key={row.key} row={row} index={state.conditions.indexOf(row)} place={place} />
          ))}
        </ol>
        {mixed ? <p className="text-dense text-ink-soft">AND joins conditions. OR starts another set.</p> : null}
        <div className="flex flex-wrap gap-2">
          {add}
          <ShowFields place={ONLY_IF}>Show the values to choose from</ShowFields>
        </div>
      </Part>
    </Block>
  )
}

const QUEUE_DAYS = `${ONLY_WITH_DAYS} Counted back from its last day in the queue. Moving that day changes it.`

/** `index` = among all conditions; `place` = among those that are shown. */
function ConditionLine({ row, index, place }: { row: ConditionRow; index: number; place: number }) {
  const { aids } = useRuleForm()
  const at = (part: string) => `c.${row.key}.${part}`
  const path = (part: string) => `conditions.${index}.${part}`
  const number = place + 1
  const field = aids.fields.find(({ name }) => name === row.field)
  const hint = field?.never ?? (row.field === 'days_in_queue' ? QUEUE_DAYS : undefined)
  const { id, value, set, errors, autoFocus } = useControl(at('field'), path('field'))
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
    <li className="grid grid-cols-[minmax(0,1fr)] gap-2" aria-label={`Condition ${number}`}>
      {place > 0 ? (
        <div className="max-w-28">
          <SelectControl
            name={at('logicalOperator')}
            label={<VisuallyHidden>Joined by</VisuallyHidden>}
            none={null}
            options={[
              { value: 'AND', label: 'AND' },
              { value: 'OR', label: 'OR' },
            ]}
          />
        </div>
      ) : null}
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-end gap-2 sm:grid-cols-[minmax(0,1.3fr)_minmax(0,1fr)_minmax(0,1fr)_auto]">
        <Field id={id} label={small('Field', place)} hint={hint} errors={errors}>
          {(control) => (
            <Select
              {...control}
              {...autoFocus}
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
        <div className={clsx('max-sm:col-span-2 max-sm:row-start-2', isEmptyTest(row.operator) && 'sm:col-span-2')}>
          <SelectControl
            name={at('operator')}
            path={path('operator')}
            label={small('Operator', place)}
            none={null}
            options={OPERATORS.map((operator) => ({ value: operator, label: OPERATOR_TEXTS[operator] }))}
          />
        </div>
        <ConditionValue row={row} index={index} place={place} type={field?.type ?? 'text'} />
        <IntentButton
          intent={`form.remove_condition:${row.key}`}
          variant="danger-quiet"
          size="icon"
          className="max-sm:col-start-2 max-sm:row-start-1"
          aria-label={`Remove condition ${number}`}
        >
          <X aria-hidden className="size-4" />
        </IntentButton>
      </div>
    </li>
  )
}

/** The first line names its boxes; below it they read like a sentence. */
function small(label: string, place: number) {
  return place === 0 ? (
    <span className="text-dense text-ink-soft">{label}</span>
  ) : (
    <VisuallyHidden>{label}</VisuallyHidden>
  )
}

const WHOLE_VALUE: readonly string[] = ['equals', 'not_equals']

function ConditionValue({
  row,
  index,
  place,
  type,
}: {
  row: ConditionRow
  index: number
  place: number
  type: string
}) {
  const { lists } = useRuleForm()
  const shared = { name: `c.${row.key}.value`, path: `conditions.${index}.value`, label: small('Value', place) }
  if (isEmptyTest(row.operator)) {
    return (
      <div className="sr-only">
        <TextControl {...shared} disabled />
      </div>
    )
  }
  const isWhole = WHOLE_VALUE.includes(row.operator) || type === 'list'
  const options = isWhole ? optionsOf(row.field, type, lists) : []
  return (
    <div className="max-sm:col-span-2">
      {options.length > 0 ? (
        <SelectControl {...shared} none="Choose a value" options={options} />
      ) : type === 'date' ? (
        <TextControl {...shared} placeholder="2026-03-31" hint="A day, or TODAY, TODAY-3, TODAY+7, NOW." />
      ) : (
        <TextControl {...shared} {...(type === 'age' && { hint: 'Whole days.' })} />
      )}
    </div>
  )
}

function optionsOf(field: string, type: string, lists: ReturnType<typeof useRuleForm>['lists']) {
  const of = (list: readonly { uuid: string; label: string }[]) =>
    list.map(({ uuid, label }) => ({ value: uuid, label }))
  if (field === 'status') return JOB_STATUSES.map((value) => ({ value, label: value }))
  if (field === 'priority') return PRIORITIES.map((value) => ({ value, label: value }))
  if (field === 'queue_uuid') return of(lists.queues)
  if (field === 'company_uuid') return of(lists.companies)
  if (field === 'category_uuid') return of(lists.categories)
  if (field === 'badges') return of(lists.badges)
  if (field === 'assigned_staff' || field === 'staff_uuid') return of(lists.staff)
  if (type !== 'flag') return []
  return [
    { value: '1', label: 'Yes' },
    { value: '0', label: 'No' },
  ]
}
