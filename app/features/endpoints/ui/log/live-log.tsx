// The log of one webhook, kept up to date while somebody looks at it.
import { type ClientLoaderFunctionArgs, useFetcher } from '@remix-run/react'
import { useEffect, useRef, useState } from 'react'
import type { LogFilter } from '#app/features/events/log-view.ts'
import { seconds } from '#app/lib/duration.ts'
import { type LogAnswer, logFilterQuery } from './log-filter.ts'

/** From the specification: while expanded a panel refreshes every five seconds. */
export const LOG_REFRESH_MS = seconds(5)

/** One turn: the log, or that it could not be had. */
export type LogTurn = LogAnswer | { failed: true }

/**
 * To be exported as `clientLoader` by the route that answers a log. Without it one turn without a network, or one
 * error of the server, would replace the whole page by its error page; with it the panel says so and tries again.
 */
export async function logTurn({ serverLoader }: ClientLoaderFunctionArgs): Promise<LogTurn> {
  try {
    return await serverLoader<LogTurn>()
  } catch {
    return { failed: true }
  }
}

interface LiveLogOptions {
  /** Address with a query; the filter is appended. */
  source: string
  filter: LogFilter
  /** What the server's page already brought. */
  opened: LogAnswer | null
  /** Told how many events came since the last turn, never for the first. */
  onNews: (count: number) => void
}

interface LiveLog {
  answer: LogAnswer | null
  /** The last turn did not work; `answer` is older than it should be. */
  failed: boolean
  loading: boolean
  refresh: () => void
}

/** Loads at once and then every five seconds, unless nobody can see the page. */
export function useLiveLog({ source, filter, opened, onNews }: LiveLogOptions): LiveLog {
  const address = `${source}&${new URLSearchParams(logFilterQuery(filter))}`
  const { load, data, state } = useFetcher<LogTurn>()
  const [answer, setAnswer] = useState(opened)
  const [failed, setFailed] = useState(false)

  const idle = useRef(true)
  idle.current = state === 'idle'
  const tell = useRef(onNews)
  tell.current = onNews
  const known = useRef(opened ? { address, ids: idsOf(opened) } : null)

  useEffect(() => {
    load(address)
    function turn() {
      if (!document.hidden && idle.current) load(address)
    }
    const timer = setInterval(turn, LOG_REFRESH_MS)
    document.addEventListener('visibilitychange', turn)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', turn)
    }
  }, [address, load])

  // A turn counts once, for the address of that moment: a newer request cancels the older one.
  useEffect(() => {
    if (!data) return
    // A refusal is an answer too, of another shape.
    const had = 'entries' in data
    setFailed(!had)
    if (!had) return
    setAnswer(data)
    const before = known.current
    known.current = { address, ids: idsOf(data) }
    if (before?.address !== address) return
    const news = data.entries.filter((entry) => !before.ids.has(entry.id)).length
    if (news > 0) tell.current(news)
  }, [data])

  return { answer, failed, loading: state !== 'idle', refresh: () => load(address) }
}

function idsOf(answer: LogAnswer): ReadonlySet<string> {
  return new Set(answer.entries.map((entry) => entry.id))
}
