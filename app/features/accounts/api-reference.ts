// One table, an entry for each call about accounts, who is signed in, and an account's own data, as the reference tells them.
import { z } from 'zod'
import {
  accountOfPath,
  accountOfQuery,
  DEMO_ACCOUNT,
  ofQuery,
  type ReferencePart,
  success,
} from '#app/contract/operation.ts'
import { OWNERS_ONLY } from '#app/contract/refusals.ts'
import { credentialBody, linkBody, mappingBody } from '#app/domain/credential.ts'
import { auditParameters } from '../audit/audit-filter.ts'
import { accountState, auditPage, credential, exported, mapping, openSession } from './api-answers.ts'
import { ERASURE_WORDS, eraseBody } from './erasure.ts'

const wholeFile = [
  '`format`, `exportedAt`, `account`, `connection` (state, since, permissions), `plan`, `settings`, `webhooks`, `forwardingRules`, `automations`, `templates`, `mutes`, `auditLog`, and of the last 90 days `events` (with their deliveries, attempts and texts, as far as they are kept) and `runs` (with everything their steps did).',
  'Not in it: tokens, signing secrets, keys of addresses, sessions; nor what only the engines work with: copies of records read from ServiceM8, the calls made to it, notices about addresses. Addresses of your own stand in it as you entered them.',
]

const whatErasingDoes = [
  'Ends the account when `name` is its name (case and spaces aside). At once, in one transaction: automations, webhooks and forwarding rules are deleted, runs and replays cancelled, every browser signed out, and our addresses answer 410. ServiceM8 is told to send no more. 40 seconds later, when nothing of it is under way, everything else is removed in steps: events, deliveries, runs, snapshots, settings, the connection, and last the key they were sealed with. Until then nobody can sign in to it again.',
  'What stays: the audit log (400 days), the plan and the counts it is billed by. An account that ServiceM8 could not be told about stays as a bare id, so that its addresses go on answering 410.',
]

const { shape: audit } = auditParameters

