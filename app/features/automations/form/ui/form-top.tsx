// The top of the rule form: the rule in one sentence, and what a template left open.
import { PencilLine } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '#app/ui/button.tsx'
import { Field } from '#app/ui/form/field.tsx'
import { TextInput } from '#app/ui/form/text-input.tsx'
import { type BlankAsked, blanksAsked } from '../form-blanks.ts'
import { ONLY_IF, WHEN } from '../form-blocks.ts'
import { BLANK } from '../form-change.ts'
import { partId } from './block.tsx'
import { useRuleForm } from './form-context.tsx'

/** The rule in one sentence; each part leads to its block. Stays in sight while the form is long. */
export function SentenceBar() {
  const { aids, state } = useRuleForm()
  const { sentence } = aids
  if (!sentence) return null
  const [first] = state.steps
  return (
    <div className="-mx-4 sm:-mx-5 sticky top-0 z-10 max-h-[30dvh] overflow-y-auto border-line border-y bg-accent-soft px-4 py-2 sm:px-5">
      <p className="wrap-anywhere text-label sm:text-body" aria-live="polite">
        <ToPart part={WHEN}>{sentence.when}</ToPart>
        {sentence.onlyIf === null ? (
          ', '
        ) : (
          <>
            , only if <ToPart part={ONLY_IF}>{sentence.onlyIf}</ToPart>, then{' '}
          </>
        )}
        <ToPart part={first?.key ?? ''}>{sentence.does}</ToPart>.
      </p>
    </div>
  )
}

/** '' = the menu of actions. The form opens it; without scripts the browser goes there. */
function ToPart({ part, children }: { part: string; children: ReactNode }) {
  const id = part === '' ? 'add-step' : partId(part)
  return (
    <a
      href={`#${id}`}
      data-part={part}
      className="rounded-sm font-semibold text-ink underline decoration-accent/40 decoration-2 underline-offset-4 hover:decoration-accent"
    >
      {children}
    </a>
  )
}

/** Everything a template left open, to fill in at once; then one press switches the rule on. */
export function Blanks({ saving }: { saving: boolean }) {
  const { state } = useRuleForm()
  const blanks = blanksAsked(state)
  if (blanks.length === 0) return null
  const typed = blanks.filter((blank) => blank.typed)
  const chosen = blanks.filter((blank) => !blank.typed)
  const count = blanks.length === 1 ? '1 thing to fill in' : `${blanks.length} things to fill in`
  return (
    <fieldset className="grid gap-3 rounded-control border border-attention bg-attention-soft p-3">
      <legend className="contents">
        <span className="flex items-center gap-2 font-semibold text-attention text-label">
          <PencilLine aria-hidden className="size-4" />
          {count}
        </span>
      </legend>
      <div className="grid items-start gap-3 sm:grid-cols-2">
        {typed.map((blank) => (
          <BlankBox key={blank.label} blank={blank} />
        ))}
      </div>
      {chosen.length > 0 ? (
        <p className="text-label">
          Choose:{' '}
          {chosen.map(({ label, place }, index) => (
            <span key={label}>
              {index > 0 ? ', ' : ''}
              <ToPart part={place}>{label}</ToPart>
            </span>
          ))}
        </p>
      ) : null}
      <div>
        <Button type="submit" name="intent" value="form.save:on" variant="primary" pending={saving}>
          {state.ruleId === null ? 'Create and turn on' : 'Save and turn on'}
        </Button>
      </div>
    </fieldset>
  )
}

function BlankBox({ blank: { label } }: { blank: BlankAsked }) {
  const { state, errors, set } = useRuleForm()
  const name = `${BLANK}${label}`
  const value = Object.hasOwn(state.answers, label) ? (state.answers[label] ?? '') : ''
  const missing = Object.hasOwn(errors, 'active') && value.trim() === ''
  return (
    <Field
      id={`rule-${name.replace(/[^\w.-]+/g, '-')}`}
      label={label}
      {...(missing && { errors: ['Fill this in to switch it on.'] })}
    >
      {(control) => (
        <TextInput {...control} name={name} value={value} onChange={(event) => set(name, event.currentTarget.value)} />
      )}
    </Field>
  )
}
