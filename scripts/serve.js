// @ts-check
// The process's main: an HTTP server around the Remix build. It imports no app source: the build's entry module
// provides the running app, so that server and routes share one module graph (one database, one engine).
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { createRequestHandler } from '@remix-run/express'
import { createRequestHandler as createRouter } from '@remix-run/node'
import compression from 'compression'
import express from 'express'
import compressed from 'express-static-gzip'
import { callRouters } from './call-routers.mjs'
import { createHttpServer, drainOf, HTTP_LIMITS } from './http-server.mjs'
import { keepNothingByDefault } from './keep-nothing.mjs'
import { LONG_WORK } from './long-work-file.mjs'
import { watchOver } from './watchdog.mjs'

/** Longest time from the first signal to the end of the process. */
const HARD_STOP_MS = 20_000
/** How long open requests may take to end; after this the engine is drained anyway. */
const REQUESTS_GRACE_MS = 8_000

/**
 * Starts listening. Resolves with the public address and the one worth opening first.
 * Rejects with an error named `ConfigurationError` (one sentence a line) when it cannot start as configured.
 *
 * @param {{ dev?: import('vite').ViteDevServer }} [options] `dev`: take the build from Vite instead of `build/`.
 * @returns {Promise<{ url: string, openUrl: string, log: import('../app/lib/log.ts').Log, stop: () => Promise<void> }>}
 */
export async function serve({ dev } = {}) {
  const buildFile = '../build/server/index.js'
  const loadBuild = async () => (dev ? dev.ssrLoadModule('virtual:remix/server-build') : import(buildFile))
  const build = await loadBuild()
  /** @type {import('../app/boot/boot.server.ts').Running} */
  // In development the code of the long-work thread changes, so long work runs in the process that reloads.
  const running = await build.entry.module.startApp(dev ? {} : { apart: { file: LONG_WORK } })

  const own = new URL(running.origin)
  const site = express()
  /**
   * Programs get JSON, people in a browser get a page.
   *
   * @param {import('express').Request} req @param {import('express').Response} res
   * @param {{ status: number, message: string, headers?: Record<string, string> }} refusal
   */
  const refuse = (req, res, { status, message, headers = {} }) => {
    const page = running.refusalPage(req, message)
    res.set(headers).status(status).vary('Accept')
    if (page === null) res.json({ message })
    else res.type('html').send(page)
  }
  site.disable('x-powered-by')
  site.set('query parser', 'simple')
  site.use((req, res, next) => {
    const nonce = randomBytes(18).toString('base64')
    const id = randomBytes(6).toString('hex')
    const startedAt = performance.now()
    res.locals.nonce = nonce
    res.locals.clientIp = running.clientIp(req)
    const meter = { ms: 0, account: null }
    res.locals.meter = meter
    running.workFor(meter)
    const { bytesRead, bytesWritten } = req.socket
    res.on('close', () => {
      const route = running.routePattern(req.path)
      const durationMs = performance.now() - startedAt
      running.endWork(meter)
      const bytes = req.socket.bytesRead - bytesRead + req.socket.bytesWritten - bytesWritten
      running.budgets.settle(req, res.locals.clientIp, meter, bytes)
      running.requestEnded({ route, status: res.statusCode, seconds: durationMs / 1000 })
      const fields = {
        request: id,
        method: req.method,
        route,
        status: res.statusCode,
        durationMs: Math.round(durationMs),
        ...(res.writableFinished ? {} : { cut: true }),
      }
      if (req.path.startsWith('/assets/') || req.path === '/healthz') running.log.debug(fields, 'request.served')
      else running.log.info(fields, 'request.served')
    })
    for (const [name, value] of Object.entries(running.securityHeaders(req.path, nonce))) res.setHeader(name, value)
    res.on('finish', () => running.letGoOfBody(req))
    next()
  })
  site.use(async (req, res, next) => {
    try {
      const { clientIp } = res.locals
      const refusal = running.intake.enter(req, res, clientIp) ?? (await running.budgets.admit(req, clientIp))
      if (refusal) return refuse(req, res, refusal)
      next()
    } catch (error) {
      next(error)
    }
  })
  site.use(compression())
  if (dev) {
    site.use(dev.middlewares)
  } else {
    const assets = compressed('build/client/assets', {
      enableBrotli: true,
      orderPreference: ['br'],
      index: false,
      serveStatic: { immutable: true, maxAge: '1y', redirect: false },
    })
    const others = express.static('build/client', { maxAge: '1h', index: false, redirect: false })
    // Read once at the start: other addresses need no disk access.
    const files = new Set(readdirSync('build/client').map((name) => `/${name}`))
    site.use('/assets', (req, res, next) => {
      // It would answer an address that cannot be read in its own words. This throws, which is answered in ours.
      decodeURIComponent(req.path)
      assets(req, res, next)
    })
    site.use((req, res, next) => (files.has(req.path) ? others(req, res, next) : next()))
  }
  site.use((req, res, next) => {
    keepNothingByDefault(res)
    const refusal = running.admitRequest(req)
    if (refusal) return refuse(req, res, refusal)
    // Already checked above against the configured origin. Remix would check again against Host, which a proxy may
    // change, and builds absolute addresses from these headers: they always name the configured origin.
    req.headers.host = own.host
    delete req.headers.origin
    delete req.headers['x-forwarded-host']
    delete req.headers['x-forwarded-proto']
    Object.defineProperty(req, 'protocol', { value: own.protocol.slice(0, -1) })
    // Health checks are constant and belong to no caller.
    if (req.path === '/healthz' || req.path === '/readyz') return next()
    running.asCaller(
      res.locals.clientIp,
      () => {
        const over = new Promise((resolve) => res.once('close', resolve))
        next()
        return over
      },
      res.locals.meter,
    )
  })
  if (!dev) {
    // Visitors without a session share rendered pages.
    const findPage = running.strangerPages(createRouter(build, 'production'))
    site.use(async (req, res, next) => {
      try {
        const page = await findPage(req, res.locals.nonce)
        if (page === null) return next()
        res.status(page.status).set(page.headers)
        res.end(page.body)
      } catch (error) {
        next(error)
      }
    })
  }
  /** @param {any} build */
  const routerOf = (build) =>
    createRequestHandler({
      build,
      mode: dev ? 'development' : 'production',
      getLoadContext: (_req, res) => ({
        app: running.app,
        clientIp: res.locals.clientIp,
        nonce: res.locals.nonce,
        drained: drainOf(res),
      }),
    })
  if (!dev) site.use(callRouters(build, running.routePattern, routerOf))
  site.all('*', routerOf(dev ? loadBuild : build))
  /** @type {import('express').ErrorRequestHandler} */
  const onError = (error, req, res, _next) => {
    // An address with an incomplete escape (`%C3`) is the caller's mistake.
    if (error instanceof URIError) return refuse(req, res, { status: 400, message: 'This address cannot be read.' })
    running.log.error({ error, route: running.routePattern(req.path) }, 'request.failed')
    if (res.headersSent) return void res.destroy()
    refuse(req, res, { status: 500, message: 'Something went wrong on our side. Please try again.' })
  }
  site.use(onError)

  let stopping = false
  const server = createHttpServer((req, res) => {
    // Of events too: who sends one after the other would keep a connection that is never idle, until the grace is over.
    if (stopping) res.setHeader('Connection', 'close')
    const refusal = running.judgeEdges(req)
    if (refusal) {
      const page = running.refusalPage(req, refusal.message)
      return refuseAtOnce(res, refusal, running.securityHeaders('/api/', ''), page)
    }
    // One at a time per connection: a client that does not read an answer must not have a hundred more served.
    running.intake.inTurn(req, res, () => {
      // The platform's events bypass the router: a burst must not wait behind pages.
      if (running.platformIngress(req, res)) return
      if (running.sandbox?.handle(req, res)) return
      site(req, res)
    })
  })
  server.on('connection', running.intake.connected)

  try {
    await new Promise((resolve, reject) => {
      server.once('error', reject)
      // A burst that arrives while the loop is busy queues, as far as the system allows, instead of being refused.
      const { port, host } = running.listen
      server.listen({ port, host, backlog: HTTP_LIMITS.connections }, () => resolve(undefined))
    })
  } catch (error) {
    await running.stop()
    throw listenProblem(error, running.listen)
  }
  running.started()
  // No watchdog in development, where developers stop at breakpoints.
  const watchdog = dev ? null : watchOver(running.turns)

  /** @type {Promise<void> | null} */
  let stopped = null
  const stop = () => {
    stopped ??= (async () => {
      stopping = true
      void watchdog?.stop()
      running.beginDrain()
      // Until every proxy has seen that this instance is not ready, it answers what they still send.
      await new Promise((resolve) => setTimeout(resolve, running.lingerMs))
      const closed = new Promise((resolve) => server.close(resolve))
      const idle = setInterval(() => server.closeIdleConnections(), 250)
      server.closeIdleConnections()
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, REQUESTS_GRACE_MS).unref())])
      clearInterval(idle)
      await running.stop()
      server.closeAllConnections()
      await dev?.close()
    })()
    return stopped
  }
  return { url: running.origin, openUrl: running.openUrl, log: running.log, stop }
}

