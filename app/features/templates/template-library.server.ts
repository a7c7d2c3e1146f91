// The Template Library tab: its data, and the template an admin creates from an automation.
import type { App } from '#app/context/app-context.ts'
import { firstIssue, parseRuleId } from '#app/features/automations/rules/rule-form.ts'
import { formFields } from '#app/features/automations/rules/rule-json.ts'
import type { Flash } from '#app/lib/flash.ts'
import { TEMPLATE_NAME_REQUIRED, type TemplateOfJson } from './template.ts'
import { CREATE_TEXTS, templateCreatedFlash, templateNotCreatedFlash } from './template-text.ts'
import {
  findTemplates,
  type RecipeView,
  readTemplateQuery,
  recipeViews,
  type TemplateLibraryData,
  templateRowView,
} from './template-view.ts'
import { createTemplate, listTemplates } from './templates.server.ts'

type LibraryApp = Pick<App, 'store' | 'clock' | 'log'>
type MakingApp = LibraryApp & Pick<App, 'apart'>

/** `query` = the page's: `search`, `category`, and `typed`, the form of a template that was not created. */
export async function loadTemplateLibrary(
  app: LibraryApp,
  accountUuid: string,
  query: URLSearchParams,
  { admin }: { admin: boolean },
): Promise<TemplateLibraryData> {
  const asked = readTemplateQuery(query)
  const { search } = asked
  const category = asked.category ?? ''
  try {
    const templates = await listTemplates(app, accountUuid, asked.category)
    const rules = admin ? await app.store.automations.listAutomations(accountUuid) : []
    return {
      recipes: search === '' && category === '' ? await recipesOf(app, accountUuid, templates) : [],
      templates: findTemplates(templates, asked).map(templateRowView),
      search,
      category,
      rules: rules.map(({ id, name }) => ({ id, name })),
      typed: Object.fromEntries(new URLSearchParams(query.get('typed') ?? '')),
    }
  } catch (error) {
    app.log.error({ account: accountUuid, error }, 'templates.not_listed')
    return { recipes: [], templates: null, search, category, rules: [], typed: {} }
  }
}

/** The six of the first choice, for an account without automations. Empty when they cannot be loaded. */
export async function loadRecipes(app: LibraryApp, accountUuid: string): Promise<RecipeView[]> {
  try {
    return await recipesOf(app, accountUuid, await listTemplates(app, accountUuid, null))
  } catch (error) {
    app.log.error({ account: accountUuid, error }, 'templates.not_listed')
    return []
  }
}

async function recipesOf(
  app: LibraryApp,
  accountUuid: string,
  templates: readonly TemplateOfJson[],
): Promise<RecipeView[]> {
  const account = await app.store.accounts.findAccount(accountUuid)
  return recipeViews(templates, account?.name ?? '', { now: app.clock.now(), zone: account?.timezone ?? 'UTC' })
}

/**
 * Creates a template from one of the account's automations. For admins; the caller has checked. `form`: `name`,
 * `description`, `category`, `isPublic` = yes, `rule` = the automation's id.
 */
export async function createTemplateFromForm(
  app: MakingApp,
  accountUuid: string,
  form: URLSearchParams,
): Promise<{ created: boolean; flash: Flash }> {
  const refused = (why: string) => ({ created: false, flash: templateNotCreatedFlash(why) })
  if ((form.get('name') ?? '').trim() === '') return refused(TEMPLATE_NAME_REQUIRED)
  const ruleId = parseRuleId(form.get('rule') ?? '')
  const rule = ruleId === null ? null : await app.store.automations.findAutomation(accountUuid, ruleId)
  if (!rule) return refused(CREATE_TEXTS.chooseRule)
  const made = await createTemplate(app, accountUuid, {
    ...formFields(rule.definition),
    name: form.get('name') ?? '',
    description: form.get('description') ?? '',
    category: form.get('category') ?? '',
    isPublic: form.get('isPublic') === 'yes',
  })
  if (made.outcome === 'invalid') return refused(firstIssue(made.issues))
  if (made.outcome !== 'created') return refused(made.message)
  return { created: true, flash: templateCreatedFlash(made.template.name) }
}
