// What the forms of the automations page lead to: the buttons around the form, and the form itself.
import { type ActionFunctionArgs, redirect } from '@remix-run/node'
import { CREDENTIAL_MESSAGES } from '#app/features/accounts/credential.ts'
import { actOnRule } from '#app/features/automations/act-on-rule.server.ts'
import { isRuleAct, type RuleAct } from '#app/features/automations/act-on-rule.ts'
import { automationAddress, ruleAnchor } from '#app/features/automations/automation-address.ts'
import { handleForm, loadForm } from '#app/features/automations/form-intents.server.ts'
import { type FormLists, namesOfLists } from '#app/features/automations/form-lists.ts'
import { formOfFields } from '#app/features/automations/form-state.ts'
import { authenticationFlash } from '#app/features/automations/form-words.ts'
import { loadFormLists } from '#app/features/lookups/form-lists.server.ts'
import { readForm } from '#app/http/guards.server.ts'
import { requireRateOf } from '#app/http/rate-limit.server.ts'
import { redirectWithFlash } from './automation-data.server.ts'
import { findManagerAccount } from './manager-account.server.ts'
import type { OwnAccount } from './own-account.server.ts'

type Args = Pick<ActionFunctionArgs, 'request' | 'context'>

/** A pasted rule, or a form with everything in it, is longer than other forms. */
const LONGEST_FORM = 1024 * 1024

/** Answers what the page is to be drawn with again; throws the redirect to where it leads otherwise. */
export async function actOnAutomationPage({ request, context }: Args) {
  const { app } = context
  const found = await findManagerAccount({ request, context })
  const { pathname, search } = new URL(request.url)
  if (found.outcome !== 'ready') {
    // The session ended while the page was open: the gate says so, and the address keeps the account.
    const { title, description } = authenticationFlash()
    const why = `${description} ${CREDENTIAL_MESSAGES.none}`
    throw redirectWithFlash({ context }, `${pathname}${search}`, { kind: 'error', title, description: why })
  }
  const sent = await readForm(request, LONGEST_FORM)
  const { lists } = await loadFormLists(app, found.account.uuid)
  const act = sent.get('act') ?? undefined
  return isRuleAct(act)
    ? pressed({ request, context }, found, act, sent, lists)
    : written({ context }, found, sent, lists)
}

async function pressed(
  { request, context }: Args,
  { account, admin }: OwnAccount,
  act: RuleAct,
  sent: URLSearchParams,
  lists: FormLists,
) {
  const { app } = context
  const done = await actOnRule(app, account.uuid, act, Object.fromEntries(sent), {
    admin,
    takeRun: () => takeRun(app, account.uuid),
    names: namesOfLists(lists),
  })
  switch (done.outcome) {
    case 'shown':
      return { result: done.result, form: null, toast: done.toast }
    case 'imported': {
      const view = await loadForm(app, account.uuid, formOfFields(done.fields), {}, lists)
      return { result: null, form: { key: 'import', lists, view }, toast: done.toast }
    }
    case 'done':
      throw redirectWithFlash({ context }, backTo(request, act, sent.get('id') ?? '', done.openUrlOf), done.flash)
  }
}

/** Whoever has a rule in the form goes on with it; what was open on a card is closed. */
function backTo(request: Request, act: RuleAct, id: string, openUrlOf: number | undefined): string {
  const url = new URL(request.url)
  for (const name of ['json', 'url', 'delete', 'logs']) url.searchParams.delete(name)
  if (act === 'delete' && url.searchParams.get('edit') === id) url.searchParams.delete('edit')
  if (openUrlOf !== undefined) url.searchParams.set('url', String(openUrlOf))
  return `${url.pathname}${url.search}`
}

async function written(
  { context }: Pick<Args, 'context'>,
  { account, accountId, admin }: OwnAccount,
  sent: URLSearchParams,
  lists: FormLists,
) {
  const formData = new FormData()
  for (const [name, value] of sent) formData.append(name, value)
  const handled = await handleForm(context.app, account.uuid, formData, lists)
  const plain = automationAddress({ accountUUID: accountId, admin })
  const fresh = context.app.clock.now()
  switch (handled.outcome) {
    case 'form':
      return { result: null, form: { key: 'written', lists, view: handled.form }, toast: handled.flash }
    case 'saved':
      throw redirectWithFlash({ context }, `${plain}&fresh=${fresh}#${ruleAnchor(handled.ruleId)}`, handled.flash)
    case 'cancelled':
      throw redirect(`${plain}&fresh=${fresh}`, { status: 303 })
  }
}

/** A card's button is braked like the call behind it, and says so in words. */
function takeRun(app: Args['context']['app'], accountUuid: string): boolean {
  try {
    requireRateOf(app, 'run', accountUuid)
    return true
  } catch (refusal) {
    if (refusal instanceof Response) return false
    throw refusal
  }
}
