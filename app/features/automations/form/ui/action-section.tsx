import {
  ArrowDown,
  ArrowRightLeft,
  ArrowUp,
  BellRing,
  CircleDot,
  FilePlus2,
  FileText,
  ListTodo,
  type LucideIcon,
  Mail,
  MessageSquareText,
  MessagesSquare,
  Newspaper,
  PencilLine,
  Plus,
  Trash2,
  Zap,
} from 'lucide-react'
import { ACTION_SPECS, type ActionType } from '#app/domain/automations/action-parameters.ts'
import { writesToCustomers } from '#app/domain/automations/rule.ts'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { FieldError } from '#app/ui/form/field.tsx'
import type { TokenChoice } from '../form-aids.ts'
import { MENU } from '../form-blocks.ts'
import { draftOf } from '../form-body.ts'
import { EMPTY_SAMPLE } from '../form-preview.ts'
import type { StepRow } from '../form-state.ts'
import { ActionFields, ActionOptions, isOptionWrong, optionWords } from './action-fields.tsx'
import { Block, Fold, NEWEST, Part, partId } from './block.tsx'
import { StepProvider, useControl, useRuleForm } from './form-context.tsx'
import { BoxControl, IntentButton, SelectControl, ShowFields, useIntent } from './form-controls.tsx'
import { OftenSection } from './rule-sections.tsx'

const ICONS: Partial<Record<ActionType, LucideIcon>> = {
  send_sms: MessageSquareText,
  send_email: Mail,
  send_staff_message: MessagesSquare,
  post_activity_feed: Newspaper,
  send_notification: BellRing,
  update_job_status: CircleDot,
  assign_to_queue: ArrowRightLeft,
  update_job_field: PencilLine,
  create_job: FilePlus2,
  create_task: ListTodo,
  generate_document: FileText,
}

const TELL: readonly ActionType[] = [
  'send_sms',
  'send_email',
  'send_staff_message',
  'post_activity_feed',
  'send_notification',
]
const CHANGE: readonly ActionType[] = ['update_job_status', 'assign_to_queue', 'update_job_field']

/** Every action is in one of them: a new one makes something, until somebody says otherwise. */
const GROUPS: readonly { title: string; types: readonly ActionType[] }[] = [
  { title: 'Tell someone', types: TELL },
  { title: 'Change the job', types: CHANGE },
  {
    title: 'Make something',
    types: ACTION_SPECS.map(({ type }) => type).filter((type) => ![...TELL, ...CHANGE].includes(type)),
  },
]

/** The actions of the rule, in order. */
export function ActionSection() {
  const { state, open } = useRuleForm()
  const { errors: none, autoFocus } = useControl('actions')
  const count = state.steps.length
  const done = count > 0 && state.steps.every(({ key }) => !open.has(key))
  return (
    <Block id="actions" word="Then" title="Actions to Execute" done={done} last>
      {count > 0 ? (
        <ol className="grid grid-cols-[minmax(0,1fr)] gap-3">
          {state.steps.map((step, index) => (
            <ActionCard key={step.key} step={step} index={index} count={count} />
          ))}
        </ol>
      ) : null}
      {none ? <FieldError id="rule-actions-error" errors={none} /> : null}
      <AddStep wrong={none !== undefined} {...autoFocus} />
      {writesToCustomers(draftOf(state)) ? <OftenSection /> : null}
      <Tokens />
    </Block>
  )
}

/** All actions with their icons, in three groups. A list that opens works without scripts too. */
function AddStep({ wrong, ...focus }: { wrong: boolean; autoFocus?: boolean }) {
  const { open, setOpen } = useRuleForm()
  return (
    <details
      open={open.has(MENU)}
      onToggle={(event) => setOpen(MENU, event.currentTarget.open)}
      className="rounded-control open:border open:border-line-strong"
    >
      <summary
        id="add-step"
        {...focus}
        {...(wrong && { 'aria-describedby': 'rule-actions-error' })}
        className="inline-flex min-h-11 list-none items-center gap-2 rounded-control border border-line-strong bg-surface px-4 font-medium text-label hover:bg-sunken"
      >
        <Plus aria-hidden className="size-4" />
        Add step
      </summary>
      <div className="grid gap-3 p-3 sm:grid-cols-3">
        {GROUPS.map(({ title, types }) => (
          <fieldset key={title} className="min-w-0">
            <legend className="px-2 text-dense text-ink-soft">{title}</legend>
            {types.map((type) => (
              <MenuItem key={type} type={type} />
            ))}
          </fieldset>
        ))}
      </div>
    </details>
  )
}

function MenuItem({ type }: { type: ActionType }) {
  const Icon = ICONS[type] ?? Zap
  return (
    <button
      {...useIntent(`form.add_step:${type}`)}
      className="flex min-h-11 w-full items-center gap-2.5 rounded-control px-2 py-1.5 text-left text-label hover:bg-accent-soft"
    >
      <Icon aria-hidden className="size-4 shrink-0 text-accent" />
      {ACTION_SPECS.find((spec) => spec.type === type)?.label}
    </button>
  )
}

