// One call to the pretend payment provider, what a table of calls is made of, and lists as it pages them.
import type { Books } from '../books.server.ts'
import { listView } from '../catalogue-views.ts'
import { findIn, type Wire } from '../ledger.ts'
import { badParameter, missing } from '../stripe-failure.ts'
import { type FormTree, filledAt, wholeAt } from '../stripe-form.ts'

export interface StripeCall {
  books: Books
  /** Query and body together. */
  form: FormTree
  /** What stands for `:id` in the path, or ''. */
  id: string
  path: string
  /** Whoever calls holds the publishable key and a payment's client secret, not the secret key. */
  fromBrowser: boolean
}

export interface StripeRoute {
  method: 'GET' | 'POST' | 'DELETE'
  /** `/v1/customers/:id` */
  path: string
  /** Every parameter the call knows, as patterns: `items[].price`, `metadata.*`. */
  takes: readonly string[]
  /** May be called with the publishable key. */
  open?: boolean
  answer(call: StripeCall): Wire
}

export const LIST_TAKES = ['limit', 'starting_after', 'ending_before'] as const
export const CREATED_TAKES = ['created', 'created.gt', 'created.gte', 'created.lt', 'created.lte'] as const

/** Newest first, a page at a time. @param rows oldest first */
export function pageAnswer<Row extends { id: string; created: number }>(
  { form, path }: StripeCall,
  rows: readonly Row[],
  draw: (row: Row) => Wire,
): Wire {
  const limit = wholeAt(form, 'limit') ?? 10
  if (limit < 1 || limit > 100) throw badParameter('Limit must be between 1 and 100.', 'parameter_invalid', 'limit')
  const newestFirst = [...rows].filter((row) => createdWithin(form, row.created)).reverse()
  const after = filledAt(form, 'starting_after')
  const before = filledAt(form, 'ending_before')
  const cursor = after ?? before
  const at = cursor === null ? -1 : newestFirst.findIndex((row) => row.id === cursor)
  if (cursor !== null && at < 0)
    throw missing('object', cursor, after === null ? 'ending_before' : 'starting_after', 400)
  const rest = before !== null && after === null ? newestFirst.slice(0, at) : newestFirst.slice(at + 1)
  const page = before !== null && after === null ? rest.slice(-limit) : rest.slice(0, limit)
  return listView(path, page.map(draw), rest.length > limit)
}

function createdWithin(form: FormTree, created: number): boolean {
  const exactly = wholeAt(form, 'created')
  const gt = wholeAt(form, 'created.gt')
  const gte = wholeAt(form, 'created.gte')
  const lt = wholeAt(form, 'created.lt')
  const lte = wholeAt(form, 'created.lte')
  return (
    (exactly === null || created === exactly) &&
    (gt === null || created > gt) &&
    (gte === null || created >= gte) &&
    (lt === null || created < lt) &&
    (lte === null || created <= lte)
  )
}

/** The one that the path names; 404 for none. */
export function requireOne<T>(table: Readonly<Record<string, T>>, kind: string, id: string): T {
  const found = findIn(table, id)
  if (!found) throw missing(kind, id)
  return found
}

/** The one that a parameter names; 400 for none. */
export function requireNamed<T>(table: Readonly<Record<string, T>>, kind: string, id: string, param: string): T {
  const found = findIn(table, id)
  if (!found) throw missing(kind, id, param, 400)
  return found
}
