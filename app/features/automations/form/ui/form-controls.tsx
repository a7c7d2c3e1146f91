import { useFormAction } from '@remix-run/react'
import { clsx } from 'clsx'
import { type ReactNode, useRef, useState } from 'react'
import { JOB_STATUSES } from '#app/domain/automations/rule.ts'
import { Button, type ButtonProps } from '#app/ui/button.tsx'
import { Checkbox } from '#app/ui/form/checkbox.tsx'
import { Field, FieldError } from '#app/ui/form/field.tsx'
import { Select } from '#app/ui/form/select.tsx'
import { controlStyles, TextInput } from '#app/ui/form/text-input.tsx'
import type { NamedId } from '../../rules/form-lists.ts'
import { blankLabel, blanksIn } from '../../rules/placeholders/blanks.ts'
import { placeAfter } from '../form-blocks.ts'
import { OTHER } from '../form-change.ts'
import { parseFormIntent } from '../form-intent.ts'
import { FORM } from '../form-preview.ts'
import { NEWEST, partId } from './block.tsx'
import { useControl, useRuleForm } from './form-context.tsx'
import { InsertPlaceholder } from './insert-placeholder.tsx'

interface ControlProps {
  /** A plainer word before the label. */
  lead?: string
  /** Name as in `setValue`; within an action `p.<parameter>`. */
  name: string
  label: ReactNode
  /** Field path of this control's errors; defaults to the name. */
  path?: string
  hint?: ReactNode
}

interface TextControlProps extends ControlProps {
  type?: 'text' | 'time' | 'date' | 'datetime-local' | 'number'
  placeholder?: string
  min?: number
  max?: number
  step?: string
  disabled?: boolean
}

/** A text box. One of a single line drops line breaks: a text that has had some keeps a longer one. */
function useBox(given: string, path: string | undefined, least = 1) {
  const { alive } = useRuleForm()
  const { autoFocus, ...control } = useControl(given, path)
  const { name, value, set } = control
  const [broken, setBroken] = useState(false)
  if (!broken && /[\r\n]/.test(value)) setBroken(true)
  const shared = {
    ...autoFocus,
    name,
    value,
    // Without scripts the browser itself brings back what was typed.
    autoComplete: alive ? 'off' : undefined,
    onChange: (event: { currentTarget: { value: string } }) => set(event.currentTarget.value),
  }
  return { ...control, shared, rows: broken ? Math.max(least, 3) : least }
}

export function TextControl({ name: given, label, path, hint, ...rest }: TextControlProps) {
  const { id, errors, shared, rows } = useBox(given, path)
  return (
    <Field id={id} label={label} hint={hint} errors={errors}>
      {(control) =>
        rows > 1 && !rest.type && !rest.disabled ? (
          <textarea {...control} {...shared} rows={rows} className={`${controlStyles()} py-2`} />
        ) : (
          <TextInput {...control} {...rest} {...shared} />
        )
      }
    </Field>
  )
}

interface SelectControlProps extends ControlProps {
  /** Label while nothing is chosen; null = a value is always set. */
  none: string | null
  options: readonly { value: string; label: string }[]
  children?: ReactNode
}

export function SelectControl({ name: given, lead, label, path, hint, none, options, children }: SelectControlProps) {
  const { id, name, value, set, errors, autoFocus } = useControl(given, path)
  const known = value === '' || children !== undefined || options.some((option) => option.value === value)
  return (
    <Field
      id={id}
      label={lead ? <Led lead={lead}>{label}</Led> : label}
      hint={hint}
      // An error names the field by the word that leads its label.
      errors={lead ? errors?.map((one) => one.replace(String(label).replace(/ \*$/, ''), lead)) : errors}
    >
      {(control) => (
        <Select
          {...control}
          {...autoFocus}
          name={name}
          value={value}
          none={none}
          options={options.map((option) => [option.value, option.label])}
          onChange={(event) => set(event.currentTarget.value)}
        >
          {children}
          {known ? null : <option value={value}>{asWritten(value)}</option>}
        </Select>
      )}
    </Field>
  )
}

/** The plain word first, the specification's own in small. */
function Led({ lead, children }: { lead: string; children: ReactNode }) {
  return (
    <>
      {lead} <span className="font-normal text-dense text-ink-soft">{children}</span>
    </>
  )
}

/** Labels a value outside the list: a placeholder, a blank of a template, an id. */
function asWritten(value: string): string {
  const blank = blankLabel(value)
  return blank ? `Still open: ${blank}` : `As written: ${value.length > 40 ? `${value.slice(0, 40)}…` : value}`
}

