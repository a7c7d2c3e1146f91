// Shared by the run pages: the buttons, and the text for people without a session.
import type { ActionFunctionArgs } from '@remix-run/node'
import { runAddress } from '#app/domain/automations/history-address.ts'
import { CREDENTIAL_MESSAGES } from '#app/domain/credential.ts'
import { actOnAnswer, readAnswerAct } from '#app/features/automations/history/act-on-answer.server.ts'
import { actOnRun } from '#app/features/automations/history/act-on-run.server.ts'
import { actOnMute } from '#app/features/automations/history/mutes.server.ts'
import { readMuteAct } from '#app/features/automations/settings/mute.ts'
import { readForm } from '#app/http/guards.server.ts'
import { findOwnAccount, findStaffUuid, redirectWith } from './own-account.server.ts'

/** Runs the pressed button's act and throws the redirect to the resulting page: the same one, or a restarted run. */
export async function pressRunButton({ request, context }: Pick<ActionFunctionArgs, 'request' | 'context'>) {
  const { pathname, search } = new URL(request.url)
  const found = await findOwnAccount({ request, context })
  if (found.outcome !== 'ready') {
    throw redirectWith({ request, context }, `${pathname}${search}`, {
      kind: 'error',
      title: CREDENTIAL_MESSAGES.none,
      description: 'Nothing was done. Please sign in again.',
    })
  }
  const form = await readForm(request)
  const { uuid } = found.account
  const ofCustomer = readMuteAct(form.get('act'))
  if (ofCustomer !== null) {
    const staffUuid = await findStaffUuid({ request, context }, uuid)
    const flash = await actOnMute(context.app, uuid, ofCustomer, form, staffUuid)
    throw redirectWith({ request, context }, `${pathname}${search}`, flash)
  }
  const ofAnswer = readAnswerAct(form.get('act'))
  if (ofAnswer !== null) {
    const staffUuid = await findStaffUuid({ request, context }, uuid)
    const flash = await actOnAnswer(context.app, uuid, ofAnswer, form, staffUuid)
    throw redirectWith({ request, context }, `${pathname}${search}`, flash)
  }
  const acted = await actOnRun(context.app, uuid, form)
  const account = { accountUUID: found.accountId, admin: found.admin }
  const to = acted.runId === null ? `${pathname}${search}` : runAddress(account, acted.runId)
  throw redirectWith({ request, context }, to, acted.flash)
}
