// `/sandbox/receiver/{name}`: an address an owner could use. Stores requests, shows them, and misbehaves on demand.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { MovableClock } from '#app/lib/clocks.server.ts'
import type { Log } from '#app/lib/log.ts'
import { addressOf, pageAnswer } from '../console/page-answer.server.ts'
import { type Answer, jsonAnswer, readBody, redirectAnswer, sendAnswer, textAnswer } from '../http.server.ts'
import type { World } from '../world.ts'
import { type Behaviour, readBehaviour, speaksForItself } from './behaviour.ts'
import { type Received, receiverName } from './received.ts'
import { createReceiverLog, KEEP_A_NAME, type ReceiverLog } from './receiver-log.server.ts'
import { ReceiverPage, saidOf } from './receiver-page.tsx'
import { checkSignature } from './signature.server.ts'

export interface Receiver {
  /** Answers `/sandbox/receiver` and every path below it and returns true; leaves any other path untouched. */
  handle(req: IncomingMessage, res: ServerResponse): boolean
  log: ReceiverLog
  /** Releases the requests that are held open. */
  stop(): void
}

interface ReceiverDeps {
  clock: MovableClock
  /** Public address without a trailing slash. */
  origin: string
  log: Log
  /** The clock cannot be moved. Default: it can. */
  still?: boolean
}

const BASE = '/sandbox/receiver'
const MAX_BODY = 1024 * 1024
const KEEP_BODY = 64 * 1024
const HANG_MS = 120_000
/** Maximum number of requests held open at once; above it the receiver answers an honest 503. */
const MAX_HELD = 200

/** @param world only for the accounts' time zones on the page. */
export function createReceiver(world: Pick<World, 'accounts'>, deps: ReceiverDeps): Receiver {
  const kept = createReceiverLog()
  const held = new Set<() => void>()
  let nextId = 1

  async function serve(req: IncomingMessage, res: ServerResponse, rawName: string, query: URLSearchParams) {
    const name = receiverName(rawName)
    const reading = req.method === 'GET' || req.method === 'HEAD'
    if (rawName === '' && reading) return sendAnswer(req, res, redirectAnswer('/sandbox/console/receivers'))
    if (!name) return sendAnswer(req, res, textAnswer(404, 'A receiver is named with letters, digits, . _ and -'))
    if (reading) return sendAnswer(req, res, show(req, name, query))
    await receive(req, res, name, query)
  }

  async function receive(req: IncomingMessage, res: ServerResponse, name: string, query: URLSearchParams) {
    const body = await readBody(req, MAX_BODY)
    if (body === 'gone') return
    if (body === 'too_large') {
      keep(req, name, Buffer.alloc(0), { status: 413, mischief: 'refused: the body is larger than 1 MB' })
      return sendAnswer(req, res, textAnswer(413, 'This receiver takes bodies of up to 1 MB'))
    }
    const told = speaksForItself(query) ? query : new URLSearchParams(kept.behaviourOf(name))
    const read = readBehaviour(told)
    if (read.outcome === 'bad') {
      keep(req, name, body, { status: 400, mischief: `refused: ${read.sentence}` })
      return sendAnswer(req, res, textAnswer(400, read.sentence))
    }
    await behave(req, res, name, body, read.behaviour)
  }

  async function behave(req: IncomingMessage, res: ServerResponse, name: string, body: Buffer, how: Behaviour) {
    const waits = how.hang ? HANG_MS : how.delayMs
    if (waits > 0 && held.size >= MAX_HELD) {
      keep(req, name, body, { status: 503, mischief: 'too many requests are waiting here already' })
      return sendAnswer(req, res, textAnswer(503, 'Too many requests are waiting here already'))
    }
    keep(req, name, body, { status: how.hang || how.drop ? null : how.status, mischief: mischiefOf(how) })
    if (waits > 0) await pause(waits, res)
    if (how.hang || how.drop) return void req.socket.destroy()
    sendAnswer(req, res, answerOf(name, how))
  }

  function pause(ms: number, res: ServerResponse): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        held.delete(done)
        res.off('close', done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      timer.unref()
      held.add(done)
      res.on('close', done)
    })
  }

  function keep(req: IncomingMessage, name: string, body: Buffer, end: Pick<Received, 'status' | 'mischief'>): void {
    const now = deps.clock.now()
    kept.add({
      id: nextId++,
      name,
      at: now,
      method: req.method ?? '',
      target: (req.url ?? '').slice(0, 2_000),
      headers: headersOf(req),
      body: body.subarray(0, KEEP_BODY).toString('utf8'),
      bodyBytes: body.length,
      truncated: body.length > KEEP_BODY,
      signature: checkSignature(req.headers, body, kept.keysOf(name), now),
      ...end,
    })
  }

  function show(req: IncomingMessage, name: string, query: URLSearchParams): Answer {
    const requests = kept.requests(name)
    const address = `${deps.origin}${BASE}/${name}`
    if (query.get('format') === 'json' || prefersJson(req.headers.accept ?? '')) {
      return jsonAnswer(200, { name, address, total: kept.total(name), requests: requests.map(asJson) })
    }
    const view = {
      name,
      address,
      requests,
      total: kept.total(name),
      kept: KEEP_A_NAME,
      secrets: kept.keysOf(name).length,
      behaviour: kept.behaviourOf(name),
      clock: {
        still: deps.still ?? false,
        now: deps.clock.now(),
        moved: deps.clock.offset(),
        zones: world.accounts().map((one) => one.timezone),
      },
      said: saidOf(query.get('did')),
    }
    return pageAnswer(200, ReceiverPage(view))
  }

  return {
    log: kept,
    handle(req, res) {
      const { path, query } = addressOf(req)
      if (path !== BASE && !path.startsWith(`${BASE}/`)) return false
      serve(req, res, path.slice(BASE.length + 1), query).catch((error: unknown) => {
        deps.log.error({ error: String(error) }, 'receiver.failed')
        sendAnswer(req, res, textAnswer(500, 'The receiver itself failed'))
      })
      return true
    },
    stop() {
      for (const done of [...held]) done()
    },
  }
}

