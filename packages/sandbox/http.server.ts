// Plain HTTP for the sandbox: reads a capped body, builds an answer as a value, sends it.
import type { IncomingMessage, ServerResponse } from 'node:http'

/** An answer before it is sent, so that a fault can be injected between doing and answering. */
export interface Answer {
  status: number
  headers: Record<string, string>
  body: string | Uint8Array
}

export function jsonAnswer(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
  }
}

export function textAnswer(status: number, text: string, headers: Record<string, string> = {}): Answer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers }, body: text }
}

export function redirectAnswer(location: string, headers: Record<string, string> = {}): Answer {
  return { status: 302, headers: { location, ...headers }, body: '' }
}

/** An error in the pretend platform's own shape. */
export function errorAnswer(status: number, message: string): Answer {
  return jsonAnswer(status, { errorCode: status, message })
}

/** The whole body, or the reason it is missing. Never reads more than `limit` bytes. */
export function readBody(req: IncomingMessage, limit: number): Promise<Buffer | 'too_large' | 'gone'> {
  return new Promise((resolve) => {
    if (Number(req.headers['content-length'] ?? 0) > limit) return resolve('too_large')
    const chunks: Buffer[] = []
    let size = 0
    req.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) {
        req.pause()
        req.removeAllListeners('data')
        resolve('too_large')
      } else chunks.push(chunk)
    })
    req.on('end', () => resolve(Buffer.concat(chunks)))
    req.on('error', () => resolve('gone'))
    req.on('close', () => resolve('gone'))
  })
}

/** Sends the answer, unless the client has disconnected. */
export function sendAnswer(req: IncomingMessage, res: ServerResponse, answer: Answer): void {
  if (res.headersSent || res.writableEnded || res.destroyed) return
  const body = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body
  res.writeHead(answer.status, {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...answer.headers,
    'content-length': String(body.byteLength),
    // The unread rest of a body must not be parsed as the next request.
    ...(req.complete ? {} : { connection: 'close' }),
  })
  res.end(req.method === 'HEAD' ? undefined : body)
}
