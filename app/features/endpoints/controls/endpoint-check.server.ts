// Checking an address: on request, after a webhook was saved, and when one starts failing. It goes through the guarded outbound
// module like everything else that calls a user's address, sends no event and counts as no delivery.
import type { App } from '#app/context/app-context.ts'
import { type EndpointKey, refOf } from '#app/domain/endpoint-key.ts'
import type { CheckStep } from '#app/domain/endpoints/endpoint-check.ts'
import type { Millis } from '#app/lib/clock.ts'
import { CHECK_TAKES_AT_MOST, checkSteps, worstStep } from './endpoint-check.ts'

export type CheckApp = Pick<App, 'store' | 'outbound' | 'clock' | 'log' | 'settings'>

type CheckOutcome =
  | { outcome: 'checked'; url: string; at: Millis; steps: CheckStep[] }
  /** Nothing is forwarded, so there is nothing to look at. */
  | { outcome: 'no_address'; message: string }
  | { outcome: 'not_found' }

/** Looks at an endpoint's address and keeps what was found. Takes at most eight seconds. */
export async function checkEndpoint(app: CheckApp, accountUuid: string, endpointId: number): Promise<CheckOutcome> {
  const target = await app.store.notices.findCheckTarget(accountUuid, endpointId)
  if (!target) return { outcome: 'not_found' }
  const { url, lastCode, lastSentence } = target
  if (url === '') return { outcome: 'no_address', message: 'This webhook has no callback URL to check.' }
  const seen = await app.outbound.probe({ url, headers: headersOf(app.settings), timeoutMs: CHECK_TAKES_AT_MOST })
  const at = app.clock.now()
  const latest = lastSentence === null ? null : { code: lastCode, sentence: lastSentence }
  const steps = checkSteps({ url, seen, latest }, at)
  await app.store.notices.saveEndpointCheck(accountUuid, endpointId, { url, at, steps })
  const worst = worstStep(steps)
  const found = worst ? `${worst.name}:${worst.verdict}` : 'ok'
  app.log.info({ account: accountUuid, endpointId, found, durationMs: seen.result.timing.totalMs }, 'address.checked')
  return { outcome: 'checked', url, at, steps }
}

/** The same for the card of a webhook or a forwarding rule. */
export async function checkCard(app: CheckApp, accountUuid: string, key: EndpointKey): Promise<CheckOutcome> {
  const record = await app.store.endpoints.findEndpoint(accountUuid, refOf(key))
  return record ? checkEndpoint(app, accountUuid, record.endpoint.id) : { outcome: 'not_found' }
}

/**
 * After a webhook was saved: looks at its address unless that very address was looked at before. The worst thing found, as a
 * sentence; null = nothing, or it was not looked at. Saving has succeeded already and nothing here can undo that.
 */
export async function checkAfterSave(
  app: CheckApp,
  accountUuid: string,
  endpointId: number,
  take: () => { outcome: 'taken' | 'wait' },
): Promise<string | null> {
  try {
    const target = await app.store.notices.findCheckTarget(accountUuid, endpointId)
    const before = await app.store.notices.findEndpointCheck(accountUuid, endpointId)
    const known = before !== null && before.steps.length > 0 && before.url === target?.url
    if (!target || target.url === '' || known || take().outcome === 'wait') return null
    const checked = await checkEndpoint(app, accountUuid, endpointId)
    return checked.outcome === 'checked' ? (worstStep(checked.steps)?.sentence ?? null) : null
  } catch (error) {
    app.log.error({ account: accountUuid, endpointId, error }, 'address.check_failed')
    return null
  }
}

/** As a browser's preflight would ask: whoever answers that at all answers it without running anything. */
function headersOf({ version, origin }: CheckApp['settings']): Record<string, string> {
  return {
    'user-agent': `Fieldhook/${version} (address check)`,
    accept: '*/*',
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type',
  }
}
