import type { ActionFunctionArgs } from '@remix-run/node'
import { z } from 'zod'
import { isListedAdmin, type ProvedAccount } from '#app/domain/session.ts'
import { CATEGORIES, isCategory } from '#app/domain/template-categories.ts'
import { templateJson } from '#app/features/templates/template.ts'
import { createTemplate, listTemplates } from '#app/features/templates/templates.server.ts'
import { answerCall } from '#app/http/call.server.ts'
import { readJson, requireAccount, requireAdmin, requireSession } from '#app/http/guards.server.ts'
import { answer, badInput, invalid } from '#app/http/respond.ts'
import { ruleRefusal } from './rule-refusal.ts'

/** `GET /api/automation-templates?category=` lists; `POST …?admin=yes` makes one, for admins. */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, context } = args
  const { app } = context
  return answerCall(args, {
    GET: async () => {
      const { accounts } = await requireSession(app, request)
      const category = new URL(request.url).searchParams.get('category') ?? ''
      if (category !== '' && category !== 'all' && !isCategory(category)) {
        const message = `category: choose ${CATEGORIES.join(', ')}`
        return badInput(message, { category: [message] })
      }
      const templates = await listTemplates(
        app,
        accounts[0]?.accountUuid ?? null,
        isCategory(category) ? category : null,
      )
      return answer(200, templates.map(templateJson))
    },
    POST: async () => {
      const session = await requireSession(app, request)
      const body = await readJson(request, z.record(z.string(), z.unknown()))
      const named = body.accountUUID ?? adminAccountOf(app.settings.adminAccounts, session.accounts)
      const access = await requireAccount(app, request, named)
      requireAdmin(access)
      const made = await createTemplate(app, access.accountUuid, body)
      switch (made.outcome) {
        case 'created':
          return answer(201, templateJson(made.template))
        case 'invalid':
          return invalid(made.issues)
        default:
          return ruleRefusal(made)
      }
    },
  })
}

/** The documented client names no account here: the session's admin account is meant, else any, which then is refused. */
function adminAccountOf(admins: ReadonlySet<string>, accounts: readonly ProvedAccount[]): string | undefined {
  return (accounts.find((account) => isListedAdmin(admins, account)) ?? accounts[0])?.accountUuid
}

export const loader = action
