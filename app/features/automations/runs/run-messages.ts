// A customer message as the guards see it: channel and receiver.
import type { Effect } from '#app/domain/automations/effect.ts'
import type { JournalEffect } from '#app/domain/automations/journal-row.ts'
import type { ActionParameters } from '#app/domain/automations/rule.ts'
import { wordParameter } from '../actions/read-parameters.ts'

export type CustomerMessage = Extract<Effect, { kind: 'send_sms' | 'send_email' }>

export function isCustomerMessage(effect: JournalEffect): effect is CustomerMessage {
  return (effect.kind === 'send_sms' || effect.kind === 'send_email') && effect.class === 'customer'
}

/** Is the step's receiver written out, as a number or an address? */
export function isTyped(parameters: ActionParameters): boolean {
  return /^[^{]+$/.test(wordParameter(parameters, 'to'))
}

export function channelOf(effect: CustomerMessage): 'sms' | 'email' {
  return effect.kind === 'send_sms' ? 'sms' : 'email'
}

/** Normalizes the address, so one person always has the same text. */
export function receiverOf(effect: CustomerMessage): string {
  return receiverText(channelOf(effect), effect.to)
}

export function receiverText(channel: 'sms' | 'email', to: string): string {
  return channel === 'sms' ? to.replace(/[^\d+]/g, '') : to.trim().toLowerCase()
}

/** Binds the keyed hash of a receiver to the account. */
export function receiverPurpose(accountUuid: string): string {
  return `customer message|${accountUuid}`
}
