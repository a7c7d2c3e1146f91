import { clsx } from 'clsx'
import { ChevronDown } from 'lucide-react'
import { type ComponentPropsWithoutRef, forwardRef } from 'react'
import { Field, type Labelled } from './field.tsx'
import { controlStyles } from './text-input.tsx'

interface SelectProps extends ComponentPropsWithoutRef<'select'> {
  /** The text while nothing is chosen; missing = there is always a choice. */
  none?: string | null
  options?: readonly (readonly [value: string | number, label: string | number])[]
}

/** The browser's native list: works without scripts, on a phone, and from the keyboard. */
export const Select = forwardRef<HTMLSelectElement, SelectProps>(function Select(
  { className, none = null, options = [], children, ...rest },
  ref,
) {
  return (
    <span className={clsx('relative block', className)}>
      <select ref={ref} {...rest} className={controlStyles({ className: 'appearance-none pr-10' })}>
        {none === null ? null : <option value="">{none}</option>}
        {options.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
        {children}
      </select>
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-3 size-4 -translate-y-1/2 text-ink-soft"
      />
    </span>
  )
})

/** A field whose control is a list to choose from. */
export function SelectField({ id, label, hint, errors, ...select }: Labelled & SelectProps) {
  return (
    <Field id={id} label={label} hint={hint} errors={errors}>
      {(control) => <Select {...control} {...select} />}
    </Field>
  )
}
