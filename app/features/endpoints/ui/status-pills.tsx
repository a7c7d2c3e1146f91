import {
  CircleAlert,
  CircleCheck,
  CircleDot,
  CirclePause,
  CircleSlash,
  Hourglass,
  type LucideIcon,
  OctagonX,
  Timer,
  Unplug,
} from 'lucide-react'
import { type Tone, toneStyles } from '#app/ui/badge.tsx'
import { VisuallyHidden } from '#app/ui/visually-hidden.tsx'
import { type EndpointLine, titleOf, type WebhookStatus } from '../endpoint-view.ts'
import { cardId, type ManagerAccount, managerSearch } from './manager-address.ts'

interface Mark {
  word: string
  tone: Tone
  icon: LucideIcon
}

const MARKS: Record<WebhookStatus, Mark> = {
  working: { word: 'Working', tone: 'working', icon: CircleCheck },
  waiting: { word: 'Ready', tone: 'accent', icon: CircleDot },
  no_address: { word: 'Not forwarding', tone: 'neutral', icon: CircleSlash },
  slow: { word: 'Slow', tone: 'attention', icon: Timer },
  failing: { word: 'Failing', tone: 'failing', icon: CircleAlert },
  held: { word: 'On hold', tone: 'held', icon: Hourglass },
  paused: { word: 'Paused', tone: 'held', icon: CirclePause },
  stopped: { word: 'Stopped', tone: 'failing', icon: OctagonX },
  unsubscribed: { word: 'Not receiving', tone: 'failing', icon: Unplug },
}

export function statusMark(status: WebhookStatus): Pick<Mark, 'word' | 'tone'> {
  return MARKS[status]
}

/** The status in a row: a coloured sign and its word. */
export function StatusDot({ status }: { status: WebhookStatus }) {
  const { word, tone, icon: Icon } = MARKS[status]
  return (
    <span className="flex min-w-0 items-center gap-2 max-sm:col-start-2 max-sm:row-start-1">
      <span className={`grid size-7 shrink-0 place-items-center rounded-pill ${toneStyles[tone]}`}>
        <Icon aria-hidden className="size-4" />
      </span>
      <span className="truncate font-medium text-ink">{word}</span>
    </span>
  )
}

/** The sentence beside the status, without repeating its word. */
export function sentenceBeside(status: WebhookStatus, sentence: string): string {
  const { word } = MARKS[status]
  const rest = sentence.startsWith(word) ? sentence.slice(word.length).replace(/^\.? /, '') : sentence
  return rest.charAt(0).toUpperCase() + rest.slice(1)
}

const WORST_FIRST: readonly Tone[] = ['failing', 'attention', 'held', 'working', 'accent', 'neutral']

const HEALTH_ICONS: Record<Tone, LucideIcon> = {
  failing: CircleAlert,
  attention: Timer,
  held: CirclePause,
  working: CircleCheck,
  accent: CircleDot,
  neutral: CircleDot,
}

interface HealthMark<Card> {
  tone: Tone
  icon: LucideIcon
  /** The webhook or rule to look at first; null when none needs attention. */
  worst: Card | null
}

/** Colour and icon of the whole account: those of its worst webhook or rule. */
export function healthMark<Card extends { status: WebhookStatus }>(cards: readonly Card[]): HealthMark<Card> {
  const toneOf = (card: Card) => MARKS[card.status].tone
  const tone = WORST_FIRST.find((one) => cards.some((card) => toneOf(card) === one)) ?? 'neutral'
  const troubled = tone === 'failing' || tone === 'attention'
  const worst = troubled ? cards.find((card) => toneOf(card) === tone) : undefined
  return { tone, icon: HEALTH_ICONS[tone], worst: worst ?? null }
}

export const linkLook =
  'inline-flex min-h-11 shrink-0 items-center font-semibold text-label underline underline-offset-4'

/** Opens the card of a webhook or rule. */
export function ShowCard({ card, account }: { card: EndpointLine; account: ManagerAccount }) {
  return (
    <a href={`${managerSearch(account, { step: 'card', webhookId: card.id })}#${cardId(card.id)}`} className={linkLook}>
      Show
      <VisuallyHidden> {titleOf(card)}</VisuallyHidden>
    </a>
  )
}
