// A week of a trade business in simulated time: jobs are created, changed and completed while webhooks are dropped,
// repeated and reordered, answers are lost, the platform throttles and fails, names do not resolve, the process
// restarts, and in two of four weeks the clocks change. The result is judged against the changes made to the records.
import { createAutomationTriggers } from '#app/boot/automation-triggers.server.ts'
import type { PollTrigger, RuleDefinition, WebhookTrigger } from '#app/domain/automations/rule.ts'
import { localStamp } from '#app/domain/time/local-time.ts'
import { chooseEndpoints } from '#app/features/events/fan-out.ts'
import { days, hours, minutes, seconds } from '#app/lib/duration.ts'
import { wallAt } from '#app/lib/zone.ts'
import type { IncomingEvent } from '#db/store/events.ts'
import { createChance } from '#lab/stage/chance.ts'
import { aRule, aStep, automationWorld, LEEDS } from './automation-world.server.ts'
import type { Fate } from './platform-in-process.server.ts'

const ZONE = 'Europe/London'

/** A usual week, the two weeks in which the clocks change, and one over the end of a month and February. */
const STARTS = [
  Date.UTC(2026, 0, 5, 7),
  Date.UTC(2026, 2, 26, 7),
  Date.UTC(2026, 9, 22, 7),
  Date.UTC(2028, 1, 25, 7),
] as const

const WEEK = 7
/** Days after which the judge sees that a safeguard is missing. */
const WITHOUT = 2
/** Time without faults before judging: long enough for the slowest retry and every sweep. */
const AFTERMATH = hours(30)

const ON_STATUS: WebhookTrigger = {
  source: 'webhook',
  object: 'job',
  type: 'job_status',
  webhookSubscriptionId: null,
  jobUuid: null,
  queueUuid: null,
  fieldName: null,
  fromValue: null,
  settleMinutes: 0,
}

const POLL: PollTrigger = {
  source: 'api_polling',
  endpoint: '/api_1.0/job.json',
  method: 'GET',
  interval: 'hourly',
  runTime: '01:30',
  weekday: 1,
  dayOfMonth: 1,
  workingDays: false,
  scheduleType: 'recurring',
  scheduleDate: null,
  scheduleRecurrence: null,
}

const is = (value: string) => [{ field: 'status', operator: 'equals', value, logicalOperator: 'AND' } as const]

/** Each text contains its rule and job: nothing else distinguishes two of them. */
const RULES: Record<string, RuleDefinition> = {
  finished: aRule(
    [aStep('s1', 'send_sms', { to: '{entry.0.contact_mobile}', message: 'finished {entry.0.generated_job_id}' })],
    { trigger: ON_STATUS, conditions: is('Completed'), once: 'record' },
  ),
  fresh: aRule([aStep('s1', 'create_task', { title: 'fresh {entry.0.generated_job_id}', description: '' })], {
    trigger: { ...ON_STATUS, type: 'job_created' },
    once: 'record',
  }),
  hourly: aRule([aStep('s1', 'create_task', { title: 'hourly {entry.0.generated_job_id}', description: '' })], {
    trigger: POLL,
    conditions: is('Completed'),
    once: 'record',
  }),
  nightly: aRule([aStep('s1', 'create_task', { title: 'nightly {today}', description: '' })], {
    trigger: { ...POLL, interval: 'daily' },
    conditions: [{ field: 'status', operator: 'is_not_empty', value: '', logicalOperator: 'AND' }],
    digest: true,
    once: 'period',
  }),
}

export interface WeekFinding {
  violations: string[]
  /** The log of all actions, one line each: printed when something is wrong. */
  trail: string[]
  events: { told: number; dropped: number; repeated: number }
  runs: number
  messages: number
  /** Messages that may have been sent, for a person to settle. */
  unclear: number
  fates: Record<string, number>
}

export interface WeekOptions {
  seed: number
  /** Disables a safeguard, to show that the judge notices. */
  sabotage?: 'ledger' | 'sweep'
}

