// Ends a process at a chosen boundary: before or after a commit, before or after an exchange with the outside. What is ended never
// comes back: nothing it waits for arrives, nothing it would do happens.
import type { App } from '#app/context/app-context.ts'
import type { Clock } from '#app/lib/clock.ts'
import { eachMethod } from '#app/lib/families.ts'
import type { Wrapped } from '#tests/support/automation-world.server.ts'
import type { Around, Exchange } from '#tests/support/platform-in-process.server.ts'

export interface Mortal extends Wrapped {
  /** Every boundary it came to, in order. */
  places: string[]
  isDead(): boolean
  diedAt(): number | null
  /** When it first had a run in its hands. */
  tookUpAt(): number | null
  /** It lives on, whatever was planned for it. */
  spare(): void
  /** It ends here and now. */
  end(): void
}

export interface Death {
  /** The boundary at which it ends, counted from 0; infinity = it lives. */
  at: number
  /** Ended before an exchange: the request is on its way all the same, and is done so much later. Null = it never left. */
  lateMs: number | null
}

/** Whose commits are boundaries. */
const WRITES = new Set([
  'claimRun',
  'planEffects',
  'beginSending',
  'endSending',
  'setRow',
  'parkRun',
  'finishRun',
  'pauseAutomations',
])
const CHANGING = new Set<Exchange['verb']>(['create', 'update', 'remove', 'sms', 'email', 'upload'])

export function mortal(clock: Clock, death: Death): Mortal {
  const places: string[] = []
  let diedAt: number | null = null
  let tookUpAt: number | null = null
  let spared = false
  const never = new Promise<never>(() => {})

  /** True = this is where it ends. */
  function ends(place: string): boolean {
    if (diedAt !== null) return false
    places.push(place)
    if (spared || places.length - 1 < death.at) return false
    diedAt = clock.now()
    return true
  }

  const around: Around = async (exchange, reach) => {
    const what = `${exchange.verb} ${exchange.object}`
    if (ends(`before ${what}`) && death.lateMs !== null && CHANGING.has(exchange.verb)) {
      clock.wake(clock.now() + death.lateMs, () => void reach())
    }
    if (diedAt !== null) return never
    const answer = await reach()
    ends(`after ${what}`)
    return diedAt === null ? answer : never
  }

  return {
    places,
    isDead: () => diedAt !== null,
    diedAt: () => diedAt,
    tookUpAt: () => tookUpAt,
    spare() {
      spared = true
    },
    end() {
      diedAt ??= clock.now()
    },
    around,
    store: (store) =>
      eachMethod(store, (name, method) => async (...given) => {
        const isWrite = WRITES.has(name)
        if (isWrite) ends(`before ${name}`)
        if (diedAt !== null) return never
        const answer: unknown = await method(...given)
        if (name === 'claimRun' && answer !== null) tookUpAt ??= clock.now()
        if (isWrite) ends(`after ${name}`)
        return diedAt === null ? answer : never
      }),
    outbound: (outbound: App['outbound']) => ({
      ...outbound,
      async post(request) {
        ends('before notification')
        if (diedAt !== null) return never
        const answer = await outbound.post(request)
        ends('after notification')
        return diedAt === null ? answer : never
      },
    }),
    clock: {
      now: clock.now,
      wake: (at, run) =>
        clock.wake(at, () => {
          if (diedAt === null) run()
        }),
    },
  }
}
