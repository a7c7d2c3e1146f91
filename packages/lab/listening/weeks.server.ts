// Simulated days of a firm whose customers answer: rows of the histories are lost, late and doubled, their clock is
// wrong, the permission comes and goes, processes are ended between any two writes. Judged against the sandbox's record.

import { setImmediate } from 'node:timers/promises'
import { localStamp } from '#app/domain/time/local-time.ts'
import { settleAnswer } from '#app/features/automations/listening/answers.server.ts'
import { createListener } from '#app/features/automations/listening/listener.server.ts'
import { DEFAULT_ACCOUNT_GUARDS } from '#app/features/automations/rules/guards.ts'
import { minutes, seconds } from '#app/lib/duration.ts'
import { wallAt } from '#app/lib/zone.ts'
import { type AutomationWorld, aRule, aStep, automationWorld, LEEDS } from '#tests/support/automation-world.server.ts'
import type { Fate } from '#tests/support/platform-in-process.server.ts'
import { type Mortal, mortal } from '../automation/kill.server.ts'
import { type Chance, createChance } from '../stage/chance.ts'
import { judgeWeek } from './judge.server.ts'
import type { Closed, GivenAnswer, JudgedWeek, WeekFinding } from './types.ts'

export interface WeekProof {
  seed: number
  /** Steps of 20 s to 20 min. */
  steps: number
  /** The control: messages leave without a last look. */
  withoutLastLook?: boolean
}

const ZONE = 'Europe/London'
const FATES: readonly (readonly [number, Fate])[] = [
  [92, 'well'],
  [2, 'answer_lost'],
  [2, 'done_late'],
  [2, 'not_reached'],
  [1, 'broken'],
  [1, 'too_many'],
]
const WORDS = ['Yes', 'No thanks', 'Please ring me', 'What does it cost?'] as const

const TEXT = { to: '{entry.0.contact_mobile}', message: 'About your job', linkToJob: true }
const RULES = [
  aRule([aStep('s1', 'send_sms', TEXT)], { once: 'change' }),
  aRule([aStep('s1', 'send_sms', { ...TEXT, message: 'Still about your job' })], { once: 'change' }),
  aRule([
    aStep('s1', 'send_email', {
      ...{ contentType: 'manual', to: '{entry.0.contact_email}', customSubject: 'Your job', customBody: 'Hello' },
      linkToJob: true,
    }),
  ]),
] as const

export async function listeningWeek(proof: WeekProof): Promise<WeekFinding> {
  const world = await automationWorld()
  try {
    const week = new Week(world, proof)
    await week.live()
    return await judgeWeek(world, week)
  } finally {
    await world.close()
  }
}

/** The firm, its customers, and the process that works for it. */
class Week implements JudgedWeek {
  readonly answers: GivenAnswer[] = []
  readonly closed: Closed[] = []
  deaths = 0
  dearLooks = 0
  private readonly chance: Chance
  private readonly jobs: string[]
  private readonly rules: number[] = []
  /** Numbers of the exchanges that the caller saw fail. */
  private readonly failed = new Set<number>()
  private serial = 0
  private rough = true
  private process: Mortal | null = null
  private listener: ReturnType<typeof createListener> | null = null

  private readonly world: AutomationWorld
  private readonly proof: WeekProof

  constructor(world: AutomationWorld, proof: WeekProof) {
    this.world = world
    this.proof = proof
    this.chance = createChance(proof.seed, 'listening')
    this.jobs = Array.from({ length: 5 }, () => world.job(LEEDS))
    world.platform.fate = ({ number }) => {
      const fate = this.rough ? this.chance.weighted(FATES) : 'well'
      if (fate !== 'well') this.failed.add(number)
      return fate
    }
  }

