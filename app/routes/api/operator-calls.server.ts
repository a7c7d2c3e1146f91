// The call of the operator's page.
import { z } from 'zod'
import { accountOfQuery, moment, ofQuery, type Reference } from '#app/contract/operation.ts'
import { operatorJson } from '#app/features/ops/operator-json.ts'
import { loadOperatorPage } from '#app/features/ops/operator-page.server.ts'
import { type Call, defineCall } from '#app/http/calls/define-call.server.ts'
import { answer } from '#app/http/respond.ts'

const operator = z
  .object({
    now: moment,
    fine: z
      .boolean()
      .describe('The installation needs nothing. Accounts may still need their owners: `accounts.needCare`.'),
    sentence: z.string(),
    troubles: z
      .array(z.object({ tone: z.enum(['failing', 'attention']), sentence: z.string() }))
      .describe('The most pressing first.'),
    held: z.boolean().describe('A restored copy that is held back: nothing is sent.'),
  })
  .catchall(z.unknown())
  .describe(
    'And what the page shows: `delivering`, `accounts`, `failing`, `space`, `kept`, `backups`, `machine`, `audit`.',
  )

export const operatorCalls: Reference<Call> = {
  tags: [{ name: 'Operating', says: 'How the installation is doing, for whoever runs it.' }],
  schemas: {},
  operations: [
    defineCall({
      id: 'showOperator',
      method: 'GET',
      path: 'api/operator',
      tag: 'Operating',
      summary: "Shows what the operator's page shows",
      description: [
        'Is everything fine, and if not, what needs somebody; then the facts behind it. `delivering.oldestDueAgeMs` is the one number to watch.',
        '`accounts.lines` has 15 accounts a page, those that need care first. Sizes are bytes; those marked `estimated` are about right. It holds numbers and states only: no address, record, text or secret of any account.',
      ],
      who: 'admin',
      parameters: [accountOfQuery, ofQuery('page', z.string(), 'Which page of the accounts.')],
      answers: [
        {
          status: 200,
          says: 'How things stand.',
          schema: operator,
          example: {
            now: '2026-11-22T01:10:00.000Z',
            fine: true,
            sentence: 'Everything is fine.',
            troubles: [],
            held: false,
          },
        },
      ],
      handle: async ({ app, query }) => answer(200, operatorJson(await loadOperatorPage(app, query.get('page')))),
    }),
  ],
}
