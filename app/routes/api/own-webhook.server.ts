import type { App } from '#app/app-context.ts'
import { parseWebhookId } from '#app/features/webhooks/webhook.ts'
import { requireSession } from '#app/http/guards.server.ts'
import { notFound } from '#app/http/respond.ts'

/**
 * The webhook an address names, and whose it is: that follows from the session, not from the call. 401 without a session;
 * one and the same 404 for what is no id, is not there, or is somebody else's.
 */
export async function requireWebhook(
  app: App,
  request: Request,
  id: string | undefined,
): Promise<{ accountUuid: string; webhookId: number }> {
  const { accounts } = await requireSession(app, request)
  const webhookId = parseWebhookId(id ?? '')
  if (webhookId !== null) {
    for (const { accountUuid } of accounts) {
      if (await app.store.findWebhook(accountUuid, webhookId)) return { accountUuid, webhookId }
    }
  }
  throw notFound()
}
