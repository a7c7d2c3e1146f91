// The sheet of one template: what its page loads, and what its buttons do.
import { type ActionFunctionArgs, redirect } from '@remix-run/node'
import { automationAddress, ruleAnchor } from '#app/domain/automations/automation-address.ts'
import { type PreviewKind, readRecordId, textMeNames } from '#app/features/automations/form/form-preview.ts'
import { type FormState, formOfFields } from '#app/features/automations/form/form-state.ts'
import { TEMPLATE_LOADED } from '#app/features/automations/page/page-text.ts'
import { keepDraft } from '#app/features/automations/preview/form-drafts.server.ts'
import { previewForm } from '#app/features/automations/preview/form-preview.server.ts'
import { type FormLists, namesOfLists } from '#app/features/automations/rules/form-lists.ts'
import { parseRuleId } from '#app/features/automations/rules/rule-form.ts'
import { createOnce } from '#app/features/automations/rules/rules.server.ts'
import { loadFormLists } from '#app/features/lookups/form-lists.server.ts'
import {
  missingErrors,
  needsLists,
  refusedErrors,
  type SheetAnswer,
  type SheetView,
  sheetView,
  tooEarly,
  withLook,
} from '#app/features/templates/sheet-view.ts'
import { type TemplateOfJson, templateCopy } from '#app/features/templates/template.ts'
import { previewable, ruleOfSheet, type Sheet, sheetOf } from '#app/features/templates/template-sheet.ts'
import { SHEET_TEXTS, templateGoneFlash, turnedOnFlash } from '#app/features/templates/template-text.ts'
import { copyTemplate, listTemplates } from '#app/features/templates/templates.server.ts'
import { readForm } from '#app/http/guards.server.ts'
import { takeRate } from '#app/http/rate-limit.server.ts'
import { BACKGROUND } from '#app/ui/form/background.ts'
import { textToMe, withNames } from './pages/automation-presses.server.ts'
import { findOwnAccount, type OwnAccount, redirectWith, requireOwnAccount } from './pages/own-account.server.ts'

type Args = Pick<ActionFunctionArgs, 'request' | 'context' | 'params'>

const LONGEST_FORM = 256 * 1024

interface Opened {
  found: OwnAccount
  template: TemplateOfJson
  sheet: Sheet
  lists: FormLists | null
}

/** The sheet of the template in the address. Throws the redirect to the library when there is none. */
export async function openSheet(args: Args, found: OwnAccount, sent: URLSearchParams | null): Promise<Opened> {
  const opened = await findSheet(args, found, sent)
  if (opened) return opened
  const account = { accountUUID: found.accountId, admin: found.admin }
  throw redirectWith(args, automationAddress(account, undefined, 'templates'), templateGoneFlash())
}

async function findSheet(args: Args, found: OwnAccount, sent: URLSearchParams | null): Promise<Opened | null> {
  const { app } = args.context
  const { account } = found
  const id = parseRuleId(args.params.id ?? '')
  const template = (await listTemplates(app, account.uuid, null)).find((one) => one.id === id)
  if (!template) return null
  const sheet = sheetOf(template.definition, sent, account.name)
  const lists = needsLists(sheet) ? (await loadFormLists(app, account.uuid)).lists : null
  return { found, template, sheet, lists }
}

/** The sheet with a preview or a look-back. Reads only; a failure of the platform is part of the answer. */
export async function lookAt(args: Args, opened: Opened, preview: PreviewKind): Promise<SheetView> {
  const { app } = args.context
  const { found, template, sheet, lists } = opened
  const view = { ...sheetView(template, sheet, lists), phone: found.staffUuid === null ? '' : null }
  const early = preview === 'backtest' ? tooEarly(sheet) : null
  if (early) return { ...view, lookBack: early }
  if (takeRate(app, 'preview', found.account.uuid).outcome === 'wait') return { ...view, trouble: SHEET_TEXTS.tooMany }
  return withLook(view, await previewForm(withNames(app), stateOf(opened), { preview, ...requestOf(opened) }), sheet)
}

function stateOf({ template, sheet }: Opened): FormState {
  return formOfFields(ruleOfSheet({ definition: previewable(sheet) }, template.name, template.description))
}

