// The calls about templates.
import { z } from 'zod'
import { answered, DEMO_ACCOUNT, id, idOfPath, moment, ofQuery, type Reference } from '#app/contract/operation.ts'
import { CATEGORIES, isCategory } from '#app/domain/template-categories.ts'
import { conditionFields, groupingField, ruleFields } from '#app/features/automations/api/api-answers.ts'
import { conditionsExample, ruleBodyExample, ruleFieldsExample } from '#app/features/automations/api/api-examples.ts'
import { RULE_FIELD_NOTES } from '#app/features/automations/rules/rule-field-notes.ts'
import { parseRuleId } from '#app/features/automations/rules/rule-form.ts'
import { copyBody, templateBody, templateCopy, templateJson } from '#app/features/templates/template.ts'
import { copyTemplate, createTemplate, listTemplates } from '#app/features/templates/templates.server.ts'
import { type Call, defineCall } from '#app/http/calls/define-call.server.ts'
import { idInQuery, requireAccount } from '#app/http/guards.server.ts'
import { badInput, invalid, notFound } from '#app/http/respond.ts'
import { RULE_BODY, RULE_TOO_LARGE, ruleRefusal } from './rule-refusal.ts'

const template = z.object({
  id,
  name: z.string(),
  description: z.string().describe('What it does for the owner.'),
  category: z.enum(CATEGORIES),
  ...ruleFields,
  triggerConditions: conditionFields,
  groupingEnabled: z.boolean(),
  groupingCriteria: groupingField,
  isPublic: z.boolean(),
  usageCount: z.int(),
  overlap: z.string().nullable().describe('What ServiceM8 does by itself that this would do twice.'),
  createdAt: moment.nullable(),
  updatedAt: moment.nullable(),
}) satisfies z.ZodType<ReturnType<typeof templateJson>>

const copy = z.object({
  ...ruleFields,
  name: z.string(),
  description: z.string(),
  triggerConditions: conditionFields,
  enableGrouping: z.boolean(),
  groupingField,
}) satisfies z.ZodType<ReturnType<typeof templateCopy>>

const templateExample: z.output<typeof template> = {
  id: 3,
  name: 'Thank the customer',
  description: 'A text when the job is done.',
  category: 'communication',
  ...ruleFieldsExample,
  triggerConditions: conditionsExample,
  groupingEnabled: false,
  groupingCriteria: null,
  isPublic: true,
  usageCount: 8,
  overlap: null,
  createdAt: null,
  updatedAt: null,
}

export const templateCalls: Reference<Call> = {
  tags: [{ name: 'Templates', says: 'The library of automations with blanks, ready to be copied into the form.' }],
  schemas: { Template: template },
  operations: [
    defineCall({
      id: 'listTemplates',
      method: 'GET',
      path: 'api/automation-templates',
      tag: 'Templates',
      summary: 'Lists the library',
      description: ['The 29 that come with Fieldhook, and those an admin added. `category` narrows the list.'],
      who: 'session',
      parameters: [
        ofQuery('category', z.enum(['all', ...CATEGORIES]), 'Only this category.'),
        ofQuery('accountUUID', z.string(), "Whose own templates are listed; without it, the session's first account."),
      ],
      answers: [answered(200, 'The templates.', z.array(template), [templateExample])],
      handle: async ({ app, request, query, session: { accounts } }) => {
        const category = query.get('category') ?? ''
        if (category !== '' && category !== 'all' && !isCategory(category)) {
          const message = `category: choose ${CATEGORIES.join(', ')}`
          return badInput(message, { category: [message] })
        }
        const only = isCategory(category) ? category : null
        const named = idInQuery(query)
        const of = named === null ? accounts[0] : await requireAccount(app, request, named)
        return (await listTemplates(app, of?.accountUuid ?? null, only)).map(templateJson)
      },
    }),
    defineCall({
      id: 'createTemplate',
      method: 'POST',
      path: 'api/automation-templates',
      tag: 'Templates',
      summary: 'Makes a template',
      description: ['Texts in `[[double brackets]]` are for the owner to fill.'],
      who: 'admin',
      body: {
        schema: templateBody,
        raw: true,
        maxBytes: RULE_BODY,
        fields: {
          ...RULE_FIELD_NOTES,
          accountUUID: "An admin's account of this session; without it, the session's.",
          category: 'Where it stands in the library.',
          isPublic: 'False = for this account only.',
          groupingEnabled: 'Another spelling of `enableGrouping`.',
          groupingCriteria: 'Another spelling of `groupingField`.',
        },
        example: { ...ruleBodyExample, category: 'communication' },
      },
      answers: [answered(201, 'It was made.', template, templateExample)],
      refusals: { 413: RULE_TOO_LARGE, 422: 'The template takes too long to check. Make its texts shorter.' },
      handle: async ({ app, body, access: { accountUuid } }) => {
        const made = await createTemplate(app, accountUuid, body)
        switch (made.outcome) {
          case 'created':
            return templateJson(made.template)
          case 'invalid':
            return invalid(made.issues)
          default:
            return ruleRefusal(made)
        }
      },
    }),
    defineCall({
      id: 'copyTemplate',
      method: 'POST',
      path: 'api/automation-templates/:id/copy',
      tag: 'Templates',
      summary: "Gives a template's fields to load into the form",
      description: ['It makes no automation. The use is counted.'],
      who: 'session',
      parameters: [idOfPath('template', 'The id of the template.')],
      body: {
        schema: copyBody,
        account: 'accountUUID',
        fields: { accountUUID: { description: 'The account that copies.', required: true } },
        example: { accountUUID: DEMO_ACCOUNT },
      },
      answers: [
        answered(200, "The form's fields.", copy, {
          ...ruleFieldsExample,
          name: 'Thank the customer (From Template)',
          description: 'A text when the job is done.',
          triggerConditions: conditionsExample,
          enableGrouping: false,
          groupingField: null,
        }),
      ],
      handle: async ({ app, params, access: { accountUuid } }) => {
        const id = parseRuleId(params.id)
        const template = id === null ? null : await copyTemplate(app, accountUuid, id)
        return template ? templateCopy(template) : notFound()
      },
    }),
  ],
}
