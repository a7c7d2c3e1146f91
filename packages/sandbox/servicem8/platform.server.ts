// The pretend platform by itself: its state, its deliveries and its calls. The sandbox mounts it beside console and
// payments; tests call it in their own process, without a socket.
import type { MovableClock } from '#app/lib/clocks.server.ts'
import type { Log } from '#app/lib/log.ts'
import { addMissingAccounts } from '../accounts.server.ts'
import { createPoster, type Poster } from '../post.server.ts'
import { type Keeper, openState, type Stage } from '../state.server.ts'
import type { SeedAccount } from '../world.ts'
import { createDeliveryEngine, type DeliveryEngine } from './deliveries.server.ts'
import { createWire, type Wire } from './wire.server.ts'

export interface PlatformOptions {
  /** Shared with the product. Immediately moved forward by the offset in the state file. */
  clock: MovableClock
  /** Public address without a trailing slash, `http://localhost:3000`. */
  origin: string
  /** The product's credentials. */
  appId: string
  appSecret: string
  /** Path of the state file; null when the state is not saved. */
  stateFile: string | null
  log: Log
  /** Time limit for a callback, in ms of real time. Default 10 s, as documented. */
  answerMs?: number
}

export interface Platform {
  stage: Stage
  keeper: Keeper
  engine: DeliveryEngine
  wire: Wire
}

/** Mount path of its calls. */
export const WIRE = '/sandbox/servicem8'

/**
 * @param seed initial accounts; those already in the state file stay unchanged
 * @param poster sends the platform's own posts: events and challenges
 */
export function openPlatform(
  options: PlatformOptions,
  seed: readonly SeedAccount[],
  poster: Poster = createPoster(),
): Platform {
  const { clock, log, origin, appId, appSecret, answerMs = 10_000 } = options
  const keeper = openState(options.stateFile, log)
  const { state } = keeper
  // A restarted process must not go back in time: the product's stored rows have the moved clock's times.
  clock.advance(state.clockOffset - clock.offset())
  addMissingAccounts(state, seed, clock.now())
  const stage: Stage = {
    clock,
    log,
    origin,
    baseUrl: `${origin}${WIRE}`,
    appId,
    appSecret,
    answerMs,
    state,
    nextId: () => state.nextId++,
    touched: keeper.touched,
    commit: keeper.commit,
    announce: (account, change) => engine.announce(account, change),
    raise: (account, event) => engine.raise(account, event),
  }
  const engine = createDeliveryEngine(stage, poster)
  return { stage, keeper, engine, wire: createWire(stage, poster) }
}
