// Checks an address: on request, after a webhook is saved, and when one starts failing. Uses the guarded outbound
// module like every other call to a user's address, sends no event and does not count as a delivery.
import type { App } from '#app/context/app-context.ts'
import { type EndpointKey, refOf } from '#app/domain/endpoint-key.ts'
import { type CheckStep, worstStep } from '#app/domain/endpoints/endpoint-check.ts'
import type { Millis } from '#app/lib/clock.ts'
import { CHECK_TAKES_AT_MOST, checkSteps } from './endpoint-check.ts'

export type CheckApp = Pick<App, 'store' | 'outbound' | 'clock' | 'log' | 'settings'>

type CheckOutcome =
  | { outcome: 'checked'; url: string; at: Millis; steps: CheckStep[] }
  /** The endpoint has no address, so there is nothing to check. */
  | { outcome: 'no_address'; message: string }
  | { outcome: 'not_found' }

/** Checks an endpoint's address and stores the result. Takes at most eight seconds. */
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

/** Checks the address of a webhook's or a forwarding rule's card. */
export async function checkCard(app: CheckApp, accountUuid: string, key: EndpointKey): Promise<CheckOutcome> {
  const record = await app.store.endpoints.findEndpoint(accountUuid, refOf(key))
  return record ? checkEndpoint(app, accountUuid, record.endpoint.id) : { outcome: 'not_found' }
}

/**
 * Checks a webhook's address after saving, unless the same address was checked before. Returns the worst finding as a
 * sentence; null when there is none or no check ran. Never affects the save, which has already succeeded.
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

/** The headers of a browser's preflight request: servers that answer one do so without running anything. */
function headersOf({ version, origin }: CheckApp['settings']): Record<string, string> {
  return {
    'user-agent': `Fieldhook/${version} (address check)`,
    accept: '*/*',
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type',
  }
}
