// Once per run of the tests: whoever asks first gets a PostgreSQL started, everybody else gets the same one. It is
// started here because workers come and go during a run.
import { randomBytes } from 'node:crypto'
import { createServer, type Server, type Socket } from 'node:net'
import type { TestProject } from 'vitest/node'
import { SetupError } from '../../scripts/packages.mjs'
import { openPostgres, type PostgresServer } from '../../scripts/postgres.mjs'

/** The server as a test sees it. */
export type PostgresForTests =
  | { outcome: 'running'; url: string; prefix: string; source: string; version: string }
  /** None can be had on this machine; `sentence` says why. */
  | { outcome: 'none'; sentence: string }

/** What the desk answers: a server that was given and cannot be used is no reason to leave tests out. */
export type DeskAnswer = PostgresForTests | { outcome: 'failed'; sentence: string }

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where to ask for the server, and the server itself when TEST_DATABASE=postgres started it with the run. */
    postgres: { port: number; token: string; started: PostgresForTests | null }
  }
}

interface Desk {
  port: number
  token: string
  ask(): Promise<PostgresForTests>
  close(): Promise<void>
}

// Every project of a run has its own set-up: they share one desk.
const DESK = Symbol.for('fieldhook.tests.postgres')
const shared = globalThis as { [DESK]?: { desk: Promise<Desk>; users: number } }

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  // The product that a walk starts refuses a server that does not keep what it commits.
  const durable = project.vitest.projects.some(({ name }) => name.startsWith('walk'))
  shared[DESK] ??= { desk: openDesk(durable), users: 0 }
  const mine = shared[DESK]
  mine.users += 1
  const { port, token, ask, close } = await mine.desk
  const started = process.env.TEST_DATABASE === 'postgres' ? await ask() : null
  if (started?.outcome === 'none') throw new Error(started.sentence)
  project.provide('postgres', { port, token, started })
  return async () => {
    mine.users -= 1
    if (mine.users > 0) return
    delete shared[DESK]
    await close()
  }
}

/** Listens on this machine; who knows the token is told the server's address. */
async function openDesk(durable: boolean): Promise<Desk> {
  const token = randomBytes(16).toString('hex')
  let opened: Promise<PostgresServer> | null = null
  const ask = async (): Promise<PostgresForTests> => {
    opened ??= openPostgres({ durable })
    try {
      const { prefix, source, version, url } = await opened
      return { outcome: 'running', url: url(), prefix, source, version }
    } catch (error) {
      if (error instanceof SetupError && !process.env.TEST_DATABASE_URL)
        return { outcome: 'none', sentence: error.message }
      throw error
    }
  }
  const answer = (socket: Socket) => {
    socket.on('error', () => {})
    socket.once('data', async (line) => {
      if (line.toString() !== token) return socket.destroy()
      const told: DeskAnswer = await ask().catch((error) => ({ outcome: 'failed', sentence: String(error) }))
      socket.end(JSON.stringify(told))
    })
  }
  const server = await listen(answer)
  const address = server.address()
  return {
    port: address !== null && typeof address === 'object' ? address.port : 0,
    token,
    ask,
    async close() {
      server.close()
      const running = await opened?.catch(() => null)
      await running?.stop()
    },
  }
}

async function listen(answer: (socket: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer(answer)
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve(server.unref()))
  })
}
