// "Text this to my own phone": sends a previewed text once, to the person who presses: to their mobile in ServiceM8, or
// to the number they type when nobody knows who they are. Never to a colleague, never to the number of the rule.
import type { CallAsAccount } from '#app/adapters/platform.ts'
import type { AuditOutcome } from '#app/domain/audit.ts'
import { runReasonText } from '#app/domain/automations/run-reasons.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { hours } from '#app/lib/duration.ts'
import type { Flash } from '#app/lib/flash.ts'
import { turnsInMemory } from '#app/lib/in-turn.server.ts'
import { reportTrouble } from '../actions/failure-text.ts'
import type { FormState } from '../form/form-state.ts'
import { toE164 } from '../records/phone.ts'
import { activeStaff, findStaff, staffName } from '../records/staff-members.server.ts'
import { type DraftApp, type DraftRequest, type NamingApp, previewDraft } from './preview-draft.server.ts'

/** A text of the preview that a person wants on their own phone. */
export interface TextAsked extends DraftRequest {
  state: FormState
  /** Position of its step, from 0. */
  place: number
  /** As the person saw it. */
  seen: string
  /** The number of their phone as they typed it; read only when nobody knows it. */
  phone: string
}

/** Per account: a test costs a text message credit. */
export const TESTS_AN_HOUR = 5

interface TextMeParts {
  /** The signed-in staff member; null = unknown: then they type their number. */
  person: string | null
  /** Calls the platform, and counts it as the account's. */
  send: CallAsAccount
  /** Writes who tried a message into the audit log; the limit is counted there. */
  record(outcome: AuditOutcome): Promise<void>
}

const oneAtATime = turnsInMemory()

/** Never throws for a platform that refuses: the message says why. */
export async function textMe(app: NamingApp, asked: TextAsked, parts: TextMeParts): Promise<Flash> {
  return testTextFlash(await oneAtATime(asked.accountUuid, () => textOnce(app, asked, parts)), TESTS_AN_HOUR)
}

async function textOnce(
  app: NamingApp,
  asked: TextAsked,
  { person, send, record }: TextMeParts,
): Promise<TextMeOutcome> {
  const { accountUuid } = asked
  const since = app.clock.now() - hours(1)
  const query = { actions: ['message.tested' as const], outcome: 'done' as const, since, until: null, before: null }
  const before = await app.store.audit.listAudit(accountUuid, { ...query, limit: TESTS_AN_HOUR })
  if (before.length >= TESTS_AN_HOUR) return { outcome: 'too_many' }
  const text = await textOf(app, asked)
  if (typeof text !== 'string') return text
  const receiver = await (person === null ? typedMobile(app, asked) : findMobile(app, accountUuid, person))
  if (receiver.outcome !== 'found') return receiver
  const sent = await send(accountUuid, (api, token) => api.sendSms(token, { to: receiver.number, message: text }))
  if (sent.outcome === 'ok') {
    await record('done')
    return { outcome: 'sent', name: receiver.name, number: receiver.number }
  }
  const sentence = runReasonText(reportTrouble(sent, 'this text message').sentence)
  const unclear = sent.outcome === 'unavailable' && !sent.undone
  // It may have gone out: that counts.
  await record(unclear ? 'done' : 'failed')
  return { outcome: unclear ? 'unclear' : 'failed', message: sentence }
}

/** The text as it would be sent now; refused when it is another one than the person saw. */
async function textOf(
  app: NamingApp,
  { state, place, seen, phone: _own, ...request }: TextAsked,
): Promise<string | TextMeOutcome> {
  const looked = await previewDraft(app, state, request)
  if (looked.kind === 'trouble') return { outcome: 'failed', message: looked.message }
  const message = looked.preview.steps[place]?.effects.find(({ credits }) => credits > 0)
  const text = message?.texts[0]?.text ?? ''
  if (text === '') return { outcome: 'no_text' }
  return text === seen ? text : { outcome: 'changed' }
}

type Mobile = { outcome: 'found'; name: string; number: string }

async function typedMobile(app: DraftApp, { accountUuid, phone }: TextAsked): Promise<Mobile | TextMeOutcome> {
  if (phone.trim() === '') return { outcome: 'no_number' }
  const number = toE164(phone, await countryOf(app, accountUuid))
  if (number.outcome === 'refused') return { outcome: 'failed', message: number.sentence }
  return { outcome: 'found', name: 'your phone', number: number.number }
}

async function countryOf(app: DraftApp, accountUuid: string): Promise<string> {
  const profile = await app.planning.facts.profile(accountUuid)
  return profile.outcome === 'ok' ? profile.profile.country : ''
}

async function findMobile(app: DraftApp, accountUuid: string, person: string): Promise<Mobile | TextMeOutcome> {
  const read = app.planning.facts.reader(accountUuid)
  const found = await activeStaff(read)
  if (found.outcome !== 'ok') {
    return { outcome: 'failed', message: runReasonText(reportTrouble(found.trouble, 'the staff').sentence) }
  }
  const member = findStaff(found.staff, person)
  if (!member) return { outcome: 'unknown_person' }
  const number = toE164(member.mobile ?? '', await countryOf(app, accountUuid))
  switch (number.outcome) {
    case 'ok':
      return { outcome: 'found', name: staffName(member), number: number.number }
    case 'refused':
      return { outcome: 'no_mobile', name: staffName(member) }
    default:
      return assertNever(number)
  }
}

// What a person is told after "Text this to my own phone".
type TextMeOutcome =
  | { outcome: 'sent'; name: string; number: string }
  | { outcome: 'too_many' | 'no_number' | 'unknown_person' | 'changed' | 'no_text' }
  | { outcome: 'no_mobile'; name: string }
  | { outcome: 'failed' | 'unclear'; message: string }

const NOT_SENT = 'The text was not sent'

/** `anHour` = how many are allowed. */
function testTextFlash(done: TextMeOutcome, anHour: number): Flash {
  const refused = (description: string): Flash => ({ kind: 'error', title: NOT_SENT, description })
  switch (done.outcome) {
    case 'sent':
      return {
        kind: 'success',
        title: `Texted ${done.name}`,
        description: `It went to the mobile ending ${done.number.slice(-3)}.`,
      }
    case 'too_many':
      return refused(`You can try ${anHour} texts an hour. Wait a little.`)
    case 'no_number':
      return refused('Enter your mobile number first.')
    case 'unknown_person':
      return refused('Open Fieldhook from ServiceM8, so that it knows your mobile.')
    case 'no_mobile':
      return refused(`ServiceM8 has no mobile number for ${done.name}. Add it there first.`)
    case 'changed':
      return refused('The text changed meanwhile. Check the preview and send it again.')
    case 'no_text':
      return refused('There is no text to send. Check the preview.')
    case 'failed':
      return refused(done.message)
    case 'unclear':
      return { kind: 'error', title: 'The text may have been sent', description: `${done.message} Check your phone.` }
    default:
      return assertNever(done)
  }
}
