/** Templates made by admins, and how often any template was copied. */
import type { StoredRule } from '#app/domain/automations/rule.ts'
import type { Category } from '#app/domain/template-categories.ts'
import type { Millis } from '#app/lib/clock.ts'

export interface TemplateRow extends Pick<StoredRule, 'id' | 'name' | 'definition' | 'createdAt' | 'updatedAt'> {
  accountUuid: string
  description: string
  category: Category
  isPublic: boolean
}

export interface TemplateStore {
  /** Public templates and the account's own; newest first. */
  listTemplates(accountUuid: string | null): Promise<TemplateRow[]>
  /** Resolves with the new id, always above the library's. */
  createTemplate(
    accountUuid: string,
    input: Omit<TemplateRow, 'id' | 'accountUuid' | 'createdAt' | 'updatedAt'>,
    at: Millis,
  ): Promise<number>
  templateUses(): Promise<Map<number, number>>
  countTemplateUse(templateId: number): Promise<void>
}
