import { cva } from 'class-variance-authority'
import { type ComponentPropsWithoutRef, forwardRef } from 'react'
import { Field, type Labelled } from './field.tsx'

export const controlStyles = cva(
  'min-h-11 w-full min-w-0 rounded-control border border-line-strong px-3 text-ink placeholder:text-ink-soft disabled:opacity-60 aria-invalid:border-failing',
  {
    variants: {
      ground: { open: 'bg-surface', fixed: 'bg-sunken' },
      // Below 16 px a phone zooms in on a focused text field.
      text: { sentence: 'text-body', code: 'font-mono text-dense' },
    },
    defaultVariants: { ground: 'open', text: 'sentence' },
  },
)

interface TextInputProps extends Omit<ComponentPropsWithoutRef<'input'>, 'className'> {
  /** For read-only addresses and keys. */
  code?: boolean
}

export const TextInput = forwardRef<HTMLInputElement, TextInputProps>(function TextInput(
  { code = false, ...rest },
  ref,
) {
  return (
    <input
      ref={ref}
      {...rest}
      className={controlStyles({ ground: rest.readOnly ? 'fixed' : 'open', text: code ? 'code' : 'sentence' })}
    />
  )
})

/** A field whose control is one line of text. */
export const TextField = forwardRef<HTMLInputElement, Labelled & TextInputProps>(function TextField(
  { id, label, hint, errors, ...input },
  ref,
) {
  return (
    <Field id={id} label={label} hint={hint} errors={errors}>
      {(control) => <TextInput {...control} {...input} ref={ref} />}
    </Field>
  )
})
