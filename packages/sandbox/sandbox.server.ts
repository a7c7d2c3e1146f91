// The stand-in for every outside service: mounted in front of the product only when `PLATFORM=sandbox`.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { seconds } from '#app/lib/duration.ts'
import { createConsole } from './console/console.server.ts'
import { sendAnswer, textAnswer } from './http.server.ts'
import { createPoster } from './post.server.ts'
import { createReceiver } from './receiver/receiver.server.ts'
import { seedWorld } from './seed/seed.ts'
import { openPlatform, type PlatformOptions, WIRE } from './servicem8/platform.server.ts'
import { createSandboxStripe } from './stripe/stripe.server.ts'
import { SANDBOX_STRIPE } from './stripe/stripe-options.ts'
import { createWorld } from './world.server.ts'
import type { SeedAccount, World } from './world.ts'

export interface SandboxOptions extends PlatformOptions {
  /** Accounts to start with; those already in the state file stay unchanged. Default: the two demo accounts. */
  seed?: readonly SeedAccount[]
  /** The clock cannot be moved, because the product runs elsewhere and could not follow. Default: it can. */
  still?: boolean
}

export interface Sandbox {
  world: World
  /**
   * Answers every path at or below `/sandbox` (404 for unknown ones) and returns true; returns false for any other path
   * without touching request or response. The body must not have been read.
   */
  handle(req: IncomingMessage, res: ServerResponse): boolean
  /** Base URLs for the product's configuration: `SERVICEM8_API_URL` and `SERVICEM8_OAUTH_URL`. */
  apiUrl: string
  oauthUrl: string
  /** The pretend payment provider, in the shape of a configured one. Its keys only work on this machine. */
  stripe: {
    secretKey: string
    publishableKey: string
    webhookSecrets: readonly string[]
    monthlyPriceId: null
    overagePriceId: null
    apiBase: string
  }
  /** The admin account when no other is configured. */
  firstAccountUuid(): string
  /** Releases hanging calls and timers and writes the state. */
  stop(): Promise<void>
}

/** A part of the sandbox that answers some of its paths. */
interface SandboxPart {
  handle(req: IncomingMessage, res: ServerResponse): boolean
}

export function createSandbox(options: SandboxOptions): Sandbox {
  const { clock, origin, log, seed = seedWorld(), still = false } = options
  const poster = createPoster()
  const { stage, keeper, engine, wire } = openPlatform(options, seed, poster)
  const stripe = createSandboxStripe(stage, poster)
  const world = createWorld(stage, keeper, poster, engine, stripe.payments, seed)
  const receiver = createReceiver(world, { clock, origin, log, still })
  const parts: readonly SandboxPart[] = [
    stripe,
    receiver,
    createConsole(world, { clock, origin, log, receiver, still }),
  ]
  keeper.commit()
  // Deliveries left over from a stopped process are sent once the server has had a moment to listen.
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
