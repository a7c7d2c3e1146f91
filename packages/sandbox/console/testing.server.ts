// For tests: the stage on a real server of its own, with the demo firms and an add-on that forwards to the receiver.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type FixedClock, fixedClock, type MovableClock } from '#app/lib/clocks.server.ts'
import type { Log } from '#app/lib/log.ts'
import { createReceiver, type Receiver } from '../receiver/receiver.server.ts'
import { createSandbox } from '../sandbox.server.ts'
import { seedWorld } from '../seed/seed.ts'
import { SCOPES } from '../servicem8/catalog.ts'
import type { SeedAccount, World } from '../world.ts'
import { createConsole } from './console.server.ts'

/** 2026-01-05 09:00 in London, 19:00 in Brisbane. */
const START = Date.UTC(2026, 0, 5, 9, 0, 0)

interface Got {
  status: number
  headers: Headers
  text: string
}

export interface TestConsole {
  world: World
  receiver: Receiver
  clock: FixedClock & MovableClock
  origin: string
  /** Sets the add-on's answer to webhooks from now on. */
  addonAnswers(status: number): void
  get(path: string): Promise<Got>
  /** Posts a form as a page of the stage does and does not follow the redirect. `path` is below `/sandbox/console/`. */
  press(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Got & { to: string }>
  /** Posts a form and returns the page it redirects to. */
  pressAndLook(path: string, fields: Record<string, string>): Promise<Got>
  /** Connects the add-on to an account and subscribes it to an object. */
  subscribe(accountUuid: string, object: string, fields: string): Promise<void>
  stop(): Promise<void>
}

const QUIET: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => QUIET }

export async function openConsole(
  options: { seed?: readonly SeedAccount[]; otherSite?: string } = {},
): Promise<TestConsole> {
  let answers = 200
  let handlers: ((req: IncomingMessage, res: ServerResponse) => boolean)[] = []
  const server = createServer((req, res) => {
    if (!handlers.some((handle) => handle(req, res))) void addon(req, res)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  /** Echoes challenges, shows a page to signed openings, forwards everything else to the receiver `demo`. */
  async function addon(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString('utf8')
    const challenge = new URLSearchParams(body).get('challenge')
    if (challenge !== null) return void res.end(challenge)
    if (req.url === '/hooks/servicem8') {
      return void res.writeHead(200, { 'content-type': 'text/html' }).end('<p>Opening Fieldhook…</p>')
    }
    res.writeHead(answers).end('thanks')
    if (answers === 200) await fetch(`${origin}/sandbox/receiver/demo`, { method: 'POST', body })
  }

  const fixed = fixedClock(START)
  const clock = { ...fixed, offset: () => fixed.now() - START }
  const seed = options.seed ?? seedWorld()
  const sandbox = createSandbox({
    clock,
    origin,
    appId: 'app-1',
    appSecret: 'secret-1',
    stateFile: null,
    log: QUIET,
    seed,
    answerMs: 2_000,
  })
  const { world } = sandbox
  const receiver = createReceiver(world, { clock, origin, log: QUIET })
  const stage = createConsole(world, { clock, origin, log: QUIET, receiver, otherSite: options.otherSite })
  handlers = [receiver.handle, stage.handle, sandbox.handle]

  async function get(path: string): Promise<Got> {
    const response = await fetch(`${origin}${path}`, { redirect: 'manual' })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  async function press(path: string, fields: Record<string, string>, headers: Record<string, string> = { origin }) {
    const response = await fetch(`${origin}/sandbox/console/${path}`, {
      method: 'POST',
      headers,
      body: new URLSearchParams(fields),
      redirect: 'manual',
    })
    const to = response.headers.get('location') ?? ''
    return { status: response.status, headers: response.headers, text: await response.text(), to }
  }

  return {
    world,
    receiver,
    clock,
    origin,
    addonAnswers(status) {
      answers = status
    },
    get,
    press,
    async pressAndLook(path, fields) {
      const { to } = await press(path, fields)
      return get(to)
    },
    async subscribe(accountUuid, object, fields) {
      const { access_token } = world.grant(accountUuid, [...SCOPES].join(' '))
      const response = await fetch(`${world.baseUrl}/webhook_subscriptions/object`, {
        method: 'POST',
        headers: { authorization: `Bearer ${access_token}` },
        body: new URLSearchParams({ object, fields, callback_url: `${origin}/hooks/platform/${'t'.repeat(43)}` }),
      })
      if (!response.ok) throw new Error(await response.text())
    },
    async stop() {
      receiver.stop()
      await sandbox.stop()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
