// The calls about accounts: the list, their connections, and the ids that lead to them.
import { z } from 'zod'
import { accountOfPath, answered, DEMO_ACCOUNT, type Reference } from '#app/contract/operation.ts'
import { ACCOUNT_ID_MESSAGES } from '#app/domain/account-id.ts'
import { CREDENTIAL_MESSAGES, credentialBody, isPlaceholder, linkBody, mappingBody } from '#app/domain/credential.ts'
import { accountState, credential, mapping } from '#app/features/accounts/api-answers.ts'
import {
  describeCredential,
  leavePlaceholder,
  listAccounts,
  storeTokens,
} from '#app/features/accounts/credentials.server.ts'
import { linkAccountId, mapAccountId } from '#app/features/accounts/link.server.ts'
import { moveTicks } from '#app/features/automations/triggers/poll.server.ts'
import { type Call, defineCall } from '#app/http/calls/define-call.server.ts'
import { findAccess, requireSession } from '#app/http/guards.server.ts'
import { LIMITS } from '#app/http/rate-limit.server.ts'
import { answer, forbidden, notFound, problem } from '#app/http/respond.ts'
import { findSession } from '#app/http/session.server.ts'
import { assertNever } from '#app/lib/assert-never.ts'

const mappingExample = { externalAccountUUID: 'leeds-electrical', internalAccountUUID: DEMO_ACCOUNT }

