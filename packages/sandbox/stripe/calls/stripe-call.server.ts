// One call to the pretend payment provider, the type of a route, and paged lists.
import type { Books } from '../books.server.ts'
import { listView } from '../catalogue-views.ts'
import { findIn, type Wire } from '../ledger.ts'
import { badParameter, missing } from '../stripe-failure.ts'
import { type FormTree, filledAt, wholeAt } from '../stripe-form.ts'

export interface StripeCall {
  books: Books
  /** Query and body together. */
  form: FormTree
  /** The value of `:id` in the path, or ''. */
  id: string
  path: string
  /** The caller holds the publishable key and a payment's client secret instead of the secret key. */
  fromBrowser: boolean
}

export interface StripeRoute {
  method: 'GET' | 'POST' | 'DELETE'
  /** `/v1/customers/:id` */
  path: string
  /** Every parameter the call accepts, as patterns: `items[].price`, `metadata.*`. */
  takes: readonly string[]
  /** May be called with the publishable key. */
  open?: boolean
  answer(call: StripeCall): Wire
}

export const LIST_TAKES = ['limit', 'starting_after', 'ending_before'] as const
export const CREATED_TAKES = ['created', 'created.gt', 'created.gte', 'created.lt', 'created.lte'] as const

/** Newest first, one page at a time. @param rows oldest first */
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

/** The object named in the path; 404 when missing. */
export function requireOne<T>(table: Readonly<Record<string, T>>, kind: string, id: string): T {
  const found = findIn(table, id)
  if (!found) throw missing(kind, id)
  return found
}

/** The object named by a parameter; 400 when missing. */
export function requireNamed<T>(table: Readonly<Record<string, T>>, kind: string, id: string, param: string): T {
  const found = findIn(table, id)
  if (!found) throw missing(kind, id, param, 400)
  return found
}
