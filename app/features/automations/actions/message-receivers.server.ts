// The receivers of a step's message: each one separate, checked, and classified as a customer or a colleague.
import { isPlainNote, type PlanWarning } from '#app/domain/automations/effect.ts'
import { readField } from '../records/fields.ts'
import { toE164 } from '../records/phone.ts'
import { activeStaff } from '../records/staff-members.server.ts'
import type { PlanContext } from './action.server.ts'
import { shorten } from './failure-text.ts'
import {
  blankText,
  blankWarnings,
  deletedText,
  type Ended,
  ended,
  skipped,
  unknownWarnings,
  type Wording,
  withoutValue,
} from './planning.server.ts'
import { textParameter, wordParameter } from './read-parameters.ts'
import { distinct, readEmail, splitReceivers } from './receivers.ts'

interface Receivers {
  to: string[]
  warnings: PlanWarning[]
}

type Channel = 'email' | 'sms'

const CONTACT_FIELD: Record<Channel, string> = { email: 'contact_email', sms: 'contact_mobile' }

/** The name of a message, and the texts for when it has no receiver. */
const MESSAGES = {
  email: {
    name: 'e-mail',
    nobody: 'There is no e-mail address.',
    warning: { code: 'no_address', sentence: 'There is no address to send this to.' },
  },
  sms: {
    name: 'text message',
    nobody: 'There is no phone number.',
    warning: { code: 'no_number', sentence: 'There is no number to send this to.' },
  },
} as const

export interface Audience {
  outcome: 'ok'
  /** The receivers, without those the message must not go to as it is. */
  to: string[]
  /** The receivers of each of the fields in `also`. */
  also: string[][]
  /** The text must not go to customers as it is. */
  onlyColleagues: boolean
  isColleague(receiver: string): boolean
  warnings: PlanWarning[]
}

/**
 * The receivers of a message, after all its texts were filled in: empty placeholders and deleted records keep it from
 * customers. `also` = further fields with receivers.
 */
export async function audienceOf(
  context: PlanContext,
  wording: Wording,
  channel: Channel,
  also: readonly string[] = [],
): Promise<Audience | Ended> {
  const message = MESSAGES[channel]
  // Only an empty placeholder of the message itself stops it; a missing number has its own warning.
  const [blank] = wording.blanks()
  const isNamed = wordParameter(context.step.parameters, 'to') !== ''
  const wanted = isNamed ? readReceivers(context, wording, 'to', channel) : contactReceiver(context, channel)
  const others = also.map((name) => readReceivers(context, wording, name, channel))
  const warnings = [...[wanted, ...others].flatMap((one) => one.warnings), ...unknownWarnings(wording)]
  if (wanted.to.length === 0) {
    const why = wanted.warnings.find((one) => !isPlainNote(one))?.sentence ?? message.nobody
    const sentence = `No ${message.name}: ${why.charAt(0).toLowerCase()}${why.slice(1)}`
    // Without an unusable one, the receiver is empty in this record.
    const leftOut = wanted.warnings.length === 0 ? withoutValue : skipped
    return ended(leftOut(sentence, [...warnings, message.warning]))
  }
  const isColleague = await colleagues(context, channel)
  const deleted = deletedText(context)
  const onlyColleagues = blank !== undefined || deleted !== null
  const to = onlyColleagues ? wanted.to.filter(isColleague) : wanted.to
  const found = { to, also: others.map((one) => one.to), onlyColleagues, isColleague }
  if (to.length > 0) return { outcome: 'ok', ...found, warnings: [...warnings, ...blankWarnings(wording)] }
  if (deleted === null) return ended(withoutValue(blankText(message.name, blank ?? ''), warnings))
  return ended(skipped(`No ${message.name}: ${deleted}.`, warnings))
}

/**
 * The usable addresses of a field (`to`, `cc`, `replyTo`). The field is split before values are filled in, so a value
 * with a comma or a line end adds no receiver. Unusable addresses become warnings.
 */
function readReceivers(context: PlanContext, wording: Wording, name: string, channel: Channel): Receivers {
  const to: string[] = []
  const warnings: PlanWarning[] = []
  for (const part of splitReceivers(textParameter(context.step.parameters, name))) {
    take(context, wording.say(part, 'plain'), channel, to, warnings)
  }
  return { to: distinct(to), warnings }
}

function take(context: PlanContext, said: string, channel: Channel, to: string[], warnings: PlanWarning[]): void {
  const text = said.trim()
  if (text === '') return
  if (channel === 'email') {
    const address = readEmail(text)
    if (address !== null) to.push(address)
    else
      warnings.push({
        code: 'not_an_email',
        sentence: `"${shorten(text, 60)}" is not an e-mail address, so nothing goes there.`,
      })
    return
  }
  const number = toE164(text, context.account.country)
  if (number.outcome === 'refused') {
    warnings.push({ code: number.why === 'empty' ? 'no_number' : 'not_a_number', sentence: number.sentence })
    return
  }
  to.push(number.number)
  if (number.number !== text) {
    warnings.push({ code: 'not_e164', sentence: `"${shorten(text, 30)}" is written as ${number.number}.` })
  }
}

/** The receiver when the step names none: the contact of the first record. */
function contactReceiver(context: PlanContext, channel: Channel): Receivers {
  const [record] = context.records
  const at = { now: context.now, zone: context.account.zone }
  const to: string[] = []
  const warnings: PlanWarning[] = []
  take(context, (record && readField(record, CONTACT_FIELD[channel], at)) ?? '', channel, to, warnings)
  return { to, warnings }
}

/**
 * Which receivers work for the account: guards for customers do not apply to them. When the staff cannot be read,
 * everybody but the account's own address counts as a customer, which only makes the guards stricter.
 */
async function colleagues(context: PlanContext, channel: Channel): Promise<(receiver: string) => boolean> {
  const found = await activeStaff(context.read)
  const staff = found.outcome === 'ok' ? found.staff : []
  const own = new Set<string>()
  if (channel === 'email') {
    for (const address of [context.account.email, ...staff.map((one) => one.email ?? '')]) {
      if (address !== '') own.add(address.toLowerCase())
    }
  } else {
    for (const { mobile = '' } of staff) {
      const number = toE164(mobile, context.account.country)
      if (number.outcome === 'ok') own.add(number.number)
    }
  }
  return (receiver) => own.has(receiver.toLowerCase())
}
