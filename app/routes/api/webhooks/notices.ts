import type { LoaderFunctionArgs } from '@remix-run/node'
import { listNotices } from '#app/features/endpoints/notices/account-news.server.ts'
import { noticeJson } from '#app/features/endpoints/notices/notice-view.ts'
import { answerCall } from '#app/http/call.server.ts'
import { requireAccountOfQuery } from '#app/http/guards.server.ts'
import { answer } from '#app/http/respond.ts'

/** `GET /api/notices?accountUUID=`: what the account was told and nobody dismissed, newest first, one per address. */
export function loader(args: LoaderFunctionArgs): Promise<Response> {
  const { request, context } = args
  return answerCall(args, {
    GET: async () => {
      const { accountUuid } = await requireAccountOfQuery(context.app, request)
      return answer(200, (await listNotices(context.app, accountUuid)).map(noticeJson))
    },
  })
}

export const action = loader
