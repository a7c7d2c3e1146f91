// The sandbox without a product around it: for several instances, which call it like the real platform.
import { movableClock } from '#app/lib/clocks.server.ts'
import type { Log } from '#app/lib/log.ts'
import { createSandbox, type Sandbox } from './sandbox.server.ts'

export interface AloneOptions {
  /** Address of the product and of `/sandbox`, which one front serves. */
  origin: string
  appId: string
  appSecret: string
  /** Told of what failed. */
  complain(line: string): void
}

/** Nothing is stored. Its clock is that of the machine: the instances' clocks could not follow. */
export function playAlone({ origin, appId, appSecret, complain }: AloneOptions): Sandbox {
  const tell = (fields: Record<string, unknown>, message: string) =>
    complain(`sandbox ${message} ${JSON.stringify(fields)}`)
  const log: Log = { debug() {}, info() {}, warn() {}, error: tell, child: () => log }
  const clock = { ...movableClock(), advance() {} }
  return createSandbox({ clock, origin, appId, appSecret, stateFile: null, log, still: true })
}