export const accountCalls: Reference<Call> = {
  tags: [{ name: 'Accounts', says: 'Which accounts this browser is signed in to, and whether they are connected.' }],
  schemas: { AccountState: accountState, Credential: credential, Mapping: mapping },
  operations: [
    defineCall({
      id: 'listAccounts',
      method: 'GET',
      path: 'api/accounts',
      tag: 'Accounts',
      summary: 'Lists the accounts this browser is signed in to',
      description: ['Without a session the list is empty.'],
      who: 'anyone',
      answers: [
        answered(200, 'The accounts of the session.', z.array(accountState), [
          { accountUUID: DEMO_ACCOUNT, hasToken: true },
        ]),
      ],
      handle: async ({ app, request }) => listAccounts(app, await findSession(app, request)),
    }),
    defineCall({
      id: 'saveCredentials',
      method: 'POST',
      path: 'api/credentials',
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
        answered(201, 'Stored.', accountState, { accountUUID: DEMO_ACCOUNT, hasToken: false }),
        answered(200, 'It was connected already, and nothing changed.', accountState, {
          accountUUID: DEMO_ACCOUNT,
          hasToken: true,
        }),
      ],
      refusals: {
        401: 'Real tokens without a session.',
        403: 'The tokens are not of this account.',
        502: 'ServiceM8 cannot be asked whose they are.',
      },
      limit: LIMITS.credentials,
      handle: async ({ app, request, body }) => {
        const { accountUUID } = body
        if (isPlaceholder(body)) {
          const left = await leavePlaceholder(app, accountUUID)
          return left.outcome === 'marked'
            ? { accountUUID, hasToken: false }
            : answer(200, { accountUUID, hasToken: left.hasToken })
        }
        await requireSession(app, request)
        const access = await findAccess(app, request, accountUUID)
        if (!access) return forbidden(CREDENTIAL_MESSAGES.notYours)
        const stored = await storeTokens(app, access.accountUuid, body)
        if (stored.outcome === 'stored') await moveTicks(app, access.accountUuid)
        switch (stored.outcome) {
          case 'stored':
            return { accountUUID, hasToken: true }
          case 'not_theirs':
            return forbidden(CREDENTIAL_MESSAGES.notYours)
          case 'unavailable':
            return problem(502, stored.message)
          default:
            return assertNever(stored)
        }
      },
    }),
    defineCall({
      id: 'showCredentials',
      method: 'GET',
      path: 'api/credentials/:id',
      tag: 'Accounts',
      summary: 'Says whether an account is connected',
      description: ['Tokens never leave the server: `connected` stands for them.'],
      who: 'session',
      parameters: [{ ...accountOfPath, name: 'id' }],
      answers: [
        answered(200, 'Connected, or marked by a placeholder.', credential, {
          accountUUID: DEMO_ACCOUNT,
          accessToken: 'connected',
          refreshToken: 'connected',
          expiresAt: '2026-11-22T10:00:00.000Z',
        }),
      ],
      refusals: {
        401: null,
        404: 'Nothing is kept, or it is not your account.',
      },
      handle: async ({ app, access: { accountId, accountUuid } }) =>
        (await describeCredential(app, { id: accountId, accountUuid })) ?? notFound(),
    }),
    defineCall({
      id: 'mapAccount',
      method: 'POST',
      path: 'api/account-mapping',
      tag: 'Accounts',
      summary: 'Lets an external id lead to an account of this session',
      description: [
        "For an add-on opened under another id than the account's own. An id that leads elsewhere answers 409.",
      ],
      who: 'session',
      body: {
        schema: mappingBody,
        account: 'internalAccountUUID',
        fields: {
          externalAccountUUID: { description: 'At most 100 letters, digits and `. _ : -`.', maxLength: 100 },
          internalAccountUUID: { description: 'An account of this session.', maxLength: 100 },
        },
        example: mappingExample,
      },
      answers: [
        answered(201, 'It leads there from now on.', mapping, mappingExample),
        answered(200, 'It did so already.', mapping, mappingExample),
      ],
      refusals: { 409: "It is another account's id, or the account has 50 already." },
      handle: async ({ app, body: { externalAccountUUID }, access: { accountUuid } }) => {
        const mapped = await mapAccountId(app, { externalId: externalAccountUUID, accountUuid })
        const mapping = { externalAccountUUID, internalAccountUUID: accountUuid }
        switch (mapped) {
          case 'mapped':
            return mapping
          case 'same':
            return answer(200, mapping)
          case 'taken':
          case 'full':
            return problem(409, ACCOUNT_ID_MESSAGES[mapped])
          default:
            return assertNever(mapped)
        }
      },
    }),
    defineCall({
      id: 'showMapping',
      method: 'GET',
      path: 'api/account-mapping/:id',
      tag: 'Accounts',
      summary: 'Says where an external id leads',
      description: ['404 where the id leads nowhere, or to an account of somebody else.'],
      who: 'session',
      parameters: [{ ...accountOfPath, name: 'id', description: 'An external id, or the uuid itself.' }],
      answers: [answered(200, 'To an account of this session.', mapping, mappingExample)],
      refusals: { 401: null },
      handle: ({ access }) => ({ externalAccountUUID: access.accountId, internalAccountUUID: access.accountUuid }),
    }),
    defineCall({
      id: 'linkAccount',
      method: 'POST',
      path: 'api/account-link',
      tag: 'Accounts',
      summary: "Links an external id with the platform's signed token or a one-time ticket",
      description: ['The proof is the token. It works once, and opens no session.'],
      who: 'anyone',
      body: {
        schema: linkBody,
        fields: {
          externalAccountUUID: { description: 'The id to link. With a JWT, the uuid of its account.', maxLength: 100 },
          token: 'A ticket from a link page, or a JWT that ServiceM8 signed for the account.',
        },
        example: {
          externalAccountUUID: 'leeds-electrical',
          token: 'Jb0vC0cXK1u2nQm7s9d3f5g7h9j1k3l5z7x9c1v3b5A',
        },
      },
      answers: [
        answered(200, 'It leads there.', z.object({ internalAccountUUID: z.string() }), {
          internalAccountUUID: DEMO_ACCOUNT,
        }),
      ],
      refusals: {
        403: 'The token does not link this account.',
        409: "It is another account's id, or there are 50 already.",
      },
      limit: LIMITS.link,
      handle: async ({ app, body: { externalAccountUUID, token } }) => {
        const linked = await linkAccountId(app, { externalId: externalAccountUUID, token })
        switch (linked.outcome) {
          case 'linked':
            return { internalAccountUUID: linked.accountUuid }
          case 'refused':
            return forbidden('This token does not link this account.')
          case 'taken':
          case 'full':
            return problem(409, ACCOUNT_ID_MESSAGES[linked.outcome])
          default:
            return assertNever(linked)
        }
      },
    }),
  ],
}
