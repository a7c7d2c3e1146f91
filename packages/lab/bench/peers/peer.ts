// What is compared: a program that takes an event in over HTTP, keeps it, and forwards it to an address, again and again until it is
// taken. One file per program says how it is set up and how it is started; everything else is the same for all of them.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import type { Target } from '../wire.ts'

export interface Peer {
  /** As it stands in the tables. */
  name: string
  version: string
  /** Every setting that was chosen, a sentence each: for the page and for whoever repeats it. */
  settings: string[]
  /** How long a failed forward is tried in this set-up, seconds; null = for hours or without end. */
  triesForSeconds: number | null
  /** Makes its files in a folder of its own and starts it. Ready to take events when this resolves. */
  start(place: Place): Promise<RunningPeer>
}

/** Where a peer lives during one run of the comparison. */
export interface Place {
  folder: string
  /** The addresses that events are forwarded to: the account that is named by the n-th token to the n-th address. */
  receivers: { urls: string[]; hostsAndPorts: string[] }
}

export interface RunningPeer {
  target: Target
  /** Of its first process; the others are its descendants. */
  pid(): number
  /** SIGKILL to all of its processes, at once. */
  killHard(): Promise<void>
  /** The same files, the same port. Ready when this resolves. */
  restart(): Promise<void>
  /** Ends it and every process of it. Its folder is removed by whoever made it. */
  end(): Promise<void>
}

const groups = new Set<number>()
process.on('exit', () => {
  for (const pid of groups) signalGroup(pid, 'SIGKILL')
})

export interface Launched {
  child: ChildProcess
  /** The last of what it printed. */
  output(): string
  ended: Promise<void>
}

/** Starts a Node program in a process group of its own, so that whatever it starts can be ended with it. */
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
      // Its children would otherwise live on.
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

/** Asks `url` until it answers as `wanted` says. Rejects with what was printed when the program ends or takes too long. */
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

/** Started, killed and started again with the same command: what peers have in common. */
export async function runAgainAndAgain(input: {
  launch(): Launched
  ready(launched: Launched): Promise<void>
  target: Target
  /** How long it may take to end when it is asked to. */
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
