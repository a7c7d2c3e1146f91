// Reads and writes what the manager page's URL says besides the account: which card is being edited, deleted or viewed.
// Every part of the page can be reached by URL alone.
import { type AccountLink, accountQuery } from '#app/domain/account-address.ts'
import { type EndpointKey, parseEndpointKey } from '#app/domain/endpoint-key.ts'
import type { LogFilter } from '#app/features/events/log-view.ts'
import { type ReplayForm, replayFormOf } from '../controls/replay-text.ts'
import { logFilterQuery, readLogFilter } from './log/log-filter.ts'

export type ManagerAccount = AccountLink

/** One thing is open at a time; `none` is the plain page. A forwarding rule's card is named by its key, `rule-3`. */
export type ManagerStep =
  | { step: 'none' }
  /** Only opened: when there are many rules, this one has a whole card. */
  | { step: 'card'; webhookId: EndpointKey }
  | { step: 'edit'; webhookId: EndpointKey }
  | { step: 'confirmDelete'; webhookId: EndpointKey }
  | { step: 'log'; webhookId: EndpointKey; filter: LogFilter }
  /** "Send everything since …"; `form` is null when just opened, otherwise the page counts the events to send. */
  | { step: 'replay'; webhookId: EndpointKey; form: ReplayForm | null }
  /** Was just deleted: the page offers to undo it. */
  | { step: 'deleted'; webhookId: EndpointKey }
  /** The signing secret is shown, because it was just rotated. */
  | { step: 'secret'; webhookId: EndpointKey }

/** Resources that scripts request besides the page: the progress of a replay, and an event as a command. */
export const REPLAY_SOURCE = '/fieldhook/replay'
export const CURL_SOURCE = '/fieldhook/curl'

/** Builds the page's query, e.g. `{ accountUUID: '…', admin: 'yes', edit: '3' }`. */
export function managerQuery(account: ManagerAccount, step: ManagerStep = { step: 'none' }): Record<string, string> {
  const query = accountQuery(account)
  if (step.step === 'none') return query
  query[step.step] = String(step.webhookId)
  if (step.step === 'log') return { ...query, ...logFilterQuery(step.filter) }
  return step.step === 'replay' && step.form ? { ...query, ...step.form } : query
}

/** The same query as text, including the question mark. */
export function managerSearch(account: ManagerAccount, step?: ManagerStep): string {
  return `?${new URLSearchParams(managerQuery(account, step))}`
}

/** Parses the step. An invalid card key counts as missing. */
export function readManagerStep(params: URLSearchParams): ManagerStep {
  for (const step of ['edit', 'confirmDelete', 'log', 'replay', 'secret', 'deleted', 'card'] as const) {
    const webhookId = parseEndpointKey(params.get(step) ?? '')
    if (webhookId === null) continue
    if (step === 'log') return { step, webhookId, filter: readLogFilter(params) }
    return step === 'replay' ? { step, webhookId, form: replayFormOf(params) } : { step, webhookId }
  }
  return { step: 'none' }
}

/** The card's element id, for anchors: `webhook-3`, `rule-3`. */
export function cardId(key: EndpointKey): string {
  return typeof key === 'number' ? `webhook-${key}` : key
}
