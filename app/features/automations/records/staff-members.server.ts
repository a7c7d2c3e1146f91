// The account's staff: who can receive messages, who sends them, and which receivers are colleagues.
import type { CallFailure } from '#app/adapters/platform.ts'
import type { PlanWarning } from '#app/domain/automations/effect.ts'
import type { PlanContext, ReadOnlyPlatform } from '../actions/action.server.ts'
import { isActive, type Values, valuesOf } from './fact-rows.ts'

export async function activeStaff(
  read: ReadOnlyPlatform,
): Promise<{ outcome: 'ok'; staff: Values[] } | { outcome: 'failed'; trouble: CallFailure }> {
  const answer = await read.list('staff')
  if (answer.outcome !== 'ok') return { outcome: 'failed', trouble: answer }
  return { outcome: 'ok', staff: answer.value.map(valuesOf).filter(isActive) }
}

export function staffName(staff: Values): string {
  return `${staff.first ?? ''} ${staff.last ?? ''}`.trim() || (staff.email ?? '') || 'a staff member'
}

/** By uuid, name or e-mail address; null = no active staff member. */
export function findStaff(staff: readonly Values[], wanted: string): Values | null {
  const word = wanted.trim().toLowerCase()
  if (word === '') return null
  return (
    staff.find((one) => one.uuid?.toLowerCase() === word) ??
    staff.find((one) => staffName(one).toLowerCase() === word || one.email?.toLowerCase() === word) ??
    null
  )
}

type Sender = { outcome: 'found'; uuid: string; warnings: PlanWarning[] } | { outcome: 'nobody' }

/** The sender of messages: the one in the account's settings, else the first active member, with a warning. */
export function senderOf({ senderStaffUuid }: Pick<PlanContext, 'senderStaffUuid'>, staff: readonly Values[]): Sender {
  const chosen = senderStaffUuid ?? ''
  const found = chosen === '' ? null : staff.find((one) => one.uuid === chosen)
  if (found?.uuid) return { outcome: 'found', uuid: found.uuid, warnings: [] }
  const first = staff[0]
  if (!first?.uuid) return { outcome: 'nobody' }
  const why = chosen === '' ? 'No sender is chosen' : 'The chosen sender no longer works here'
  const warning = {
    code: 'sender_by_default',
    sentence: `${why}, so it comes from ${staffName(first)}, the first active staff member.`,
  }
  return { outcome: 'found', uuid: first.uuid, warnings: [warning] }
}
