import { clsx } from 'clsx'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Millis } from '#app/lib/clock.ts'
import type { Tone } from '#app/ui/badge.tsx'
import { Time } from '#app/ui/time/time.tsx'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'

export const TONE_TEXTS: Record<Tone, string> = {
  neutral: 'text-ink-soft',
  accent: 'text-accent',
  working: 'text-working',
  attention: 'text-attention',
  failing: 'text-failing',
  held: 'text-held',
}

export interface RowLineProps {
  icon: LucideIcon
  tone: Tone
  /** What the icon stands for; missing = `end` says it. */
  kind?: string
  at: Millis
  what: string
  /** '' = unknown. */
  who?: string
  detail: string
  end: ReactNode
}

/** The content of a row: one line of 44 px on a wide screen; on a phone, the details take a line of their own if they need it. */
export function RowLine({ icon: Icon, tone, kind, at, what, who = '', detail, end }: RowLineProps) {
  return (
    <span className="grid min-h-11 min-w-0 flex-1 grid-cols-[1.25rem_minmax(0,1fr)] content-center items-center gap-x-2.5 py-1.5 sm:grid-cols-[1.25rem_8.5rem_minmax(0,5fr)_minmax(0,4fr)_auto] sm:py-0">
      <Icon aria-hidden className={clsx('col-start-1 row-start-1 size-4.5', TONE_TEXTS[tone])} />
      {kind === undefined ? null : <VisuallyHidden>{kind} </VisuallyHidden>}
      <span className="col-start-2 row-start-1 truncate text-label sm:col-start-3">
        <span className="font-semibold">{what}</span>
        {who === '' ? null : ` · ${who}`}
      </span>
      <span className="col-start-2 flex flex-wrap gap-x-2 text-dense tabular-nums sm:contents">
        <span className="wrap-anywhere min-w-0 text-ink-soft max-sm:line-clamp-3 sm:col-start-4 sm:row-start-1 sm:truncate">
          {detail}
        </span>
        <span className="ml-auto flex gap-2 whitespace-nowrap sm:contents">
          <Time at={at} as="clock" className="text-ink-soft sm:col-start-2 sm:row-start-1" />
          <span className="sm:col-start-5 sm:row-start-1">{end}</span>
        </span>
      </span>
    </span>
  )
}
