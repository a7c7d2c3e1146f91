// Runs work whose duration depends on user input in one separate thread: rule checks, imports, e-mail HTML. The main
// thread only hands over jobs and takes results, so events, forwarding and pages continue. A job over its deadline is
// ended with its thread. Accounts take turns, and each may queue only a few jobs.
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { type Apart, isLongerThan, type NotDone, type WorkApart, type WorkTable } from '#app/lib/apart.ts'
import { currentCaller, workGoesOn } from '#app/lib/caller.server.ts'
import type { Meter } from '#app/lib/work-meter.server.ts'
import type { WorkAnswer, WorkOrder } from './work-thread.server.ts'

type WorkEnd = 'done' | 'too_long' | 'busy' | 'failed'

export interface WorkApartOptions {
  /** The thread's entry file, which calls `serveWork` with the same table. Null = no thread: every job runs inline. */
  file: string | URL | null
  /** ms of processor time per job; five times as long in wall time, when other work competes for the processor. */
  deadlineMs?: number
  /** Characters up to which work runs inline, because handing it over would take as long. */
  small?: number
  /** Maximum queued jobs, per account and overall. */
  mostOfOne?: number
  most?: number
  /** ms without a job after which the thread ends and frees its memory. */
  idleMs?: number
  /** Heap limit in MB for a job. */
  memoryMb?: number
  /** Called for every job that did not run inline. */
  onEnd?(how: WorkEnd): void
}

export interface RunningWorkApart<Table extends WorkTable> extends WorkApart<Table> {
  /** Queued jobs. */
  waiting(): number
  /** Ends the thread. Callers with waiting jobs are asked to try again. */
  stop(): Promise<void>
}

/** ms a thread has to report its processor time. */
const SAYS_WITHIN_MS = 250
/** How much longer the wall time limit is than the processor time limit. */
const MOST_BY_THE_CLOCK = 5
/** ms a new thread has to load its code, on a slow machine. */
const START_MS = 15_000

interface Job {
  order: WorkOrder
  of: string
  meter: Meter | null
  end(how: Apart<unknown>): void
  fail(error: unknown): void
}

interface Thread {
  worker: Worker
  ready: boolean
  /** ms of processor time used before the current job. */
  spent: number
}

