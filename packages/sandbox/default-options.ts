import type { AccountOptions } from './world.ts'

/** Options of an account until somebody changes a switch: like the real service on a good day. */
export const DEFAULT_OPTIONS: AccountOptions = {
  pageSize: 5000,
  perMinute: 180,
  perDay: 20_000,
  unpaid: false,
  insistOnHttps: false,
  withheldScopes: [],
  quotedFlags: false,
  objectSpelling: 'lower',
  deliveryWrapping: 'json',
  undocumentedWebhooks: [],
  oneSubscriptionPerObject: false,
  duplicateDeliveries: false,
  reorderDeliveries: false,
  dropNextDeliveries: 0,
  deliveryDelayMs: 0,
  manifestWebhooks: [],
  messagingSilent: false,
  messagesPerMinute: 30,
  messagesPerDay: 500,
  documentsFail: false,
}
