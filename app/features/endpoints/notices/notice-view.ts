// The data a screen shows about checks and silence of addresses, beside their notices. Moments are epoch milliseconds.
import type { EndpointKey } from '#app/domain/endpoint-key.ts'
import type { CheckStep } from '#app/domain/endpoints/endpoint-check.ts'
import type { UpstreamNote } from '#app/domain/endpoints/upstream.ts'
import type { EndpointNotice, MailSettingsView } from '#app/features/notices/notice-view.ts'
import type { Millis } from '#app/lib/clock.ts'

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
  notices: EndpointNotice[]
  mail: MailSettingsView
  byCard: NewsByCard
}