/**
 * Starts and supervises the process: drains on the first SIGTERM or SIGINT, ends at once on the second.
 *
 * @param {Parameters<typeof serve>[0]} [options]
 */
export async function serveUntilSignal(options) {
  const started = await serve(options)
  let signals = 0
  const onSignal = () => {
    signals += 1
    if (signals > 1) process.exit(1)
    setTimeout(() => process.exit(1), HARD_STOP_MS).unref()
    started.stop().then(
      () => process.exit(0),
      (error) => {
        console.error(error)
        process.exit(1)
      },
    )
  }
  // An uncaught error: the state in memory is no longer trustworthy, the state in the file is.
  process.on('uncaughtException', (error, origin) => {
    started.log.error({ error, origin }, 'process.fault')
    process.exit(1)
  })
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  return started
}

/**
 * Refuses a request without reading the rest of it: the connection ends with the answer.
 *
 * @param {import('node:http').ServerResponse} res
 * @param {import('../app/http/origin-check.ts').Refusal} refusal
 * @param {Record<string, string>} headers
 * @param {string | null} page for a browser
 */
function refuseAtOnce(res, refusal, headers, page) {
  const body = page ?? JSON.stringify({ message: refusal.message })
  res.writeHead(refusal.status, {
    ...headers,
    ...refusal.headers,
    'Content-Type': `${page ? 'text/html' : 'application/json'}; charset=utf-8`,
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  })
  res.end(body)
}

/** @param {unknown} error @param {{ port: number, host: string }} listen */
function listenProblem(error, listen) {
  const code = /** @type {{ code?: string }} */ (error).code
  const sentence =
    code === 'EADDRINUSE'
      ? `Port ${listen.port} is already in use. Stop the other program, or set PORT to a free one.`
      : code === 'EACCES'
        ? `Port ${listen.port} needs more rights than this user has. Set PORT to 1024 or higher.`
        : /^(EADDRNOTAVAIL|ENOTFOUND|EAI_AGAIN)$/.test(code ?? '')
          ? `HOST ${listen.host} is not an address of this machine.`
          : null
  if (!sentence) return error
  return Object.assign(new Error(sentence), { name: 'ConfigurationError' })
}
