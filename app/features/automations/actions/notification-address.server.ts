// Where send_notification goes when its step names no address (contract: section 8).
import type { App } from '#app/app-context.ts'
import type { RuleDefinition } from '../rule.ts'

/** The callback address of the rule's own webhook, else of the account's first active one; null = it has none. */
export async function findNotifyUrl(
  app: Pick<App, 'store'>,
  accountUuid: string,
  { trigger }: Pick<RuleDefinition, 'trigger'>,
): Promise<string | null> {
  const webhooks = await app.store.listWebhooks(accountUuid)
  const own =
    trigger.source === 'webhook' && trigger.webhookSubscriptionId !== null
      ? webhooks.find(({ webhook }) => webhook.id === trigger.webhookSubscriptionId)
      : undefined
  const chosen = own ?? webhooks.find(({ endpoint }) => endpoint.state === 'active' || endpoint.state === 'failing')
  return chosen?.endpoint.url ?? null
}
