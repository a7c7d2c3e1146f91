// Calls about meters, the customer portal, webhook endpoints and events.
import { callable } from '../../post.server.ts'
import { portalUrl, randomLetters } from '../books.server.ts'
import {
  listView,
  meterEventView,
  meterView,
  portalConfigurationView,
  portalSessionView,
  webhookEndpointView,
} from '../catalogue-views.ts'
import { allOf, type PortalConfiguration } from '../ledger.ts'
import { badParameter, invalid, missing } from '../stripe-failure.ts'
import { filledAt, flagAt, metadataAt, nodeAt, requiredAt, textAt, textsAt, wholeAt, wordAt } from '../stripe-form.ts'
import { SANDBOX_STRIPE_VERSION } from '../stripe-options.ts'
import { aggregate } from '../subscription-lines.ts'
import { eventWire } from '../wire-objects.server.ts'
import { liveCustomer } from './catalogue-calls.server.ts'
import {
  CREATED_TAKES,
  LIST_TAKES,
  pageAnswer,
  requireNamed,
  requireOne,
  type StripeCall,
  type StripeRoute,
} from './stripe-call.server.ts'

const DAY = 86_400
const CONFIGURATION_TAKES = [
  'default_return_url',
  'business_profile.headline',
  'features.customer_update.enabled',
  'features.customer_update.allowed_updates[]',
  'features.invoice_history.enabled',
  'features.payment_method_update.enabled',
  'features.subscription_cancel.enabled',
  'features.subscription_cancel.mode',
  'metadata.*',
]

