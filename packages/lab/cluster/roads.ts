// The roads between the instances and the world: a wire to the database for each of them, which can be cut without being
// closed, and the proxy in front of all, which asks /readyz.
import {
  createServer as createWeb,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** held: what was on its way arrives after the cut. forgotten: connections that lived through it stay dead. */
export type Mending = 'held' | 'forgotten'

interface Pair {
  near: Socket
  far: Socket | null
}

/** How long a forgotten connection stays without an answer before its socket is given back. ms */
const FORGOTTEN_FOR = 60_000

async function listenAnywhere(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', 1024, done))
  return (server.address() as AddressInfo).port
}

/** A wire to `port` of this machine. */
export async function layWire(port: number) {
  const pairs = new Set<Pair>()
  let isCut = false

  function join(pair: Pair): void {
    const { near } = pair
    const far = connect({ port, host: '127.0.0.1', noDelay: true })
    pair.far = far
    near.pipe(far)
    far.pipe(near)
  }
  const server = createServer({ noDelay: true }, (near) => {
    const pair: Pair = { near, far: null }
    pairs.add(pair)
    near.on('error', () => pair.far?.destroy())
    near.on('close', () => {
      pairs.delete(pair)
      // An end that the other side cannot be told yet.
      if (!isCut) pair.far?.destroy()
    })
    if (!isCut) connected(pair)
  })
  function connected(pair: Pair): void {
    join(pair)
    pair.far?.on('error', () => pair.near.destroy())
    pair.far?.on('close', () => {
      if (!isCut) pair.near.destroy()
    })
  }
  return {
    port: await listenAnywhere(server),
    /** Nothing goes through any more, in either direction, and nobody is told. */
    cut(): void {
      isCut = true
      for (const { near, far } of pairs) {
        near.unpipe()
        near.pause()
        far?.unpipe()
        far?.pause()
      }
    },
    mend(how: Mending): void {
      isCut = false
      for (const pair of pairs) {
        const { near, far } = pair
        if (far === null) connected(pair)
        else if (far.destroyed) near.destroy()
        else if (how === 'held') {
          near.pipe(far)
          far.pipe(near)
        } else {
          pairs.delete(pair)
          far.destroy()
          setTimeout(() => near.destroy(), FORGOTTEN_FOR).unref()
        }
      }
    },
  }
}

const ASK_EVERY = 500
const ASK_WITHIN = 2_000
/** A dial that is refused goes to the next instance, as a proxy does before anything was sent. */
const DIALS = 20
const DIAL_AGAIN = 100

export interface ProxyCounts {
  calls: number
  /** Dials that were refused and went to another instance. */
  dialledAgain: number
  /** Calls that no instance took or that were cut off. */
  failed: number
}

/** One after the other, only to instances that were ready when last asked; a new connection for each call. */
export async function openProxy(ports: readonly number[]) {
  const ready = new Set<number>(ports)
  const counts: ProxyCounts = { calls: 0, dialledAgain: 0, failed: 0 }
  let next = 0

  function look(): void {
    for (const port of ports) {
      const asked = request(
        { port, host: '127.0.0.1', path: '/readyz', agent: false, timeout: ASK_WITHIN },
        (answer) => {
          answer.resume()
          if (answer.statusCode === 200) ready.add(port)
          else ready.delete(port)
        },
      )
      asked.on('timeout', () => asked.destroy(new Error('late')))
      asked.on('error', () => ready.delete(port))
      asked.end()
    }
  }
  setInterval(look, ASK_EVERY)

  function choose(): number {
    const open = ports.filter((port) => ready.has(port))
    const among = open.length > 0 ? open : ports
    return among[next++ % among.length] ?? 0
  }

  function pass(req: IncomingMessage, res: ServerResponse, body: Buffer, dial: number): void {
    const port = choose()
    const headers: OutgoingHttpHeaders = { ...req.headers, connection: 'close' }
    const given = { port, host: '127.0.0.1', path: req.url, method: req.method, headers, agent: false as const }
    const call = request(given, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
      answer.on('error', () => res.destroy())
    })
    call.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' && dial < DIALS) {
        ready.delete(port)
        counts.dialledAgain++
        setTimeout(() => pass(req, res, body, dial + 1), dial < ports.length ? 0 : DIAL_AGAIN)
      } else {
        counts.failed++
        if (res.headersSent) res.destroy()
        else res.writeHead(502).end(error.code)
      }
    })
    call.end(body)
  }
  const server = createWeb((req, res) => {
    counts.calls++
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => pass(req, res, Buffer.concat(chunks), 1))
  })
  return { port: await listenAnywhere(server), counts }
}
