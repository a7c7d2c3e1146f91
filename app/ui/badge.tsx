import { clsx } from 'clsx'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

/** What a status asks of the reader: nothing, patience, attention, action; `held` waits on purpose. */
export type Tone = 'neutral' | 'accent' | 'working' | 'attention' | 'failing' | 'held'

export const toneStyles: Record<Tone, string> = {
  neutral: 'bg-sunken text-ink-soft',
  accent: 'bg-accent-soft text-accent',
  working: 'bg-working-soft text-working',
  attention: 'bg-attention-soft text-attention',
  failing: 'bg-failing-soft text-failing',
  held: 'bg-held-soft text-held',
}

interface BadgeProps {
  tone?: Tone
  icon?: LucideIcon
  children: ReactNode
  className?: string
}

/** A word on a coloured background. */
export function Badge({ tone = 'neutral', icon: Icon, children, className }: BadgeProps) {
  return (
    <span
      className={clsx(
        'inline-flex max-w-full items-center gap-1.5 rounded-pill px-2.5 py-0.5 text-dense font-medium',
        toneStyles[tone],
        className,
      )}
    >
      {Icon ? <Icon aria-hidden className="size-3.5 shrink-0" /> : null}
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </span>
  )
}

/** A status: always a word and an icon, never colour alone. */
export function StatusPill({ tone, icon, children }: { tone: Tone; icon: LucideIcon; children: ReactNode }) {
  return (
    <Badge tone={tone} icon={icon}>
      {children}
    </Badge>
  )
}
