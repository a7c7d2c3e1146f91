// Deliberate faults between engine and store: a model that does not notice them proves nothing.
import { hours, seconds } from '#app/lib/duration.ts'
import type {
  AttemptReport,
  DeliveryJob,
  DueDelivery,
  DueList,
  SettledAttempt,
  SettleOptions,
} from '#db/store/deliveries.ts'

/** Replaces one call of the store. */
export type Sabotage = (name: string, act: (...args: unknown[]) => unknown, args: unknown[]) => unknown

type Act = Parameters<Sabotage>[1]

const on =
  (method: string, fault: (act: Act, args: unknown[]) => unknown): Sabotage =>
  (name, act, args) =>
    name === method ? fault(act, args) : act(...args)

/** Lets the decision happen, then changes it. */
const decidesOtherwise = (change: (settlement: ReturnType<SettleOptions['decide']>, report: AttemptReport) => void) =>
  on('settleAttempts', (act, [reports, options]) => {
    const real = options as SettleOptions
    const decide: SettleOptions['decide'] = (...given) => {
      const settlement = structuredClone(real.decide(...given))
      change(settlement, given[0])
      return settlement
    }
    return act(reports, { ...real, decide })
  })

/** Lets the attempt be stored, then tells the scheduler something else about the endpoint. */
const tellsOtherwise = (change: (settled: SettledAttempt) => void) =>
  on('settleAttempts', async (act, args) => {
    const settled = structuredClone((await act(...args)) as SettledAttempt[])
    for (const one of settled) change(one)
    return settled
  })

const loadsOtherwise = (change: (job: DeliveryJob) => void) =>
  on('loadDeliveries', async (act, args) => {
    const jobs = structuredClone((await act(...args)) as (DeliveryJob | null)[])
    for (const job of jobs) if (job) change(job)
    return jobs
  })

export const SABOTAGES: Record<string, Sabotage> = {
  'retries come a second too soon': decidesOtherwise(({ delivery }) => {
    if (delivery.step === 'retry') delivery.at -= seconds(1)
  }),
  'a wait uses up a step': decidesOtherwise(({ delivery }, { result }) => {
    const waits = result.kind === 'sent' && result.verdict.outcome === 'rate_limited'
    if (waits && delivery.step === 'retry') delivery.steps++
  }),
  'events are given up an hour early': loadsOtherwise((job) => {
    job.deadlineAt -= hours(1)
  }),
  'the deadline is forgotten': loadsOtherwise((job) => {
    job.deadlineAt += hours(2)
  }),
  'holds are not heeded': tellsOtherwise(({ endpoint }) => {
    endpoint.holdUntil = null
  }),
  'the breaker is not heeded': tellsOtherwise(({ endpoint }) => {
    endpoint.breaker = 'closed'
  }),
  'a stop is not heeded': on('loadDeliveries', async (act, [ids]) => {
    const jobs = (await act(ids)) as (DeliveryJob | null)[]
    return jobs.map((job, index) => job ?? lastKnown.get((ids as number[])[index] ?? 0) ?? null).map(remember)
  }),
  'records are mixed up': on('dueDeliveries', async (act, args) =>
    ((await act(...args)) as DueDelivery[][]).map((list) => list.map((due) => ({ ...due, record: `${due.id}` }))),
  ),
  'one in fifty that wait is overlooked': on('dueDeliveries', async (act, args) =>
    ((await act(...args)) as DueDelivery[][]).map((list) => list.filter(({ id }) => id % 50 !== 7)),
  ),
  'manual retries wait their turn': on('dueDeliveries', async (act, [lists]) => {
    const found = (await act(lists)) as DueDelivery[][]
    return found.map((list, index) => ((lists as DueList[])[index]?.kind === 'by_hand' ? [] : list))
  }),
  'what another process changes is not noticed': on('changedElsewhere', async () => false),
  'every process believes it is the owner': on('acquireLease', async (act, args) => {
    await act(...args)
    return true
  }),
  'what is brought forward gets a time of its own': on('bringForward', (act, [id, now, limit]) =>
    act(id, (now as number) - seconds(1), limit),
  ),
  'ids change with every attempt': loadsOtherwise((job) => {
    job.eventId = `${job.eventId}${job.attempts}`
  }),
}

const lastKnown = new Map<number, DeliveryJob>()

function remember(job: DeliveryJob | null): DeliveryJob | null {
  if (job) lastKnown.set(job.id, job)
  return job
}
