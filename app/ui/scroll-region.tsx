import { clsx } from 'clsx'
import type { ReactNode } from 'react'

type ScrollRegionProps = {
  className: string
  /** The content is still loading. */
  busy?: boolean
  children: ReactNode
} & ({ label: string } | { labelledBy: string })

/** A part of a page that scrolls by itself, also with keys. Not a section: it has no heading. */
export function ScrollRegion({ className, busy, children, ...name }: ScrollRegionProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section is a chapter, and wants a heading.
    <div
      role="region"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable to be scrolled with keys.
      tabIndex={0}
      {...('label' in name ? { 'aria-label': name.label } : { 'aria-labelledby': name.labelledBy })}
      aria-busy={busy}
      // What is drawn for screen readers only must scroll along, or the page grows by it.
      className={clsx('relative', className)}
    >
      {children}
    </div>
  )
}
