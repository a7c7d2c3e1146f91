// Handles the forms of the automations page: the buttons around the form, and the form itself.
import { type ActionFunctionArgs, redirect } from '@remix-run/node'
import { AUTOMATION_PATH, automationAddress, ruleAnchor } from '#app/domain/automations/automation-address.ts'
import { recordAudit } from '#app/features/audit/audit.server.ts'
import { handleForm, loadForm } from '#app/features/automations/form/form-intents.server.ts'
import { emptyForm, type FormState, formOfFields } from '#app/features/automations/form/form-state.ts'
import { readForm as readState } from '#app/features/automations/form/form-wire.ts'
import { actOnRule } from '#app/features/automations/page/act-on-rule.server.ts'
import { GO, isRuleAct, leftOf, PRESS, type RuleAct } from '#app/features/automations/page/act-on-rule.ts'
import { keepDraft } from '#app/features/automations/preview/form-drafts.server.ts'
import { type FormLists, namesOfLists } from '#app/features/automations/rules/form-lists.ts'
import { authenticationFlash, FORM_TEXTS } from '#app/features/automations/rules/form-text.ts'
import { loadFormLists } from '#app/features/lookups/form-lists.server.ts'
import { readFields, readForm } from '#app/http/guards.server.ts'
import { takeRate } from '#app/http/rate-limit.server.ts'
import { linkToRuns, textToMe, withNames } from './automation-presses.server.ts'
import { findManagerAccount } from './manager-account.server.ts'
import { addressOf, type OwnAccount, redirectWith, refuseOwnerAct, toGate } from './own-account.server.ts'

type Args = Pick<ActionFunctionArgs, 'request' | 'context'>

/** A pasted rule, or a fully used form, is longer than other forms. */
const LONGEST_FORM = 1024 * 1024

/** Returns the data to render the page again; otherwise throws the redirect. */
export async function actOnAutomationPage(args: Args) {
  const { request, context } = args
  const sent = await readForm(request, LONGEST_FORM)
  const found = await findManagerAccount(args, sent)
  if (found.outcome !== 'ready') {
    // The session ended while the page was open: the gate says so, and the address keeps the account.
    if (found.outcome === 'no_account') throw redirectWith(args, addressOf(request), authenticationFlash())
    throw toGate(args, addressOf(request))
  }
  const { lists } = await loadFormLists(context.app, found.account.uuid)
  const press = sent.get(PRESS)
  // A button that also sends the form names its act in its own value: the form's content is only kept.
  const kept = press === null ? null : readState(sent, lists)
  const values: Record<string, string> =
    press === null ? Object.fromEntries(sent) : { ...kept?.beside, ...Object.fromEntries(readFields(press)) }
  const { act } = values
  // A key starts a rule from outside: only an owner creates one, after a fresh sign-in.
  const refusal = act === 'new_url' ? await refuseOwnerAct(args, found, 'keys') : null
  if (refusal) throw redirectWith({ context }, addressOf(request), refusal)
  if (kept && act === GO) {
    const draft = await keepDraft(context.app, found.account.uuid, kept, draftOf(request))
    throw redirect(wayTo(values, draft), { status: 303 })
  }
  if (isRuleAct(act)) return pressed(args, found, { act, values, written: kept }, lists)
  return written(args, found, sent, lists)
}

interface Pressed {
  act: RuleAct
  values: Record<string, string>
  /** The form's content, if the button sent it along. */
  written: FormState | null
}

