// Kills a process at a chosen boundary: before or after a commit, before or after an outside call. A killed process
// never continues: nothing it waits for arrives, and it performs nothing more.
import type { App } from '#app/context/app-context.ts'
import type { Clock } from '#app/lib/clock.ts'
import { eachMethod } from '#app/lib/families.ts'
import type { Wrapped } from '#tests/support/automation-world.server.ts'
import type { Around, Exchange } from '#tests/support/platform-in-process.server.ts'

export interface Mortal extends Wrapped {
  /** Every boundary the process reached, in order. */
  places: string[]
  isDead(): boolean
  diedAt(): number | null
  /** When it first claimed a run. */
  tookUpAt(): number | null
  /** Lets it live, whatever was planned. */
  spare(): void
  /** Kills it now. */
  end(): void
}

export interface Death {
  /** The boundary at which it is killed, counted from 0; infinity = it lives. */
  at: number
  /** Killed before a call: the request still arrives, and is performed after this delay. Null when it never left. */
  lateMs: number | null
}

/** Store methods whose commits are boundaries. */
const WRITES = new Set([
  'claimRun',
  'planEffects',
  'beginSending',
  'endSending',
  'setRow',
  'parkRun',
  'finishRun',
  'pauseAutomations',
  'settleLook',
  'postponeLook',
  'settleJudged',
  'settleReceipt',
  'settleAnswer',
  'noteTold',
])
const CHANGING = new Set<Exchange['verb']>(['create', 'update', 'remove', 'sms', 'email', 'upload'])

export function mortal(clock: Clock, death: Death): Mortal {
  const places: string[] = []
  let diedAt: number | null = null
  let tookUpAt: number | null = null
  let spared = false
  const never = new Promise<never>(() => {})

  /** Whether the process is killed here. */
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