/** Sends `true` when ticked; the empty hidden value before it makes unticking visible to the server. */
export function BoxControl({ name: given, children, hint }: { name: string; children: ReactNode; hint?: ReactNode }) {
  const { id, name, value, set, errors } = useControl(given)
  return (
    <div>
      <input type="hidden" name={name} value="" />
      <Checkbox
        id={id}
        name={name}
        value="true"
        checked={value === 'true'}
        {...(hint || errors ? { 'aria-describedby': errors ? `${id}-error` : `${id}-hint` } : {})}
        {...(errors && { 'aria-invalid': true })}
        onChange={(event) => set(event.currentTarget.checked ? 'true' : '')}
      >
        {children}
      </Checkbox>
      {errors ? <FieldError id={`${id}-error`} errors={errors} /> : null}
      {hint ? (
        <p id={`${id}-hint`} className="pl-7.5 text-dense text-ink-soft">
          {hint}
        </p>
      ) : null}
    </div>
  )
}

interface ChoiceProps {
  name: string
  legend: string
  options: readonly { value: string; label: string; hint?: string }[]
  /** Applies while nothing is chosen. */
  otherwise?: string
}

/** One of a few options, all visible. */
export function Choice({ name: given, legend, options, otherwise = '' }: ChoiceProps) {
  const { id, name, value, set } = useControl(given)
  const chosen = value === '' ? otherwise : value
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 text-label font-medium">{legend}</legend>
      <div className="grid gap-2 sm:flex sm:flex-wrap">
        {options.map((option) => (
          <label
            key={option.value}
            htmlFor={`${id}-${option.value}`}
            className="flex min-h-11 items-center gap-2.5 rounded-control border border-line-strong px-3 py-2 text-label has-[input:checked]:border-accent has-[input:checked]:bg-accent-soft"
          >
            <input
              id={`${id}-${option.value}`}
              type="radio"
              name={name}
              value={option.value}
              checked={chosen === option.value}
              onChange={() => set(option.value)}
              className="size-4 shrink-0 accent-accent"
            />
            <span>
              <span className="font-medium">{option.label}</span>
              {option.hint ? <span className="block text-dense text-ink-soft">{option.hint}</span> : null}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

interface WordsControlProps extends ControlProps {
  label: string
  /** Visible lines; 1 = a single-line input. */
  rows?: number
  placeholder?: string
  code?: boolean
  /** Stands in the corner of the box: what the text comes to. */
  counter?: ReactNode
}

/** A text that may contain placeholders, with a picker to insert them. Lists open blanks of a template below. */
export function WordsControl(props: WordsControlProps) {
  const { name: given, label, path, hint, rows: least = 1, placeholder, code = false, counter } = props
  const { alive, state } = useRuleForm()
  const { id, name, value, set, errors, notes, shared, rows } = useBox(given, path, least)
  const box = useRef<HTMLInputElement & HTMLTextAreaElement>(null)
  const blanks = blanksIn(value).filter((blank) => (state.answers[blank] ?? '').trim() === '')

  const insert = (written: string) => {
    const start = box.current?.selectionStart ?? value.length
    const end = box.current?.selectionEnd ?? value.length
    set(`${value.slice(0, start)}${written}${value.slice(end)}`)
    box.current?.focus()
  }

  const below =
    blanks.length > 0 || notes.length > 0 || hint ? (
      <>
        {hint ? <span className="block">{hint}</span> : null}
        {blanks.length > 0 ? (
          <span className="block font-medium text-attention">Still to fill in: {[...new Set(blanks)].join(', ')}</span>
        ) : null}
        {notes.map((note) => (
          <span key={note} className="block text-attention">
            {note}
          </span>
        ))}
      </>
    ) : undefined
  return (
    <Field id={id} label={label} hint={below} errors={errors}>
      {(control) => (
        <InsertPlaceholder name={name} into={label} onChoose={insert} counter={counter} long={rows > 1}>
          {rows === 1 ? (
            <TextInput {...control} {...shared} placeholder={placeholder} ref={box} />
          ) : (
            <textarea
              {...control}
              {...shared}
              placeholder={placeholder}
              ref={box}
              rows={rows}
              className={clsx(
                controlStyles({ text: code ? 'code' : 'sentence' }),
                'block py-2',
                (alive || counter) && 'pb-11',
                blanks.length > 0 && 'border-attention',
              )}
            />
          )}
        </InsertPlaceholder>
      )}
    </Field>
  )
}

interface PickControlProps extends ControlProps {
  label: string
  list: readonly NamedId[]
  none: string
  /** Extra options before the list. */
  first?: readonly { value: string; label: string }[]
  /** Hint shown when the list is empty: what it needs. */
  emptyHint?: string | undefined
  /** Label of the free text; defaults to an id or a placeholder. */
  typed?: string
  /** What opens the free text. */
  other?: string
}

/** Picks an id from a list of the account; placeholders and other ids can be typed below. */
export function PickControl({
  list,
  first = [],
  emptyHint = NEEDS_SIGN_IN,
  typed,
  other: otherWay = 'Use a placeholder',
  hint,
  ...shared
}: PickControlProps) {
  const { name, value, set } = useControl(shared.name, shared.path)
  const options = [...first, ...list.map(({ uuid, label: words }) => ({ value: uuid, label: words }))]
  const other = options.some((option) => option.value === value) ? '' : value
  const otherName = `${OTHER}${name}`
  return (
    <div className="grid min-w-0 gap-1">
      <SelectControl {...shared} hint={list.length === 0 ? emptyHint : hint} options={options} />
      <details open={list.length === 0 && other !== ''} className="text-dense">
        <summary className="inline-flex min-h-11 cursor-pointer items-center text-accent underline-offset-4 hover:underline">
          {otherWay}
        </summary>
        <Field id={`rule-${otherName}`} label={typed ?? `${shared.label}: an id or a placeholder`}>
          {(control) => (
            <TextInput
              {...control}
              name={otherName}
              value={other}
              code
              autoComplete="off"
              onChange={(event) => set(event.currentTarget.value)}
            />
          )}
        </Field>
      </details>
    </div>
  )
}

const DAY = /^\d{4}-\d{2}-\d{2}$/
const DAY_AND_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/

/** A date, or a date and time. Shows a value that no date picker supports (written by a program, say) as plain text. */
export function DateControl({ withTime = false, ...shared }: ControlProps & { withTime?: boolean }) {
  const { value } = useControl(shared.name, shared.path)
  if (value === '') return <TextControl {...shared} type={withTime ? 'datetime-local' : 'date'} />
  if (DAY_AND_TIME.test(value)) return <TextControl {...shared} type="datetime-local" />
  return DAY.test(value) ? <TextControl {...shared} type="date" /> : <TextControl {...shared} />
}

/** A date from the picker; or TODAY or a placeholder as text. */
export function DayControl({ hint, ...shared }: ControlProps & { label: string }) {
  const { name, value, set } = useControl(shared.name, shared.path)
  if (value !== '' && !DAY.test(value)) {
    const words = 'TODAY is the day it runs, TODAY+3 three days later. Clear it for the calendar.'
    return <WordsControl {...shared} hint={words} />
  }
  return (
    <div className="grid gap-1">
      <TextControl {...shared} hint={hint} type="date" />
      <label className="inline-flex min-h-11 items-center gap-2.5 text-label">
        <input
          type="checkbox"
          name={`${OTHER}${name}`}
          value="TODAY"
          checked={false}
          onChange={() => set('TODAY')}
          className="size-5 accent-accent"
        />
        Another day: TODAY, TODAY+3 or a placeholder
      </label>
    </div>
  )
}

/** What makes a button submit the form. Until scripts run, the page comes back at the part that the press changes. */
export function useIntent(text: string) {
  const { alive, state } = useRuleForm()
  const here = useFormAction()
  const button = { type: 'submit', name: 'intent', value: text } as const
  const intent = alive ? null : parseFormIntent(text)
  if (intent === null) return button
  if (intent.kind === 'preview' && intent.preview !== 'samples') {
    return { ...button, formAction: `${here}#live-preview-title` }
  }
  // The new step's key is not known yet: another change of the same press may take the next number.
  const [part = ''] = intent.kind === 'add_step' ? [NEWEST] : placeAfter(state, intent).split('.')
  return { ...button, formAction: `${here}#${part === '' ? FORM : partId(part)}` }
}

/** A submit button of the form; without scripts a press is a round trip. */
export function IntentButton({ intent, ...rest }: ButtonProps & { intent: string }) {
  return <Button {...rest} {...useIntent(intent)} />
}

/** Only without scripts: redraws the form for the new choice. `place` stays open. */
export function ShowFields({ children, place }: { children: ReactNode; place: string }) {
  const { alive } = useRuleForm()
  if (alive) return null
  return (
    <div>
      <IntentButton intent={`form.next:${place}`} wraps>
        {children}
      </IntentButton>
    </div>
  )
}

const NEEDS_SIGN_IN = 'The list needs you to be signed in to ServiceM8.'
/** For lists that are empty in many accounts. */
export const NONE_TO_CHOOSE = 'ServiceM8 has nothing to choose from.'
export const STATUS_OPTIONS = JOB_STATUSES.map((value) => ({ value, label: value }))
