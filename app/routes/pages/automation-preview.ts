import type { ActionFunctionArgs } from '@remix-run/node'
import { isPreviewKind, PREVIEW_FIELDS, readRecordId } from '#app/features/automations/form/form-preview.ts'
import { readForm as readState } from '#app/features/automations/form/form-wire.ts'
import { previewForm } from '#app/features/automations/preview/form-preview.server.ts'
import { loadKnownNames } from '#app/features/lookups/known-names.server.ts'
import { answerCall } from '#app/http/calls/call.server.ts'
import { readForm, requireAccountOfQuery } from '#app/http/guards.server.ts'
import { requireRateOf } from '#app/http/rate-limit.server.ts'
import { answer, problem } from '#app/http/respond.ts'
import { withNames } from './automation-presses.server.ts'

/** As long as the form itself. */
const LONGEST_FORM = 1024 * 1024
const LONGEST_SEARCH = 100

/**
 * `POST /automation/preview?accountUUID=`: the rule in the form, and `preview` = preview, samples or backtest; returns
 * JSON. Reads only. Platform failures are part of the answer, with 200.
 */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, context } = args
  const { app } = context
  return answerCall(args, {
    POST: async () => {
      const { accountUuid } = await requireAccountOfQuery(app, request)
      requireRateOf(app, 'preview', accountUuid)
      const sent = await readForm(request, LONGEST_FORM)
      const preview = sent.get('preview') ?? ''
      if (!isPreviewKind(preview)) return problem(400, 'There is no such preview.')
      const answered = await previewForm(withNames(app), readState(sent), {
        preview,
        accountUuid,
        record: readRecordId(sent.get(PREVIEW_FIELDS.record) ?? ''),
        search: (sent.get(PREVIEW_FIELDS.search) ?? '').trim().slice(0, LONGEST_SEARCH),
        names: await loadKnownNames(app, accountUuid),
      })
      return answer(200, answered)
    },
  })
}

export const loader = action
