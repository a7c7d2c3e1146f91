import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { iso, type Millis } from '#app/lib/clock.ts'
import { seconds } from '#app/lib/duration.ts'
import { clockTime, exactTime, relativeTime } from './time-text.ts'

interface AccountTime {
  /** The server's moment, carried on by the browser. */
  now: Millis
  /** IANA zone of the account. */
  zone: string
}

const TimeContext = createContext<AccountTime>({ now: 0, zone: 'UTC' })

interface AccountTimeProviderProps {
  /** The moment the server made the page: its clock counts, not the browser's. */
  now: Millis
  zone: string
  children: ReactNode
}

/** Gives every `Time` below it the account's zone and a present that moves on. */
export function AccountTimeProvider({ now, zone, children }: AccountTimeProviderProps) {
  const [elapsed, setElapsed] = useState(0)
  // A new moment from the server starts the count again.
  useEffect(() => {
    const start = performance.now()
    setElapsed(0)
    const timer = setInterval(() => setElapsed(performance.now() - start), seconds(10))
    return () => clearInterval(timer)
  }, [now])
  return <TimeContext.Provider value={{ now: now + elapsed, zone }}>{children}</TimeContext.Provider>
}

/** The present, for sentences that contain a time. */
export function usePresent(): Millis {
  return useContext(TimeContext).now
}

/** The account's zone. */
export function useZone(): string {
  return useContext(TimeContext).zone
}

interface TimeProps {
  at: Millis
  /** `relative`: 2 minutes ago. `clock`: 09:14. */
  as?: 'relative' | 'clock'
  className?: string
}

/** A moment in the account's zone; the exact stamp shows on hover and stands in `datetime`. */
export function Time({ at, as = 'relative', className }: TimeProps) {
  const { now, zone } = useContext(TimeContext)
  return (
    <time dateTime={iso(at)} title={exactTime(at, zone)} className={className}>
      {as === 'relative' ? relativeTime(at, now, zone) : clockTime(at, now, zone)}
    </time>
  )
}
