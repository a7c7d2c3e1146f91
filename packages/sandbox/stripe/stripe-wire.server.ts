// `/sandbox/stripe/v1/…`: reads one call, identifies the caller, repeats the answer to a repeated call, or routes it.
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { HANG_MS, holdCalls } from '../held-calls.server.ts'
import { type Answer, jsonAnswer, readBody, sendAnswer } from '../http.server.ts'
import { matchingFault } from '../servicem8/faults.ts'
import type { Stage } from '../state.server.ts'
import type { FaultEffect } from '../world.ts'
import { catchUp } from './billing-clock.server.ts'
import { type Books, randomLetters } from './books.server.ts'
import { ACCOUNT_CALLS } from './calls/account-calls.server.ts'
import { CATALOGUE_CALLS } from './calls/catalogue-calls.server.ts'
import { INVOICE_CALLS } from './calls/invoice-calls.server.ts'
import { PAYMENT_CALLS } from './calls/payment-calls.server.ts'
import { REFUND_CALLS } from './calls/refund-calls.server.ts'
import type { StripeRoute } from './calls/stripe-call.server.ts'
import { SUBSCRIPTION_CALLS } from './calls/subscription-calls.server.ts'
import type { KeptAnswer } from './ledger.ts'
import { invalid, StripeFailure } from './stripe-failure.ts'
import { type Form, parseForm, requireKnownNames, textsAt } from './stripe-form.ts'
import { FAULT_PREFIX, SANDBOX_STRIPE, SANDBOX_STRIPE_VERSION } from './stripe-options.ts'
import { expand } from './wire-objects.server.ts'

export const STRIPE_CALLS: readonly StripeRoute[] = [
  ...CATALOGUE_CALLS,
  ...SUBSCRIPTION_CALLS,
  ...INVOICE_CALLS,
  ...PAYMENT_CALLS,
  ...REFUND_CALLS,
  ...ACCOUNT_CALLS,
]

interface StripeWire {
  /** `path` starts with `/v1/`. */
  handle(req: IncomingMessage, res: ServerResponse, path: string, rawQuery: string): void
  stop(): void
}

const MAX_BODY = 256 * 1024
const KEYS_LIVE = 86_400
const KEEP_ANSWERS = 2000

interface Received {
  method: string
  path: string
  rawQuery: string
  body: string
  authorization: string
  version: string
  idempotencyKey: string | null
  requestId: string
}

export function createStripeWire(stage: Stage, books: Books, afterwards: () => void): StripeWire {
  const { ledger } = books
  const held = holdCalls()

  function faultFor(method: string, path: string): FaultEffect | null {
    const rules = stage.state.faults.filter((one) => one.path.startsWith(FAULT_PREFIX))
    const anybody = rules.map((one) => ({ ...one, accountUuid: null }))
    const hit = matchingFault(anybody, { accountUuid: '', method, path: `${FAULT_PREFIX}${path}` })
    const rule = rules.find((one) => one.id === hit?.id)
    if (!rule) return null
    rule.left--
    if (rule.left <= 0) stage.state.faults = stage.state.faults.filter((one) => one !== rule)
    stage.touched()
    return rule.effect
  }

  function answerTo(call: Received): Answer {
    try {
      const fromBrowser = whoCalls(call.authorization)
      if (call.version !== '' && call.version !== SANDBOX_STRIPE_VERSION) {
        throw invalid(`Invalid Stripe API version: ${call.version}. The sandbox speaks ${SANDBOX_STRIPE_VERSION}.`)
      }
      catchUp(books, books.now())
      const found = findRoute(call.method, call.path)
      if (!found) {
        const message = `Unrecognized request URL (${call.method}: ${call.path}).`
        throw new StripeFailure(404, { type: 'invalid_request_error', message })
      }
      if (fromBrowser && !found.route.open) {
        const message = 'This API call cannot be made with a publishable API key. Please use a secret API key.'
        throw new StripeFailure(403, { type: 'invalid_request_error', message, code: 'secret_key_required' })
      }
      const form = parseForm(call.method === 'POST' ? call.body : call.rawQuery)
      if (call.method !== 'POST' || call.idempotencyKey === null) return run(call, found, form, fromBrowser)
      return onlyOnce(call, call.idempotencyKey, () => run(call, found, form, fromBrowser))
    } catch (error) {
      if (!(error instanceof StripeFailure)) throw error
      return failureAnswer(error)
    }
  }

  function run(call: Received, { route, id }: FoundRoute, form: Form, fromBrowser: boolean): Answer {
    requireKnownNames(form, route.takes)
    const { path, requestId, idempotencyKey } = call
    const object = books.asked({ id: requestId, idempotencyKey }, () =>
      route.answer({ books, form: form.tree, id, path, fromBrowser }),
    )
    return jsonAnswer(200, expand(books, object, textsAt(form.tree, 'expand')))
  }

  /** For a day, every call with the same key gets the first answer, including refusals. */
  function onlyOnce(call: Received, key: string, first: () => Answer): Answer {
    if (key.length > 255) throw invalid('Idempotency keys have at most 255 characters.')
    const now = books.now()
    ledger.answers = ledger.answers.filter((one) => one.at > now - KEYS_LIVE).slice(-KEEP_ANSWERS)
    const said = createHash('sha256').update(`${call.method} ${call.path}\n${call.body}`).digest('hex')
    const before = ledger.answers.find((one) => one.key === key)
    if (before) return before.call === said ? keptAnswer(before) : otherCall(key)
    const keep = (status: number, body: string) => ledger.answers.push({ key, call: said, status, body, at: now })
    try {
      const answer = first()
      keep(answer.status, String(answer.body))
      return answer
    } catch (error) {
      if (error instanceof StripeFailure && !error.forgotten) {
        const { status, body } = failureAnswer(error)
        keep(status, String(body))
      }
      throw error
    }
  }

  async function serve(req: IncomingMessage, res: ServerResponse, path: string, rawQuery: string): Promise<void> {
    const body = await readBody(req, MAX_BODY)
    if (body === 'gone') return
    const requestId = `req_${randomLetters(14)}`
    const send = (answer: Answer) =>
      sendAnswer(req, res, {
        ...answer,
        headers: { 'request-id': requestId, 'stripe-version': SANDBOX_STRIPE_VERSION, ...answer.headers },
      })
    if (body === 'too_large') return send(failureAnswer(new StripeFailure(413, TOO_LARGE)))
    const method = req.method ?? 'GET'
    const effect = faultFor(method, path)
    if (effect?.kind === 'drop') return void req.socket.destroy()
    if (effect?.kind === 'hang') {
      await held.wait(HANG_MS, res)
      return void req.socket.destroy()
    }
    if (effect?.kind === 'delay') await held.wait(effect.ms, res)
    if (effect?.kind === 'status') return send(failureAnswer(spoiled(effect.status)))
    const answer = answerTo({
      method,
      path,
      rawQuery,
      body: body.toString('utf8'),
      authorization: req.headers.authorization ?? '',
      version: String(req.headers['stripe-version'] ?? ''),
      idempotencyKey: String(req.headers['idempotency-key'] ?? '') || null,
      requestId,
    })
    if (method !== 'GET') stage.commit()
    afterwards()
    if (effect?.kind === 'lose_answer') return void req.socket.destroy()
    send(answer)
  }

  return {
    handle(req, res, path, rawQuery) {
      serve(req, res, path, rawQuery).catch((error: unknown) => {
        // The product runs in this process, so an error here must not leave this function.
        stage.log.error({ error: String(error) }, 'sandbox.stripe_failed')
        const message = 'An unknown error occurred in the pretend payment provider.'
        sendAnswer(req, res, failureAnswer(new StripeFailure(500, { type: 'api_error', message })))
      })
    },
    stop() {
      held.letGo()
    },
  }
}

