// "Send test event": sends a sample to the address of one webhook or rule, through the normal delivery code.
import type { App } from '#app/context/app-context.ts'
import { type EndpointKey, refOf } from '#app/domain/endpoint-key.ts'
import { parseFields } from '#app/domain/endpoints/watched-fields.ts'
import { type SampleEvent, sampleEvent } from './webhook-sample.ts'

/** The result of the single attempt. */
export interface TestResult {
  /** The delivery that shows what was sent. */
  deliveryId: number
  success: boolean
  /** Null when no answer arrived. */
  statusCode: number | null
  /** ms */
  responseTime: number
  /** One sentence; null when the event was delivered. */
  error: string | null
}

/** Sends a sample to an endpoint immediately and returns the result; null when the endpoint does not exist. */
export type SendSample = (endpointId: number, sample: SampleEvent) => Promise<TestResult | null>

type TestOutcome =
  | { outcome: 'tested'; result: TestResult }
  | { outcome: 'not_found' }
  /** The endpoint has no address. */
  | { outcome: 'no_address'; message: string }

/** Sends a test event with `send`, which the delivery engine provides. The event appears in the log like any other. */
export async function testWebhook(
  app: Pick<App, 'store' | 'clock'>,
  accountUuid: string,
  key: EndpointKey,
  send: SendSample,
): Promise<TestOutcome> {
  const record = await app.store.endpoints.findEndpoint(accountUuid, refOf(key))
  if (!record) return { outcome: 'not_found' }
  const { objectType, fields, endpoint } = record
  if (endpoint.url === '') return { outcome: 'no_address', message: 'This webhook has no callback address to test.' }
  const timezone = (await app.store.accounts.findAccount(accountUuid))?.timezone ?? 'UTC'
  const sample = sampleEvent(objectType, parseFields(fields), app.clock.now(), timezone)
  const result = await send(endpoint.id, sample)
  return result ? { outcome: 'tested', result } : { outcome: 'not_found' }
}
