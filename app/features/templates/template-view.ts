// A template as the library shows it, and the library search.
import { actionLabel } from '#app/domain/automations/action-parameters.ts'
import { type Category, isCategory } from '#app/domain/template-categories.ts'
import { openBlanksOf } from '#app/features/automations/rules/rule-blanks.ts'
import { type SentenceParts, sentenceParts } from '#app/features/automations/rules/sentence.ts'
import type { TemplateOfJson } from './template.ts'

export interface TemplateCardView {
  id: number
  name: string
  category: Category
  /** What it does for the owner. */
  description: string
  sentence: SentenceParts
  /** `Send SMS`, in order. */
  actions: string[]
  /** The ServiceM8 feature that this would duplicate; null = none. */
  overlap: string | null
  /** Blanks to fill in, without duplicates. */
  blanks: string[]
  usageCount: number
}

export function templateCardView(template: TemplateOfJson): TemplateCardView {
  const { definition } = template
  return {
    id: template.id,
    name: template.name,
    category: template.category,
    description: template.description,
    sentence: sentenceParts(definition),
    actions: definition.steps.map(({ type }) => actionLabel(type)),
    overlap: template.overlap,
    blanks: openBlanksOf(definition),
    usageCount: template.usageCount,
  }
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

/** Matches templates whose card contains every word of the search; ignores case. */
export function findTemplates(
  templates: readonly TemplateCardView[],
  { search, category }: TemplateQuery,
): TemplateCardView[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return templates.filter((template) => {
    if (category !== null && template.category !== category) return false
    const { name, description, sentence, actions } = template
    const said = [name, description, sentence.when, sentence.onlyIf ?? '', sentence.does, ...actions]
      .join(' ')
      .toLowerCase()
    return words.every((word) => said.includes(word))
  })
}

export const TEMPLATES_NOT_FETCHED = 'Failed to fetch templates'

/** Admins post new templates here; the response redirects to the library. */
export const NEW_TEMPLATE_PATH = '/automation/templates'
