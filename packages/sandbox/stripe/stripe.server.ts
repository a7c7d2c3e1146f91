// The assembled pretend payment provider: `/sandbox/stripe/…` and `/sandbox/stripe.js`.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { seconds } from '#app/lib/duration.ts'
import { comesFromUs } from '../console/console.server.ts'
import { addressOf } from '../console/page-answer.server.ts'
import { type Answer, readBody, sendAnswer, textAnswer } from '../http.server.ts'
import type { Poster } from '../post.server.ts'
import type { Stage } from '../state.server.ts'
import { catchUp, nextDueAt } from './billing-clock.server.ts'
import { createBooks } from './books.server.ts'
import { hostedPage, hostedPost } from './hosted-pages.server.ts'
import { allOf, findIn, type StripeEvent } from './ledger.ts'
import { stockLedger } from './opening-stock.ts'
import type { PaymentsWorld } from './payments-world.ts'
import { standInAnswer } from './stand-in.server.ts'
import { SANDBOX_STRIPE } from './stripe-options.ts'
import { createStripePosts } from './stripe-posts.server.ts'
import { createStripeWire } from './stripe-wire.server.ts'

interface SandboxStripe {
  payments: PaymentsWorld
  /** Answers its own paths and returns true; leaves any other path untouched. */
  handle(req: IncomingMessage, res: ServerResponse): boolean
  stop(): void
}

const BASE = SANDBOX_STRIPE.basePath
const MAX_FORM = 64 * 1024

export function createSandboxStripe(stage: Stage, poster: Poster): SandboxStripe {
  const { clock, origin } = stage
  const ledger = stage.state.payments
  const posts = createStripePosts(stage, poster)
  const books = createBooks({
    ledger,
    origin,
    clock: () => Math.floor(clock.now() / 1000),
    announce: posts.announce,
  })
  let cancelWake = () => {}
  let stopped = false
  const wire = createStripeWire(stage, books, rearm)
  stockLedger(ledger, origin, books.now())
  // Work that came due while the process was stopped runs once the server has had a moment to listen.
  clock.wake(clock.now() + seconds(1), () => {
    passTime()
    posts.wake()
  })

  function passTime(): void {
    if (stopped) return
    if (catchUp(books, books.now())) stage.commit()
    rearm()
  }

  function rearm(): void {
    cancelWake()
    const next = nextDueAt(books)
    cancelWake = next === null || stopped ? () => {} : clock.wake(next, passTime)
  }

  async function serve(req: IncomingMessage, path: string, query: URLSearchParams): Promise<Answer> {
    if (req.method === 'GET' || req.method === 'HEAD') return hostedPage(books, path, query) ?? nothing()
    if (req.method !== 'POST') return textAnswer(405, 'GET or POST', { allow: 'GET, HEAD, POST' })
    if (!comesFromUs(req, origin)) return textAnswer(403, 'That was not pressed here.')
    const body = await readBody(req, MAX_FORM)
    if (typeof body === 'string') return textAnswer(400, 'The form did not arrive')
    passTime()
    const answer = hostedPost(books, path, new URLSearchParams(body.toString('utf8')))
    stage.commit()
    rearm()
    return answer ?? nothing()
  }

  return {
    payments: paymentsWorld(),
    handle(req, res) {
      const { path, query } = addressOf(req)
      if (path === `${BASE}.js`) {
        sendAnswer(req, res, standInAnswer())
        return true
      }
      if (!path.startsWith(`${BASE}/`)) return false
      const rest = path.slice(BASE.length + 1)
      if (rest.startsWith('v1/')) {
        const target = req.url ?? ''
        const mark = target.indexOf('?')
        wire.handle(req, res, `/${rest}`, mark < 0 ? '' : target.slice(mark + 1))
        return true
      }
      serve(req, rest, query)
        .catch((error: unknown) => {
          stage.log.error({ error: String(error) }, 'sandbox.stripe_page_failed')
          return textAnswer(500, 'The pretend payment provider itself failed.')
        })
        .then((answer) => sendAnswer(req, res, answer))
        .catch((error: unknown) => stage.log.error({ error: String(error) }, 'sandbox.stripe_send_failed'))
      return true
    },
    stop() {
      stopped = true
      cancelWake()
      posts.stop()
      wire.stop()
    },
  }

  function paymentsWorld(): PaymentsWorld {
    return {
      ledger: () => ledger,
      customers: (accountUuid) =>
        allOf(ledger.customers).filter((one) => Object.values(one.metadata).includes(accountUuid)),
      events: (customerId) => ledger.events.filter((event) => isAbout(event, customerId)).reverse(),
      posts: (eventId) => ledger.posts.filter((one) => one.event === eventId),
      switches: () => ({ ...ledger.switches }),
      setSwitches(patch) {
        Object.assign(ledger.switches, patch)
        stage.commit()
      },
      declineNextRenewal(customerId, decline) {
        const customer = findIn(ledger.customers, customerId)
        if (customer) customer.declineNext = decline
        stage.commit()
        return customer !== null
      },
      releaseEvents: posts.release,
      retryEvents: posts.retryNow,
      resendEvent: posts.resend,
      settled: posts.settled,
    }
  }
}

function isAbout(event: StripeEvent, customerId: string): boolean {
  return event.object.customer === customerId || event.object.id === customerId
}

function nothing(): Answer {
  return textAnswer(404, 'There is nothing here.')
}
