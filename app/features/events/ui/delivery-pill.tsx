import { clsx } from 'clsx'
import { CircleCheck, CirclePause, CircleSlash, CircleX, Clock, type LucideIcon, OctagonX } from 'lucide-react'
import { StatusPill, type Tone } from '#app/ui/badge.tsx'
import { type SearchStatus, STATUS_TEXTS } from '../search-view.ts'
import { TONE_TEXTS } from './row-line.tsx'

const MARKS: Record<SearchStatus, { tone: Tone; icon: LucideIcon }> = {
  waiting: { tone: 'accent', icon: Clock },
  delivered: { tone: 'working', icon: CircleCheck },
  failed: { tone: 'failing', icon: CircleX },
  held: { tone: 'held', icon: CirclePause },
  stopped: { tone: 'attention', icon: OctagonX },
  not_forwarded: { tone: 'neutral', icon: CircleSlash },
}

export function deliveryMark(status: SearchStatus): { tone: Tone; icon: LucideIcon; word: string } {
  return { ...MARKS[status], word: STATUS_TEXTS[status] }
}

export function DeliveryPill({ status }: { status: SearchStatus }) {
  const { tone, icon, word } = deliveryMark(status)
  return (
    <StatusPill tone={tone} icon={icon}>
      {word}
    </StatusPill>
  )
}

/** The status and the receiver's answer, without a background: for rows. */
export function StatusWord({ status, code }: { status: SearchStatus; code: number | null }) {
  const { tone, word } = deliveryMark(status)
  return (
    <span className={clsx('font-medium', status === 'delivered' ? 'text-ink-soft' : TONE_TEXTS[tone])}>
      {word}
      {code === null ? null : ` ${code}`}
    </span>
  )
}
