// Error answers of the pretend provider.
import type { Wire } from './ledger.ts'

/** An error answer: status and content of `{ error }`. `code` is the provider's. */
export class StripeFailure extends Error {
  readonly status: number
  readonly code: string
  readonly body: Wire
  /** The parameters themselves were wrong: such an answer is not stored for the idempotency key. */
  readonly forgotten: boolean

  constructor(status: number, body: Wire & { type: string; message: string; code?: string }, forgotten = false) {
    super(body.message)
    this.status = status
    this.code = body.code ?? body.type
    this.body = body
    this.forgotten = forgotten
  }
}

export function invalid(message: string, code = '', param = ''): StripeFailure {
  const named = { ...(code === '' ? {} : { code }), ...(param === '' ? {} : { param }) }
  return new StripeFailure(400, { type: 'invalid_request_error', message, ...named })
}

export function badParameter(message: string, code: string, param: string): StripeFailure {
  return new StripeFailure(400, { type: 'invalid_request_error', message, code, param }, true)
}

export function missing(kind: string, id: string, param = 'id', status = 404): StripeFailure {
  const message = `No such ${kind}: '${id}'`
  return new StripeFailure(status, { type: 'invalid_request_error', code: 'resource_missing', message, param })
}
