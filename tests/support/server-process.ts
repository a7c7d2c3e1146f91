// The real built server as a separate process, for tests that kill it, drain it or open it in a browser.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { SERVER_FLAGS } from '../../scripts/server-flags.mjs'
import { freePort } from './free-port.ts'
import { type WalkDatabase, walkDatabase } from './walk-database.server.ts'

export interface ServerProcess {
  origin: string
  /** The folder of its database and sandbox state. */
  folder: string
  database: WalkDatabase
  pid: number
  /** Its whole output so far. */
  output(): string
  /** Kills it like a power switch: no warning, no clean-up. */
  killHard(): Promise<void>
  /** SIGTERM; resolves with the exit code and how long it took, in ms. */
  drain(): Promise<{ code: number | null; ms: number }>
  /** Starts it again on the same port and the same files. */
  restart(): Promise<void>
  /** Ends it and removes its files. */
  dispose(): Promise<void>
}

/**
 * Starts `scripts/serve-main.mjs` in sandbox mode on a free port with files in a temporary folder, and waits until
 * `/readyz` answers 200. Needs a build (`npm test` makes one).
 */
export async function startServerProcess(env: Record<string, string> = {}): Promise<ServerProcess> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'fieldhook-server-'))
  const database = await walkDatabase(folder)
  const origin = `http://localhost:${port}`
  let child: ChildProcess | null = null
  let printed = ''

  const launch = async (): Promise<void> => {
    const started = spawn(process.execPath, [...SERVER_FLAGS, resolve('scripts/serve-main.mjs')], {
      env: {
        PATH: process.env.PATH ?? '',
        PORT: String(port),
        APP_ORIGIN: origin,
        ...database.env,
        LOG_LEVEL: 'warn',
        NODE_ENV: 'production',
        PLATFORM: 'sandbox',
        // Walks send more calls through one address than a platform does.
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child = started
    const gather = (chunk: Buffer) => {
      printed = (printed + chunk.toString()).slice(-200_000)
    }
    started.stdout?.on('data', gather)
    started.stderr?.on('data', gather)
    const deadline = Date.now() + 20_000
    for (;;) {
      if (started.exitCode !== null) throw new Error(`the server ended while starting:\n${printed}`)
      const answer = await fetch(`${origin}/readyz`).catch(() => null)
      if (answer?.status === 200) return
      if (Date.now() > deadline) throw new Error(`the server did not become ready:\n${printed}`)
      await new Promise((next) => setTimeout(next, 50))
    }
  }
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    const ending = child
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return ending?.exitCode ?? null
    const ended = new Promise<number | null>((done) => ending.once('exit', (code) => done(code)))
    ending.kill(signal)
    return ended
  }

  await launch()
  return {
    origin,
    folder,
    database,
    get pid() {
      return child?.pid ?? 0
    },
    output: () => printed,
    killHard: async () => void (await end('SIGKILL')),
    async drain() {
      const began = performance.now()
      const code = await end('SIGTERM')
      return { code, ms: performance.now() - began }
    },
    restart: launch,
    async dispose() {
      await end('SIGKILL')
      await database.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
