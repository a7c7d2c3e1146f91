// A template as the library shows it, and the library search.
import { actionLabel } from '#app/domain/automations/action-parameters.ts'
import { type AutomationAccount, automationQuery } from '#app/domain/automations/automation-address.ts'
import type { MessageView } from '#app/domain/automations/message-view.ts'
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import { type Category, isCategory } from '#app/domain/template-categories.ts'
import type { JudgedAt } from '#app/features/automations/records/facts.ts'
import { sentenceParts } from '#app/features/automations/rules/sentence.ts'
import { type Group, groupOf, RECIPE_IDS } from './recipes.ts'
import type { TemplateOfJson } from './template.ts'
import { pictureOf } from './template-picture.ts'

/** How a template reaches people first: decides its icon. */
export type Channel = 'sms' | 'email' | 'staff' | 'job' | 'other_system'

export interface TemplateRowView {
  id: number
  name: string
  group: Group
  channel: Channel
  /** What it does for the owner, in one line. */
  line: string
  /** The ServiceM8 feature that this would duplicate; null = none. */
  overlap: string | null
}

/** A template of the first choice, with a picture of its message. */
export interface RecipeView extends Pick<TemplateRowView, 'id' | 'name' | 'channel' | 'line'> {
  picture: MessageView | null
}

export function templateRowView(template: TemplateOfJson): TemplateRowView {
  const { id, name, description, overlap } = template
  return { id, name, group: groupOf(template), channel: channelOf(template.definition), line: description, overlap }
}

/** The six of the first choice, as far as they are among `templates`. `firm` = the account's name. */
export function recipeViews(templates: readonly TemplateOfJson[], firm: string, at: JudgedAt): RecipeView[] {
  return RECIPE_IDS.flatMap((id) => templates.find((one) => one.id === id) ?? []).map((template) => {
    const { name, channel, line } = templateRowView(template)
    return { id: template.id, name, channel, line, picture: pictureOf(template.definition, firm, at) }
  })
}

function channelOf({ steps }: Pick<RuleDefinition, 'steps'>): Channel {
  const has = (type: string) => steps.some((step) => step.type === type)
  if (has('send_sms')) return 'sms'
  if (has('send_email')) return 'email'
  if (has('send_staff_message')) return 'staff'
  return has('send_notification') ? 'other_system' : 'job'
}

/** The library query in the address. */
interface TemplateQuery {
  search: string
  /** Null = all. */
  category: Category | null
}

const LONGEST_SEARCH = 200

export function readTemplateQuery(params: URLSearchParams): TemplateQuery {
  const category = params.get('category') ?? ''
  return {
    search: (params.get('search') ?? '').trim().slice(0, LONGEST_SEARCH),
    category: isCategory(category) ? category : null,
  }
}

/** Matches templates of which every word of the search is said: in name, line, sentence or actions; ignores case. */
export function findTemplates(
  templates: readonly TemplateOfJson[],
  { search, category }: TemplateQuery,
): TemplateOfJson[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return templates.filter((template) => {
    if (category !== null && template.category !== category) return false
    if (words.length === 0) return true
    const { name, description, definition } = template
    const { when, onlyIf, does } = sentenceParts(definition)
    const actions = definition.steps.map(({ type }) => actionLabel(type))
    const said = [name, description, when, onlyIf ?? '', does, ...actions].join(' ').toLowerCase()
    return words.every((word) => said.includes(word))
  })
}

/** Admins post new templates here; the response redirects to the library. */
export const NEW_TEMPLATE_PATH = '/automation/templates'

/** The sheet that turns a template on. */
export function sheetAddress(account: AutomationAccount, id: number): string {
  return `${NEW_TEMPLATE_PATH}/${id}?${new URLSearchParams(automationQuery(account))}`
}

export interface TemplateLibraryData {
  /** The six of the first choice; empty while something is searched for. */
  recipes: RecipeView[]
  /** Templates that match the query; null = loading failed. */
  templates: TemplateRowView[] | null
  search: string
  /** A category of `template.ts`; '' = all. */
  category: string
  /** Automations an admin can turn into a template. */
  rules: { id: number; name: string }[]
  /** The form of a template that was not created, as typed; empty = none. */
  typed: Record<string, string>
}