function answerOf(name: string, { status, redirect, retryAfter, body }: Behaviour): Answer {
  const headers: Record<string, string> = {
    // Same origin as the product: the requested body must never run as a page of it.
    'content-security-policy': "default-src 'none'; sandbox",
  }
  if (redirect !== '')
    headers.location = new URL(redirect, 'http://path.invalid').href.replace('http://path.invalid', '')
  if (retryAfter !== '') headers['retry-after'] = retryAfter
  if (status === 204 || status === 205 || status === 304) return { status, headers, body: '' }
  if (body === null) return jsonAnswer(status, { receiver: name, status }, headers)
  return /^\s*[[{]/.test(body)
    ? { status, headers: { ...headers, 'content-type': 'application/json; charset=utf-8' }, body }
    : textAnswer(status, body, headers)
}

function mischiefOf({ hang, drop, delayMs, redirect, retryAfter }: Behaviour): string {
  if (hang) return 'never answered'
  const parts = [
    delayMs > 0 ? `after ${delayMs} ms` : '',
    drop ? 'hung up' : '',
    redirect !== '' ? 'with a redirect' : '',
    retryAfter !== '' ? `asking to wait ${retryAfter}` : '',
  ]
  return parts.filter((part) => part !== '').join(', ')
}

function headersOf(req: IncomingMessage): [string, string][] {
  const list: [string, string][] = []
  for (let index = 0; index + 1 < req.rawHeaders.length; index += 2) {
    const name = (req.rawHeaders[index] ?? '').toLowerCase()
    list.push([name, name === 'cookie' ? '(not kept)' : (req.rawHeaders[index + 1] ?? '')])
  }
  return list
}

function asJson({ at, headers, ...rest }: Received): Record<string, unknown> {
  return { ...rest, at: new Date(at).toISOString(), headers: Object.fromEntries(headers) }
}

function prefersJson(accept: string): boolean {
  return accept.includes('application/json') && !accept.includes('text/html')
}
