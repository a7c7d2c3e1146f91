import { clsx } from 'clsx'
import type { ReactNode } from 'react'

/** Names and values, two pairs per row. */
export function Facts({ children, className }: { children: ReactNode; className?: string }) {
  return <dl className={clsx('grid grid-cols-2 gap-x-6 gap-y-3 text-label tabular-nums', className)}>{children}</dl>
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid min-w-0 content-start gap-0.5">
      <dt className="text-dense text-ink-soft">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  )
}
