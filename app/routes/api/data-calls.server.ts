// Calls about who is signed in, who did what, and an account's own data.
import { z } from 'zod'
import { accountOfQuery, answered, DONE, ofPath, ofQuery, type Reference, success } from '#app/contract/operation.ts'
import { accountAddress } from '#app/domain/account-address.ts'
import { accountIdIn } from '#app/domain/account-id.ts'
import { NOT_ERASED } from '#app/features/accounts/account-form.ts'
import { auditPage, eraseBody, exported, openSession } from '#app/features/accounts/api-answers.ts'
import { ERASURE_TEXTS } from '#app/features/accounts/erasure.ts'
import { exportFileName } from '#app/features/accounts/export.ts'
import { exportAccount } from '#app/features/accounts/export-account.server.ts'
import { endEverySession, endOpenSession, listOpenSessions } from '#app/features/accounts/open-sessions.server.ts'
import { sessionJson } from '#app/features/accounts/open-sessions.ts'
import { recordAudit } from '#app/features/audit/audit.server.ts'
import { auditParameters, readAuditQuery } from '#app/features/audit/audit-filter.ts'
import { auditJson } from '#app/features/audit/audit-page.server.ts'
import { type Call, defineCall } from '#app/http/calls/define-call.server.ts'
import { LIMITS } from '#app/http/rate-limit.server.ts'
import { refusalText } from '#app/http/refusal-page.ts'
import { badInput, notFound, problem } from '#app/http/respond.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { streamInTurns } from '#app/lib/turns.server.ts'
import { eraseWithSubscription } from '../erase-account.server.ts'

const wholeFile = [
  '`format`, `exportedAt`, `account`, `people` with their roles, `connection` (state, since, permissions), `plan`, `usage` (operations of each day), `settings`, `webhooks`, `forwardingRules`, `automations`, `templates`, `mutes`, `auditLog`, `answers` of customers, and of the last 90 days `events` (with their deliveries, attempts and texts, as far as they are kept) and `runs` (with everything their steps did).',
  'Not in it: tokens, signing secrets, keys of addresses, sessions, linked ids, notices; nor what only the engines work with: copies of records read from ServiceM8, the calls made to it. Addresses of your own stand in it as you entered them.',
]

const whatErasingDoes = [
  'Ends the account when `name` is its name (case and spaces aside). At once, in one transaction: automations, webhooks and forwarding rules are deleted, runs and replays cancelled, every browser signed out, and our addresses answer 410. ServiceM8 is told to send no more. 40 seconds later, when nothing of it is under way, everything else is removed in steps: events, deliveries, runs, snapshots, settings, the connection, and last the key they were sealed with. Until then nobody can sign in to it again.',
  'What stays: the audit log (400 days), the plan and the counts it is billed by. An account that ServiceM8 could not be told about stays as a bare id, so that its addresses go on answering 410.',
]

const { shape: audit } = auditParameters
const SESSION = 'Zk1xk0c9QmS2m7bV0aT3yw'

