// Keeps an account's activity up to date while the page is visible.
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Millis } from '#app/lib/clock.ts'
import { seconds } from '#app/lib/duration.ts'
import { askOwnServer } from '#app/ui/ask-own-server.tsx'
import {
  type ActivityItem,
  type ApiItem,
  type ApiRecord,
  apiItems,
  countNews,
  newestFirst,
  type WebhookItem,
  type WebhookRecord,
  webhookItems,
} from '../activity-view.ts'

/** From the specification: the activity page refreshes every two seconds. */
export const ACTIVITY_REFRESH_MS = seconds(2)

/** A slower call counts as failed; the next refresh may succeed. */
const CALL_TIMEOUT_MS = seconds(10)

/** `signed_out`: the session no longer includes the account. `unreachable`: no network, or a server error. */
export type RefreshFailure = 'signed_out' | 'unreachable'

interface KnownList<Item> {
  tag: string
  items: Item[]
}

type ListTurn<Item> =
  | { outcome: 'unchanged' | 'changed'; list: KnownList<Item> }
  | { outcome: 'failed'; why: RefreshFailure }

/** Requests a list again. An unchanged list costs only a 304 without a body. */
async function askAgain<RecordType, Item>(
  address: string,
  known: KnownList<Item> | null,
  itemsOf: (records: RecordType[]) => Item[],
): Promise<ListTurn<Item>> {
  try {
    const answer = await askOwnServer(address, {
      cache: 'no-store',
      headers: known ? { 'If-None-Match': known.tag } : {},
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    })
    if (known && answer.status === 304) return { outcome: 'unchanged', list: known }
    if (answer.status === 401 || answer.status === 404) return { outcome: 'failed', why: 'signed_out' }
    if (!answer.ok) return { outcome: 'failed', why: 'unreachable' }
    const items = itemsOf((await answer.json()) as RecordType[])
    return { outcome: 'changed', list: { tag: answer.headers.get('etag') ?? '', items } }
  } catch {
    return { outcome: 'failed', why: 'unreachable' }
  }
}

interface LiveActivityOptions {
  /** The account as the page's URL names it. */
  accountUUID: string
  /** The entries of the server's page, and their time by the server's clock. */
  opened: ActivityItem[]
  openedAt: Millis
  /** Stops automatic refreshes. */
  paused: boolean
  /** Called with the number of entries since the last refresh. */
  onNews: (count: number) => void
}

interface LiveActivity {
  items: ActivityItem[]
  /** The server's time when `items` arrived. */
  now: Millis
  /** Why the last refresh failed, otherwise null; after a failure `items` are out of date. */
  failure: RefreshFailure | null
  /** Refreshes now and returns the failure, or null. */
  refresh: () => Promise<RefreshFailure | null>
}

/** Requests both lists every two seconds while the page is visible and not paused. */
export function useLiveActivity({ accountUUID, opened, openedAt, paused, onNews }: LiveActivityOptions): LiveActivity {
  const [shown, setShown] = useState({ items: opened, now: openedAt })
  const [failure, setFailure] = useState<RefreshFailure | null>(null)
  const latest = useRef(shown.items)
  const events = useRef<KnownList<WebhookItem> | null>(null)
  const calls = useRef<KnownList<ApiItem> | null>(null)
  const underWay = useRef<Promise<RefreshFailure | null> | null>(null)
  const tell = useRef(onNews)
  tell.current = onNews
  /** The offset from the browser's monotonic clock to the server's. */
  const ahead = useRef(0)
  useEffect(() => {
    ahead.current = openedAt - performance.now()
  }, [openedAt])

  const turn = useCallback(async (): Promise<RefreshFailure | null> => {
    const query = new URLSearchParams({ accountUUID })
    const [eventTurn, callTurn] = await Promise.all([
      askAgain<WebhookRecord, WebhookItem>(`/api/webhook-activity?${query}`, events.current, webhookItems),
      askAgain<ApiRecord, ApiItem>(`/api/api-activity?${query}`, calls.current, apiItems),
    ])
    function fail(why: RefreshFailure): RefreshFailure {
      setFailure(why)
      return why
    }
    if (eventTurn.outcome === 'failed') return fail(eventTurn.why)
    if (callTurn.outcome === 'failed') return fail(callTurn.why)
    setFailure(null)
    events.current = eventTurn.list
    calls.current = callTurn.list
    if (eventTurn.outcome === 'unchanged' && callTurn.outcome === 'unchanged') return null
    const items = newestFirst(eventTurn.list.items, callTurn.list.items)
    const news = countNews(items, latest.current)
    latest.current = items
    // The newest entry cannot be in the future: clocks of two machines drift apart.
    const now = Math.max(performance.now() + ahead.current, items[0]?.at ?? 0)
    ahead.current = now - performance.now()
    setShown({ items, now })
    if (news > 0) tell.current(news)
    return null
  }, [accountUUID])

  const refresh = useCallback(() => {
    underWay.current ??= turn().finally(() => {
      underWay.current = null
    })
    return underWay.current
  }, [turn])

  useEffect(() => {
    if (paused) return
    function next() {
      if (!document.hidden) void refresh()
    }
    const timer = setInterval(next, ACTIVITY_REFRESH_MS)
    document.addEventListener('visibilitychange', next)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', next)
    }
  }, [paused, refresh])

  return { ...shown, failure, refresh }
}
