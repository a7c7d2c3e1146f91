// The processes of a benchmark: starting, messaging, watching (processor time, memory) and ending them.
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { freePort } from '#tests/support/free-port.ts'
import { SERVER_FLAGS } from '../../../scripts/server-flags.mjs'
import type {
  BareInput,
  LoadMessage,
  LoadOrder,
  LoadResult,
  MinimalInput,
  OpenMessage,
  OpenOrder,
  OpenResult,
  ReceiverMessage,
  ReceiverOrder,
  ReceiverResult,
} from './wire.ts'

const children = new Set<ChildProcess>()

export interface Program {
  pid: number
  /** Asks the process to end, and waits. */
  end(): Promise<void>
}

export interface Served extends Program {
  port: number
}

/** Kills the remaining processes after an error. */
export function killAll(): void {
  for (const child of children) child.kill('SIGKILL')
}

function start(args: string[], env: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  children.add(child)
  child.once('exit', () => children.delete(child))
  child.stdout?.resume()
  return child
}

function asProgram(child: ChildProcess): Program {
  return {
    pid: child.pid ?? 0,
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise((done) => child.once('exit', done))
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** The next message that `wanted` accepts; rejects when the process ends first. */
function nextMessage<Message, Taken>(child: ChildProcess, wanted: (message: Message) => Taken | null): Promise<Taken> {
  return new Promise((done, fail) => {
    const onMessage = (message: unknown) => {
      const taken = wanted(message as Message)
      if (taken === null) return
      child.off('message', onMessage)
      child.off('exit', onExit)
      done(taken)
    }
    const onExit = (code: number | null) => fail(new Error(`a process of the benchmark ended with ${code}`))
    child.on('message', onMessage)
    child.once('exit', onExit)
  })
}

/** 5 s after a start the product compares its subscriptions with the platform's: once, and independent of events. */
const SETTLED_AFTER_MS = 6_500

export interface Product extends Served {
  /** Resolves when the work after a start is done. */
  settled(): Promise<unknown>
}

/** The product as in production, on an existing database. Resolves when it is ready. */
export async function startProduct(input: {
  database: string
  encKeys: string
  allow: string[]
  /** Folder for a processor profile, written when the process ends. */
  profile: string | null
  env?: Record<string, string>
}): Promise<Product> {
  const port = await freePort()
  const profiling = input.profile ? ['--cpu-prof', '--cpu-prof-interval=500', `--cpu-prof-dir=${input.profile}`] : []
  const child = start(
    [
      ...(process.env.BENCH_ARGS?.split(' ') ?? SERVER_FLAGS),
      ...profiling,
      process.env.BENCH_DEV ?? resolve('scripts/serve-main.mjs'),
    ],
    {
      PORT: String(port),
      APP_ORIGIN: `http://localhost:${port}`,
      DATABASE_URL: `file:${input.database}`,
      LOG_LEVEL: 'warn',
      PLATFORM: 'sandbox',
      ENC_KEYS: input.encKeys,
      EGRESS_ALLOW: input.allow.join(','),
      ...input.env,
    },
  )
  const deadline = performance.now() + 30_000
  for (;;) {
    const answer = await fetch(`http://localhost:${port}/readyz`).catch(() => null)
    if (answer?.status === 200) {
      const over = new Promise((done) => setTimeout(done, SETTLED_AFTER_MS))
      return { ...asProgram(child), port, settled: () => over }
    }
    if (child.exitCode !== null) throw new Error('the server ended while starting')
    if (performance.now() > deadline) throw new Error('the server did not become ready')
    await new Promise((next) => setTimeout(next, 50))
  }
}

export async function startBare(program: string, input: BareInput | MinimalInput): Promise<Served> {
  const child = start([program, JSON.stringify(input)])
  const { port } = await nextMessage<{ port: number }, { port: number }>(child, (message) => message)
  return { ...asProgram(child), port }
}

export interface Receivers extends Program {
  urls: string[]
  hostsAndPorts: string[]
  counterPort: number
  forget(): void
  tell(): Promise<ReceiverResult>
  /** The numbers of the events that arrived since `forget`, with repetitions. */
  numbers(): Promise<number[]>
  /** Resolves when the change is in effect. */
  change(order: Extract<ReceiverOrder, { do: 'answer_after' | 'down' | 'up' }>): Promise<unknown>
}

export async function startReceivers(program: string, addresses: number): Promise<Receivers> {
  const child = start([program, String(addresses)])
  const [counterPort, ...ports] = await nextMessage<ReceiverMessage, number[]>(child, (message) =>
    message.at === 'listening' ? message.ports : null,
  )
  return {
    ...asProgram(child),
    counterPort: counterPort ?? 0,
    urls: ports.map((port) => `http://127.0.0.1:${port}/fieldhook`),
    hostsAndPorts: ports.map((port) => `127.0.0.1:${port}`),
    forget: () => void child.send({ do: 'forget' }),
    tell() {
      const told = nextMessage<ReceiverMessage, ReceiverResult>(child, (message) =>
        message.at === 'told' ? message.result : null,
      )
      child.send({ do: 'tell' })
      return told
    },
    numbers() {
      const told = nextMessage<ReceiverMessage, number[]>(child, (message) =>
        message.at === 'numbers' ? message.numbers : null,
      )
      child.send({ do: 'numbers' })
      return told
    },
    change(order) {
      const changed = nextMessage<ReceiverMessage, true>(child, (message) => (message.at === 'changed' ? true : null))
      child.send(order)
      return changed
    },
  }
}

export interface Load extends Program {
  /** Calls `onCounting` and `onCounted` at the start and end of the counted time. */
  run(order: LoadOrder, onCounting?: () => void, onCounted?: () => void): Promise<LoadResult>
}

export function startLoad(program: string, counterPort: number): Load {
  const child = start([program, String(counterPort)])
  return {
    ...asProgram(child),
    run(order, onCounting = () => {}, onCounted = () => {}) {
      const done = nextMessage<LoadMessage, LoadResult>(child, (message) => {
        if (message.at === 'counting') onCounting()
        if (message.at === 'counted') onCounted()
        return message.at === 'done' ? message.result : null
      })
      child.send(order)
      return done
    },
  }
}

export interface OpenLoad extends Program {
  /** Host and port of every address. */
  hosts: string[]
  offer(order: OpenOrder, onOffered?: () => void): Promise<OpenResult>
}

/** An open-loop generator with its receivers. Resolves when it is warm. */
export async function startOpenLoad(program: string, addresses: number): Promise<OpenLoad> {
  const child = start(['--max-semi-space-size=16', program, String(addresses)])
  const hosts = await nextMessage<OpenMessage, string[]>(child, (message) =>
    message.at === 'listening' ? message.hosts : null,
  )
  return {
    ...asProgram(child),
    hosts,
    offer(order, onOffered = () => {}) {
      const done = nextMessage<OpenMessage, OpenResult>(child, (message) => {
        if (message.at === 'offered') onOffered()
        return message.at === 'done' ? message.result : null
      })
      child.send(order)
      return done
    },
  }
}

/** Clock ticks of `/proc`; 100 a second on every Linux system. */
const TICK_MS = 10

/** Processor time used by a process, ms; null where the system has no figure. */
export function cpuMs(pid: number): number | null {
  const fields = readProc(`/proc/${pid}/stat`)?.split(') ')[1]?.split(' ')
  return fields ? (Number(fields[11]) + Number(fields[12])) * TICK_MS : null
}

/** Processor time used by the whole machine, ms. */
export function machineCpuMs(): number | null {
  const fields = readProc('/proc/stat')?.split('\n')[0]?.trim().split(/\s+/).slice(1).map(Number)
  if (!fields) return null
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = fields
  return (user + nice + system + irq + softirq) * TICK_MS
}

/** Resident memory, MB. */
export function residentMb(pid: number): number | null {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readProc(`/proc/${pid}/status`) ?? '')?.[1]
  return kilobytes ? Number(kilobytes) / 1024 : null
}

function readProc(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
