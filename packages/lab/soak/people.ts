// People's actions during the soak: read pages, pause, resume, replay, trigger rules; and the platform's failures.
import { setTimeout as wait } from 'node:timers/promises'
import { type Random, wholeFrom } from '../report/arguments.ts'
import { pause } from '../stage/server.ts'
import type { SoakStage } from './stage.ts'

/** ms between two actions of one person. */
const READS_EVERY = 500
const ACTS_EVERY = 15_000
const TRIGGERS_EVERY = 5_000
const FAULTS_EVERY = 20_000
const RECEIVERS_EVERY = 60_000
const RECEIVERS_AWAY_FOR = 3_000
/** Replays the events of the last this many ms. */
const REPLAYED_MS = 20_000
const FAULTS = ['status:429', 'status:500', 'lose_answer', 'drop'] as const
const DAY_MS = 86_400_000

export interface SoakPeople {
  /** How long people waited for each page and call, ms, in order; emptied by the reader. */
  waits: number[]
  /** Answers of 500 and above that a person got, one line each. */
  refused: string[]
  /** Dates of the accepted triggers: each creates one task. */
  triggered: string[]
  counts: { reads: number; pauses: number; replays: number; faults: number; absences: number }
  /** Ends all disturbances: everything paused is resumed, every receiver is back. */
  calmDown(): Promise<void>
  /** Stops all actions. */
  stop(): Promise<void>
}

export async function soakPeople(stage: SoakStage, random: Random): Promise<SoakPeople> {
  const { browser, accounts, webhooks, receivers } = stage
  const waits: number[] = []
  const refused: string[] = []
  const triggered: string[] = []
  const counts = { reads: 0, pauses: 0, replays: 0, faults: 0, absences: 0 }
  const stopping = new AbortController()
  let calm = false
  const own = (role: string) => webhooks.filter((one) => one.role === role)
  const trigger = await triggerOf(stage)

  async function every(ms: number, act: () => Promise<void>): Promise<void> {
    const { signal } = stopping
    while (!signal.aborted) {
      await wait(ms, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      await act().catch((error: unknown) => {
        if (!signal.aborted) refused.push(String(error))
      })
    }
  }

  async function read(): Promise<void> {
    const account = accounts[wholeFrom(random, 0, accounts.length - 1)] ?? ''
    const pages = [
      `/fieldhook?accountUUID=${account}`,
      `/deliveries?accountUUID=${account}`,
      `/automation?accountUUID=${account}`,
      `/api/webhooks?accountUUID=${account}`,
      `/api/webhook-logs/${account}/job?limit=50&timeRange=day`,
      `/api/automation-logs/${account}`,
      '/readyz',
    ]
    const page = pages[wholeFrom(random, 0, pages.length - 1)] ?? ''
    const began = performance.now()
    const { status } = await twice(() => browser.get(page))
    waits.push(performance.now() - began)
    counts.reads++
    if (status !== 200) refused.push(`${page.split('?')[0]}: ${status}`)
  }

  async function setPaused(paused: boolean): Promise<void> {
    for (const { id } of own('paused')) {
      const { status } = await twice(() => browser.json('PUT', `/api/webhooks/${id}`, { active: !paused }))
      if (status !== 200) refused.push(`pausing or resuming: ${status}`)
    }
  }

  async function act(): Promise<void> {
    if (calm) return
    if (counts.pauses === counts.replays) {
      counts.pauses++
      await setPaused(true)
      await pause(5_000)
      await setPaused(false)
      return
    }
    counts.replays++
    const since = new Date(Date.now() - REPLAYED_MS).toISOString()
    for (const { id } of own('replayed')) {
      const { status } = await twice(() => browser.json('POST', `/api/webhooks/${id}/replay`, { since }))
      if (status !== 202) refused.push(`replay: ${status}`)
    }
  }

  async function setOff(): Promise<void> {
    const date = new Date(Date.UTC(2031, 0, 1) + triggered.length * DAY_MS).toISOString().slice(0, 10)
    // The same job and day always give the same run, even when sent repeatedly.
    const { status } = await twice(() => browser.json('POST', trigger.url, { job_uuid: trigger.job, date }))
    if (status === 202) triggered.push(date)
    else refused.push(`trigger: ${status}`)
  }

  async function makeFault(): Promise<void> {
    if (calm) return
    counts.faults++
    const effect = FAULTS[wholeFrom(random, 0, FAULTS.length - 1)] ?? FAULTS[0]
    const fault = { effect, path: '/api_1.0/*', method: '*', times: '2' }
    await twice(() => browser.submit(`/sandbox/console/accounts/${accounts[0]}/fault`, fault))
  }

  async function restartReceivers(): Promise<void> {
    if (calm) return
    counts.absences++
    await receivers.restarting.goAway()
    await pause(RECEIVERS_AWAY_FOR)
    await receivers.restarting.comeBack()
  }

  const going = [
    every(READS_EVERY, read),
    every(ACTS_EVERY, act),
    every(TRIGGERS_EVERY, setOff),
    every(FAULTS_EVERY, makeFault),
    every(RECEIVERS_EVERY, restartReceivers),
  ]
  return {
    waits,
    refused,
    triggered,
    counts,
    async calmDown() {
      calm = true
      // Everything in progress ends within this time.
      await pause(RECEIVERS_AWAY_FOR + 5_000)
      await receivers.restarting.comeBack()
      await setPaused(false)
      await twice(() => browser.submit(`/sandbox/console/accounts/${accounts[0]}/clear-faults`, {}))
    },
    async stop() {
      stopping.abort()
      await Promise.all(going)
    },
  }
}

/** Like a browser when a persistent connection was closed just before its reuse. */
async function twice<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch {
    return ask()
  }
}

/** A rule of the first firm that other programs trigger, and a job for it. */
async function triggerOf({ browser, accounts, server }: SoakStage): Promise<{ url: string; job: string }> {
  const [account = ''] = accounts
  const made = await browser.json('POST', '/api/automation', {
    accountUUID: account,
    name: 'Soak',
    triggerSource: 'manual_endpoint',
    actions: [
      { type: 'create_task', parameters: { title: 'Soak {date}', description: '' } },
      { type: 'post_activity_feed', parameters: { message: 'Soak {date}' } },
    ],
  })
  const { triggerUrl } = made.body as { triggerUrl?: string }
  if (!triggerUrl) throw new Error(`no rule: ${made.status} ${JSON.stringify(made.body)}`)
  const called = await browser.json('GET', `/api/servicem8/jobs/${account}`)
  const [first] = called.body as { uuid?: string }[]
  if (!first?.uuid) throw new Error(`no job of ${server.origin}: ${called.status}`)
  const { pathname, search } = new URL(triggerUrl)
  return { url: pathname + search, job: first.uuid }
}