  async live(): Promise<void> {
    const { world, chance, proof } = this
    const limits = {
      quietFrom: '00:00',
      quietTo: '00:00',
      ruleDailyCap: 10_000,
      accountDailyCap: 10_000,
      floodPerHour: 10_000,
    }
    await world.store.runs.saveAccountGuards(LEEDS, { ...DEFAULT_ACCOUNT_GUARDS, ...limits }, 0)
    for (const rule of RULES) this.rules.push(await world.rule(rule))
    for (let step = 0; step < proof.steps; step++) {
      await this.oneStep()
      await this.pass(chance.span(seconds(20), minutes(20)))
    }
    this.rough = false
    Object.assign(this.options(), { historyRefused: false, historyMissing: false })
    this.endClosed()
    for (let calm = 0; calm < 30; calm++) await this.pass(minutes(15))
  }

  options() {
    return this.world.platform.account(LEEDS).options
  }

  private async oneStep(): Promise<void> {
    const { chance } = this
    await chance.weighted<() => Promise<void> | void>([
      [6, () => this.begin()],
      [3, () => this.answer()],
      [2, () => this.decide()],
      [2, () => this.weather()],
      [1, () => this.email()],
    ])()
  }

  private async begin(): Promise<void> {
    const { world, chance } = this
    const rule = chance.pick(this.rules)
    await world.start(rule, [chance.pick(this.jobs)])
  }

  /** Only who was written to answers. */
  private answer(): void {
    const { world, chance } = this
    const job = chance.pick(this.jobs)
    const { outbox, lateHistory } = world.platform.account(LEEDS)
    const channels = (['sms', 'email'] as const).filter((kind) =>
      outbox.some((item) => item.kind === kind && item.jobUuid === job),
    )
    if (channels.length === 0) return
    const channel = chance.pick(channels)
    const now = world.clock.now()
    const { historyLateMinutes, historyMissing, historyClockSkewMinutes, historyDoubled } = this.options()
    if (historyMissing) return
    const readableAt = now + minutes(historyLateMinutes)
    this.serial += 1
    const row = {
      ...{ direction: 'inbound', related_object: 'job', related_object_uuid: job, from: '+447700900999' },
      message: `${chance.pick(WORDS)} ${this.serial}`,
      timestamp: localStamp(wallAt(now + minutes(historyClockSkewMinutes), ZONE)),
    }
    const uuids = [`answer-${this.serial}`, ...(historyDoubled ? [`answer-${this.serial}-again`] : [])]
    for (const uuid of uuids) lateHistory.push({ channel, row: { ...row, uuid }, showAt: readableAt })
    this.answers.push({ job, uuid: uuids[0] ?? '', readableAt, goneOnAt: null })
  }

  private async decide(): Promise<void> {
    const { world } = this
    const [open] = await world.store.listening.listAnswers(LEEDS, ['open'], 1)
    if (!open) return
    const at = world.clock.now()
    const { process } = this.alive()
    const app = { ...world.app, store: process.store?.(world.store) ?? world.store }
    const settled = settleAnswer(app, LEEDS, open.id, this.chance.hit(0.7) ? 'went_on' : 'stopped', null)
    await untilDoneOrDead(settled, process)
    // The process may have ended before the decision was stored, or right after: what is stored counts.
    const names = new Set(
      world
        .rows('SELECT history_uuid AS name FROM customer_reply WHERE state <> ?', 'open')
        .map(({ name }) => String(name)),
    )
    for (const one of this.answers) {
      if (names.has(one.uuid) || names.has(`${one.uuid}-again`)) one.goneOnAt ??= at
    }
    if (!process.isDead()) return
    this.process = null
    this.deaths += 1
  }

  private weather(): void {
    const { chance } = this
    const options = this.options()
    options.historyLateMinutes = chance.pick([0, 0, 0, 2, 12, 45])
    options.historyDoubled = chance.hit(0.3)
    options.historyMissing = chance.hit(0.05)
    options.historyClockSkewMinutes = chance.whole(-10, 10)
    options.undeliveredNext = chance.hit(0.4) ? chance.whole(1, 3) : 0
    this.endClosed()
    options.historyRefused = chance.hit(0.15)
    if (options.historyRefused) this.closed.push({ from: this.world.clock.now(), to: Number.POSITIVE_INFINITY })
  }