function requestOf({ found, lists }: Opened) {
  const names = lists === null ? {} : namesOfLists(lists)
  return { accountUuid: found.account.uuid, record: readRecordId(''), search: '', names }
}

/** Sends the text of a step once, to the phone of the person who presses. */
async function textMe(args: Args, opened: Opened, sent: URLSearchParams, place: number): Promise<SheetView> {
  const names = textMeNames(place)
  const own = { seen: sent.get(names.text) ?? '', phone: sent.get(names.phone) ?? '' }
  const told = await textToMe(args, opened.found)({ ...requestOf(opened), state: stateOf(opened), place, ...own })
  return { ...(await lookAt(args, opened, 'preview')), told, phone: sent.get(names.phone) }
}

/**
 * `intent` = turn_on, edit_all, look, look_back or `text_me:` with a step. Returns the sheet to show again, or throws the
 * redirect. Null = only a look, and there is nothing to see: the page stays and says why.
 */
export async function actOnSheet(args: Args): Promise<SheetAnswer> {
  const sent = await readForm(args.request, LONGEST_FORM)
  const isLook = sent.get(BACKGROUND.name) === BACKGROUND.value
  if (isLook && (await findOwnAccount(args)).outcome !== 'ready') return { sheet: null, old: SHEET_TEXTS.signedOut }
  const found = await requireOwnAccount(args)
  const opened = isLook ? await findSheet(args, found, sent) : await openSheet(args, found, sent)
  if (opened === null) return { sheet: null, old: SHEET_TEXTS.gone }
  const intent = sent.get('intent') ?? ''
  const place = /^text_me:(\d{1,3})$/.exec(intent)?.[1]
  if (place !== undefined) return { sheet: await textMe(args, opened, sent, Number(place)) }
  switch (intent) {
    case 'turn_on':
      return { sheet: await turnOn(args, opened) }
    case 'edit_all':
      throw await editAll(args, opened)
    case 'look_back': {
      const back = await lookAt(args, opened, 'backtest')
      if (isLook) return { sheet: back }
      // Without scripts the answer is the whole page.
      const sheet = await lookAt(args, opened, 'preview')
      return { sheet: { ...sheet, lookBack: back.lookBack, trouble: back.trouble ?? sheet.trouble } }
    }
    default:
      return { sheet: await lookAt(args, opened, 'preview') }
  }
}

async function turnOn(args: Args, opened: Opened): Promise<SheetView> {
  const { app } = args.context
  const { found, template, sheet } = opened
  const again = async (errors: SheetView['errors']) => ({ ...(await lookAt(args, opened, 'preview')), errors })
  if (sheet.missing.length > 0) return again(missingErrors(sheet))
  const made = await createOnce(app, found.account.uuid, ruleOfSheet(sheet, template.name, template.description))
  if (made.outcome !== 'on') {
    const refusal = made.outcome === 'not_found' ? { message: SHEET_TEXTS.notTurnedOn, errors: {} } : made
    return again(refusedErrors(sheet, { errors: {}, ...refusal }))
  }
  if (made.isNew) await copyTemplate(app, found.account.uuid, template.id)
  const list = automationAddress({ accountUUID: found.accountId, admin: found.admin })
  throw redirectWith(args, `${list}#${ruleAnchor(made.rule.id)}`, turnedOnFlash(made.isNew, made.warning))
}

/** Everything filled in so far, in the full form. The use is counted. */
async function editAll(args: Args, { found, template, sheet }: Opened): Promise<Response> {
  const { app } = args.context
  const account = { accountUUID: found.accountId, admin: found.admin }
  await copyTemplate(app, found.account.uuid, template.id)
  const { name, description } = templateCopy(template)
  const state = formOfFields({ ...ruleOfSheet(sheet, name, description), active: false })
  const draft = await keepDraft(app, found.account.uuid, state)
  // Without room for a draft, the plain copy is still better than nothing.
  if (draft === null)
    return redirect(automationAddress(account, { step: 'copy', templateId: template.id }), { status: 303 })
  return redirectWith(args, automationAddress({ ...account, draft }), TEMPLATE_LOADED)
}
