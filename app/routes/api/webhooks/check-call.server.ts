import type { App } from '#app/context/app-context.ts'
import { checkCard } from '#app/features/endpoints/controls/endpoint-check.server.ts'
import { checkJson } from '#app/features/endpoints/controls/endpoint-check.ts'
import { answer, badInput, notFound, tooMany } from '#app/http/respond.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { deliveryControls } from '../../delivery-controls.server.ts'
import type { OwnEndpoint } from './own-endpoint.server.ts'

/**
 * Looks at the address now: 200 `{url, checkedAt, verdict, summary, steps: [{name, verdict, sentence, fix}]}`. Sends no event
 * and counts as no delivery. 5 a minute and account.
 */
export async function answerCheck(app: App, { accountUuid, key }: OwnEndpoint): Promise<Response> {
  const taken = deliveryControls(app, accountUuid).takeCheck()
  if (taken.outcome === 'wait') return tooMany(taken.ms)
  const checked = await checkCard(app, accountUuid, key)
  switch (checked.outcome) {
    case 'checked':
      return answer(200, checkJson(checked))
    case 'no_address':
      return badInput(checked.message)
    case 'not_found':
      return notFound()
    default:
      return assertNever(checked)
  }
}
