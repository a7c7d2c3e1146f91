import { Check } from 'lucide-react'
import { type ComponentPropsWithoutRef, forwardRef, type ReactNode } from 'react'

interface CheckboxProps extends Omit<ComponentPropsWithoutRef<'input'>, 'type' | 'className'> {
  children: ReactNode
}

/** A checkbox whose label is part of the click target. */
export const Checkbox = forwardRef<HTMLInputElement, CheckboxProps>(function Checkbox({ children, ...rest }, ref) {
  return (
    <label className="inline-flex min-h-11 items-center gap-2.5 text-label">
      <span className="relative grid size-5 shrink-0 place-items-center">
        <input
          ref={ref}
          type="checkbox"
          {...rest}
          className="peer size-5 appearance-none rounded-[5px] border border-line-strong bg-surface checked:border-accent checked:bg-accent disabled:opacity-60 forced-colors:appearance-auto"
        />
        <Check
          aria-hidden
          strokeWidth={3}
          className="pointer-events-none absolute hidden size-3.5 text-on-accent peer-checked:block forced-colors:hidden"
        />
      </span>
      {children}
    </label>
  )
})
