// How far a replay is, kept up to date while somebody looks at it.
import { type ClientLoaderFunctionArgs, useFetcher } from '@remix-run/react'
import { useEffect, useRef } from 'react'
import { seconds } from '#app/lib/duration.ts'
import type { ReplayView } from '../endpoint-view.ts'

export const REPLAY_REFRESH_MS = seconds(2)

/** One turn: the replay (null = its result is no longer shown), or that it could not be had. */
export type ReplayTurn = { replay: ReplayView | null } | { failed: true }

/** To be exported as `clientLoader` by the route that answers it: a turn that fails must not cost the page. */
export async function replayTurn({ serverLoader }: ClientLoaderFunctionArgs): Promise<ReplayTurn> {
  try {
    return await serverLoader<ReplayTurn>()
  } catch {
    return { failed: true }
  }
}

/** The replay as it is now: asked for every two seconds while it runs. `onEnd` is told its result once. */
export function useLiveReplay(replay: ReplayView, source: string, onEnd: (ended: ReplayView) => void): ReplayView {
  const { load, data, state } = useFetcher<ReplayTurn>()
  const fresh = data && 'replay' in data ? data.replay : null
  // What the page brings is newer once it says that the replay has ended.
  const known = replay.state === 'running' && fresh?.id === replay.id ? fresh : replay
  const running = known.state === 'running'

  const idle = useRef(true)
  idle.current = state === 'idle'
  useEffect(() => {
    if (!running) return
    const timer = setInterval(() => {
      if (!document.hidden && idle.current) load(source)
    }, REPLAY_REFRESH_MS)
    return () => clearInterval(timer)
  }, [running, source, load])

  const tell = useRef(onEnd)
  tell.current = onEnd
  const wasRunning = useRef(running)
  const last = useRef(known)
  last.current = known
  useEffect(() => {
    if (wasRunning.current && !running) tell.current(last.current)
    wasRunning.current = running
  }, [running])
  return known
}
