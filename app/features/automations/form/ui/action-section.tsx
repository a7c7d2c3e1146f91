import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react'
import { ACTION_SPECS } from '#app/domain/automations/action-parameters.ts'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { FieldError } from '#app/ui/form/field.tsx'
import type { TokenChoice } from '../form-aids.ts'
import { EMPTY_SAMPLE } from '../form-preview.ts'
import type { StepRow } from '../form-state.ts'
import { ActionFields } from './action-fields.tsx'
import { StepProvider, useRuleForm } from './form-context.tsx'
import { BoxControl, FormSection, IntentButton, SelectControl, ShowFields } from './form-controls.tsx'

/** The actions of the rule, in order. */
export function ActionSection() {
  const { state, errors, aids, alive, samples } = useRuleForm()
  const none = Object.hasOwn(errors, 'actions') ? errors.actions : undefined
  const count = state.steps.length
  return (
    <FormSection id="actions" title="Actions to Execute" hint="What it does, in this order.">
      {count > 0 ? (
        <ol className="grid gap-4">
          {state.steps.map((step, index) => (
            <ActionCard key={step.key} step={step} index={index} count={count} />
          ))}
        </ol>
      ) : null}
      {none ? <FieldError id="rule-actions-error" errors={none} /> : null}
      <div>
        <IntentButton intent="form.add_step" id="add-step" icon={Plus}>
          Add Action
        </IntentButton>
      </div>
      {alive || count === 0 ? null : (
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
      )}
    </FormSection>
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

function ActionCard({ step, index, count }: { step: StepRow; index: number; count: number }) {
  const { errors, aids, alive } = useRuleForm()
  const number = index + 1
  const own = alive || !Object.hasOwn(aids.own, step.key) ? [] : (aids.own[step.key] ?? [])
  const parameters = `actions.${index}.parameters`
  const whole = Object.hasOwn(errors, parameters) ? errors[parameters] : undefined
  return (
    <li className="grid gap-4 rounded-control border border-line p-3 sm:p-4" aria-label={`Action ${number}`}>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h4 className="text-label font-semibold">Action {number}</h4>
        <div className="flex">
          {index > 0 ? (
            <IntentButton
              intent={`form.up:${step.key}`}
              id={`up-${step.key}`}
              variant="quiet"
              size="icon"
              aria-label={`Move action ${number} up`}
            >
              <ArrowUp aria-hidden className="size-4" />
            </IntentButton>
          ) : null}
          {index < count - 1 ? (
            <IntentButton
              intent={`form.down:${step.key}`}
              id={`down-${step.key}`}
              variant="quiet"
              size="icon"
              aria-label={`Move action ${number} down`}
            >
              <ArrowDown aria-hidden className="size-4" />
            </IntentButton>
          ) : null}
          <IntentButton
            intent={`form.remove_step:${step.key}`}
            variant="danger-quiet"
            size="icon"
            aria-label={`Remove action ${number}`}
          >
            <Trash2 aria-hidden className="size-4" />
          </IntentButton>
        </div>
      </div>
      {whole ? <FieldError id={`rule-${step.key}-error`} errors={whole} /> : null}
      <SelectControl
        name={`s.${step.key}.type`}
        path={`actions.${index}.type`}
        label="Action Type"
        none="Choose what to do"
        options={ACTION_SPECS.map(({ type, label }) => ({ value: type, label }))}
      />
      <ShowFields>Show its fields</ShowFields>
      {step.type === '' ? null : (
        <StepProvider value={{ step, index }}>
          <ActionFields />
        </StepProvider>
      )}
      {own.length > 0 ? (
        <Disclosure summary={`More placeholders for action ${number}`}>
          <ul className="grid gap-1 text-label">
            {own.map((token) => (
              <Token key={token.name} token={token} />
            ))}
          </ul>
        </Disclosure>
      ) : null}
      {index > 0 ? (
        <BoxControl
          name={`s.${step.key}.wait`}
          hint="It runs only if the action before it worked. Actions run in order either way."
        >
          Wait for Previous Action
        </BoxControl>
      ) : null}
    </li>
  )
}
