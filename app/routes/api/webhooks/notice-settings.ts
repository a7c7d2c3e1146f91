import type { ActionFunctionArgs } from '@remix-run/node'
import { loadMailSettings } from '#app/features/endpoints/notices/account-news.server.ts'
import { changeMailChoice } from '#app/features/endpoints/notices/mail-choice.server.ts'
import { mailChoiceChange } from '#app/features/endpoints/notices/notice-mail.ts'
import { answerCall } from '#app/http/call.server.ts'
import { readJson, requireAccountOfQuery } from '#app/http/guards.server.ts'
import { answer } from '#app/http/respond.ts'

/**
 * `GET, PUT /api/notice-settings?accountUUID=`: 200 `{byMail, email, problem}`. `email` null = the address ServiceM8 has;
 * `problem` = why no e-mail can be sent at present, null = they can. PUT takes either or both of `byMail` and `email`.
 */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, context } = args
  const { app } = context
  return answerCall(args, {
    GET: async () => {
      const { accountUuid } = await requireAccountOfQuery(app, request)
      return answer(200, shown(await loadMailSettings(app, accountUuid)))
    },
    PUT: async () => {
      const { accountUuid } = await requireAccountOfQuery(app, request)
      await changeMailChoice(app, accountUuid, await readJson(request, mailChoiceChange))
      return answer(200, shown(await loadMailSettings(app, accountUuid)))
    },
  })
}

function shown({ byMail, email, problem }: Awaited<ReturnType<typeof loadMailSettings>>) {
  return { byMail, email: email === '' ? null : email, problem }
}

export const loader = action
