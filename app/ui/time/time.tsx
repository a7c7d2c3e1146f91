import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { iso, type Millis } from '#app/lib/clock.ts'
import { seconds } from '#app/lib/duration.ts'
import { clockTime, exactTime, relativeTime } from './time-text.ts'

interface AccountTime {
  /** The server's time, advanced by the browser. */
  now: Millis
  /** IANA zone of the account. */
  zone: string
}

const TimeContext = createContext<AccountTime>({ now: 0, zone: 'UTC' })

interface AccountTimeProviderProps {
  /** The time at which the server rendered the page: its clock counts, not the browser's. */
  now: Millis
  zone: string
  children: ReactNode
}

/** Provides the account's zone and an advancing current time to every `Time` below it. */
export function AccountTimeProvider({ now, zone, children }: AccountTimeProviderProps) {
  const [elapsed, setElapsed] = useState(0)
  // A new time from the server restarts the count.
  useEffect(() => {
    const start = performance.now()
    setElapsed(0)
    const timer = setInterval(() => setElapsed(performance.now() - start), seconds(10))
    return () => clearInterval(timer)
  }, [now])
  return <TimeContext.Provider value={{ now: now + elapsed, zone }}>{children}</TimeContext.Provider>
}

/** The current time, for sentences that contain one. */
export function usePresent(): Millis {
  return useContext(TimeContext).now
}

/** The account's zone. */
export function useZone(): string {
  return useContext(TimeContext).zone
}

interface TimeProps {
  at: Millis
  /** `relative`: 2 minutes ago. `next`: in 2 minutes, `any moment` once it has come. `clock`: 09:14. */
  as?: 'relative' | 'next' | 'clock'
  className?: string
}

/** A time in the account's zone; the exact stamp shows on hover and is in `datetime`. */
export function Time({ at, as = 'relative', className }: TimeProps) {
  const { now, zone } = useContext(TimeContext)
  return (
    <time dateTime={iso(at)} title={exactTime(at, zone)} className={className}>
      {as === 'clock' ? clockTime(at, now, zone) : relativeTime(as === 'next' ? Math.max(at, now + 1) : at, now, zone)}
    </time>
  )
}
