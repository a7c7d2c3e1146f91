// The pretend platform by itself: what it remembers, its deliveries and its calls. The sandbox mounts it beside console and payments;
// tests ask it in their own process, without a socket.
import type { MovableClock } from '#app/lib/clocks.server.ts'
import type { Log } from '#app/lib/log.ts'
import { addMissingAccounts } from '../accounts.server.ts'
import { createPoster, type Poster } from '../post.server.ts'
import { type Keeper, openState, type Stage } from '../state.server.ts'
import type { SeedAccount } from '../world.ts'
import { createDeliveryEngine, type DeliveryEngine } from './deliveries.server.ts'
import { createWire, type Wire } from './wire.server.ts'

export interface PlatformOptions {
  /** Shared with the product. Moved forward at once by what the state file remembers. */
  clock: MovableClock
  /** Public address without a trailing slash, `http://localhost:3000`. */
  origin: string
  /** What the product authenticates with. */
  appId: string
  appSecret: string
  /** Where the state is kept; null: nowhere. */
  stateFile: string | null
  log: Log
  /** How long a callback may take, in ms of real time. Default 10 s, as documented. */
  answerMs?: number
}

export interface Platform {
  stage: Stage
  keeper: Keeper
  engine: DeliveryEngine
  wire: Wire
}

/** Where its calls are mounted. */
export const WIRE = '/sandbox/servicem8'

/**
 * @param seed accounts to begin with; those the state file knows already are left alone
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
  // A restarted process must not go back in time: what the product stored carries the moved clock's times.
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
