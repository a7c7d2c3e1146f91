// A template: a rule with blanks, ready to copy into the form. The owner fills in texts in [[double brackets]].
import { z } from 'zod'
import { ACCOUNT_ID_MESSAGES } from '#app/domain/account-id.ts'
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import { CATEGORIES, type Category } from '#app/domain/template-categories.ts'
import { WANTED } from '#app/domain/wanted.ts'
import { definitionOf } from '#app/features/automations/rules/rule-definition.ts'
import { ruleForm } from '#app/features/automations/rules/rule-form.ts'
import { formFields } from '#app/features/automations/rules/rule-json.ts'
import { isoOrNull } from '#app/lib/clock.ts'

export const TEMPLATE_NAME_REQUIRED = 'Template name is required'
const COPY_SUFFIX = ' (From Template)'

/** A template of the library. Ids below 1,000 are reserved for the project and never change their meaning. */
export interface LibraryTemplate {
  id: number
  name: string
  /** One or two sentences: what it does for the owner. */
  description: string
  category: Category
  definition: RuleDefinition
  /** A similar automation of ServiceM8 itself: both together would send messages twice. */
  overlap?: string
}

export interface TemplateOfJson extends Omit<LibraryTemplate, 'overlap'> {
  overlap: string | null
  isPublic: boolean
  usageCount: number
  createdAt: number | null
  updatedAt: number | null
}

/** The entity of the specification, plus the form's other fields. */
export function templateJson(template: TemplateOfJson) {
  const { conditions, enableGrouping, groupingField, description: _own, ...fields } = formFields(template.definition)
  return {
    id: template.id,
    name: template.name,
    description: template.description,
    category: template.category,
    ...fields,
    triggerConditions: conditions,
    groupingEnabled: enableGrouping,
    groupingCriteria: groupingField,
    isPublic: template.isPublic,
    usageCount: template.usageCount,
    overlap: template.overlap,
    createdAt: isoOrNull(template.createdAt),
    updatedAt: isoOrNull(template.updatedAt),
  }
}

/** Response to a copy: the form's fields, ready to load as a new rule. */
export function templateCopy(template: TemplateOfJson) {
  const { conditions, ...fields } = formFields(template.definition)
  return {
    ...fields,
    name: `${template.name}${COPY_SUFFIX}`,
    description: template.description,
    triggerConditions: conditions,
  }
}

/** A template as an admin sends it: the rule form plus a category, with the entity's names for grouping. */
const templateHead = z.object({
  name: z
    .string({ error: TEMPLATE_NAME_REQUIRED })
    .trim()
    .min(1, TEMPLATE_NAME_REQUIRED)
    .max(200, 'At most 200 characters'),
  description: z.string(WANTED.text).trim().max(2_000, 'At most 2,000 characters').default(''),
  category: z.enum(CATEGORIES, { error: `Choose ${CATEGORIES.join(', ')}` }),
  isPublic: z.boolean(WANTED.flag).default(true),
})

/** The same as one body, as the API takes it: exactly the fields that `readTemplate` reads. */
const { accountUUID, enableGrouping, groupingField, ...ruleFields } = ruleForm.shape
export const templateBody = z.strictObject({
  ...ruleFields,
  ...templateHead.shape,
  enableGrouping,
  groupingField,
  groupingEnabled: enableGrouping,
  groupingCriteria: groupingField,
  accountUUID,
})

/** Body of the copy call: the target account. */
export const copyBody = z.strictObject({ accountUUID: z.string(ACCOUNT_ID_MESSAGES.required) })

export type ReadTemplate =
  | ({ outcome: 'read'; isPublic: boolean } & Pick<LibraryTemplate, 'name' | 'description' | 'category' | 'definition'>)
  | {
      outcome: 'invalid'
      issues: readonly { path: readonly PropertyKey[]; message: string; keys?: readonly string[] }[]
    }

export function readTemplate(body: Readonly<Record<string, unknown>>): ReadTemplate {
  const { category, isPublic, groupingEnabled, groupingCriteria, accountUUID: _account, ...rest } = body
  const head = templateHead.safeParse({
    name: body.name,
    description: body.description ?? '',
    category,
    ...(isPublic !== undefined && { isPublic }),
  })
  if (!head.success) return { outcome: 'invalid', issues: head.error.issues }
  const form = ruleForm.safeParse({
    ...rest,
    ...(groupingEnabled !== undefined && { enableGrouping: groupingEnabled }),
    ...(groupingCriteria !== undefined && { groupingField: groupingCriteria }),
    // A template has no account, and so no webhook.
    ...(rest.triggerSource === 'webhook' && { webhookSubscriptionId: null, object: rest.object || 'job' }),
  })
  if (!form.success) return { outcome: 'invalid', issues: form.error.issues }
  return { outcome: 'read', ...head.data, definition: definitionOf(form.data, null) }
}