const TOO_LARGE = { type: 'invalid_request_error', message: 'The request body is too large.' }

interface FoundRoute {
  route: StripeRoute
  id: string
}

function findRoute(method: string, path: string): FoundRoute | null {
  const given = path.split('/')
  let best: FoundRoute | null = null
  for (const route of STRIPE_CALLS) {
    if (route.method !== method) continue
    const wanted = route.path.split('/')
    if (wanted.length !== given.length) continue
    const fits = wanted.every((part, index) => (part === ':id' ? given[index] !== '' : part === given[index]))
    if (!fits) continue
    const at = wanted.indexOf(':id')
    // A literal path takes precedence over one with an id in it.
    if (at < 0) return { route, id: '' }
    best ??= { route, id: decodeId(given[at] ?? '') }
  }
  return best
}

function decodeId(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns whether the caller is a browser with the publishable key; throws unless it is that or the product. */
function whoCalls(authorization: string): boolean {
  const key = keyOf(authorization)
  if (key === SANDBOX_STRIPE.secretKey) return false
  if (key === SANDBOX_STRIPE.publishableKey) return true
  const message =
    key === ''
      ? 'You did not provide an API key. Provide it in the Authorization header, using Bearer auth.'
      : 'Invalid API Key provided.'
  throw new StripeFailure(401, { type: 'invalid_request_error', message })
}

function keyOf(authorization: string): string {
  const bearer = /^Bearer\s+(\S+)$/i.exec(authorization)?.[1]
  if (bearer !== undefined) return bearer
  const basic = /^Basic\s+(\S+)$/i.exec(authorization)?.[1]
  return basic === undefined ? '' : (Buffer.from(basic, 'base64').toString('utf8').split(':')[0] ?? '')
}

function failureAnswer(failure: StripeFailure): Answer {
  return jsonAnswer(failure.status, { error: failure.body })
}

function keptAnswer(kept: KeptAnswer): Answer {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'idempotent-replayed': 'true' }
  return { status: kept.status, headers, body: kept.body }
}

function otherCall(key: string): never {
  const message = `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`
  throw new StripeFailure(400, { type: 'idempotency_error', message })
}

function spoiled(status: number): StripeFailure {
  if (status === 429) {
    const message = 'Too many requests in a short amount of time.'
    return new StripeFailure(429, { type: 'rate_limit_error', code: 'rate_limit', message })
  }
  if (status === 409) {
    const message = 'This object cannot be accessed right now because another request is currently accessing it.'
    return new StripeFailure(409, { type: 'invalid_request_error', code: 'lock_timeout', message })
  }
  if (status >= 500) return new StripeFailure(status, { type: 'api_error', message: 'The provider is out of order.' })
  const message = status === 401 ? 'Invalid API Key provided.' : `The stage answers ${status} on purpose.`
  return new StripeFailure(status, { type: 'invalid_request_error', message })
}
