// Checks that other accounts are served during some work, by counting calls, answers and deliveries before it ended.
import { randomUUID } from 'node:crypto'

export interface Served {
  /** Answered health checks and events of another account, and events that arrived at its address. */
  healthz: number
  ingress: number
  delivered: number
  /** Answers other than 200. */
  wrong: string[]
}

export interface WatchedPlaces {
  origin: string
  /** The platform's address for the watched account. */
  forwardingUrl: string
  /** Bodies that the account's own address has received so far. */
  arrived(): readonly string[]
}

const EVERY_MS = 50

/** Calls one after the other until `over` resolves. */
export async function watchWhile<T>(
  { origin, forwardingUrl, arrived }: WatchedPlaces,
  over: Promise<T>,
): Promise<{ served: Served; result: T }> {
  let isOver = false
  const served: Served = { healthz: 0, ingress: 0, delivered: 0, wrong: [] }
  const sent = new Set<string>()
  const ended = over.finally(() => {
    isOver = true
    served.delivered = arrived().filter((body) => sent.has(/"uuid":"([0-9a-f-]{36})"/.exec(body)?.[1] ?? '')).length
  })
  const ask = async (of: 'healthz' | 'ingress', url: string, init?: RequestInit) => {
    const answer = await fetch(url, init)
    await answer.arrayBuffer()
    if (isOver) return
    served[of] += 1
    if (answer.status !== 200) served.wrong.push(`${answer.status} ${url}`)
  }
  while (!isOver) {
    const uuid = randomUUID()
    sent.add(uuid)
    const entry = [{ uuid, changed_fields: ['status'], time: '2026-11-21 10:00:00' }]
    const body = JSON.stringify({ object: 'job', entry, resource_url: `https://api.example/api_1.0/job/${uuid}.json` })
    await ask('healthz', `${origin}/healthz`)
    await ask('ingress', forwardingUrl, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    await new Promise((next) => setTimeout(next, EVERY_MS))
  }
  return { served, result: await ended }
}
