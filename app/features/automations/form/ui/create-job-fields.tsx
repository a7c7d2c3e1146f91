import { Plus, X } from 'lucide-react'
import { FieldError } from '#app/ui/form/field.tsx'
import { linesSent } from '../form-body.ts'
import { type LineSource, lineSource } from '../form-shown.ts'
import type { LineList, LinePart, LineRow } from '../form-state.ts'
import { useRuleForm, useStep } from './form-context.tsx'
import {
  BoxControl,
  Choice,
  DayControl,
  IntentButton,
  NONE_TO_CHOOSE,
  PickControl,
  SelectControl,
  ShowFields,
  STATUS_OPTIONS,
  TextControl,
  WordsControl,
} from './form-controls.tsx'

/** What a new job needs: customer, status and description. */
export function CreateJobFields() {
  const { lists } = useRuleForm()
  return (
    <>
      <PickControl
        name="p.company_uuid"
        lead="Customer"
        label="Company UUID *"
        list={lists.companies}
        none="Choose a customer"
        first={[{ value: '{company_uuid}', label: "The job's own customer" }]}
      />
      <SelectControl name="p.status" label="Job Status *" none="Choose a status" options={STATUS_OPTIONS} />
      <WordsControl name="p.job_description" label="Job Description" rows={3} />
    </>
  )
}

/** Address, day, numbers, and contents of a new job. */
export function CreateJobOptions() {
  const { lists } = useRuleForm()
  return (
    <>
      <WordsControl name="p.job_address" label="Job Address" />
      <DayControl name="p.date" label="Date" hint="Leave empty for today." />
      <WordsControl name="p.purchase_order_number" label="Purchase Order Number" />
      <WordsControl name="p.billing_address" label="Billing Address" />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <PickControl
          name="p.category_uuid"
          label="Category"
          list={lists.categories}
          none="No category"
          emptyHint={NONE_TO_CHOOSE}
        />
        <PickControl name="p.queue_uuid" label="Queue" list={lists.queues} none="No queue" />
      </div>
      <Lines list="materials" title="Materials" />
      <Lines list="material_bundles" title="Material Bundles" />
    </>
  )
}

const SOURCE_OPTIONS: { value: LineSource; label: string }[] = [
  { value: 'manual', label: 'Typed in here' },
  { value: 'copy', label: 'Copy from jobs' },
  { value: 'transfer', label: 'Move existing ones' },
]

/** Lines from one source: typed in, copied or moved. Another source clears the list. */
function Lines({ list, title }: { list: LineList; title: string }) {
  const { lists, errors } = useRuleForm()
  const { step, index } = useStep()
  const { source, all, job } = lineSource(step, list)
  const path = `actions.${index}.parameters.${list}`
  const sent = linesSent(step, list)
  const wrong = Object.hasOwn(errors, path) ? errors[path] : undefined
  const lower = title.toLowerCase()
  return (
    <div className="grid gap-3 border-t border-line pt-4">
      <Choice name={`s.${step.key}.from.${list}`} legend={title} options={SOURCE_OPTIONS} />
      <ShowFields place={`${step.key}.options`}>Show the fields for {lower}</ShowFields>
      {source === 'manual' ? (
        <>
          {step[list].length > 0 ? (
            <ol className="grid gap-3">
              {step[list].map((line, place) => (
                <Line
                  key={line.key}
                  stepKey={step.key}
                  list={list}
                  line={line}
                  place={place}
                  path={`${path}.${sent.indexOf(line)}`}
                />
              ))}
            </ol>
          ) : null}
          <div>
            <IntentButton intent={`form.add_line:${step.key}:${list}`} icon={Plus}>
              {list === 'materials' ? 'Add Material' : 'Add Bundle'}
            </IntentButton>
          </div>
        </>
      ) : (
        <>
          <BoxControl name={`s.${step.key}.all.${list}`} hint="The jobs of the group, or the customer's other jobs.">
            {source === 'copy' ? `Copy ${lower} from all jobs` : `Move ${lower} from all jobs`}
          </BoxControl>
          {all ? null : (
            <PickControl
              name={`p.${job}`}
              lead={source === 'copy' ? 'Copy from' : 'Move from'}
              label="Source Job UUID"
              list={lists.jobs}
              none="The job that started it"
            />
          )}
        </>
      )}
      {wrong ? <FieldError id={`rule-${step.key}-${list}-error`} errors={wrong} /> : null}
    </div>
  )
}

interface LineProps {
  stepKey: string
  list: LineList
  line: LineRow
  place: number
  /** Field path of its errors in the answer. */
  path: string
}

function Line({ stepKey, list, line, place, path }: LineProps) {
  const { lists } = useRuleForm()
  const at = (part: LinePart, sentAs: string = part) => ({
    name: `s.${stepKey}.l.${line.key}.${part}`,
    path: `${path}.${sentAs}`,
  })
  const what = list === 'materials' ? 'Material' : 'Bundle'
  const number = place + 1
  return (
    <li className="grid items-start gap-3 sm:grid-cols-[2fr_1fr_1fr_auto]" aria-label={`${what} ${number}`}>
      <PickControl
        {...at('uuid', list === 'materials' ? 'material_uuid' : 'bundle_uuid')}
        lead={what}
        label={`${what} UUID`}
        typed={`${what} UUID: an id`}
        list={list === 'materials' ? lists.materials : lists.bundles}
        none={list === 'materials' ? 'Choose a material' : 'Choose a bundle'}
        emptyHint={NONE_TO_CHOOSE}
      />
      <TextControl {...at('quantity')} label="Quantity" type="number" min={0} step="any" />
      {list === 'materials' ? (
        <TextControl {...at('unit_cost')} label="Unit Cost" type="number" min={0} step="0.01" />
      ) : (
        <span className="hidden sm:block" />
      )}
      <IntentButton
        intent={`form.remove_line:${stepKey}:${line.key}`}
        variant="danger-quiet"
        size="icon"
        className="sm:mt-6.5"
        aria-label={`Remove ${what.toLowerCase()} ${number}`}
      >
        <X aria-hidden className="size-4" />
      </IntentButton>
    </li>
  )
}
