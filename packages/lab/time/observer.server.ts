// Sits between the engine and its store: sees every act, determines its changes, and has the model judge it. It can
// also end a process in the middle of an act.
import type { Client } from '#db/sqlite/client.server.ts'
import type { AttemptReport, DeliveryJob } from '#db/store/deliveries.ts'
import type { AcceptedEvent, IncomingEvent } from '#db/store/events.ts'
import type { Chance } from '../stage/chance.ts'
import { freeRecord } from './endpoint.ts'
import { judge } from './judge.ts'
import type { Logged } from './logged.ts'
import { type Model, orphanRequests, see } from './model.ts'
import { logReader } from './triggers.server.ts'
import type { Process, WorldOptions } from './types.ts'
import { noticeEndedReplays, spreadBySeed, watchEndpoints } from './watch.server.ts'

export interface ObserverInput {
  options: WorldOptions
  model: Model
  /** Only reads the file: the engine would take a writer for another process. */
  onlooker: Client
  now(): number
  leaseHolder(): string | null
  note(line: string): void
  kill(process: Process): void
  spread: Chance
}

export interface Observer {
  /** Performs one act of the store for a process. Never resolves when the process has ended. */
  call(process: Process, name: string, act: (...args: unknown[]) => unknown, args: unknown[]): Promise<unknown>
  /** Informs the model of everything committed so far. */
  settleUp(): void
  /** The process has ended: its unfinished acts are never performed. */
  forget(process: Process): void
  /** The last job that the process loaded for this request. */
  takeLoaded(process: Process, url: string, body: string): DeliveryJob | null
}

/** A call of the store, from its start until its changes are known. */
interface PendingAct {
  process: Process
  name: string
  args: unknown[]
  judged: boolean
}

/** Acts that share a transaction with others of the same turn, committed a moment after the call. */
const SHARED = new Set(['acceptEvents', 'settleAttempts'])

/** Acts of people: they change more than deliveries. */
const PEOPLE = /^(resumeEndpoint|updateEndpoint|deleteEndpoint|saveEndpoint|startReplay|cancelReplay)$/
/** Acts that change no delivery and no endpoint. */
const READS =
  /^(find|load|due|endpoints|count|list|changedElsewhere|trialWrite|acquireLease|releaseLease|beginSubscription)/

/** A new promise each time: a shared one would retain every process that ever waited for it. */
const never = () => new Promise<never>(() => {})

/** A function, because the process may die in the middle of a call. */
const isDead = ({ state }: Process) => state === 'dead'

