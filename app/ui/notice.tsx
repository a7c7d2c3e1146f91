import { clsx } from 'clsx'
import { CircleAlert, CircleCheck, Info, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { type Tone, toneStyles } from './badge.tsx'

interface NoticeProps {
  tone: Extract<Tone, 'failing' | 'attention' | 'working' | 'accent'>
  title?: string
  children?: ReactNode
  className?: string
  /** The page opens here; for what a press without scripts could not do. */
  autoFocus?: boolean
}

const icons: Record<NoticeProps['tone'], LucideIcon> = {
  failing: CircleAlert,
  attention: CircleAlert,
  working: CircleCheck,
  accent: Info,
}

/** A notice about its part of the page. A failing one is announced immediately. */
export function Notice({ tone, title, children, className, autoFocus = false }: NoticeProps) {
  const Icon = icons[tone]
  return (
    <div
      role={tone === 'failing' ? 'alert' : undefined}
      {...(autoFocus && { autoFocus, tabIndex: -1 })}
      className={clsx('flex items-start gap-2.5 rounded-control px-3.5 py-3 text-label', toneStyles[tone], className)}
    >
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 wrap-anywhere">
        {title ? <p className="font-semibold">{title}</p> : null}
        {children}
      </div>
    </div>
  )
}
