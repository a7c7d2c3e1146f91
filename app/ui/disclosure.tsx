import { clsx } from 'clsx'
import { ChevronRight, SlidersHorizontal } from 'lucide-react'
import type { ReactNode } from 'react'

interface DisclosureProps {
  summary: ReactNode
  children: ReactNode
  open?: boolean
  /** For use inside dense lists. */
  dense?: boolean
  className?: string
}

/** Opens and closes without scripts. */
export function Disclosure({ summary, children, open, dense = false, className }: DisclosureProps) {
  return (
    <details open={open} className={clsx('group/details', className)}>
      <summary
        className={clsx(
          'inline-flex min-h-11 max-w-full list-none items-center gap-1.5 rounded-control font-medium text-accent',
          dense ? 'text-dense' : 'text-label',
        )}
      >
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 transition-transform group-open/details:rotate-90 motion-reduce:transition-none"
        />
        <span className="underline-offset-4 hover:underline">{summary}</span>
      </summary>
      <div className="pb-2">{children}</div>
    </details>
  )
}

/** The less common filters of a search. */
export function MoreFilters({ open, children }: { open: boolean; children: ReactNode }) {
  const summary = (
    <span className="inline-flex items-center gap-1.5">
      <SlidersHorizontal aria-hidden className="size-4" />
      More filters
    </span>
  )
  return (
    <Disclosure open={open} summary={summary}>
      {children}
    </Disclosure>
  )
}
