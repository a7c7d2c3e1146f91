// Keeps the progress of a replay up to date while the page is visible.
import { useFetcher } from '@remix-run/react'
import { useEffect, useRef } from 'react'
import type { Replay } from '#app/domain/deliveries/stored-delivery.ts'
import { seconds } from '#app/lib/duration.ts'

export const REPLAY_REFRESH_MS = seconds(2)

/** The result of one refresh: the replay (null = its result is no longer shown), or a failure. */
export type ReplayTurn = { replay: Replay | null } | { failed: true }

/** Returns the current replay, refreshed every two seconds while it runs. Calls `onEnd` once with the result. */
export function useLiveReplay(replay: Replay, source: string, onEnd: (ended: Replay) => void): Replay {
  const { load, data, state } = useFetcher<ReplayTurn>()
  const fresh = data && 'replay' in data ? data.replay : null
  // Once the page's own data says that the replay has ended, it is newer.
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