export const dataCalls: Reference<Call> = {
  tags: [{ name: 'Sessions and data', says: 'Who is signed in, who did what, a copy of everything, and its end.' }],
  schemas: { OpenSession: openSession, AuditPage: auditPage },
  operations: [
    defineCall({
      id: 'listSessions',
      method: 'GET',
      path: 'api/sessions',
      tag: 'Sessions and data',
      summary: 'Lists the browsers that are signed in to the account',
      description: ['With when each signed in, when it was last seen, and how it came.'],
      who: 'session',
      parameters: [accountOfQuery],
      answers: [
        answered(200, 'The one that asks first.', z.array(openSession), [
          {
            id: SESSION,
            since: '2026-11-21T21:04:00.000Z',
            lastSeen: '2026-11-22T01:12:40.000Z',
            endsAt: '2026-11-22T13:12:40.000Z',
            how: 'opened_in_servicem8',
            current: true,
          },
        ]),
      ],
      handle: async ({ app, session, access }) =>
        (await listOpenSessions(app, access.accountUuid, session)).map(sessionJson),
    }),
    defineCall({
      id: 'endSession',
      method: 'DELETE',
      path: 'api/sessions/:id',
      tag: 'Sessions and data',
      summary: 'Signs one browser out of the account',
      description: ['Deliveries and automations go on.'],
      who: 'session',
      parameters: [{ ...ofPath('id', z.string(), 'The `id` of the list of sessions.', SESSION), names: 'session' }],
      answers: [answered(200, 'It is signed out.', success, DONE)],
      handle: async ({ app, session, params }) => {
        const own = session.accounts.map(({ accountUuid }) => accountUuid)
        return (await endOpenSession(app, own, params.id, session)) ? DONE : notFound()
      },
    }),
    defineCall({
      id: 'endAllSessions',
      method: 'POST',
      path: 'api/sessions/end-all',
      tag: 'Sessions and data',
      summary: "Signs every browser out of the account, the caller's too",
      description: ['Deliveries and automations go on. Everybody has to sign in again.'],
      who: 'session',
      parameters: [accountOfQuery],
      answers: [answered(200, 'How many there were.', z.object({ ended: z.int() }), { ended: 2 })],
      owner: 'end_all',
      handle: async ({ app, access }) => ({ ended: await endEverySession(app, access.accountUuid) }),
    }),
    defineCall({
      id: 'listAudit',
      method: 'GET',
      path: 'api/audit',
      tag: 'Sessions and data',
      summary: 'Tells who did what, newest first, 50 at a time',
      description: ['Entries are kept for 400 days. Nobody can change or delete one.'],
      who: 'session',
      parameters: [
        accountOfQuery,
        ofQuery('group', audit.group, 'Only these acts. Empty = all.'),
        ofQuery('outcome', audit.outcome, 'Only what ended so. Empty = all.'),
        ofQuery('from', audit.from, "From this day on, in the account's zone."),
        ofQuery('until', audit.until, 'Until this day; it belongs to it.'),
        ofQuery('before', audit.before, 'The `next` of the page before.'),
      ],
      answers: [
        answered(200, 'A page of the audit log.', auditPage, {
          entries: [
            {
              id: 812,
              at: '2026-11-22T01:10:00.000Z',
              actor: 'staff',
              action: 'webhook.created',
              words: 'Created the webhook for Job',
              target: 'Job',
              outcome: 'done',
              ip: '203.0.113.7',
              detail: { address: 'hooks.example.com' },
            },
          ],
          next: null,
        }),
      ],
      handle: async ({ app: { store }, query, access: { accountUuid } }) => {
        const timezone = (await store.accounts.findAccount(accountUuid))?.timezone ?? 'UTC'
        const read = readAuditQuery(query, timezone)
        if (read.outcome === 'invalid') {
          return badInput(Object.values(read.errors)[0]?.[0] ?? 'Invalid input', read.errors)
        }
        const { limit } = read.query
        const entries = await store.audit.listAudit(accountUuid, { ...read.query, limit: limit + 1 })
        const page = entries.slice(0, limit)
        const next = entries.length > limit ? (page.at(-1)?.id ?? null) : null
        return { entries: page.map(auditJson), next }
      },
    }),
    defineCall({
      id: 'exportAccount',
      method: 'GET',
      path: 'api/export',
      tag: 'Sessions and data',
      summary: 'Gives a JSON file with everything that is kept about the account, written as it is read',
      description: wholeFile,
      who: 'session',
      parameters: [accountOfQuery],
      answers: [
        {
          status: 200,
          says: 'The file, as an attachment.',
          schema: exported,
          example: {
            format: { name: 'Fieldhook export', version: 1, product: '0.1.0' },
            exportedAt: '2026-11-22T01:15:00.000Z',
          },
          headers: { 'Content-Disposition': 'A file name with the account and the day.' },
        },
      ],
      owner: 'export',
      limit: LIMITS.export,
      handle: async ({ app, request, drained, access: { accountUuid } }) => {
        const account = await app.store.accounts.findAccount(accountUuid)
        const pieces = await exportAccount(app, accountUuid)
        if (account === null || pieces === null) return notFound()
        const name = exportFileName(account.name, { now: app.clock.now(), zone: account.timezone })
        const headers = {
          'Content-Type': 'application/json; charset=utf-8',
          'Content-Disposition': `attachment; filename="${name}"`,
          'Cache-Control': 'no-store',
        }
        // HEAD returns headers only.
        if (request.method === 'HEAD') return new Response(null, { headers })
        await recordAudit(app, { accountUuid, action: 'exported' })
        return new Response(streamInTurns(pieces, drained), { headers })
      },
      refusalPage: ({ query, message, status }) => {
        const words = refusalText(message)
        // A user allowed to see the account page came from there.
        const accountUUID = accountIdIn(query)
        if (accountUUID === null || !(status === 403 || status === 429)) return words
        const href = accountAddress({ accountUUID, admin: false })
        return { ...words, way: { href, label: 'Back to Account and security' } }
      },
    }),
    defineCall({
      id: 'eraseAccount',
      method: 'POST',
      path: 'api/erase',
      tag: 'Sessions and data',
      summary: 'Ends the account and removes what is kept about it',
      description: whatErasingDoes,
      who: 'session',
      parameters: [accountOfQuery],
      body: {
        schema: eraseBody,
        fields: { name: "The account's name, typed." },
        example: { name: 'Leeds Electrical' },
      },
      answers: [
        answered(
          202,
          'Everything has stopped; what was kept is removed within minutes.',
          z.object({ message: z.string() }),
          { message: `${ERASURE_TEXTS.begun}. ${ERASURE_TEXTS.begunMore}` },
        ),
      ],
      refusals: {
        400: 'It is not the name of the account.',
        409: 'It is being erased already.',
        502: 'Its subscription cannot be ended with the payment provider just now. Nothing was erased.',
      },
      owner: 'erase',
      limit: LIMITS.erase,
      handle: async ({ app, body: { name }, access: { accountUuid } }) => {
        const erasing = await eraseWithSubscription(app, accountUuid, name)
        switch (erasing.outcome) {
          case 'begun':
            return { message: `${ERASURE_TEXTS.begun}. ${ERASURE_TEXTS.begunMore}` }
          case 'wrong_name':
            return badInput(ERASURE_TEXTS.wrongName, { name: [ERASURE_TEXTS.wrongName] })
          case 'under_way':
            return problem(409, ERASURE_TEXTS.underWay)
          case 'still_paying':
          case 'payments_off':
            return problem(502, NOT_ERASED[erasing.outcome])
          default:
            return assertNever(erasing)
        }
      },
    }),
  ],
}
