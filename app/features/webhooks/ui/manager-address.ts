// What the address of the manager page says beyond the account: which webhook is edited, asked about, or looked into.
// Written and read here, so that every part of the page works by address alone.

import { type ReplayForm, replayFormOf } from '../replay-words.ts'
import type { LogFilter } from '../webhook-view.ts'
import { logFilterQuery, readLogFilter } from './log-filter.ts'

/** Which account, as the platform named it, and in which role the page is asked for. */
export interface ManagerAccount {
  accountUUID: string
  admin: boolean
}

/** One thing at a time; `none` is the plain page. */
export type ManagerStep =
  | { step: 'none' }
  | { step: 'edit'; webhookId: number }
  | { step: 'confirmDelete'; webhookId: number }
  | { step: 'log'; webhookId: number; filter: LogFilter }
  /** "Send everything since …"; `form` null = just opened, else how many that would be is being asked. */
  | { step: 'replay'; webhookId: number; form: ReplayForm | null }
  /** Its signing secret is open: it has just been renewed. */
  | { step: 'secret'; webhookId: number }

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

/** Reads it back. What is no webhook id is as good as absent. */
export function readManagerStep(params: URLSearchParams): ManagerStep {
  for (const step of ['edit', 'confirmDelete', 'log', 'replay', 'secret'] as const) {
    const text = params.get(step) ?? ''
    if (!/^[1-9]\d{0,15}$/.test(text)) continue
    const webhookId = Number(text)
    if (step === 'log') return { step, webhookId, filter: readLogFilter(params) }
    return step === 'replay' ? { step, webhookId, form: replayFormOf(params) } : { step, webhookId }
  }
  return { step: 'none' }
}

/** Id of a webhook's card in the page, for anchors. */
export function cardId(webhookId: number): string {
  return `webhook-${webhookId}`
}