async function pressed(
  { request, context }: Args,
  { account, accountId, admin }: OwnAccount,
  { act, values, written: state }: Pressed,
  lists: FormLists,
) {
  const { app } = context
  const done = await actOnRule(app, account.uuid, act, values, {
    admin,
    // A card's button has the same rate limit as its call, and explains it in words.
    takeRun: () => takeRate(app, 'run', account.uuid).outcome === 'taken',
    names: namesOfLists(lists),
  })
  const keep = (left: FormState | null) => left && keepDraft(app, account.uuid, left, draftOf(request))
  switch (done.outcome) {
    case 'shown': {
      const draft = await keep(state)
      const form = state && { key: 'written', lists, view: await loadForm(app, account.uuid, state, {}, lists) }
      return { result: done.result, form, toast: done.toast, draft }
    }
    case 'imported': {
      const drawn = await loadForm(app, account.uuid, formOfFields(done.fields), {}, lists)
      const kept = await keep(state && leftOf(state, act, 0))
      const back = `${automationAddress({ accountUUID: accountId, admin })}&draft=${kept}`
      const toast = { ...done.toast, ...(kept && { link: { to: back, words: FORM_TEXTS.backToUnsaved } }) }
      return { result: null, form: { key: 'import', lists, view: { ...drawn, trouble: toast } }, toast, draft: null }
    }
    case 'done': {
      if (act === 'import') await recordAudit(app, { accountUuid: account.uuid, action: 'automation.imported' })
      const { id = '' } = values
      const left = state && leftOf(state, done.flash.kind === 'error' ? null : act, Number(id))
      const draft = left ? await keep(left) : draftOf(request)
      const to = backTo(request, { act, id, openUrlOf: done.openUrlOf, draft }, left)
      const link = linkToRuns({ accountUUID: accountId, admin }, id, done.runId)
      throw redirectWith({ context }, to, { ...done.flash, ...link })
    }
  }
}

/** Another state of this page, whatever was sent. */
function wayTo({ query = '', anchor = '' }: Record<string, string>, draft: string | null): string {
  const params = new URLSearchParams(query)
  if (draft !== null) params.set('draft', draft)
  return `${AUTOMATION_PATH}?${params}${/^[\w-]+$/.test(anchor) ? `#${anchor}` : ''}`
}

function draftOf(request: Request): string | null {
  return new URL(request.url).searchParams.get('draft')
}

/** A user with a rule in the form continues with it, whatever the address opened before; an open card closes. */
function backTo(
  request: Request,
  { act, id, openUrlOf, draft }: { act: RuleAct; id: string; openUrlOf: number | undefined; draft: string | null },
  left: FormState | null,
): string {
  const url = new URL(request.url)
  const edit = url.searchParams.get('edit')
  const closed = ['draft', 'json', 'url', 'delete', 'logs', 'deleted', ...(left ? ['copy'] : [])]
  for (const name of closed) url.searchParams.delete(name)
  if (draft !== null) url.searchParams.set('draft', draft)
  if (left ? edit !== String(left.ruleId) : act === 'delete' && edit === id) url.searchParams.delete('edit')
  if (act === 'delete') url.searchParams.set('deleted', id)
  if (openUrlOf !== undefined) url.searchParams.set('url', String(openUrlOf))
  return `${url.pathname}${url.search}`
}

async function written({ request, context }: Args, found: OwnAccount, sent: URLSearchParams, lists: FormLists) {
  const { account, accountId, admin } = found
  const handled = await handleForm(withNames(context.app), account.uuid, sent, lists, textToMe({ context }, found))
  const { beside } = readState(sent, lists)
  const own = beside && handled.outcome !== 'form' ? { ...emptyForm(), beside } : null
  const apart = own && (await keepDraft(context.app, account.uuid, own))
  const page = automationAddress({ accountUUID: accountId, admin, ...(apart && { draft: apart }) })
  const fresh = `${page}&fresh=${context.app.clock.now()}`
  switch (handled.outcome) {
    case 'form': {
      const draft = await keepDraft(context.app, account.uuid, handled.form.state, draftOf(request))
      return { result: null, form: { key: 'written', lists, view: handled.form }, toast: handled.flash, draft }
    }
    case 'saved':
      throw redirectWith({ context }, `${fresh}#${ruleAnchor(handled.ruleId)}`, handled.flash)
    case 'cancelled': {
      const edited = handled.ruleId === null ? '' : `&edit=${handled.ruleId}`
      throw redirect(`${fresh}${edited}`, { status: 303 })
    }
  }
}
