// The real built server as a process that a proof kills, starves and restarts on the same files.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePort } from '#tests/support/free-port.ts'
import { SERVER_FLAGS } from '../../../scripts/server-flags.mjs'

export interface Ending {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface LaunchOptions {
  /** Module (a path) that the process loads before anything else. */
  preload?: string
  /** Another build than before, from now on. */
  checkout?: Checkout
  /** For Node, after the server's own: the later flag takes precedence. */
  flags?: string[]
  env?: Record<string, string>
}

export interface ProofServer {
  origin: string
  databaseFile: string
  readonly pid: number
  /** Starts the server. Resolves as soon as it listens, or with how it ended before that. */
  launch(options?: LaunchOptions): Promise<'listening' | Ending>
  /** Resolves when `/readyz` answers 200. */
  ready(): Promise<void>
  /** Resolves when the running process ends; at once when it already has. */
  ended(): Promise<Ending>
  /** kill -9. */
  killHard(): Promise<void>
  /** SIGTERM. */
  drain(): Promise<Ending>
  /** All output since the first start, its last 200 KB. */
  output(): string
  /** Ends it and removes its files. */
  dispose(): Promise<void>
}

const LISTENS_WITHIN = 60_000

/** Another built checkout of the project, and its Node. */
export interface Checkout {
  root: string
  node: string
}

/**
 * Starts nothing yet. Files are in `folder` (created when missing; a temporary one by default), the port is chosen by
 * the machine and stays. Needs a build.
 */
export async function proofServer(given: {
  env: Record<string, string>
  folder?: string
  checkout?: Checkout
}): Promise<ProofServer> {
  const port = await freePort()
  let { checkout } = given
  const folder = given.folder ?? mkdtempSync(join(tmpdir(), 'fieldhook-proof-'))
  mkdirSync(folder, { recursive: true })
  const origin = `http://localhost:${port}`
  const databaseFile = join(folder, 'fieldhook.db')
  let child: ChildProcess | null = null
  let ending: Promise<Ending> = Promise.resolve({ code: null, signal: null })
  let printed = ''
  // An interrupted proof leaves no server behind.
  const endWithUs = () => {
    child?.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', endWithUs)

  const runs = () => child !== null && child.exitCode === null && child.signalCode === null

  async function end(signal: NodeJS.Signals): Promise<Ending> {
    child?.kill(signal)
    return ending
  }

  return {
    origin,
    databaseFile,
    get pid() {
      return child?.pid ?? 0
    },
    async launch({ preload, checkout: other, flags = [], env } = {}) {
      if (runs()) throw new Error('it runs already')
      checkout = other ?? checkout
      const started = spawn(
        checkout?.node ?? process.execPath,
        [
          ...SERVER_FLAGS,
          ...flags,
          ...(preload ? ['--import', preload] : []),
          resolve(checkout?.root ?? '.', 'scripts/serve-main.mjs'),
        ],
        {
          env: {
            PATH: process.env.PATH ?? '',
            PORT: String(port),
            DATABASE_URL: `file:${databaseFile}`,
            PLATFORM: 'sandbox',
            LOG_LEVEL: 'warn',
            NODE_ENV: 'production',
            // A proof sends more calls through one address than a platform does.
            ...given.env,
            ...env,
          },
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      )
      child = started
      ending = new Promise((done) => started.once('exit', (code, signal) => done({ code, signal })))
      const listening = new Promise<'listening'>((done) => {
        let line = ''
        const gather = (chunk: Buffer) => {
          const text = chunk.toString()
          printed = (printed + text).slice(-200_000)
          line = (line + text).slice(-10_000)
          if (line.includes('Serving http')) done('listening')
        }
        started.stdout?.on('data', gather)
        started.stderr?.on('data', gather)
      })
      return within(LISTENS_WITHIN, Promise.race([listening, ending]), () => `it does not listen:\n${printed}`)
    },
    async ready() {
      const deadline = Date.now() + LISTENS_WITHIN
      for (;;) {
        const answer = await fetch(`${origin}/readyz`).catch(() => null)
        if (answer?.status === 200) return
        if (Date.now() > deadline) throw new Error(`it does not become ready:\n${printed}`)
        await pause(50)
      }
    },
    ended: () => ending,
    killHard: async () => void (await end('SIGKILL')),
    drain: () => end('SIGTERM'),
    output: () => printed,
    async dispose() {
      if (runs()) await end('SIGKILL')
      process.off('exit', endWithUs)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms))
}

/** The same promise, but it rejects with a sentence after `ms`. */
export async function within<T>(ms: number, promise: Promise<T>, sentence: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(`after ${ms / 1000} s: ${sentence()}`)), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
