// The stand-in for everything outside: mounted in front of the product when `PLATFORM=sandbox`, never otherwise.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { MovableClock } from '#app/lib/clocks.server.ts'
import { seconds } from '#app/lib/duration.ts'
import type { Log } from '#app/lib/log.ts'
import { addMissingAccounts } from './accounts.server.ts'
import { createConsole } from './console/console.server.ts'
import { sendAnswer, textAnswer } from './http.server.ts'
import { createPoster } from './post.server.ts'
import { createReceiver } from './receiver/receiver.server.ts'
import { seedWorld } from './seed/seed.ts'
import { createDeliveryEngine } from './servicem8/deliveries.server.ts'
import { createWire } from './servicem8/wire.server.ts'
import { openState, type Stage } from './state.server.ts'
import { createSandboxStripe } from './stripe/stripe.server.ts'
import { SANDBOX_STRIPE } from './stripe/stripe-options.ts'
import { createWorld } from './world.server.ts'
import type { SeedAccount, World } from './world.ts'

export interface SandboxOptions {
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
  /** Accounts to begin with; those the state file knows already are left alone. Default: the two demo accounts. */
  seed?: readonly SeedAccount[]
  /** How long a callback may take, in ms of real time. Default 10 s, as documented. */
  answerMs?: number
}

export interface Sandbox {
  world: World
  /**
   * Answers every path at or below `/sandbox` (404 for those that are nothing) and returns true; returns false for
   * any other path without touching request or response. The body must not have been read.
   */
  handle(req: IncomingMessage, res: ServerResponse): boolean
  /** Bases to configure the product with: `SERVICEM8_API_URL` and `SERVICEM8_OAUTH_URL`. */
  apiUrl: string
  oauthUrl: string
  /** The pretend payment provider, in the shape of a configured one. None of its keys opens anything outside this machine. */
  stripe: {
    secretKey: string
    publishableKey: string
    webhookSecrets: readonly string[]
    monthlyPriceId: null
    overagePriceId: null
    apiBase: string
  }
  /** Who may be admin when nobody else is named. */
  firstAccountUuid(): string
  /** Lets go of hanging calls and timers and writes the state. */
  stop(): Promise<void>
}

/** A part of the sandbox that answers some of its paths. */
export interface SandboxPart {
  handle(req: IncomingMessage, res: ServerResponse): boolean
}

const WIRE = '/sandbox/servicem8'

export function createSandbox(options: SandboxOptions): Sandbox {
  const { clock, origin, log, seed = seedWorld() } = options
  const keeper = openState(options.stateFile, log)
  const { state } = keeper
  // A restarted process must not go back in time: what the product stored carries the moved clock's times.
  clock.advance(state.clockOffset - clock.offset())
  addMissingAccounts(state, seed, clock.now())

  const poster = createPoster()
  const stage: Stage = {
    clock,
    log,
    origin,
    baseUrl: `${origin}${WIRE}`,
    appId: options.appId,
    appSecret: options.appSecret,
    answerMs: options.answerMs ?? 10_000,
    state,
    nextId: () => state.nextId++,
    touched: keeper.touched,
    commit: keeper.commit,
    announce: (account, change) => engine.announce(account, change),
    raise: (account, event) => engine.raise(account, event),
  }
  const engine = createDeliveryEngine(stage, poster)
  const wire = createWire(stage, poster)
  const stripe = createSandboxStripe(stage, poster)
  const world = createWorld(stage, keeper, poster, engine, stripe.payments, seed)
  const receiver = createReceiver(world, { clock, origin, log })
  const parts: readonly SandboxPart[] = [stripe, receiver, createConsole(world, { clock, origin, log, receiver })]
  keeper.commit()
  // What a stopped process left waiting is sent once the server has had a moment to listen.
  clock.wake(clock.now() + seconds(1), engine.wake)

  return {
    world,
    apiUrl: stage.baseUrl,
    oauthUrl: stage.baseUrl,
    stripe: {
      secretKey: SANDBOX_STRIPE.secretKey,
      publishableKey: SANDBOX_STRIPE.publishableKey,
      webhookSecrets: [SANDBOX_STRIPE.webhookSecret],
      monthlyPriceId: null,
      overagePriceId: null,
      apiBase: `${origin}${SANDBOX_STRIPE.basePath}`,
    },
    handle(req, res) {
      const [path = '', query = ''] = splitOnce(req.url ?? '', '?')
      if (path !== '/sandbox' && !path.startsWith('/sandbox/')) return false
      if (path.startsWith(`${WIRE}/`)) {
        wire.handle(req, res, path.slice(WIRE.length), query)
        return true
      }
      for (const part of parts) if (part.handle(req, res)) return true
      sendAnswer(req, res, textAnswer(404, 'There is nothing here.'))
      return true
    },
    firstAccountUuid: () => world.accounts()[0]?.uuid ?? '',
    async stop() {
      engine.stop()
      wire.stop()
      stripe.stop()
      receiver.stop()
      await poster.stop()
      keeper.stop()
    },
  }
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
