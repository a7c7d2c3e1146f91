import type { ActionFunctionArgs } from '@remix-run/node'
import { CREDENTIAL_MESSAGES } from '#app/features/accounts/credential.ts'
import { lookAtForm } from '#app/features/automations/form-look.server.ts'
import { isLook, LOOK_FIELDS, readRecordId } from '#app/features/automations/form-look.ts'
import { readForm as readState } from '#app/features/automations/form-wire.ts'
import { loadKnownNames } from '#app/features/lookups/known-names.server.ts'
import { readForm } from '#app/http/guards.server.ts'
import { requireRateOf } from '#app/http/rate-limit.server.ts'
import { answer, problem } from '#app/http/respond.ts'
import { findOwnAccount } from './own-account.server.ts'

/** As long as the form itself. */
const LONGEST_FORM = 1024 * 1024
const LONGEST_SEARCH = 100

/**
 * `POST /automation/look?accountUUID=`: the rule as it stands in the form, and `look` = preview, samples or lookback; answers JSON.
 * Reads only. What the platform does not answer is told in the answer, with 200.
 */
export async function action({ request, context }: ActionFunctionArgs) {
  const { app } = context
  const found = await findOwnAccount({ request, context })
  if (found.outcome !== 'ready') return problem(401, CREDENTIAL_MESSAGES.none)
  const { account } = found
  requireRateOf(app, 'look', account.uuid)
  const sent = await readForm(request, LONGEST_FORM)
  const look = sent.get('look') ?? ''
  if (!isLook(look)) return problem(400, 'There is nothing of that kind to look at.')
  const answered = await lookAtForm(app, readState(sent), {
    look,
    accountUuid: account.uuid,
    record: readRecordId(sent.get(LOOK_FIELDS.record) ?? ''),
    search: (sent.get(LOOK_FIELDS.search) ?? '').trim().slice(0, LONGEST_SEARCH),
    names: await loadKnownNames(app, account.uuid),
  })
  return answer(200, answered)
}
