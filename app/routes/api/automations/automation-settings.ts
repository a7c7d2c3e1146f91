import type { ActionFunctionArgs } from '@remix-run/node'
import { changeSettings, loadSettings } from '#app/features/automations/settings/automation-settings.server.ts'
import { DEFAULT_SETTINGS, settingsChange } from '#app/features/automations/settings/automation-settings.ts'
import { answerCall } from '#app/http/call.server.ts'
import { readJson, requireAccountOfQuery } from '#app/http/guards.server.ts'
import { answer, badInput, problem } from '#app/http/respond.ts'
import { assertNever } from '#app/lib/assert-never.ts'

/**
 * `GET, PUT /api/automation-settings?accountUUID=`: 200 with every setting and `defaults`. PUT takes any of the settings; what is
 * not named stays. 502 when another sender is named while the platform cannot be asked who works there.
 */
export function action(args: ActionFunctionArgs): Promise<Response> {
  const { request, context } = args
  const { app } = context
  return answerCall(args, {
    GET: async () => {
      const { accountUuid } = await requireAccountOfQuery(app, request)
      return answer(200, { ...(await loadSettings(app, accountUuid)), defaults: DEFAULT_SETTINGS })
    },
    PUT: async () => {
      const { accountUuid, staffUuid } = await requireAccountOfQuery(app, request)
      const changed = await changeSettings(app, accountUuid, await readJson(request, settingsChange), staffUuid)
      switch (changed.outcome) {
        case 'saved':
          return answer(200, { ...changed.settings, defaults: DEFAULT_SETTINGS })
        case 'invalid':
          return badInput(Object.values(changed.errors)[0]?.[0] ?? 'Invalid input', changed.errors)
        case 'not_asked':
          return problem(502, changed.message)
        default:
          return assertNever(changed)
      }
    },
  })
}

export const loader = action
