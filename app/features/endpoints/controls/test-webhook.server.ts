// "Send test event": a sample, to the address of one webhook or rule, through the way real deliveries take.
import type { App } from '#app/context/app-context.ts'
import { type EndpointKey, refOf } from '#app/domain/endpoint-key.ts'
import { parseFields } from '#app/domain/endpoints/watched-fields.ts'
import { type SampleEvent, sampleEvent } from './webhook-sample.ts'

/** How the one attempt ended. */
export interface TestResult {
  success: boolean
  /** Null = no answer arrived. */
  statusCode: number | null
  /** ms */
  responseTime: number
  /** One sentence; null when it was delivered. */
  error: string | null
}

/** Sends a sample to an endpoint at once and tells how it went; null = there is no such endpoint. */
export type SendSample = (endpointId: number, sample: SampleEvent) => Promise<TestResult | null>

type TestOutcome =
  | { outcome: 'tested'; result: TestResult }
  | { outcome: 'not_found' }
  /** There is nowhere to send it. */
  | { outcome: 'no_address'; message: string }

/** `send` is the delivery engine's, handed in. The event appears in the log like every other. */
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
