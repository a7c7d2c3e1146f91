// One thread beside the main one, for work whose length is decided by what somebody sent: rule checks, imports, the HTML of e-mails.
// The main thread only hands over and takes back, so events, forwarding and pages of others go on. A job that does not end in time
// takes its thread with it. Accounts take turns, and each may have only a few jobs waiting.
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { type Apart, isLongerThan, type NotDone, type WorkApart, type WorkTable } from '#app/lib/apart.ts'
import { currentCaller, workGoesOn } from '#app/lib/caller.server.ts'
import type { Meter } from '#app/lib/work-meter.server.ts'
import type { WorkAnswer, WorkOrder } from './work-thread.server.ts'

type WorkEnd = 'done' | 'too_long' | 'busy' | 'failed'

export interface WorkApartOptions {
  /** What the thread runs: a file that calls `serveWork` with the same table. Null = no thread: everything is done at once. */
  file: string | URL | null
  /** ms of processor time that one job may take; five times as long by the clock, where others want the processor too. */
  deadlineMs?: number
  /** Characters up to which work is done at once: handing it over would take as long. */
  small?: number
  /** Jobs that may wait, of one account and of all. */
  mostOfOne?: number
  most?: number
  /** ms without a job after which the thread ends and gives its memory back. */
  idleMs?: number
  /** MB of heap that a job may fill. */
  memoryMb?: number
  /** Told of every job that was not done at once. */
  onEnd?(how: WorkEnd): void
}

export interface RunningWorkApart<Table extends WorkTable> extends WorkApart<Table> {
  /** Jobs that wait for their turn. */
  waiting(): number
  /** Ends the thread. Whoever waits is told to come again. */
  stop(): Promise<void>
}

/** ms in which a thread says what it has used. */
const SAYS_WITHIN_MS = 250
/** How much longer by the clock than in processor time. */
const MOST_BY_THE_CLOCK = 5
/** ms in which a thread that was just begun reads its code, on a slow machine. */
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
  /** ms of processor time before the job that runs. */
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

  /** From now on the job has its time. */
  function expect(job: Job): void {
    const until = performance.now() + MOST_BY_THE_CLOCK * deadlineMs
    const again = (ms: number) =>
      wait(ms, async () => {
        const used = running === job && thread ? await usedBy(thread) : null
        if (running !== job) return
        // The thread steps back for others: what it had no processor for is not its doing.
        if (used !== null && used < deadlineMs && performance.now() < until) again(Math.max(deadlineMs - used, 20))
        else tooLong(job)
      })
    again(deadlineMs)
  }

  function wait(ms: number, over: () => unknown): void {
    clearTimeout(timer)
    // An answer that came while the main thread was busy is read first.
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
    // It is the job that filled the memory: the same one would again.
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

/** Jobs that wait. Accounts take turns, and each may have only so many. */
function createQueues(mostOfOne: number, most: number) {
  /** By account. The map's order is that of the turns: whoever had one goes to its end. */
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
    // Nothing of ours is for it to read.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 16 },
  })
  worker.unref()
  return worker
}

/** ms of processor time that the job at work has used. Null = this Node cannot tell (older than 22.20), or the thread does not say. */
async function usedBy({ worker, spent }: Thread): Promise<number | null> {
  if (typeof worker.cpuUsage !== 'function') return null
  try {
    // A thread inside of something that cannot be interrupted does not answer.
    const used = await Promise.race([worker.cpuUsage(), delay(SAYS_WITHIN_MS, null, { ref: false })])
    return used && (used.user + used.system) / 1_000 - spent
  } catch {
    return null
  }
}

function pay({ meter }: Job, ms: number): void {
  if (meter) meter.ms += ms
}
