// Shared by the run pages: the buttons, and the text for people without a session.
import type { ActionFunctionArgs } from '@remix-run/node'
import { runAddress } from '#app/domain/automations/history-address.ts'
import { actOnAnswer, actOnRun, readAnswerAct } from '#app/features/automations/history/act-on-run.server.ts'
import { actOnMute } from '#app/features/automations/history/mutes.server.ts'
import { readMuteAct } from '#app/features/automations/settings/mute.ts'
import { unlessHeld } from '#app/features/events/search-view.ts'
import { readForm } from '#app/http/guards.server.ts'
import { addressOf, holdOf, redirectWith, requireOwnAccount } from './own-account.server.ts'

const ENDS_ONLY = new Set(['discard', 'discard_all', 'cancel', 'answer_stop', 'listening_read'])

/** Runs the pressed button's act and throws the redirect to the resulting page: the same one, or a restarted run. */
export async function pressRunButton({ request, context }: ActionFunctionArgs) {
  const here = addressOf(request)
  const found = await requireOwnAccount({ request, context }, 'Nothing was done. Please sign in again.')
  const form = await readForm(request)
  const { uuid } = found.account
  const ofCustomer = readMuteAct(form.get('act'))
  if (ofCustomer !== null) {
    const flash = await actOnMute(context.app, uuid, ofCustomer, form, found.staffUuid)
    throw redirectWith({ context }, here, flash)
  }
  // What a press asks us to send waits while the account is on hold.
  const act = form.get('act') ?? ''
  const hold = ENDS_ONLY.has(act) ? null : await holdOf(context.app, uuid)
  const ofAnswer = readAnswerAct(act)
  if (ofAnswer !== null) {
    const flash = await actOnAnswer(context.app, uuid, ofAnswer, form, found.staffUuid)
    throw redirectWith({ context }, here, unlessHeld(flash, hold))
  }
  const acted = await actOnRun(context.app, uuid, form)
  const account = { accountUUID: found.accountId, admin: found.admin }
  const to = acted.runId === null ? here : runAddress(account, acted.runId)
  throw redirectWith({ context }, to, unlessHeld(acted.flash, hold, act === 'went_out' ? 'Marked as sent' : undefined))
}
