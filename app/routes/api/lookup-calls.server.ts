// Calls that pass on data from ServiceM8.
import { z } from 'zod'
import { accountOfPath, answered, ofPath, type Reference } from '#app/contract/operation.ts'
import { recordAudit } from '#app/features/audit/audit.server.ts'
import { lookUp, testApi } from '#app/features/lookups/lookups.server.ts'
import { API_NAMES, type ApiName, isApiName, isLookup, LOOKUPS, templateTypes } from '#app/features/lookups/lookups.ts'
import { type Call, defineCall } from '#app/http/calls/define-call.server.ts'
import { notFound, problem } from '#app/http/respond.ts'

const record = z.record(z.string(), z.unknown())
const lookup = z.union([z.array(record), z.object({ templates: z.array(record), templateTypes: z.array(z.string()) })])
const apiNames = Object.keys(API_NAMES) as [ApiName, ...ApiName[]]

export const lookupCalls: Reference<Call> = {
  tags: [{ name: 'Pick-lists', says: 'What the account has at ServiceM8, to choose from.' }],
  schemas: {},
  operations: [
    defineCall({
      id: 'lookUp',
      method: 'GET',
      path: 'api/servicem8/:list/:accountUUID',
      tag: 'Pick-lists',
      summary: 'Gives one of the pick-lists, at most a minute old',
      description: [
        '`jobs` are the newest 1,000 as ServiceM8 has them. `queues`, `companies` and `categories` have `uuid` and `name`; `materials` and `bundles` also `item_number`; `staff` have `uuid`, `first`, `last`, `email`; `email-templates` have `uuid`, `template_name`, `subject`, `html_body`, `plain_text_body`; `sms-templates` have `uuid`, `template_name`, `message_text`; `document-templates` have `uuid`, `name`, `template_type`, `related_object`, and are answered as `{templates, templateTypes}`.',
      ],
      who: 'session',
      parameters: [ofPath('list', z.enum(LOOKUPS), 'Which list.', 'queues'), accountOfPath],
      answers: [
        answered(200, 'The list.', lookup, [{ uuid: '2c6d1f0a-7be4-4f5b-9d1e-0a8b3c5d7e9f', name: 'To invoice' }]),
      ],
      refusals: {
        500: 'ServiceM8 refused, with its message (`insufficient_scope` names the scope); or the account has only placeholder credentials.',
      },
      handle: async ({ app, params: { list = '' }, access: { accountUuid } }) => {
        if (!isLookup(list)) return notFound()
        const looked = await lookUp(app, accountUuid, list)
        if (looked.outcome === 'failed') return problem(500, looked.message)
        if (list !== 'document-templates') return looked.records
        return { templates: looked.records, templateTypes: templateTypes(looked.records) }
      },
    }),
    defineCall({
      id: 'testApi',
      method: 'GET',
      path: 'api/admin/test-api/:accountUUID/:apiName',
      tag: 'Pick-lists',
      summary: "Gives raw records of the admin's own account",
      description: ['For admins who look for the name of a field. Nothing is stored.'],
      who: 'admin',
      parameters: [accountOfPath, ofPath('apiName', z.enum(apiNames), 'Which records.', 'jobs')],
      answers: [
        answered(200, 'As ServiceM8 has them.', z.array(record), [
          { uuid: '9a1b7c3e-52d4-4f0b-8e61-3c7d2a9f5b18', status: 'Work Order' },
        ]),
      ],
      refusals: { 500: 'ServiceM8 refused, with its message.' },
      handle: async ({ app, params: { apiName = '' }, access: { accountUuid } }) => {
        if (!isApiName(apiName)) return notFound()
        await recordAudit(app, { accountUuid, action: 'admin.call', target: apiName })
        const looked = await testApi(app, accountUuid, apiName)
        return looked.outcome === 'failed' ? problem(500, looked.message) : looked.records
      },
    }),
  ],
}