  private endClosed(): void {
    const last = this.closed.at(-1)
    if (last && last.to === Number.POSITIVE_INFINITY) last.to = this.world.clock.now()
  }

  private email(): void {
    const rows = [...this.world.platform.records(LEEDS, 'email').values()]
    const last = rows.filter((one) => one.direction === 'outbound').at(-1)
    if (!last) return
    const seen = this.chance.hit(0.5)
      ? { bounced: '1' }
      : { opened: '1', first_opened_at: localStamp(wallAt(this.world.clock.now(), ZONE)) }
    // A row that is listed twice changes twice.
    for (const row of rows) if (row.to === last.to && row.timestamp === last.timestamp) Object.assign(row, seen)
  }

  /** Time passes while a process works; it may be ended anywhere, and another one comes. */
  private async pass(ms: number): Promise<void> {
    const { world, chance } = this
    const { process, listener } = this.alive()
    world.app.wakeRuns()
    const before = world.platform.exchanges.length
    const round = listener.round().then(({ moved }) => {
      if (moved > 0) world.app.wakeRuns()
    })
    await world.clock.run(ms)
    if (process.isDead()) this.process = null
    else await Promise.race([round, world.clock.run(seconds(30))])
    this.countLooks(before)
    if (this.process !== null && this.rough && chance.hit(0.1)) {
      process.end()
      this.process = null
    }
    if (this.process === null) this.deaths += 1
  }

  private alive(): { process: Mortal; listener: ReturnType<typeof createListener> } {
    const { world, chance, proof } = this
    if (this.process !== null && this.listener !== null) return { process: this.process, listener: this.listener }
    const process = mortal(world.clock, {
      at: this.rough && chance.hit(0.7) ? chance.whole(2, 120) : Number.POSITIVE_INFINITY,
      lateMs: chance.hit(0.5) ? chance.span(seconds(1), seconds(30)) : null,
    })
    const withoutLook = { parts: ({ lastLook: _look, ...parts }: Parameters<NonNullable<Mortal['parts']>>[0]) => parts }
    world.engine({ ...process, ...(proof.withoutLastLook && withoutLook) }, { beatMs: seconds(3) }).start()
    const listener = createListener({
      ...world.app,
      facts: world.parts.facts,
      store: process.store?.(world.store) ?? world.store,
      clock: process.clock ?? world.clock,
      callAsAccount: world.platform.connect(process.around),
    })
    this.process = process
    this.listener = listener
    return { process, listener }
  }

  /** A look is one call for a job and list, and another one where that failed: two within a second are one too many. */
  private countLooks(from: number): void {
    const reads = this.world.platform.exchanges
      .slice(from)
      .filter(({ verb, object, number }) => verb === 'list' && isHistory(object) && !this.failed.has(number))
    const seen = new Map<string, number>()
    for (const { object, query } of reads) {
      const key = `${object} ${query.get('$filter')} ${query.get('cursor')}`
      seen.set(key, (seen.get(key) ?? 0) + 1)
    }
    const messages = this.world.platform.exchanges
      .slice(from)
      .filter(({ verb }) => verb === 'sms' || verb === 'email').length
    // The round's own look, one before each message, and one more for each message that was held or put off.
    for (const count of seen.values()) if (count > 1 + 2 * Math.max(3, messages)) this.dearLooks += 1
  }
}

async function untilDoneOrDead(work: Promise<unknown>, process: Mortal): Promise<void> {
  let isDone = false
  void work.then(() => {
    isDone = true
  })
  while (!isDone && !process.isDead()) await setImmediate()
}

function isHistory(object: string): boolean {
  return object === 'sms' || object === 'email'
}
