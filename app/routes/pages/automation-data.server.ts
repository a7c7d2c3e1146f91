// The data of the automations page, tab by tab, and the targets of its buttons.
import type { LoaderFunctionArgs } from '@remix-run/node'
import { automationAddress, readAutomationStep, readAutomationTab } from '#app/domain/automations/automation-address.ts'
import { ownerActRefusal } from '#app/domain/people.ts'
import { loadForm } from '#app/features/automations/form/form-intents.server.ts'
import { formOfRule } from '#app/features/automations/form/form-of-rule.ts'
import { emptyForm, type FormState, formOfFields } from '#app/features/automations/form/form-state.ts'
import { loadAutomationPage } from '#app/features/automations/page/automation-page.server.ts'
import { failed, GONE, listTrouble, RULE_UPDATE_FAILED } from '#app/features/automations/page/page-text.ts'
import { findDraft } from '#app/features/automations/preview/form-drafts.server.ts'
import { type FormLists, namesOfLists } from '#app/features/automations/rules/form-lists.ts'
import { parseRuleId } from '#app/features/automations/rules/rule-form.ts'
import { findUndoable } from '#app/features/automations/rules/rules.server.ts'
import { loadFormLists } from '#app/features/lookups/form-lists.server.ts'
import { loadApiTest } from '#app/features/lookups/lookups.server.ts'
import { listRuleNotices } from '#app/features/notices/list-notices.server.ts'
import { templateCopy } from '#app/features/templates/template.ts'
import { loadRecipes, loadTemplateLibrary } from '#app/features/templates/template-library.server.ts'
import { listTemplates } from '#app/features/templates/templates.server.ts'
import { UNDO_SHOWN } from '#app/lib/undo.ts'
import { type OwnAccount, redirectWith } from './own-account.server.ts'

type Args = Pick<LoaderFunctionArgs, 'request' | 'context'>

/** Everything below the header, for the given account. */
export async function loadTabs({ request, context }: Args, found: OwnAccount) {
  const { app } = context
  const { account, accountId, admin, reconnect } = found
  const query = new URL(request.url).searchParams
  const tab = readAutomationTab(query, admin)
  const step = readAutomationStep(query)
  const looked = tab === 'rules' ? await loadFormLists(app, account.uuid) : null
  // Failures of staff, customers and templates stay silent: their lists are empty, and the form explains it.
  const trouble = looked?.failures.find(({ name }) => name === 'jobs' || name === 'queues')
  const page = await loadAutomationPage(app, account.uuid, {
    names: looked ? namesOfLists(looked.lists) : {},
    logs: step.step === 'logs',
    rules: tab === 'rules',
  })
  const token = query.get('draft')
  const draft = await findDraft(app, account.uuid, token)
  return {
    ...page,
    notices: tab === 'rules' ? await listRuleNotices(app, account.uuid) : [],
    accountUUID: accountId,
    admin,
    /** The signed-in staff member; '' = unknown. What they typed and did not save is theirs alone. */
    person: found.staffUuid ?? '',
    reconnect,
    tab,
    step,
    rights: { refusal: ownerActRefusal('keys', found, app.clock.now()), owners: [] },
    trouble: trouble ? listTrouble(trouble.message, trouble.limited === true) : null,
    draft: draft && token,
    typed: draft?.beside ?? {},
    form: looked ? await loadOpenForm({ request, context }, found, { lists: looked.lists, draft }) : null,
    deleted: tab === 'rules' ? await deletedJustNow(app, account.uuid, query.get('deleted')) : null,
    recipes: tab === 'rules' && page.rules?.length === 0 ? await loadRecipes(app, account.uuid) : [],
    library: tab === 'templates' ? await loadTemplateLibrary(app, account.uuid, query, { admin }) : null,
    // Only admins see this tab, and the server has already checked that above.
    explorer: tab === 'api' ? { test: await loadApiTest(app, account.uuid, query) } : null,
  }
}

/** The rule that was deleted a moment ago, while its deletion can be undone. */
async function deletedJustNow(app: Args['context']['app'], accountUuid: string, named: string | null) {
  const id = parseRuleId(named ?? '')
  const rule = id === null ? null : await findUndoable(app, accountUuid, id, UNDO_SHOWN)
  return rule && { id: rule.id, name: rule.name }
}

/** The form that the address opens: empty, with a rule, or with a copy of a template. A new `key` resets the form. */
async function loadOpenForm(
  args: Args,
  { account, accountId, admin }: OwnAccount,
  { lists, draft }: { lists: FormLists; draft: FormState | null },
) {
  const { app } = args.context
  const query = new URL(args.request.url).searchParams
  const step = readAutomationStep(query)
  const view = async (key: string, state: FormState) => ({
    key,
    lists,
    view: await loadForm(app, account.uuid, state, {}, lists),
  })
  // Unsaved content written without scripts; a draft of another rule stays where it is.
  if (draft && step.step !== 'copy' && (step.step !== 'edit' || draft.ruleId === step.ruleId)) {
    return view(`draft-${query.get('draft')}`, draft)
  }
  if (step.step === 'edit') {
    const rule = await app.store.automations.findAutomation(account.uuid, step.ruleId)
    const plain = automationAddress({ accountUUID: accountId, admin })
    if (!rule) throw redirectWith(args, plain, failed(RULE_UPDATE_FAILED, GONE))
    return view(`edit-${rule.id}`, formOfRule(rule))
  }
  if (step.step === 'copy') {
    const template = (await listTemplates(app, account.uuid, null)).find(({ id }) => id === step.templateId)
    if (template) return view(`copy-${template.id}`, formOfFields({ ...templateCopy(template), active: false }))
  }
  // After saving or leaving, the next new entry starts fresh.
  return view(`new-${query.get('fresh') ?? ''}`, emptyForm())
}
