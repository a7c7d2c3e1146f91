/** Webhooks, the endpoints they forward to, and our subscriptions at the platform. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the webhooks feature
export interface WebhookStore {}
