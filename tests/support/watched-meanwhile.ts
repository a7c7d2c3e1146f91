// How long the others wait: whether it is alive, an event of another account, and that event's delivery, asked again and again.
import { randomUUID } from 'node:crypto'

export interface Waits {
  /** Longest and middle, ms. */
  healthz: Wait
  ingress: Wait
  delivery: Wait
  answers: number
  /** Answers other than 200, and events that never arrived. */
  wrong: string[]
}

interface Wait {
  longest: number
  middle: number
}

export interface WatchedPlaces {
  origin: string
  /** Address that the platform calls for the account that is watched. */
  forwardingUrl: string
  arrived(): readonly { body: string; atMs: number }[]
}

const EVERY_MS = 40
const ARRIVES_WITHIN = 5_000

/** Asks until `over` resolves, then waits for what is still on its way. */
export async function watchWhile<T>(places: WatchedPlaces, over: Promise<T>): Promise<{ waits: Waits; result: T }> {
  let isOver = false
  const ended = over.finally(() => {
    isOver = true
  })
  const taken = { healthz: [] as number[], ingress: [] as number[] }
  const wrong: string[] = []
  const sent = new Map<string, number>()
  const asked: Promise<void>[] = []
  const ask = async (of: number[], url: string, init?: RequestInit) => {
    const began = performance.now()
    const answer = await fetch(url, init)
    await answer.arrayBuffer()
    of.push(performance.now() - began)
    if (answer.status !== 200) wrong.push(`${answer.status} ${url}`)
  }
  while (!isOver) {
    const uuid = randomUUID()
    sent.set(uuid, performance.now())
    const entry = [{ uuid, changed_fields: ['status'], time: '2026-11-21 10:00:00' }]
    const body = JSON.stringify({ object: 'job', entry, resource_url: `https://api.example/api_1.0/job/${uuid}.json` })
    const headers = { 'content-type': 'application/json' }
    asked.push(ask(taken.healthz, `${places.origin}/healthz`))
    asked.push(ask(taken.ingress, places.forwardingUrl, { method: 'POST', body, headers }))
    await new Promise((next) => setTimeout(next, EVERY_MS))
  }
  const result = await ended
  await Promise.all(asked)
  const delivered = await arrivals(places, sent, wrong)
  return {
    result,
    waits: {
      healthz: waitOf(taken.healthz),
      ingress: waitOf(taken.ingress),
      delivery: waitOf(delivered),
      answers: asked.length,
      wrong,
    },
  }
}

async function arrivals({ arrived }: WatchedPlaces, sent: ReadonlyMap<string, number>, wrong: string[]) {
  const until = performance.now() + ARRIVES_WITHIN
  const found = new Map<string, number>()
  while (found.size < sent.size && performance.now() < until) {
    for (const { body, atMs } of arrived()) {
      const [, uuid = ''] = /"uuid":"([0-9a-f-]{36})"/.exec(body) ?? []
      const at = sent.get(uuid)
      if (at !== undefined) found.set(uuid, atMs - at)
    }
    await new Promise((next) => setTimeout(next, 20))
  }
  if (found.size < sent.size) wrong.push(`${sent.size - found.size} events did not arrive`)
  return [...found.values()]
}

function waitOf(taken: readonly number[]): Wait {
  const sorted = [...taken].sort((a, b) => a - b)
  return { longest: Math.round(sorted.at(-1) ?? 0), middle: Math.round(sorted[sorted.length >> 1] ?? 0) }
}
