// The data a screen shows about notices, checks and silence. Moments are epoch milliseconds.
import { type EndpointKey, refOf } from '#app/domain/endpoint-key.ts'
import type { CheckStep } from '#app/domain/endpoints/endpoint-check.ts'
import type { NoticeKind } from '#app/domain/endpoints/notice.ts'
import type { UpstreamNote } from '#app/domain/endpoints/upstream.ts'
import { iso, type Millis } from '#app/lib/clock.ts'

export interface NoticeView {
  id: number
  /** The card the notice belongs to. */
  card: EndpointKey
  kind: NoticeKind
  title: string
  sentence: string
  /** When the change happened. */
  since: Millis
  at: Millis
  /** Whether it was mailed, or why not; null when not yet decided. */
  mail: string | null
}

/** "Tell me by e-mail when a webhook stops working". */
export interface MailSettingsView {
  byMail: boolean
  /** '' for the address ServiceM8 has. */
  email: string
  /** Why no e-mail can be sent now; null when it can. */
  problem: string | null
}

/** What a card shows besides its webhook. */
export interface CardNews {
  check: { at: Millis; steps: CheckStep[] } | null
  /** Result of the comparison with the platform's list, from the last week. */
  upstream: UpstreamNote | null
  silence: { since: Millis; sentence: string } | null
}

/** By the card's key. A card without an entry has no news. */
export type NewsByCard = Partial<Record<EndpointKey, CardNews>>

export interface AccountNews {
  /** Newest first, one per address. */
  notices: NoticeView[]
  mail: MailSettingsView
  byCard: NewsByCard
}

/** A notice as calls return it. */
export function noticeJson({ id, card, kind, title, sentence, since, at, mail }: NoticeView) {
  const ref = refOf(card)
  const moments = { since: iso(since), createdAt: iso(at) }
  return {
    id,
    kind,
    webhookId: ref.kind === 'webhook' ? ref.id : null,
    forwardingRuleId: ref.kind === 'extra' ? ref.id : null,
    title,
    sentence,
    ...moments,
    mail,
  }
}
