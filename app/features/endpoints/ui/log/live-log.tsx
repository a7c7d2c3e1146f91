// Keeps the log of one webhook up to date while the page is visible.
import { type ClientLoaderFunctionArgs, useFetcher } from '@remix-run/react'
import { useEffect, useRef, useState } from 'react'
import type { LogFilter } from '#app/features/events/log-view.ts'
import { seconds } from '#app/lib/duration.ts'
import { type LogAnswer, logFilterQuery } from './log-filter.ts'

/** From the specification: an expanded panel refreshes every five seconds. */
export const LOG_REFRESH_MS = seconds(5)

/** The result of one refresh: the log, or a failure. */
export type LogTurn = LogAnswer | { failed: true }

/**
 * A route that a card polls exports this as `clientLoader`. Without it, one refresh without network or with a server
 * error would replace the whole page with its error page; with it, the card learns of the failure and retries.
 */
export async function liveTurn({ serverLoader }: ClientLoaderFunctionArgs): Promise<unknown> {
  try {
    return await serverLoader()
  } catch {
    return { failed: true }
  }
}

interface LiveLogOptions {
  /** URL with a query; the hook appends the filter. */
  source: string
  filter: LogFilter
  /** The log that was part of the server's page. */
  opened: LogAnswer | null
  paused: boolean
  /** Called with the number of new events when a refresh differs from the one before; 0 = only known ones changed. */
  onNews: (count: number) => void
}

interface LiveLog {
  answer: LogAnswer | null
  /** The last refresh failed, so `answer` is out of date. */
  failed: boolean
  loading: boolean
  refresh: () => void
}

/** Loads immediately and then every five seconds while the page is visible and not paused. */
export function useLiveLog({ source, filter, opened, paused, onNews }: LiveLogOptions): LiveLog {
  const address = `${source}&${new URLSearchParams(logFilterQuery(filter))}`
  const { load, data, state } = useFetcher<LogTurn>()
  const [answer, setAnswer] = useState(opened)
  const [failed, setFailed] = useState(false)

  const idle = useRef(true)
  idle.current = state === 'idle'
  const tell = useRef(onNews)
  tell.current = onNews
  const known = useRef(opened && { address, entries: opened.entries })

  useEffect(() => {
    load(address)
  }, [address, load])

  useEffect(() => {
    if (paused) return
    function turn() {
      if (!document.hidden && idle.current) load(address)
    }
    const timer = setInterval(turn, LOG_REFRESH_MS)
    document.addEventListener('visibilitychange', turn)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', turn)
    }
  }, [address, load, paused])

  // Handle each result once, for the URL it was requested with: a newer request cancels the older one.
  useEffect(() => {
    if (!data) return
    // A refusal also arrives as data, but in another shape.
    const had = 'entries' in data
    setFailed(!had)
    if (!had) return
    setAnswer(data)
    const before = known.current
    known.current = { address, entries: data.entries }
    if (before?.address !== address || JSON.stringify(before.entries) === JSON.stringify(data.entries)) return
    const ids = new Set(before.entries.map((entry) => entry.id))
    tell.current(data.entries.filter((entry) => !ids.has(entry.id)).length)
  }, [data])

  return { answer, failed, loading: state !== 'idle', refresh: () => load(address) }
}
