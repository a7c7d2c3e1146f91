// "Nothing automatic to this customer, or about this job": the API format of a mute.
import { z } from 'zod'
import type { Mute } from '#app/domain/automations/receipt.ts'
import { iso, isoOrNull } from '#app/lib/clock.ts'
import { recordUuid } from './automation-settings.ts'

/** Far more than anyone mutes by hand. */
export const MOST_MUTES = 2_000
/** Who muted a customer that wrote STOP: their message, not a person's name. */
export const stopSource = (channel: 'sms' | 'email', time: string) =>
  `${channel === 'sms' ? 'text' : 'e-mail'} of ${time}`
export const isByHand = ({ by }: Pick<Mute, 'by'>) => !/^(text|e-mail) of \d\d:\d\d$/.test(by ?? '')

export const MUTE_TEXTS = {
  noCompany: 'There is no such customer in ServiceM8.',
  noJob: 'There is no such job in ServiceM8.',
  past: 'until must be in the future',
  tooMany: `Messages are stopped for ${MOST_MUTES} customers and jobs already. Allow some again first.`,
} as const

/** Actions of the page buttons. */
export const MUTE_ACTS = ['mute', 'allow'] as const
export type MuteAct = (typeof MUTE_ACTS)[number]

export function readMuteAct(act: string | null): MuteAct | null {
  return MUTE_ACTS.find((one) => one === act) ?? null
}

/** `kind` defaults to customer; `until` null or missing = no end. */
export const muteBody = z.strictObject({
  kind: z.enum(['company', 'job'], 'kind must be company or job').default('company'),
  recordUuid: recordUuid('recordUuid is required', 'recordUuid must be the id of a record'),
  until: z.iso
    .datetime({ offset: true, error: 'until must be a moment as ISO 8601 writes it, or null' })
    .nullable()
    .default(null),
})

export function muteJson({ id, kind, recordUuid, name, until, createdAt, by }: Mute) {
  return {
    id,
    kind,
    recordUuid,
    name: name === '' ? null : name,
    until: isoOrNull(until),
    createdAt: iso(createdAt),
    createdBy: by,
  }
}

/** A customer that a page shows. */
export interface MetCustomer {
  uuid: string
  /** '' = unknown. */
  name: string
  /** Null = automations may message them. */
  mute: Pick<Mute, 'id' | 'createdAt' | 'until' | 'by'> | null
  /** What the mute is about, if not this customer. `number`: another customer with the same number or address. */
  mutedBy?: 'job' | 'number'
  /** Messages wait for an answer about the job with this number, '' = unknown; missing = for none. */
  answered?: string
  /** `3 texts`: what automations sent them today; missing = nothing, or unknown. */
  gotToday?: string
}
