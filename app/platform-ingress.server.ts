// The short way in: calls of the platform are answered before Express and Remix see them. The same use case as the route
// module `routes/hooks/platform-events.ts`; tests/walks hold both to the same behaviour.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { App } from './app-context.ts'
import { LARGEST_BODY, type PlatformAnswer, receivePlatformCall } from './features/events/receive-event.server.ts'
import { eventBrakeOf } from './http/event-brake.server.ts'
import { brakeUnknown } from './http/unknown-address.server.ts'

const ADDRESS = /^\/hooks\/platform\/([^/?#]+)\/?(?:\?([^#]*))?$/

/** A body that is not here by then never will be: the platform itself waits 10 s for our answer. */
const BODY_WITHIN_MS = 10_000

export interface PlatformIngressOptions {
  clientIp(req: IncomingMessage): string
}

/** Returns a handler for the listener of node:http: true = it has taken the request. */
export function createPlatformIngress(
  app: Pick<App, 'store' | 'clock' | 'log' | 'settings' | 'acceptEvent' | 'space'>,
  { clientIp }: PlatformIngressOptions,
): (req: IncomingMessage, res: ServerResponse) => boolean {
  const brake = eventBrakeOf(app)
  return (req, res) => {
    const match = ADDRESS.exec(req.url ?? '')
    if (!match?.[1]) return false
    const token = match[1]
    const query = match[2] ?? ''
    readBody(req)
      .then((body) => {
        if (body.outcome === 'aborted') return
        if (body.outcome === 'slow') return send(res, SLOW, true)
        const truncated = body.outcome === 'too_large'
        const call = {
          token,
          query,
          method: req.method ?? '',
          body: body.outcome === 'read' ? body.text : '',
          truncated,
          remoteIp: clientIp(req),
          userAgent: req.headers['user-agent'] ?? null,
        }
        return receivePlatformCall(app, call, brake).then((answer) =>
          send(res, brakeUnknown(app, clientIp(req), answer), truncated),
        )
      })
      .catch((error: unknown) => {
        app.log.error({ error }, 'ingress.failed')
        if (!res.headersSent) send(res, FAILED, true)
      })
    return true
  }
}

const SLOW: PlatformAnswer = {
  status: 408,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: '{"message":"The body did not arrive in time."}',
}
const FAILED: PlatformAnswer = {
  status: 503,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: '{"message":"The event could not be stored. Send it again."}',
}

/** `close`: what is left of the body is not read, so the connection cannot be used again. */
function send(res: ServerResponse, answer: PlatformAnswer, close: boolean): void {
  if (res.destroyed) return
  const headers = { ...answer.headers, 'content-length': Buffer.byteLength(answer.body) }
  res.writeHead(answer.status, close ? { ...headers, connection: 'close' } : headers)
  res.end(answer.body)
}

type Body = { outcome: 'read'; text: string } | { outcome: 'too_large' | 'slow' | 'aborted' }

function readBody(req: IncomingMessage): Promise<Body> {
  return new Promise((resolve) => {
    if (Number(req.headers['content-length'] ?? 0) > LARGEST_BODY) {
      resolve({ outcome: 'too_large' })
      return
    }
    const chunks: Buffer[] = []
    let size = 0
    const end = (body: Body) => {
      clearTimeout(timer)
      req.off('data', onData)
      if (body.outcome === 'too_large' || body.outcome === 'slow') req.pause()
      resolve(body)
    }
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size > LARGEST_BODY) end({ outcome: 'too_large' })
      else chunks.push(chunk)
    }
    const timer = setTimeout(() => end({ outcome: 'slow' }), BODY_WITHIN_MS)
    req.on('data', onData)
    req.once('end', () => {
      const only = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
      end({ outcome: 'read', text: (only ?? Buffer.alloc(0)).toString('utf8') })
    })
    req.once('error', () => end({ outcome: 'aborted' }))
    req.once('close', () => end({ outcome: 'aborted' }))
  })
}
