// Is everybody else served while something goes on? Counted, not timed: what was asked, answered and delivered before it was over.
import { randomUUID } from 'node:crypto'

export interface Served {
  /** Signs of life and events of another account that were answered, and events that arrived at its address. */
  healthz: number
  ingress: number
  delivered: number
  /** Answers other than 200. */
  wrong: string[]
}

export interface WatchedPlaces {
  origin: string
  /** The address that the platform calls for the account that is watched. */
  forwardingUrl: string
  /** Bodies that its own address got so far. */
  arrived(): readonly string[]
}

const EVERY_MS = 50

/** Asks one after the other until `over` resolves. */
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
