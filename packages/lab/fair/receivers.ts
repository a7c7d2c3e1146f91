// Receivers in a separate process: some answer, some are slow, some never answer. They record when each event arrived.
import { type ChildProcess, fork } from 'node:child_process'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'

/** The behaviour of one address. Addresses without one answer at once. */
export type Behaviour = { index: number } & ({ hangs: true } | { answersAfterMs: number })

/** An event's arrival: its number, the address's index, and the time (see `moment`). */
export type Arrival = [event: number, index: number, at: number]

type Command =
  | { do: 'listen'; ports: number }
  | { do: 'behave'; behaviours: Behaviour[] }
  | { do: 'count'; without: number[] }
  | { do: 'collect' }

type Reply = { ports: number[] } | { arrived: number } | { arrivals: Arrival[]; lagP99: number } | { done: true }

export interface Receivers {
  /** `http://127.0.0.1:port` of every listener. */
  origins: string[]
  behave(behaviours: Behaviour[]): Promise<void>
  /** Number of events that arrived since the last collection, at other addresses than these. */
  count(without: number[]): Promise<number>
  /** Arrivals since the last collection, and the delay of the receivers' own event loop (p99, ms). */
  collect(): Promise<{ arrivals: Arrival[]; lagP99: number }>
  close(): void
}

/** ms on a monotonic clock shared by all processes of this machine. */
export function moment(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

export async function startReceivers(ports: number): Promise<Receivers> {
  const main = fileURLToPath(new URL('../../../scripts/prove-fair.mjs', import.meta.url))
  const child = fork(main, ['--receivers'])
  const listening = (await ask(child, { do: 'listen', ports })) as { ports: number[] }
  return {
    origins: listening.ports.map((port) => `http://127.0.0.1:${port}`),
    async behave(behaviours) {
      await ask(child, { do: 'behave', behaviours })
    },
    async count(without) {
      return ((await ask(child, { do: 'count', without })) as { arrived: number }).arrived
    },
    async collect() {
      return (await ask(child, { do: 'collect' })) as { arrivals: Arrival[]; lagP99: number }
    },
    close: () => child.disconnect(),
  }
}

function ask(child: ChildProcess, command: Command): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`the receivers ended with ${code}`))
    child.once('exit', ended)
    child.once('message', (reply) => {
      child.off('exit', ended)
      resolve(reply as Reply)
    })
    child.send(command)
  })
}

/** The entry point of that process. Ends when its parent disconnects. */
export function serveReceivers(): void {
  let arrivals: Arrival[] = []
  let behaviours = new Map<number, Behaviour>()
  const unanswered = new Set<ServerResponse>()
  const servers: Server[] = []
  const lag = monitorEventLoopDelay({ resolution: 1 })
  lag.enable()

  function receive(path: string, body: string, response: ServerResponse): void {
    const index = Number(path.slice(1))
    arrivals.push([(JSON.parse(body) as { n: number }).n, index, moment()])
    const behaviour = behaviours.get(index)
    const answer = () => response.writeHead(200, { 'content-type': 'text/plain' }).end('ok')
    if (!behaviour) answer()
    else if ('hangs' in behaviour) unanswered.add(response)
    else setTimeout(answer, behaviour.answersAfterMs)
  }

  async function listen(): Promise<number> {
    const server = createServer((request, response) => {
      let body = ''
      request.setEncoding('utf8')
      request.on('data', (chunk: string) => {
        body += chunk
      })
      request.on('end', () => receive(request.url ?? '', body, response))
      response.on('close', () => unanswered.delete(response))
    })
    // Longer than the engine keeps a connection: which side closes first is not tested here.
    server.keepAliveTimeout = 60_000
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 1024, resolve))
    return (server.address() as AddressInfo).port
  }

  async function act(command: Command): Promise<Reply> {
    switch (command.do) {
      case 'listen': {
        const ports: number[] = []
        while (ports.length < command.ports) ports.push(await listen())
        return { ports }
      }
      case 'behave':
        behaviours = new Map(command.behaviours.map((one) => [one.index, one]))
        // Requests that wait for an answer must not wait longer than the new behaviour wants.
        for (const response of unanswered) response.destroy()
        return { done: true }
      case 'count':
        return { arrived: arrivals.filter(([, index]) => !command.without.includes(index)).length }
      case 'collect': {
        const reply = { arrivals, lagP99: lag.percentile(99) / 1e6 }
        arrivals = []
        lag.reset()
        return reply
      }
    }
  }

  process.on('message', (command: Command) => {
    void act(command).then((reply) => process.send?.(reply))
  })
  process.on('disconnect', () => process.exit())
}
