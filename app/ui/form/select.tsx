import { clsx } from 'clsx'
import { ChevronDown } from 'lucide-react'
import { type ComponentPropsWithoutRef, forwardRef } from 'react'
import { controlLook } from './text-input.tsx'

/** The browser's own list: works without scripts, on a phone, and from the keyboard. */
export const Select = forwardRef<HTMLSelectElement, ComponentPropsWithoutRef<'select'>>(function Select(
  { className, children, ...rest },
  ref,
) {
  return (
    <span className={clsx('relative block', className)}>
      <select ref={ref} {...rest} className={controlLook({ className: 'appearance-none pr-10' })}>
        {children}
      </select>
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-3 size-4 -translate-y-1/2 text-ink-soft"
      />
    </span>
  )
})
