// Starts the product anew in a process that stays: a second start takes a tenth of the first one's time.
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { SERVER_FLAGS } from '../../scripts/server-flags.mjs'
import { freePort } from './free-port.ts'
import { walkDatabase } from './walk-database.server.ts'

export interface ProductHost {
  /** A product with files of its own; ends the one before. Resolves when it serves, with its address. */
  startAnew(): Promise<{ origin: string; dispose(): Promise<void> }>
  end(): void
}

export function productHost(): ProductHost {
  let printed = ''
  const child = fork(resolve('tests/support/product-host.mjs'), {
    execArgv: SERVER_FLAGS,
    env: { PATH: process.env.PATH ?? '', LOG_LEVEL: 'warn', NODE_ENV: 'production', PLATFORM: 'sandbox' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      printed = (printed + chunk.toString()).slice(-200_000)
    })
  const ask = async (wanted: Record<string, string> | 'stop') => {
    const problem = await answerOf(child, wanted)
    if (problem !== null) throw new Error(`${problem}:\n${printed}`)
  }
  return {
    async startAnew() {
      const folder = mkdtempSync(join(tmpdir(), 'fieldhook-server-'))
      const [port, database] = await Promise.all([freePort(), walkDatabase(folder)])
      const origin = `http://localhost:${port}`
      await ask({ PORT: String(port), APP_ORIGIN: origin, ...database.env })
      return {
        origin,
        async dispose() {
          await ask('stop')
          await database.drop()
          rmSync(folder, { recursive: true, force: true })
        },
      }
    },
    end: () => void child.kill('SIGKILL'),
  }
}

/** Null, or what went wrong. */
function answerOf(child: ChildProcess, wanted: Record<string, string> | 'stop'): Promise<string | null> {
  return new Promise((resolve) => {
    const onExit = () => resolve('the server ended')
    child.once('exit', onExit)
    child.once('message', () => {
      child.off('exit', onExit)
      resolve(null)
    })
    if (!child.connected) return onExit()
    child.send(wanted)
  })
}
