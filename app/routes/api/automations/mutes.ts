import type { ActionFunctionArgs } from '@remix-run/node'
import { listMutes, muteRecord } from '#app/features/automations/history/mutes.server.ts'
import { muteBody, muteJson } from '#app/features/automations/settings/mute.ts'
import { answerCall } from '#app/http/call.server.ts'
import { readJson, requireAccountOfQuery } from '#app/http/guards.server.ts'
import { answer, badInput } from '#app/http/respond.ts'

/**
 * `GET, POST /api/mutes?accountUUID=`: customers and jobs that no automation writes about, newest first; and one more:
 * `{kind?, recordUuid, until?}`, 201, or 200 when it replaced the one of the same record.
 */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, context } = args
  const { app } = context
  return answerCall(args, {
    GET: async () => {
      const { accountUuid } = await requireAccountOfQuery(app, request)
      return answer(200, (await listMutes(app, accountUuid)).map(muteJson))
    },
    POST: async () => {
      const { accountUuid, staffUuid } = await requireAccountOfQuery(app, request)
      const { kind, recordUuid, until } = await readJson(request, muteBody)
      const wish = { kind, recordUuid, until: until === null ? null : Date.parse(until) }
      const muted = await muteRecord(app, accountUuid, wish, staffUuid)
      if (muted.outcome === 'invalid') return badInput(muted.message, { [muted.field]: [muted.message] })
      return answer(muted.isNew ? 201 : 200, muteJson(muted.mute))
    },
  })
}

export const loader = action
