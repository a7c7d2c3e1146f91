// What the address of the manager page says beyond the account: which card is edited, asked about, or looked into.
// Written and read here, so that every part of the page works by address alone.
import { type EndpointKey, parseEndpointKey } from '#app/domain/endpoint-key.ts'
import type { LogFilter } from '#app/features/events/log-view.ts'
import { type ReplayForm, replayFormOf } from '../controls/replay-text.ts'
import { logFilterQuery, readLogFilter } from './log/log-filter.ts'

/** Which account, as the platform named it, and in which role the page is asked for. */
export interface ManagerAccount {
  accountUUID: string
  admin: boolean
}

/** One thing at a time; `none` is the plain page. A forwarding rule's card is named by its key, `rule-3`. */
export type ManagerStep =
  | { step: 'none' }
  /** Nothing but open: of many rules, this one has its whole card. */
  | { step: 'card'; webhookId: EndpointKey }
  | { step: 'edit'; webhookId: EndpointKey }
  | { step: 'confirmDelete'; webhookId: EndpointKey }
  | { step: 'log'; webhookId: EndpointKey; filter: LogFilter }
  /** "Send everything since …"; `form` null = just opened, else how many that would be is being asked. */
  | { step: 'replay'; webhookId: EndpointKey; form: ReplayForm | null }
  /** Its signing secret is open: it has just been renewed. */
  | { step: 'secret'; webhookId: EndpointKey }

/** What scripts ask the server for beside the page: how far a replay is, and an event as a command. */
export const REPLAY_SOURCE = '/fieldhook/replay'
export const CURL_SOURCE = '/fieldhook/curl'

/** The query of the page, e.g. `{ accountUUID: '…', admin: 'yes', edit: '3' }`. */
export function managerQuery(account: ManagerAccount, step: ManagerStep = { step: 'none' }): Record<string, string> {
  const query: Record<string, string> = { accountUUID: account.accountUUID }
  if (account.admin) query.admin = 'yes'
  if (step.step === 'none') return query
  query[step.step] = String(step.webhookId)
  if (step.step === 'log') return { ...query, ...logFilterQuery(step.filter) }
  return step.step === 'replay' && step.form ? { ...query, ...step.form } : query
}

/** The same as text, from the question mark on. */
export function managerSearch(account: ManagerAccount, step?: ManagerStep): string {
  return `?${new URLSearchParams(managerQuery(account, step))}`
}

/** Reads it back. What is no card's key is as good as absent. */
export function readManagerStep(params: URLSearchParams): ManagerStep {
  for (const step of ['edit', 'confirmDelete', 'log', 'replay', 'secret', 'card'] as const) {
    const webhookId = parseEndpointKey(params.get(step) ?? '')
    if (webhookId === null) continue
    if (step === 'log') return { step, webhookId, filter: readLogFilter(params) }
    return step === 'replay' ? { step, webhookId, form: replayFormOf(params) } : { step, webhookId }
  }
  return { step: 'none' }
}

/** Id of a card in the page, for anchors: `webhook-3`, `rule-3`. */
export function cardId(key: EndpointKey): string {
  return typeof key === 'number' ? `webhook-${key}` : key
}
