import {
  Ban,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleHelp,
  CircleMinus,
  CircleX,
  Clock,
  Hand,
  LoaderCircle,
  type LucideIcon,
} from 'lucide-react'
import { StatusPill, type Tone } from '#app/ui/badge.tsx'
import { WHY_TEXTS, type WhyStanding } from '../../preview/why-text.ts'
import { MARK_TEXTS, type RunStanding, STANDING_TEXTS, type StepMark } from '../run-marks.ts'

export interface Mark {
  tone: Tone
  icon: LucideIcon
}

const STANDINGS: Readonly<Record<RunStanding, Mark>> = {
  success: { tone: 'working', icon: CircleCheck },
  partial: { tone: 'attention', icon: CircleAlert },
  failure: { tone: 'failing', icon: CircleX },
  nothing: { tone: 'neutral', icon: CircleMinus },
  cancelled: { tone: 'neutral', icon: Ban },
  unknown: { tone: 'attention', icon: CircleHelp },
  held: { tone: 'held', icon: Hand },
  waiting: { tone: 'accent', icon: Clock },
  working: { tone: 'accent', icon: LoaderCircle },
}

export function runMark(standing: RunStanding): Mark & { word: string } {
  return { ...STANDINGS[standing], word: STANDING_TEXTS[standing] }
}

export function RunPill({ standing }: { standing: RunStanding }) {
  return <StatusPill {...STANDINGS[standing]}>{STANDING_TEXTS[standing]}</StatusPill>
}

const MARKS: Readonly<Record<StepMark, Mark>> = {
  done: { tone: 'working', icon: CircleCheck },
  failed: { tone: 'failing', icon: CircleX },
  skipped: { tone: 'neutral', icon: CircleMinus },
  waits: { tone: 'accent', icon: Clock },
  held: { tone: 'held', icon: Hand },
  unknown: { tone: 'attention', icon: CircleHelp },
  not_begun: { tone: 'neutral', icon: CircleDashed },
}

export function stepMark(mark: StepMark): Mark {
  return MARKS[mark]
}

export function MarkPill({ mark }: { mark: StepMark }) {
  return <StatusPill {...MARKS[mark]}>{MARK_TEXTS[mark]}</StatusPill>
}

const WHYS: Readonly<Record<WhyStanding, Mark>> = {
  ...STANDINGS,
  fired: { tone: 'working', icon: CircleCheck },
  not_met: { tone: 'attention', icon: CircleX },
  passed_over: { tone: 'neutral', icon: CircleMinus },
  off: { tone: 'neutral', icon: Ban },
  not_yet: { tone: 'accent', icon: CircleDashed },
}

export function WhyPill({ standing }: { standing: WhyStanding }) {
  return <StatusPill {...WHYS[standing]}>{WHY_TEXTS[standing]}</StatusPill>
}