export const ACCOUNT_CALLS: readonly StripeRoute[] = [
  {
    method: 'POST',
    path: '/v1/billing/meters',
    takes: [
      'display_name',
      'event_name',
      'default_aggregation.formula',
      'customer_mapping.type',
      'customer_mapping.event_payload_key',
      'value_settings.event_payload_key',
    ],
    answer: createMeter,
  },
  {
    method: 'GET',
    path: '/v1/billing/meters',
    takes: [...LIST_TAKES, 'status'],
    answer(call) {
      const status = wordAt(call.form, 'status', ['active', 'inactive'])
      const found = allOf(call.books.ledger.meters).filter((one) => status === null || one.status === status)
      return pageAnswer(call, found, meterView)
    },
  },
  {
    method: 'GET',
    path: '/v1/billing/meters/:id',
    takes: [],
    answer: ({ books, id }) => meterView(requireOne(books.ledger.meters, 'billing meter', id)),
  },
  {
    method: 'GET',
    path: '/v1/billing/meters/:id/event_summaries',
    takes: [...LIST_TAKES, 'customer', 'start_time', 'end_time', 'value_grouping_window'],
    answer: summarise,
  },
  {
    method: 'POST',
    path: '/v1/billing/meter_events',
    takes: ['event_name', 'identifier', 'timestamp', 'payload.*'],
    answer: reportUsage,
  },
  {
    method: 'POST',
    path: '/v1/billing/meter_event_adjustments',
    takes: ['event_name', 'type', 'cancel.identifier'],
    answer: takeBackUsage,
  },
  {
    method: 'POST',
    path: '/v1/billing_portal/configurations',
    takes: CONFIGURATION_TAKES,
    answer(call) {
      const { books } = call
      const now = books.now()
      const blank: PortalConfiguration = {
        id: books.newId('bpc'),
        created: now,
        updated: now,
        defaultReturnUrl: null,
        headline: null,
        invoiceHistory: false,
        paymentMethodUpdate: false,
        emailUpdate: false,
        cancel: false,
        cancelMode: 'at_period_end',
        metadata: {},
      }
      if (nodeAt(call.form, 'features') === undefined) {
        throw badParameter('Missing required param: features.', 'parameter_missing', 'features')
      }
      books.ledger.portalConfigurations[blank.id] = blank
      return configured(call, blank)
    },
  },
  {
    method: 'GET',
    path: '/v1/billing_portal/configurations',
    takes: [...LIST_TAKES, 'active', 'is_default'],
    answer(call) {
      // No configuration here is the default: the default is saved on the provider's own pages.
      const none = flagAt(call.form, 'is_default') === true || flagAt(call.form, 'active') === false
      return pageAnswer(call, none ? [] : allOf(call.books.ledger.portalConfigurations), portalConfigurationView)
    },
  },
  {
    method: 'GET',
    path: '/v1/billing_portal/configurations/:id',
    takes: [],
    answer: ({ books, id }) =>
      portalConfigurationView(requireOne(books.ledger.portalConfigurations, 'configuration', id)),
  },
  {
    method: 'POST',
    path: '/v1/billing_portal/configurations/:id',
    takes: CONFIGURATION_TAKES,
    answer: (call) => configured(call, requireOne(call.books.ledger.portalConfigurations, 'configuration', call.id)),
  },
  {
    method: 'POST',
    path: '/v1/billing_portal/sessions',
    takes: ['customer', 'configuration', 'return_url', 'flow_data.type'],
    answer: openPortal,
  },
  {
    method: 'POST',
    path: '/v1/webhook_endpoints',
    takes: ['url', 'enabled_events[]', 'api_version', 'description', 'metadata.*'],
    answer: createEndpoint,
  },
  {
    method: 'GET',
    path: '/v1/webhook_endpoints',
    takes: LIST_TAKES,
    answer: (call) => pageAnswer(call, allOf(call.books.ledger.endpoints), (one) => webhookEndpointView(one)),
  },
  {
    method: 'GET',
    path: '/v1/webhook_endpoints/:id',
    takes: [],
    answer: ({ books, id }) => webhookEndpointView(requireOne(books.ledger.endpoints, 'webhook endpoint', id)),
  },
  {
    method: 'DELETE',
    path: '/v1/webhook_endpoints/:id',
    takes: [],
    answer({ books, id }) {
      requireOne(books.ledger.endpoints, 'webhook endpoint', id)
      delete books.ledger.endpoints[id]
      books.ledger.posts = books.ledger.posts.filter((one) => one.endpoint !== id || one.state === 'delivered')
      return { id, object: 'webhook_endpoint', deleted: true }
    },
  },
  {
    method: 'GET',
    path: '/v1/events',
    takes: [...LIST_TAKES, ...CREATED_TAKES, 'type', 'types[]', 'delivery_success'],
    answer: listEvents,
  },
  {
    method: 'GET',
    path: '/v1/events/:id',
    takes: [],
    answer({ books, id }) {
      const event = books.ledger.events.find((one) => one.id === id)
      if (!event) throw missing('event', id)
      return eventWire(books, event)
    },
  },
]

function createMeter({ books, form }: StripeCall) {
  const eventName = requiredAt(form, 'event_name')
  if (allOf(books.ledger.meters).some((one) => one.eventName === eventName && one.status === 'active')) {
    throw invalid(`A meter with event_name ${eventName} already exists.`, 'resource_already_exists', 'event_name')
  }
  const formula = wordAt(form, 'default_aggregation.formula', ['sum', 'count', 'last'])
  if (formula === null) {
    const param = 'default_aggregation[formula]'
    throw badParameter(`Missing required param: ${param}.`, 'parameter_missing', param)
  }
  const meter = {
    id: books.newId('mtr'),
    created: books.now(),
    updated: books.now(),
    displayName: requiredAt(form, 'display_name'),
    eventName,
    formula,
    customerKey: filledAt(form, 'customer_mapping.event_payload_key') ?? 'stripe_customer_id',
    valueKey: filledAt(form, 'value_settings.event_payload_key') ?? 'value',
    status: 'active' as const,
    deactivatedAt: null,
  }
  books.ledger.meters[meter.id] = meter
  return meterView(meter)
}