export function createObserver(input: ObserverInput): Observer {
  const { options, model, onlooker, now, leaseHolder, note } = input
  const readLog = logReader()
  const loaded = new Map<Process, DeliveryJob[]>()
  /** Events that the platform was told are stored: account and dedupe text to seq. */
  const accepted = new Map<string, number>()
  /** Started acts of the store whose changes are not yet known. */
  let pending: PendingAct[] = []

  /** Reads the changes committed since, and attributes them to their acts: acts may share a transaction. */
  function readAndJudge(justDone?: PendingAct): void {
    const log = readLog(onlooker)
    if (log.length === 0) return
    const accepted = new Set<Logged>()
    for (const act of pending.filter(({ name }) => name === 'acceptEvents')) {
      const own = entriesOf(act.args[0] as IncomingEvent[], log)
      if (own.length > 0) judgeActs([act], own)
      for (const entry of own) accepted.add(entry)
    }
    const rest = log.filter((entry) => !accepted.has(entry))
    if (rest.length === 0) return
    const attempted = new Set(rest.flatMap((entry) => (entry.kind === 'attempt' ? [entry.deliveryId] : [])))
    const settling = pending.filter(
      ({ name, args }) =>
        name === 'settleAttempts' && (args[0] as AttemptReport[]).some(({ job }) => attempted.has(job.id)),
    )
    judgeActs(settling.length > 0 || !justDone ? settling : [justDone], rest)
  }

  function settleUp(): void {
    if (pending.some(({ name, judged }) => SHARED.has(name) && !judged)) readAndJudge()
  }

  function judgeActs(acts: PendingAct[], log: Logged[]): void {
    const at = now()
    const [first] = acts
    if (!first) {
      model.violate(`rows changed although nothing was asked for: ${JSON.stringify(log[0])}`)
      return
    }
    for (const act of acts) act.judged = true
    const reports = acts.flatMap(({ name, process, args }) =>
      name === 'settleAttempts'
        ? (args[0] as AttemptReport[]).map((report) => ({ process: process.name, report }))
        : [],
    )
    const { name, process, args } = first
    const holder = leaseHolder()
    const lagMs = acts.every((act) => act.process.name === holder) ? 0 : options.beatMs
    judge(model, { name, process: process.name, reports, lagMs, now: at }, log)
    watchEndpoints(model, onlooker, { name, args, reports, now: at, lagMs })
  }

  /** The log's entries for these events. */
  function entriesOf(events: IncomingEvent[], log: Logged[]): Logged[] {
    const keys = new Set(events.map(({ accountUuid, dedupe }) => `${accountUuid}|${dedupe}`))
    const seqs = new Set<number>()
    return log.filter((entry) => {
      if (entry.kind === 'delivery') return seqs.has(entry.row.eventSeq) && entry.row.cause === 'live'
      if (entry.kind === 'attempt') return entry.seq !== null && seqs.has(entry.seq) && entry.outcome === 'stopped'
      if (entry.kind !== 'event' || !keys.has(`${entry.account}|${entry.dedupe}`)) return false
      seqs.add(entry.seq)
      return true
    })
  }

  async function call(process: Process, name: string, act: (...args: unknown[]) => unknown, args: unknown[]) {
    if (isDead(process)) return never()
    settleUp()
    if (crashes(process, name, 'before')) return never()
    if (name === 'tidyAfterRestart') takesOver(process)
    if (name === 'endStoppedStep') noticeEndedReplays(model, onlooker, now())
    const own: PendingAct = { process, name, args, judged: READS.test(name) }
    pending.push(own)
    let answer: unknown
    try {
      const promise = options.sabotage ? options.sabotage(name, act, args) : act(...args)
      if (!own.judged && !SHARED.has(name)) {
        readAndJudge(own)
        if (!own.judged && PEOPLE.test(name)) judgeActs([own], [])
        own.judged = true
      }
      answer = await promise
      settleUp()
    } catch (error) {
      if (!isDead(process)) throw error
    }
    if (!pending.includes(own)) return never()
    if (!own.judged) judgeActs([own], [])
    pending = pending.filter((one) => one !== own)
    if (name === 'acceptEvents') noteAccepted(args[0] as IncomingEvent[], answer as AcceptedEvent[])
    if (name === 'tidyAfterRestart') {
      spreadBySeed(process.client, input.spread, model, now())
      readLog(onlooker)
    }
    if (isDead(process) || crashes(process, name, 'after')) return never()
    if (name === 'loadDeliveries') noteLoaded(process, args[0] as number[], answer as (DeliveryJob | null)[])
    return answer
  }

  /** From now on nobody can see what others have in flight. */
  function takesOver(process: Process): void {
    model.owner = { name: process.name, since: now() }
    orphanRequests(model, (other) => other !== process.name)
    for (const endpoint of model.endpoints.values()) endpoint.lastProbe = null
    see(model, 'take-over')
    note(`${process.name} takes over`)
  }

  function noteLoaded(process: Process, ids: number[], jobs: (DeliveryJob | null)[]): void {
    const found = jobs.filter((job) => job !== null)
    loaded.set(process, [...(loaded.get(process) ?? []), ...found].slice(-200))
    ids.forEach((id, index) => {
      const delivery = jobs[index] ? undefined : model.deliveries.get(id)
      const endpoint = delivery && model.endpoints.get(delivery.endpointId)
      if (endpoint) freeRecord(endpoint, delivery.record, now())
    })
  }

  function crashes(process: Process, name: string, when: 'before' | 'after'): boolean {
    if (process.crash?.method !== name || process.crash.when !== when) return false
    note(`${process.name} ends ${when} ${name}`)
    see(model, `killed ${when} ${name}`)
    input.kill(process)
    return true
  }

  function noteAccepted(events: IncomingEvent[], answered: AcceptedEvent[]): void {
    answered.forEach((answer, index) => {
      const event = events[index]
      if (!event) return
      const key = `${event.accountUuid}|${event.dedupe}`
      const before = accepted.get(key)
      const day = `${event.accountUuid}|${Math.floor(event.receivedAt / 86_400_000)}`
      if (answer.outcome === 'stored') {
        if (before !== undefined) model.violate(`event ${key} was stored twice`)
        accepted.set(key, answer.seq)
        checkFanOut(event, answer.seq)
      } else if (answer.outcome === 'over_limit') {
        see(model, 'event refused: too much waits')
      } else if (answer.outcome === 'duplicate') {
        see(model, 'event recognised as a repeat')
        if (before !== answer.seq) model.violate(`event ${key} was called a duplicate of ${answer.seq}, not ${before}`)
        model.counts.duplicates.set(day, (model.counts.duplicates.get(day) ?? 0) + 1)
      } else if (answer.outcome === 'rejected') {
        model.violate(`event ${key} was rejected: ${answer.message}`)
      }
    })
  }

  function checkFanOut(event: IncomingEvent, seq: number): void {
    const wanted = [...model.endpoints.values()].filter(
      (one) => one.account === event.accountUuid && one.object === event.object && one.state !== 'deleted',
    )
    const made = [...model.deliveries.values()].filter((one) => one.eventSeq === seq && one.cause === 'live')
    if (made.length !== wanted.length || !wanted.every(({ id }) => made.some(({ endpointId }) => endpointId === id))) {
      model.violate(`event ${seq} is for ${wanted.length} endpoints and got ${made.length} deliveries`)
    }
  }

  return {
    call,
    settleUp,
    forget(process) {
      pending = pending.filter((act) => act.process !== process)
    },
    takeLoaded(process, url, body) {
      const jobs = loaded.get(process) ?? []
      const job = jobs.findLast((one) => one.url === url && one.body === body)
      if (!job) return null
      jobs.splice(jobs.indexOf(job), 1)
      return job
    },
  }
}