export async function simulatedWeek({ seed, sabotage }: WeekOptions): Promise<WeekFinding> {
  const chance = createChance(seed, 'week')
  const start = STARTS[seed % STARTS.length] ?? STARTS[0]
  const world = await automationWorld(start)
  const trail: string[] = []
  const fates: Record<string, number> = {}
  const counts = { told: 0, dropped: 0, repeated: 0 }
  const made = new Set<string>()
  const finished = new Set<string>()
  const numberOf = new Map<string, string>()
  let waiting: { uuid: string; fields: string[]; serial: number }[] = []
  let serial = 0
  let rough = false

  const note = (line: string) => trail.push(`${localStamp(wallAt(world.clock.now(), ZONE))} ${line}`)
  world.platform.fate = () => {
    const fate = rough ? anyFate(chance.next()) : 'well'
    fates[fate] = (fates[fate] ?? 0) + 1
    return fate
  }
  let engine = world.engine()
  const open = () => createAutomationTriggers({ ...world.app, facts: world.parts.facts, wakeRuns: () => engine.wake() })
  let triggers = open()

  async function tell(uuid: string, fields: string[], at: number) {
    const event: IncomingEvent = {
      accountUuid: LEEDS,
      subscriptionId: null,
      source: 'object',
      object: 'job',
      objectUuid: uuid,
      changedFields: fields,
      receivedAt: world.clock.now(),
      dedupe: `week-${at}`,
      body: '{}',
    }
    const limit = { deliveries: 50_000, bytes: 50_000_000 }
    const options = { choose: chooseEndpoints, limit, retryFor: hours(72), stoppedReason: 'stopped' }
    const [accepted] = await world.store.events.acceptEvents([event], options)
    if (accepted?.outcome === 'stored' && accepted.touched) triggers.touched()
  }

  function change(uuid: string, fields: Record<string, string>) {
    const job = world.platform.records(LEEDS, 'job').get(uuid)
    const stamp = localStamp(wallAt(world.clock.now(), ZONE))
    world.platform.put(LEEDS, 'job', { ...job, uuid, edit_date: stamp, ...fields })
  }

  function changed(uuid: string, fields: string[]) {
    serial += 1
    if (rough && chance.next() < 0.2) {
      counts.dropped += 1
      return note(`  its webhook is lost`)
    }
    waiting.push({ uuid, fields, serial })
    if (rough && chance.next() < 0.2) {
      counts.repeated += 1
      waiting.push({ uuid, fields, serial })
    }
  }

  /** Webhooks arrive in any order, and some of them late. */
  async function post() {
    const now = waiting.filter(() => !rough || chance.next() < 0.8)
    waiting = waiting.filter((one) => !now.includes(one))
    if (rough) now.sort(() => chance.next() - 0.5)
    for (const { uuid, fields, serial: at } of now) {
      counts.told += 1
      await tell(uuid, fields, at)
    }
  }

  function act() {
    const jobs = [...made].filter((uuid) => !finished.has(uuid))
    const chosen = jobs[Math.floor(chance.next() * jobs.length)]
    if (chosen === undefined || chance.next() < 0.35) {
      const uuid = world.job(LEEDS)
      made.add(uuid)
      numberOf.set(uuid, String(world.platform.records(LEEDS, 'job').get(uuid)?.generated_job_id))
      change(uuid, { status: 'Quote' })
      note(`job ${numberOf.get(uuid)} is made`)
      return changed(uuid, ['uuid', 'status'])
    }
    const job = world.platform.records(LEEDS, 'job').get(chosen)
    const next = job?.status === 'Quote' ? 'Work Order' : 'Completed'
    change(chosen, { status: next })
    note(`job ${numberOf.get(chosen)} becomes ${next}`)
    if (next === 'Completed') finished.add(chosen)
    changed(chosen, ['status'])
  }

  async function pass(ms: number) {
    world.clock.leap(Math.max(0, ms - seconds(12)))
    await world.clock.run(Math.min(ms, seconds(12)))
  }

  async function restart() {
    note('the process is started anew')
    await triggers.stop()
    const old = engine
    const drained = old.drain()
    await world.clock.run(seconds(16))
    await drained
    engine = world.engine()
    triggers = open()
    engine.start()
    triggers.start()
  }

  // Old jobs that must not cause messages.
  const old = Array.from({ length: 30 }, () => world.job(LEEDS, { status: 'Completed' }))
  const ids: Record<string, number> = {}
  for (const [name, definition] of Object.entries(RULES)) {
    const isPoll = definition.trigger.source === 'api_polling'
    ids[name] = await world.store.automations.createAutomation(LEEDS, {
      name,
      definition,
      active: true,
      nextRunAt: isPoll ? world.clock.now() + minutes(20) : null,
      baselined: definition.once === 'period',
      triggerKey: null,
      at: world.clock.now(),
    })
  }
  engine.start()
  triggers.start()
  await pass(minutes(2))
  if (sabotage === 'sweep') world.client.sql.exec(`UPDATE poll_cursor SET next_at = 9e15 WHERE source LIKE 'sweep:%'`)

  const lasts = sabotage ? WITHOUT : WEEK
  const end = start + days(lasts)
  while (world.clock.now() < end) {
    rough = chance.next() < 0.7
    for (let acts = Math.floor(chance.next() * 4); acts > 0; acts--) act()
    await post()
    if (chance.next() < 0.03) await restart()
    if (sabotage === 'ledger') world.client.sql.exec('DELETE FROM seen_ledger')
    await pass(minutes(5) + Math.floor(chance.next() * hours(2)))
  }
  rough = false
  await post()
  note('all is well again')
  for (let left = AFTERMATH; left > 0; left -= minutes(45)) await pass(minutes(45))

  const finding = await judge()
  await triggers.stop()
  await world.close()
  return finding

  async function judge(): Promise<WeekFinding> {
    const violations: string[] = []
    const wrong = (line: string) => violations.push(line)
    const texts = world.platform.messages.map((message) => message.text)
    const tasks = world.platform.made.filter(({ object }) => object === 'task').map(({ fields }) => fields.name ?? '')
    const unclear = world.rows(`SELECT run_id, effect FROM run_step WHERE state = 'unknown'`)
    const oldNumbers = new Set(
      old.map((uuid) => String(world.platform.records(LEEDS, 'job').get(uuid)?.generated_job_id)),
    )

    for (const [what, list] of [
      ['text', texts],
      ['task', tasks],
    ] as const) {
      const seen = new Set<string>()
      for (const one of list) {
        if (seen.has(one)) wrong(`the ${what} "${one}" went out twice`)
        seen.add(one)
        if (oldNumbers.has(one.split(' ').at(-1) ?? '')) wrong(`the ${what} "${one}" is about what was there before`)
      }
    }
    const mayBe = JSON.stringify(unclear)
    for (const uuid of finished) {
      const number = numberOf.get(uuid)
      if (!texts.includes(`finished ${number}`) && !mayBe.includes(`finished ${number}`)) {
        wrong(`nobody was told that job ${number} is finished`)
      }
      if (!tasks.includes(`hourly ${number}`)) wrong(`the hourly look never acted on job ${number}`)
    }
    for (const text of texts) {
      const number = text.split(' ').at(-1)
      if (![...finished].some((uuid) => numberOf.get(uuid) === number))
        wrong(`"${text}" is about a job that is not finished`)
    }
    for (const uuid of made) {
      if (!tasks.includes(`fresh ${numberOf.get(uuid)}`)) wrong(`new job ${numberOf.get(uuid)} set nothing off`)
    }
    const nights = tasks.filter((task) => task.startsWith('nightly'))
    // From the first evening to the last morning: one each, also where 01:30 does not exist or occurs twice.
    if (nights.length < lasts || nights.length > lasts + 2)
      wrong(`${nights.length} nights in ${lasts} days: ${nights.join(', ')}`)
    const left = world.rows(`SELECT id, state, reason FROM run WHERE state NOT IN ('done', 'held')`)
    for (const run of left) wrong(`run ${String(run.id)} is still ${String(run.state)}: ${String(run.reason)}`)
    const due = world.rows('SELECT count(*) AS n FROM touched_record')
    if (due[0]?.n !== 0) wrong(`${String(due[0]?.n)} changed records were never looked at`)
    const stuck = world.rows(`SELECT count(*) AS n FROM run_step WHERE state IN ('sending', 'planned')`)
    if (stuck[0]?.n !== 0) wrong(`${String(stuck[0]?.n)} effects hang in the middle`)

    const runs = Number(world.rows('SELECT count(*) AS n FROM run')[0]?.n ?? 0)
    return { violations, trail, events: counts, runs, messages: texts.length, unclear: unclear.length, fates }
  }
}

function anyFate(chance: number): Fate {
  if (chance < 0.82) return 'well'
  if (chance < 0.86) return 'not_reached'
  if (chance < 0.9) return 'broken'
  if (chance < 0.93) return 'answer_lost'
  if (chance < 0.95) return 'done_late'
  return 'too_many'
}