function reportUsage({ books, form }: StripeCall) {
  const { ledger } = books
  const eventName = requiredAt(form, 'event_name')
  const meter = allOf(ledger.meters).find((one) => one.eventName === eventName && one.status === 'active')
  if (!meter) throw invalid(`No active meter found for event name ${eventName}.`, 'resource_missing', 'event_name')
  const payload = metadataAt(form, {}, 'payload')
  const value = payload[meter.valueKey] ?? ''
  if (!/^\d{1,15}$/.test(value)) {
    throw invalid(`The payload's ${meter.valueKey} must be a whole number.`, 'parameter_invalid_integer', 'payload')
  }
  requireNamed(ledger.customers, 'customer', payload[meter.customerKey] ?? '', `payload[${meter.customerKey}]`)
  const now = books.now()
  const timestamp = wholeAt(form, 'timestamp') ?? now
  if (timestamp < now - 35 * DAY || timestamp > now + 300) {
    throw invalid('The timestamp must be within the past 35 days or up to 5 minutes in the future.', '', 'timestamp')
  }
  const identifier = filledAt(form, 'identifier') ?? randomLetters(24)
  if (identifier.length > 100) throw invalid('An identifier has at most 100 characters.', '', 'identifier')
  // Identifiers are unique for a day; after that only the caller can detect a repetition.
  if (ledger.meterEvents.some((one) => one.identifier === identifier && one.created > now - DAY)) {
    throw invalid(`An event already exists with identifier ${identifier}.`, 'resource_already_exists', 'identifier')
  }
  const event = { identifier, created: now, timestamp, eventName, payload, canceled: false }
  ledger.meterEvents.push(event)
  return meterEventView(event)
}

function takeBackUsage({ books, form }: StripeCall) {
  const eventName = requiredAt(form, 'event_name')
  const identifier = requiredAt(form, 'cancel.identifier')
  wordAt(form, 'type', ['cancel'])
  const now = books.now()
  const event = books.ledger.meterEvents.find(
    (one) => one.eventName === eventName && one.identifier === identifier && one.created > now - DAY,
  )
  if (!event) throw invalid(`No recent event with identifier ${identifier}.`, 'resource_missing', 'cancel[identifier]')
  event.canceled = true
  return {
    object: 'billing.meter_event_adjustment',
    cancel: { identifier },
    event_name: eventName,
    livemode: false,
    status: 'complete',
    type: 'cancel',
  }
}

function summarise({ books, form, id, path }: StripeCall) {
  const meter = requireOne(books.ledger.meters, 'billing meter', id)
  const customer = requiredAt(form, 'customer')
  requiredAt(form, 'start_time')
  requiredAt(form, 'end_time')
  const start = wholeAt(form, 'start_time') ?? 0
  const end = wholeAt(form, 'end_time') ?? 0
  if (start % 60 !== 0 || end % 60 !== 0) {
    throw invalid('start_time and end_time must be aligned to minutes.', '', 'start_time')
  }
  const mine = books.ledger.meterEvents.filter(
    (one) =>
      one.eventName === meter.eventName &&
      !one.canceled &&
      one.payload[meter.customerKey] === customer &&
      one.timestamp >= start &&
      one.timestamp < end,
  )
  const summary = {
    id: `mtrusg_${meter.id.slice(4)}${start}`,
    object: 'billing.meter_event_summary',
    aggregated_value: aggregate(mine, meter.formula, meter.valueKey),
    end_time: end,
    livemode: false,
    meter: meter.id,
    start_time: start,
  }
  return listView(path, mine.length === 0 ? [] : [summary])
}

