// "Send test event": sends a sample to the address of one webhook or rule, through the normal delivery code.
import type { App } from '#app/context/app-context.ts'
import { SAMPLE_UUID } from '#app/domain/deliveries/delivery.ts'
import { type EndpointKey, refOf } from '#app/domain/endpoint-key.ts'
import { parseFields } from '#app/domain/endpoints/watched-fields.ts'
import { findObjectKind, normalizeObjectType } from '#app/domain/object-catalog.ts'
import { localStamp } from '#app/domain/time/local-time.ts'
import type { PlatformEvent } from '#app/features/events/event.ts'
import type { ForwardingResultView } from '#app/features/events/log-view.ts'
import type { Millis } from '#app/lib/clock.ts'
import { wallAt } from '#app/lib/zone.ts'

/** The result of the single attempt. */
export type TestResult = Pick<ForwardingResultView, 'deliveryId' | 'success' | 'statusCode' | 'responseTime' | 'error'>

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

/** Looks like the platform's own event: same shape, real field names of the object, no user's data. */
export type SampleEvent = Pick<PlatformEvent, 'object' | 'objectUuid' | 'changedFields' | 'body'>

/** The fields that change most often, per object, so that the sample resembles real events. */
const TELLING: Record<string, readonly string[]> = {
  job: ['status', 'work_order_date'],
  company: ['name', 'billing_address'],
  jobmaterial: ['quantity', 'price'],
  jobcontact: ['mobile', 'email'],
  jobactivity: ['start_date', 'end_date', 'staff_uuid'],
  jobpayment: ['amount', 'method'],
  note: ['note'],
  task: ['task_complete', 'completed_timestamp'],
  material: ['price', 'quantity_in_stock'],
  attachment: ['attachment_name', 'file_type'],
  formresponse: ['field_data'],
}

/** `fields` = the watched fields; empty for all. `timezone` = the account's: the platform writes local times. */
export function sampleEvent(objectType: string, fields: readonly string[], now: Millis, timezone: string): SampleEvent {
  const object = normalizeObjectType(objectType)
  const telling = TELLING[object] ?? findObjectKind(object)?.watchFields.slice(0, 2) ?? ['active']
  const watched = telling.filter((field) => fields.includes(field))
  const changedFields = fields.length === 0 ? [...telling] : watched.length > 0 ? watched : fields.slice(0, 2)
  const body = JSON.stringify({
    object,
    entry: [{ uuid: SAMPLE_UUID, changed_fields: changedFields, time: localStamp(wallAt(now, timezone)) }],
    resource_url: `https://api.servicem8.com/api_1.0/${object}/${SAMPLE_UUID}.json`,
  })
  return { object, objectUuid: SAMPLE_UUID, changedFields, body }
}