export function createWorkApart<Table extends WorkTable>(
  table: Table,
  options: WorkApartOptions,
): RunningWorkApart<Table> {
  const { file, deadlineMs = 2_000, small = 4_096, mostOfOne = 4, most = 64, idleMs = 60_000, memoryMb = 128 } = options
  const { onEnd = () => {} } = options
  const queues = createQueues(mostOfOne, most)
  let thread: Thread | null = null
  let running: Job | null = null
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  function next(): void {
    if (running) return
    const job = queues.take()
    if (!job) {
      rest()
      return
    }
    running = job
    thread ??= begin()
    try {
      thread.worker.postMessage(job.order)
    } catch (error) {
      settle(job, 'failed', () => job.fail(error))
      return
    }
    if (thread.ready) expect(job)
    else wait(START_MS, () => tooLong(job))
  }

  /** Starts the job's deadline. */
  function expect(job: Job): void {
    const until = performance.now() + MOST_BY_THE_CLOCK * deadlineMs
    const again = (ms: number) =>
      wait(ms, async () => {
        const used = running === job && thread ? await usedBy(thread) : null
        if (running !== job) return
        // The thread yields to others: time without a processor does not count against the job.
        if (used !== null && used < deadlineMs && performance.now() < until) again(Math.max(deadlineMs - used, 20))
        else tooLong(job)
      })
    again(deadlineMs)
  }

  function wait(ms: number, over: () => unknown): void {
    clearTimeout(timer)
    // Reads a result first that arrived while the main thread was busy.
    timer = setTimeout(() => setImmediate(over), ms)
  }

  function tooLong(job: Job): void {
    if (running !== job) return
    pay(job, deadlineMs)
    void end()
    settle(job, 'too_long', () => job.end({ outcome: 'too_long' }))
  }

  function settle(job: Job, how: WorkEnd, tell: () => void): void {
    if (running !== job) return
    running = null
    clearTimeout(timer)
    onEnd(how)
    tell()
    next()
  }

  function begin(): Thread {
    const worker = openWorker(file as string | URL, memoryMb)
    const begun: Thread = { worker, ready: false, spent: 0 }
    const gone = (error: Error) => {
      if (thread === begun) threadGone(error)
    }
    worker.on('message', (answer: WorkAnswer) => {
      if (thread === begun) answered(begun, answer)
    })
    worker.on('error', gone)
    worker.on('exit', (code) => gone(new Error(`the thread for long work ended with ${code}`)))
    return begun
  }

  function answered(from: Thread, answer: WorkAnswer): void {
    from.spent = answer.spent
    const job = running
    if (answer.kind === 'ready') {
      from.ready = true
      if (job) expect(job)
      return
    }
    if (!job) return
    pay(job, answer.ms)
    if (answer.kind === 'failed') settle(job, 'failed', () => job.fail(answer.error))
    else settle(job, 'done', () => job.end({ outcome: 'done', value: answer.value }))
  }

  function threadGone(error: Error): void {
    thread = null
    const job = running
    if (!job) return
    // The job itself filled the memory, so repeating it would fail again.
    if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
      pay(job, deadlineMs)
      settle(job, 'too_long', () => job.end({ outcome: 'too_long' }))
    } else settle(job, 'failed', () => job.fail(error))
  }

  function end(): Promise<unknown> {
    const ending = thread
    thread = null
    return ending?.worker.terminate() ?? Promise.resolve()
  }

  function rest(): void {
    clearTimeout(timer)
    timer = setTimeout(() => void end(), idleMs).unref()
  }

  function refuse(): NotDone {
    onEnd('busy')
    return { outcome: 'busy', retryAfterMs: deadlineMs }
  }

  async function handOver(name: string, of: string, given: unknown[]): Promise<Apart<unknown>> {
    if (stopped || !queues.hasRoom(of)) return refuse()
    const meter = currentCaller()?.meter ?? null
    const ended = new Promise<Apart<unknown>>((resolve, reject) => {
      queues.add({ order: { name, given }, of, meter, end: resolve, fail: reject })
    })
    next()
    try {
      return await ended
    } finally {
      workGoesOn()
    }
  }

  return {
    async do(name, of, ...given) {
      const work = table[name] as unknown as (...given: unknown[]) => ReturnType<Table[typeof name]>
      if (file === null || !isLongerThan(small, given[0])) return { outcome: 'done', value: work(...given) }
      return (await handOver(name, of, given)) as Apart<ReturnType<Table[typeof name]>>
    },
    waiting: queues.waiting,
    async stop() {
      stopped = true
      for (const job of queues.empty()) job.end(refuse())
      const job = running
      const ended = end()
      if (job) settle(job, 'busy', () => job.end({ outcome: 'busy', retryAfterMs: deadlineMs }))
      clearTimeout(timer)
      await ended
    },
  }
}

/** Queued jobs. Accounts take turns, and each has a limit. */
function createQueues(mostOfOne: number, most: number) {
  /** By account, in turn order: an account that had its turn moves to the end. */
  const queues = new Map<string, Job[]>()
  let waiting = 0
  return {
    waiting: () => waiting,
    hasRoom: (account: string) => (queues.get(account)?.length ?? 0) < mostOfOne && waiting < most,
    add(job: Job): void {
      queues.set(job.of, [...(queues.get(job.of) ?? []), job])
      waiting += 1
    },
    take(): Job | null {
      const [first] = queues
      if (!first) return null
      const [account, [job, ...others]] = first
      queues.delete(account)
      if (others.length > 0) queues.set(account, others)
      waiting -= 1
      return job ?? null
    },
    empty(): Job[] {
      const left = [...queues.values()].flat()
      queues.clear()
      waiting = 0
      return left
    },
  }
}

function openWorker(file: string | URL, memoryMb: number): Worker {
  const worker = new Worker(file, {
    name: 'work apart',
    // The thread needs none of our environment.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 16 },
  })
  worker.unref()
  return worker
}

/** ms of processor time the current job has used. Null = Node is older than 22.20, or the thread does not respond. */
async function usedBy({ worker, spent }: Thread): Promise<number | null> {
  if (typeof worker.cpuUsage !== 'function') return null
  try {
    // A thread in an uninterruptible operation does not respond.
    const used = await Promise.race([worker.cpuUsage(), delay(SAYS_WITHIN_MS, null, { ref: false })])
    return used && (used.user + used.system) / 1_000 - spent
  } catch {
    return null
  }
}

function pay({ meter }: Job, ms: number): void {
  if (meter) meter.ms += ms
}