function configured({ books, form }: StripeCall, one: PortalConfiguration) {
  const details = textsAt(form, 'features.customer_update.allowed_updates')
  if (details.some((detail) => detail !== 'email')) {
    throw invalid('The sandbox knows no other detail.', '', 'features[customer_update][allowed_updates]')
  }
  if (textAt(form, 'default_return_url') !== null) one.defaultReturnUrl = filledAt(form, 'default_return_url')
  if (textAt(form, 'business_profile.headline') !== null) one.headline = filledAt(form, 'business_profile.headline')
  one.invoiceHistory = flagAt(form, 'features.invoice_history.enabled') ?? one.invoiceHistory
  one.paymentMethodUpdate = flagAt(form, 'features.payment_method_update.enabled') ?? one.paymentMethodUpdate
  one.emailUpdate = flagAt(form, 'features.customer_update.enabled') ?? one.emailUpdate
  one.cancel = flagAt(form, 'features.subscription_cancel.enabled') ?? one.cancel
  one.cancelMode = wordAt(form, 'features.subscription_cancel.mode', ['at_period_end', 'immediately']) ?? one.cancelMode
  one.metadata = metadataAt(form, one.metadata)
  one.updated = books.now()
  return portalConfigurationView(one)
}

function openPortal({ books, form }: StripeCall) {
  const { ledger } = books
  const customer = liveCustomer({ books, id: requiredAt(form, 'customer') })
  const configuration = filledAt(form, 'configuration')
  if (configuration === null) {
    throw invalid(
      'No configuration provided and your test mode default configuration has not been created. Provide a configuration or create your default by saving your customer portal settings in test mode.',
    )
  }
  const found = requireNamed(ledger.portalConfigurations, 'configuration', configuration, 'configuration')
  const session = {
    id: books.newId('bps'),
    created: books.now(),
    configuration: found.id,
    customer: customer.id,
    returnUrl: filledAt(form, 'return_url') ?? found.defaultReturnUrl,
    flow: wordAt(form, 'flow_data.type', ['payment_method_update', 'subscription_cancel']),
  }
  if (session.returnUrl !== null && !callable(session.returnUrl, books.origin)) {
    throw invalid('Not a valid URL of this machine.', 'url_invalid', 'return_url')
  }
  ledger.portalSessions[session.id] = session
  return portalSessionView(session, portalUrl(books, session.id))
}

function createEndpoint({ books, form }: StripeCall) {
  const url = requiredAt(form, 'url')
  if (!callable(url, books.origin)) {
    throw invalid('The sandbox sends events to this machine only.', 'url_invalid', 'url')
  }
  const enabledEvents = textsAt(form, 'enabled_events')
  if (enabledEvents.length === 0) {
    throw badParameter('Missing required param: enabled_events.', 'parameter_missing', 'enabled_events')
  }
  const apiVersion = filledAt(form, 'api_version')
  if (apiVersion !== null && apiVersion !== SANDBOX_STRIPE_VERSION) {
    throw invalid(`The sandbox speaks ${SANDBOX_STRIPE_VERSION} only.`, '', 'api_version')
  }
  const endpoint = {
    id: books.newId('we'),
    created: books.now(),
    url,
    secret: `whsec_${randomLetters(32)}`,
    enabledEvents,
    apiVersion,
    description: filledAt(form, 'description'),
    metadata: metadataAt(form),
  }
  books.ledger.endpoints[endpoint.id] = endpoint
  return webhookEndpointView(endpoint, true)
}

function listEvents(call: StripeCall) {
  const { books, form } = call
  const types = [...textsAt(form, 'types'), ...(filledAt(form, 'type') === null ? [] : [requiredAt(form, 'type')])]
  const success = flagAt(form, 'delivery_success')
  const undelivered = new Set(books.ledger.posts.filter((one) => one.state !== 'delivered').map((one) => one.event))
  const found = books.ledger.events.filter(
    (one) =>
      (types.length === 0 || types.some((type) => matchesType(type, one.type))) &&
      (success === null || undelivered.has(one.id) !== success),
  )
  return pageAnswer(call, found, (one) => eventWire(books, one))
}

/** `invoice.*` matches a family, `*` matches all. */
export function matchesType(wanted: string, type: string): boolean {
  return wanted === type || wanted === '*' || (wanted.endsWith('.*') && type.startsWith(wanted.slice(0, -1)))
}