/** Without scripts, the placeholders are a list to copy from, while a step is open. */
function Tokens() {
  const { state, aids, alive, samples, open } = useRuleForm()
  if (alive || !(samples || state.steps.some(({ key }) => open.has(key)))) return null
  return (
    <Disclosure summary="Placeholders to copy into the texts" open={samples !== null}>
      {samples ? <p className="mb-2 text-label">With the values of {samples.about}.</p> : null}
      <ul className="grid gap-1 text-label">
        {aids.placeholders.map((token) => (
          <Token key={token.name} token={token} />
        ))}
      </ul>
      {samples ? null : (
        <IntentButton intent="form.preview:samples" wraps className="mt-2">
          Show them with the values of a real record
        </IntentButton>
      )}
    </Disclosure>
  )
}

/** A placeholder to copy, with its value in a real record once samples are loaded. */
function Token({ token: { name, label, mayBeEmpty } }: { token: TokenChoice }) {
  const { samples } = useRuleForm()
  return (
    <li className="wrap-anywhere">
      {label}: <code>{`{${name}}`}</code>
      {samples && Object.hasOwn(samples.values, name) ? (
        <span className="text-ink-soft"> = {samples.values[name] || EMPTY_SAMPLE}</span>
      ) : null}
      {mayBeEmpty ? <span className="text-attention"> (may be empty)</span> : null}
    </li>
  )
}

interface StepPlace {
  step: StepRow
  index: number
  count: number
}

function ActionCard({ step, index, count }: StepPlace) {
  const { errors, aids, alive } = useRuleForm()
  const own = alive || !Object.hasOwn(aids.own, step.key) ? [] : (aids.own[step.key] ?? [])
  const parameters = `actions.${index}.parameters`
  const whole = Object.hasOwn(errors, parameters) ? errors[parameters] : undefined
  const words = (Object.hasOwn(aids.steps, step.key) && aids.steps[step.key]) || 'Choose what to do'
  return (
    <li aria-label={`Action ${index + 1}`} id={index === count - 1 ? partId(NEWEST) : undefined}>
      <Part
        part={step.key}
        icon={ICONS[step.type as ActionType] ?? Zap}
        line={words.charAt(0).toUpperCase() + words.slice(1)}
      >
        {whole ? <FieldError id={`rule-${step.key}-error`} errors={whole} /> : null}
        <StepProvider value={{ step, index }}>
          {step.type === '' ? <TypeControl step={step} index={index} /> : <ActionFields />}
          {own.length > 0 ? (
            <Disclosure summary={`More placeholders for action ${index + 1}`}>
              <ul className="grid gap-1 text-label">
                {own.map((token) => (
                  <Token key={token.name} token={token} />
                ))}
              </ul>
            </Disclosure>
          ) : null}
          <Options step={step} index={index} count={count} />
        </StepProvider>
      </Part>
    </li>
  )
}

function TypeControl({ step, index }: { step: StepRow; index: number }) {
  return (
    <>
      <SelectControl
        name={`s.${step.key}.type`}
        path={`actions.${index}.type`}
        label="Action Type"
        none="Choose what to do"
        options={ACTION_SPECS.map(({ type, label }) => ({ value: type, label }))}
      />
      <ShowFields place={step.key}>Show its fields</ShowFields>
    </>
  )
}

/** Everything rare of one step, its place among the others included. */
function Options({ step, index, count }: StepPlace) {
  const { errors, aids } = useRuleForm()
  const words = [...optionWords(step), index > 0 && step.wait === 'true' ? 'waits for the step before' : '']
  return (
    <div className="min-w-0 border-line border-t pt-1">
      <Fold
        place={`${step.key}.options`}
        summary="Options"
        set={words.filter(Boolean).join(', ')}
        wrong={isOptionWrong(step, index, errors, aids.hints)}
      >
        <ActionOptions />
        {index > 0 ? (
          <BoxControl name={`s.${step.key}.wait`} hint="Skips this unless the step before worked or had nothing to do.">
            Wait for Previous Action
          </BoxControl>
        ) : null}
        {step.type === '' ? null : <TypeControl step={step} index={index} />}
        <Moves step={step} index={index} count={count} />
      </Fold>
    </div>
  )
}

function Moves({ step, index, count }: StepPlace) {
  const number = index + 1
  return (
    <div className="flex flex-wrap gap-1">
      {index > 0 ? (
        <IntentButton
          intent={`form.up:${step.key}`}
          id={`up-${step.key}`}
          variant="quiet"
          icon={ArrowUp}
          aria-label={`Move action ${number} up`}
        >
          Up
        </IntentButton>
      ) : null}
      {index < count - 1 ? (
        <IntentButton
          intent={`form.down:${step.key}`}
          id={`down-${step.key}`}
          variant="quiet"
          icon={ArrowDown}
          aria-label={`Move action ${number} down`}
        >
          Down
        </IntentButton>
      ) : null}
      <IntentButton
        intent={`form.remove_step:${step.key}`}
        variant="danger-quiet"
        icon={Trash2}
        aria-label={`Remove action ${number}`}
      >
        Remove
      </IntentButton>
    </div>
  )
}
