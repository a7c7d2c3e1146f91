// The address of send_notification when its step names none (contract: section 8), and the addresses it may not call.
import type { App } from '#app/context/app-context.ts'
import type { RuleDefinition } from '#app/domain/automations/rule.ts'
import { wordParameter } from './read-parameters.ts'

/**
 * The callback address of the rule's own webhook, else of the account's first one; null = none has one. Skips webhooks
 * that are paused or stopped, and those without an address, which only collect events.
 */
export async function findNotifyUrl(
  app: Pick<App, 'store'>,
  accountUuid: string,
  { trigger }: Pick<RuleDefinition, 'trigger'>,
): Promise<string | null> {
  const webhooks = (await app.store.endpoints.listEndpoints(accountUuid, 'webhook')).filter(
    ({ endpoint: { url, state } }) => url !== '' && (state === 'active' || state === 'failing'),
  )
  const own =
    trigger.source === 'webhook' && trigger.webhookSubscriptionId !== null
      ? webhooks.find(({ id }) => id === trigger.webhookSubscriptionId)
      : undefined
  return (own ?? webhooks[0])?.endpoint.url ?? null
}

/** The rule's addresses that the outbound guard refuses, with its sentence. Names that do not resolve now pass. */
export async function refusedAddresses(
  app: Pick<App, 'outbound'>,
  { steps }: Pick<RuleDefinition, 'steps'>,
): Promise<Record<string, string>> {
  const urls = steps.flatMap(({ type, parameters }) =>
    type === 'send_notification' ? [wordParameter(parameters, 'url')].filter((url) => url !== '') : [],
  )
  const refused: Record<string, string> = {}
  for (const url of new Set(urls)) {
    const check = await app.outbound.check(url)
    if (check.verdict === 'blocked') refused[url] = isHttps(url) ? check.sentence : HTTPS_ONLY
  }
  return refused
}

/** Like the guard, ignores the case of the scheme. */
function isHttps(url: string): boolean {
  return URL.canParse(url) && new URL(url).protocol === 'https:'
}

const HTTPS_ONLY = 'Must be a valid HTTPS URL'
