import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

interface EmptyStateProps {
  icon: LucideIcon
  title: string
  /** What will appear here and why there is nothing yet. */
  children: ReactNode
  /** The one next step. */
  action?: ReactNode
}

export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="grid justify-items-center gap-1 px-4 py-8 text-center">
      <span className="mb-2 grid size-11 place-items-center rounded-pill bg-sunken text-ink-soft">
        <Icon aria-hidden className="size-5" />
      </span>
      <p className="font-semibold">{title}</p>
      <div className="max-w-prose text-label text-ink-soft">{children}</div>
      {action ? <div className="mt-3">{action}</div> : null}
    </div>
  )
}
