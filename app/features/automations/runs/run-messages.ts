// A message to a customer as the guards see it: on which channel, and to whom.
import type { Effect } from '#app/domain/automations/effect.ts'
import type { JournalEffect } from '#app/domain/automations/journal-row.ts'

export type CustomerMessage = Extract<Effect, { kind: 'send_sms' | 'send_email' }>

export function isCustomerMessage(effect: JournalEffect): effect is CustomerMessage {
  return (effect.kind === 'send_sms' || effect.kind === 'send_email') && effect.class === 'customer'
}

export function channelOf(effect: CustomerMessage): 'sms' | 'email' {
  return effect.kind === 'send_sms' ? 'sms' : 'email'
}

/** The same text for the same person, however the address was typed. */
export function receiverOf(effect: CustomerMessage): string {
  return receiverText(channelOf(effect), effect.to)
}

export function receiverText(channel: 'sms' | 'email', to: string): string {
  return channel === 'sms' ? to.replace(/[^\d+]/g, '') : to.trim().toLowerCase()
}

/** What the keyed hash of a receiver is bound to. */
export function receiverPurpose(accountUuid: string): string {
  return `customer message|${accountUuid}`
}