export const accountCalls: ReferencePart = {
  tags: [
    { name: 'Accounts', says: 'Which accounts this browser is signed in to, and whether they are connected.' },
    { name: 'Sessions and data', says: 'Who is signed in, who did what, a copy of everything, and its end.' },
  ],
  schemas: {
    AccountState: accountState,
    Credential: credential,
    Mapping: mapping,
    OpenSession: openSession,
    AuditPage: auditPage,
  },
  operations: [
    {
      id: 'listAccounts',
      method: 'GET',
      route: 'api/accounts',
      tag: 'Accounts',
      summary: 'Lists the accounts this browser is signed in to',
      description: ['Without a session the list is empty.'],
      who: 'anyone',
      answers: [
        {
          status: 200,
          says: 'The accounts of the session.',
          schema: z.array(accountState),
          example: [{ accountUUID: DEMO_ACCOUNT, hasToken: true }],
        },
      ],
    },
    {
      id: 'saveCredentials',
      method: 'POST',
      route: 'api/credentials',
      tag: 'Accounts',
      summary: 'Leaves a placeholder, or stores tokens of an account',
      description: [
        'Both tokens `placeholder`: an account that nobody has connected is marked for 24 hours, without a session. It never overwrites: over a connected account it answers 200 and changes nothing.',
        'Real tokens take a session of that account, and ServiceM8 is asked whose they are.',
      ],
      who: 'anyone',
      body: {
        schema: credentialBody,
        fields: {
          accountUUID: { description: 'Whose they are.', maxLength: 100 },
          accessToken: '`placeholder`, or the access token.',
          refreshToken: '`placeholder`, or the refresh token.',
          expiresAt: 'When the access token ends: ISO 8601, or milliseconds since 1970. Only believed for real tokens.',
        },
        example: { accountUUID: DEMO_ACCOUNT, accessToken: 'placeholder', refreshToken: 'placeholder' },
      },
      answers: [
        {
          status: 201,
          says: 'Stored.',
          schema: accountState,
          example: { accountUUID: DEMO_ACCOUNT, hasToken: false },
        },
        {
          status: 200,
          says: 'It was connected already, and nothing changed.',
          schema: accountState,
          example: { accountUUID: DEMO_ACCOUNT, hasToken: true },
        },
      ],
      refusals: {
        401: 'Real tokens without a session.',
        403: 'The tokens are not of this account.',
        502: 'ServiceM8 cannot be asked whose they are.',
      },
      limit: '10 a minute and address',
    },
    {
      id: 'showCredentials',
      method: 'GET',
      route: 'api/credentials/:id',
      tag: 'Accounts',
      summary: 'Says whether an account is connected',
      description: ['Tokens never leave the server: `connected` stands for them.'],
      who: 'session',
      parameters: [{ ...accountOfPath, name: 'id' }],
      answers: [
        {
          status: 200,
          says: 'Connected, or marked by a placeholder.',
          schema: credential,
          example: {
            accountUUID: DEMO_ACCOUNT,
            accessToken: 'connected',
            refreshToken: 'connected',
            expiresAt: '2026-11-22T10:00:00.000Z',
          },
        },
      ],
      refusals: {
        401: null,
        404: 'Nothing is kept, or it is not your account.',
      },
    },
    {
      id: 'mapAccount',
      method: 'POST',
      route: 'api/account-mapping',
      tag: 'Accounts',
      summary: 'Lets an external id lead to an account of this session',
      description: [
        "For an add-on opened under another id than the account's own. An id that leads elsewhere answers 409.",
      ],
      who: 'session',
      body: {
        schema: mappingBody,
        fields: {
          externalAccountUUID: { description: 'At most 100 letters, digits and `. _ : -`.', maxLength: 100 },
          internalAccountUUID: { description: 'An account of this session.', maxLength: 100 },
        },
        example: { externalAccountUUID: 'leeds-electrical', internalAccountUUID: DEMO_ACCOUNT },
      },
      answers: [
        {
          status: 201,
          says: 'It leads there from now on.',
          schema: mapping,
          example: { externalAccountUUID: 'leeds-electrical', internalAccountUUID: DEMO_ACCOUNT },
        },
        {
          status: 200,
          says: 'It did so already.',
          schema: mapping,
          example: { externalAccountUUID: 'leeds-electrical', internalAccountUUID: DEMO_ACCOUNT },
        },
      ],
      refusals: { 409: "It is another account's id, or the account has 50 already." },
    },
    {
      id: 'showMapping',
      method: 'GET',
      route: 'api/account-mapping/:id',
      tag: 'Accounts',
      summary: 'Says where an external id leads',
      description: ['404 where the id leads nowhere, or to an account of somebody else.'],
      who: 'session',
      parameters: [{ ...accountOfPath, name: 'id', description: 'An external id, or the uuid itself.' }],
      answers: [
        {
          status: 200,
          says: 'To an account of this session.',
          schema: mapping,
          example: { externalAccountUUID: 'leeds-electrical', internalAccountUUID: DEMO_ACCOUNT },
        },
      ],
      refusals: { 401: null },
    },
    {
      id: 'linkAccount',
      method: 'POST',
      route: 'api/account-link',
      tag: 'Accounts',
      summary: "Links an external id with the platform's signed token or a one-time ticket",
      description: ['The proof is the token. It opens no session.'],
      who: 'anyone',
      body: {
        schema: linkBody,
        fields: {
          externalAccountUUID: { description: 'The id to link.', maxLength: 100 },
          token: 'A JWT that ServiceM8 signed for the account, or a ticket from a link page.',
        },
        example: {
          externalAccountUUID: 'leeds-electrical',
          token: 'eyJhbGciOiJIUzI1NiJ9.eyJ1dWlkIjoiYSJ9.c2lnbmF0dXJl',
        },
      },
      answers: [
        {
          status: 200,
          says: 'It leads there.',
          schema: z.object({ internalAccountUUID: z.string() }),
          example: { internalAccountUUID: DEMO_ACCOUNT },
        },
      ],
      refusals: {
        403: 'The token does not link this account.',
        409: "It is another account's id, or there are 50 already.",
      },
      limit: '5 a minute and address',
    },
    {
      id: 'listSessions',
      method: 'GET',
      route: 'api/sessions',
      tag: 'Sessions and data',
      summary: 'Lists the browsers that are signed in to the account',
      description: ['With when each signed in, when it was last seen, and how it came.'],
      who: 'session',
      parameters: [accountOfQuery],
      answers: [
        {
          status: 200,
          says: 'The one that asks first.',
          schema: z.array(openSession),
          example: [
            {
              id: 'Zk1xk0c9QmS2m7bV0aT3yw',
              since: '2026-11-21T21:04:00.000Z',
              lastSeen: '2026-11-22T01:12:40.000Z',
              endsAt: '2026-11-22T13:12:40.000Z',
              how: 'opened_in_servicem8',
              current: true,
            },
          ],
        },
      ],
    },
    {
      id: 'endSession',
      method: 'DELETE',
      route: 'api/sessions/:id',
      tag: 'Sessions and data',
      summary: 'Signs one browser out of the account',
      description: ['Deliveries and automations go on.'],
      who: 'session',
      parameters: [
        {
          name: 'id',
          in: 'path',
          schema: z.string(),
          required: true,
          description: 'The `id` of the list of sessions.',
        },
      ],
      answers: [{ status: 200, says: 'It is signed out.', schema: success, example: { success: true } }],
    },
    {
      id: 'endAllSessions',
      method: 'POST',
      route: 'api/sessions/end-all',
      tag: 'Sessions and data',
      summary: "Signs every browser out of the account, the caller's too",
      description: ['Deliveries and automations go on. Everybody has to sign in again.'],
      who: 'session',
      parameters: [accountOfQuery],
      answers: [
        {
          status: 200,
          says: 'How many there were.',
          schema: z.object({ ended: z.int() }),
          example: { ended: 2 },
        },
      ],
      refusals: { 403: OWNERS_ONLY },
    },
    {
      id: 'listAudit',
      method: 'GET',
      route: 'api/audit',
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
        {
          status: 200,
          says: 'A page of the audit log.',
          schema: auditPage,
          example: {
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
          },
        },
      ],
    },
    {
      id: 'exportAccount',
      method: 'GET',
      route: 'api/export',
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
      refusals: { 403: OWNERS_ONLY },
      limit: '4 a minute and account',
    },
    {
      id: 'eraseAccount',
      method: 'POST',
      route: 'api/erase',
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
        {
          status: 202,
          says: 'Everything has stopped; what was kept is removed within minutes.',
          schema: z.object({ message: z.string() }),
          example: { message: `${ERASURE_WORDS.begun}. ${ERASURE_WORDS.begunMore}` },
        },
      ],
      refusals: {
        400: 'It is not the name of the account.',
        403: OWNERS_ONLY,
        409: 'It is being erased already.',
        502: 'Its subscription cannot be ended with the payment provider just now. Nothing was erased.',
      },
      limit: '5 a minute and account',
    },
  ],
}
