// Rules that text customers, while the instance that works for them is killed: the journal is gone on with by another one.
import { seededRandom, wholeFrom } from '../report/arguments.ts'
import { pause } from '../stage/server.ts'
import { killNow } from './happenings.ts'
import type { Cluster, Stage } from './stage.ts'

/** Accounts with a rule. */
const FIRMS = 24
/** The platform answers after this time, so that a kill always hits something under way. ms */
const ANSWERS_AFTER = 400
const BASELINED_WITHIN = 60_000
const DONE_WITHIN = 120_000

export interface RunsFound {
  kills: number
  /** Jobs that were completed, each of which wants two texts. */
  jobs: number
  texts: number
  /** The same text to a customer again. */
  twice: number
  /** Steps that may have been sent and wait for a person. */
  unknown: number
  /** Texts that never arrived, without those that wait for a person. */
  missing: number
  /** Runs that have not ended. */
  open: number
  /** Kills after which another instance had something to go on with. */
  takenOver: number
}

/** Needs `Stage.people`. The platform is slow from here on. */
export async function runsGoOn(stage: Stage, { times, seed }: { times: number; seed: number }): Promise<RunsFound> {
  const random = seededRandom(seed)
  const cluster = await stage.cluster()
  const firms = stage.people.slice(0, FIRMS)
  try {
    for (const { account, browser } of firms) {
      await stage.platform.ask('addJobs', account, times)
      await addRule(browser, account)
    }
    await untilNone(cluster, 'SELECT 1 FROM automation WHERE deleted_at IS NULL AND baselined = 0', BASELINED_WITHIN)
    await stage.platform.ask('answerAfter', ANSWERS_AFTER)
    let jobs = 0
    let takenOver = 0
    for (let number = 0; number < times; number++) {
      for (const { account } of firms) await stage.platform.ask('completeJob', account)
      jobs += firms.length
      await untilSome(cluster, "SELECT 1 FROM run_step WHERE state IN ('sending', 'sent') AND sending_at > $1", [
        Date.now() - 500,
      ])
      await pause(wholeFrom(random, 0, 300))
      // The one that has most to lose.
      const [busiest] = await cluster.ask<{ process: string }>(
        `SELECT process FROM run JOIN share ON part = share_of(account_uuid) JOIN member ON member.id = owner
          WHERE state IN ('queued', 'running', 'waiting') GROUP BY process ORDER BY count(*) DESC LIMIT 1`,
      )
      if (busiest) takenOver++
      const victim = cluster.instances.find(({ index }) => !busiest || busiest.process.startsWith(`machine ${index}|`))
      if (!victim) throw new Error(`nobody is ${busiest?.process}`)
      await killNow({ cluster, victim })
      await cluster.settled()
      await untilNone(cluster, 'SELECT 1 FROM touched_record', DONE_WITHIN)
      await untilNone(cluster, "SELECT 1 FROM run WHERE state IN ('queued', 'running', 'waiting')", DONE_WITHIN)
    }
    const texts = await stage.platform.ask('texts')
    const [left] = await cluster.ask<{ unknown: number; open: number }>(
      `SELECT (SELECT count(*) FROM run_step WHERE state = 'unknown')::int AS unknown,
        (SELECT count(*) FROM run WHERE state NOT IN ('done', 'held'))::int AS open`,
    )
    const distinct = new Set(texts).size
    const unknown = left?.unknown ?? 0
    return {
      ...{ kills: times, jobs, texts: texts.length, twice: texts.length - distinct, unknown, takenOver },
      open: left?.open ?? 0,
      missing: Math.max(0, jobs * 2 - distinct - unknown * 2),
    }
  } finally {
    await stage.platform.ask('answerAfter', 0)
    await cluster.close()
  }
}

async function addRule(browser: Stage['people'][number]['browser'], accountUUID: string): Promise<void> {
  const text = (message: string) => ({ type: 'send_sms', parameters: { to: '+447700911111', message } })
  const made = await browser.json('POST', '/api/automation', {
    accountUUID,
    name: 'Tell the customer',
    triggerSource: 'webhook',
    object: 'job',
    triggerType: 'job_status',
    conditions: [{ field: 'status', operator: 'equals', value: 'Completed' }],
    actions: [text('First {entry.0.uuid}'), text('Second {entry.0.uuid}')],
  })
  if (made.status !== 200 && made.status !== 201)
    throw new Error(`no rule: ${made.status} ${JSON.stringify(made.body)}`)
}

async function untilNone({ ask }: Cluster, sql: string, withinMs: number): Promise<void> {
  const until = Date.now() + withinMs
  while ((await ask(`${sql} LIMIT 1`)).length > 0) {
    if (Date.now() > until) throw new Error(`still there: ${sql}`)
    await pause(100)
  }
}

async function untilSome({ ask }: Cluster, sql: string, values: unknown[]): Promise<void> {
  const until = Date.now() + DONE_WITHIN
  while ((await ask(`${sql} LIMIT 1`, values)).length === 0) {
    if (Date.now() > until) throw new Error(`not there: ${sql}`)
    await pause(20)
  }
}
