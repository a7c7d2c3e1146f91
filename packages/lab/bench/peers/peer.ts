// A compared program: receives an event over HTTP, keeps it, and forwards it to an address with retries until it is
// accepted. One file per program defines its setup and start; everything else is shared.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import type { Target } from '../wire.ts'

export interface Peer {
  /** Its name in the tables. */
  name: string
  version: string
  /** Every chosen setting, one sentence each: for the page and for anyone who repeats the comparison. */
  settings: string[]
  /** How long a failed forward is retried in this setup, seconds; null = for hours or without end. */
  triesForSeconds: number | null
  /** Creates its files in its own folder and starts. Resolves when it is ready for events. */
  start(place: Place): Promise<RunningPeer>
}

/** A peer's environment during one run of the comparison. */
export interface Place {
  folder: string
  /** The target addresses: events of the n-th token's account go to the n-th address. */
  receivers: { urls: string[]; hostsAndPorts: string[] }
}

export interface RunningPeer {
  target: Target
  /** Of its first process; the others are its descendants. */
  pid(): number
  /** SIGKILL to all of its processes, at once. */
  killHard(): Promise<void>
  /** Restarts with the same files and port. Resolves when ready. */
  restart(): Promise<void>
  /** Ends all of its processes. The creator of its folder removes it. */
  end(): Promise<void>
}

const groups = new Set<number>()
process.on('exit', () => {
  for (const pid of groups) signalGroup(pid, 'SIGKILL')
})

export interface Launched {
  child: ChildProcess
  /** The end of its output. */
  output(): string
  ended: Promise<void>
}

/** Starts a Node program in its own process group, so that everything it starts can be ended with it. */
export function launchNode(args: string[], env: Record<string, string>, folder: string): Launched {
  mkdirSync(folder, { recursive: true })
  let printed = ''
  const child = spawn(process.execPath, args, {
    cwd: folder,
    detached: true,
    env: { PATH: process.env.PATH ?? '', HOME: folder, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const pid = child.pid ?? 0
  groups.add(pid)
  const gather = (chunk: Buffer) => {
    printed = (printed + chunk.toString()).slice(-20_000)
  }
  child.stdout?.on('data', gather)
  child.stderr?.on('data', gather)
  const ended = new Promise<void>((done) =>
    child.once('exit', () => {
      // Otherwise its children would keep running.
      signalGroup(pid, 'SIGKILL')
      groups.delete(pid)
      done()
    }),
  )
  return { child, output: () => printed, ended }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (pid === 0) return
  try {
    process.kill(-pid, signal)
  } catch {
    // Already gone.
  }
}

/** Polls `url` until the answer matches `wanted`. Rejects with the output when the program ends or takes too long. */
export async function untilItAnswers(
  launched: Launched,
  url: string,
  wanted: (status: number) => boolean,
  withinMs: number,
): Promise<void> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const { exitCode, signalCode } = launched.child
    if (exitCode !== null || signalCode !== null) throw new Error(`it ended while starting: ${lastLines(launched)}`)
    const status = await fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
      async (answer) => {
        await answer.arrayBuffer()
        return answer.status
      },
      () => 0,
    )
    if (wanted(status)) return
    if (performance.now() > deadline)
      throw new Error(`it is not ready after ${withinMs / 1000} s: ${lastLines(launched)}`)
    await new Promise((next) => setTimeout(next, 100))
  }
}

function lastLines({ output }: Launched): string {
  return output().trim().split('\n').slice(-4).join(' | ')
}

/** Starts, kills and restarts with the same command: shared by the peers. */
export async function runAgainAndAgain(input: {
  launch(): Launched
  ready(launched: Launched): Promise<void>
  target: Target
  /** How long it may take to end after a signal. */
  patienceMs: number
}): Promise<RunningPeer> {
  let launched = input.launch()
  await input.ready(launched)
  const pid = () => launched.child.pid ?? 0
  return {
    target: input.target,
    pid,
    async killHard() {
      signalGroup(pid(), 'SIGKILL')
      await launched.ended
    },
    async restart() {
      launched = input.launch()
      await input.ready(launched)
    },
    async end() {
      signalGroup(pid(), 'SIGTERM')
      const timer = setTimeout(() => signalGroup(pid(), 'SIGKILL'), input.patienceMs)
      await launched.ended
      clearTimeout(timer)
    },
  }
}

export function emptyFolder(folder: string): string {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  return folder
}
