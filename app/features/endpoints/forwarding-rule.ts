// What a forwarding rule is: one more address for an object's events, with its own filter. Its form, its messages, its answer.
import { z } from 'zod'
import { findObjectKind } from '#app/domain/object-catalog.ts'
import {
  ACCOUNT_REQUIRED,
  fieldList,
  flag,
  forwardingFilter,
  HTTPS_URL,
  isWebAddress,
  OBJECT_REQUIRED,
  text,
  unwatchedSentence,
} from './webhook.ts'
import type { RuleView, WebhookStatus } from './webhook-view.ts'

export const LONGEST_RULE_NAME = 100

export const RULE_NAME_REQUIRED = 'Rule name is required'
export const RULE_NAME_TOO_LONG = `A rule name has at most ${LONGEST_RULE_NAME} characters.`
export const OBJECT_IS_FIXED = 'The object of a rule cannot be changed. Add another address for the other object.'
export const RULE_CREATED = 'Forwarding rule created successfully!'
export const RULE_UPDATED = 'Forwarding rule updated successfully!'
export const RULE_DELETED = 'Forwarding rule deleted successfully!'
export const RULE_CREATE_FAILED = 'Failed to create forwarding rule'
export const RULE_UPDATE_FAILED = 'Failed to update forwarding rule'
export const RULE_DELETE_FAILED = 'Failed to delete forwarding rule'

/** On one line, however it was pasted. */
const name = text
  .transform((value) => value.replace(/\s+/g, ' '))
  .refine((value) => value !== '', RULE_NAME_REQUIRED)
  .refine((value) => value.length <= LONGEST_RULE_NAME, RULE_NAME_TOO_LONG)

// A rule is nothing but its address, so that an empty one is none.
const forwardUrl = text.refine((value) => value !== '' && isWebAddress(value), HTTPS_URL)

/** Adding one: one schema for the page's form and for the call's body. Field names are the entity's. */
export const forwardingRuleForm = z
  .object({
    name,
    objectType: text,
    forwardUrl,
    /** Empty = every event of the object. */
    fieldFilters: fieldList,
    customObject: text,
    useCustom: flag,
    active: flag,
    accountUUID: text.refine((value) => value !== '', ACCOUNT_REQUIRED),
  })
  .superRefine((form, context) => {
    if (form.objectType === '' && !(form.useCustom && form.customObject !== '')) {
      context.addIssue({ code: 'custom', path: ['objectType'], message: OBJECT_REQUIRED })
    }
  })

export type ForwardingRuleForm = z.output<typeof forwardingRuleForm>

/** Changing one: only what is named changes. The object may be named, but not another one. */
export const forwardingRuleChange = z.object({
  name: name.optional(),
  forwardUrl: forwardUrl.optional(),
  fieldFilters: fieldList.optional(),
  active: flag.optional(),
  objectType: text.optional(),
})

export type ForwardingRuleChange = z.output<typeof forwardingRuleChange>

/** What to say about chosen fields that the platform reports none of: every event is forwarded then. Null = all is well. */
export function filterWarning(objectType: string, fields: readonly string[]): string | null {
  if (fields.length === 0 || forwardingFilter(objectType, fields) !== '') return null
  return unwatchedSentence(objectType, fields, findObjectKind(objectType)?.watchFields ?? [])
}

/** The one shape in which calls answer a rule. */
export interface ForwardingRuleJson {
  id: number
  accountUUID: string
  name: string
  objectType: string
  forwardUrl: string
  active: boolean
  /** Comma-separated; empty = all. */
  fieldFilters: string
  createdAt: string
  status: WebhookStatus
  statusMessage: string
  pending: number
  /** Only when something about the address or the filter deserves attention. */
  warning?: string
}

export function forwardingRuleJson(
  { view, accountUuid }: { view: RuleView; accountUuid: string },
  warning: string | null = null,
): ForwardingRuleJson {
  return {
    id: view.ruleId,
    accountUUID: accountUuid,
    name: view.name,
    objectType: view.objectType,
    forwardUrl: view.callbackUrl,
    active: view.active,
    fieldFilters: view.fields.join(','),
    createdAt: new Date(view.createdAt).toISOString(),
    status: view.status,
    statusMessage: view.statusMessage,
    pending: view.pending,
    ...(warning !== null && { warning }),
  }
}
