import type { App } from '#app/context/app-context.ts'
import { type EndpointKey, keyOf, refOf } from '#app/domain/endpoint-key.ts'
import type { Asking } from '#app/domain/people.ts'
import { parseWebhookId } from '#app/features/endpoints/endpoint.ts'
import { requireSession } from '#app/http/guards.server.ts'
import { notFound } from '#app/http/respond.ts'

/** A webhook or a forwarding rule of this session. */
export interface OwnEndpoint extends Asking {
  accountUuid: string
  key: EndpointKey
}

/**
 * The webhook an address names, and whose it is: that follows from the session, not from the call. 401 without a session;
 * one and the same 404 for what is no id, is not there, or is somebody else's.
 */
export function requireWebhook(app: App, request: Request, id: string | undefined): Promise<OwnEndpoint> {
  return requireEndpoint(app, request, parseWebhookId(id ?? ''))
}

/** The same for a forwarding rule. */
export function requireRule(app: App, request: Request, id: string | undefined): Promise<OwnEndpoint> {
  const ruleId = parseWebhookId(id ?? '')
  return requireEndpoint(app, request, ruleId === null ? null : keyOf({ kind: 'extra', id: ruleId }))
}

async function requireEndpoint(app: App, request: Request, key: EndpointKey | null): Promise<OwnEndpoint> {
  const { accounts } = await requireSession(app, request)
  if (key !== null) {
    for (const { accountUuid, role, staffUuid, freshAt } of accounts) {
      if (await app.store.endpoints.findEndpoint(accountUuid, refOf(key)))
        return { accountUuid, key, role, staffUuid, freshAt }
    }
  }
  throw notFound()
}
