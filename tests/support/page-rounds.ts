// Loads pages of a signed-in account again and again, and sends events: normal load for proofs that disturb a server.
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { ScriptlessBrowser } from './scriptless-browser.ts'

const PAGES = ['/fieldhook', '/automation', '/subscription', '/deliveries', '/account']

/** A fast machine would use up what one account may ask for in a minute. ms */
const ROUND_TAKES = 1_200

/**
 * @param milliseconds how long
 * @returns the number of loaded pages and accepted events
 * @throws when an answer is not 200
 */
export async function loadPages(
  browser: ScriptlessBrowser,
  accountUUID: string,
  milliseconds: number,
): Promise<{ pages: number; events: number }> {
  const made = await browser.json('POST', '/api/webhooks', { accountUUID, object: 'note', callback_url: '' })
  const { forwardingUrl } = made.body as { forwardingUrl: string }
  const until = performance.now() + milliseconds
  let pages = 0
  let events = 0
  do {
    const nextAt = performance.now() + ROUND_TAKES
    for (const path of PAGES) {
      const { status } = await browser.get(`${path}?accountUUID=${accountUUID}`)
      if (status !== 200) throw new Error(`${path} answered ${status}`)
      pages++
      const body = JSON.stringify({ object: 'note', entry: [{ uuid: randomUUID(), changed_fields: ['note'] }] })
      const event = await fetch(forwardingUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      if (event.status !== 200) throw new Error(`an event was answered ${event.status}`)
      events++
    }
    await wait(Math.max(0, nextAt - performance.now()))
  } while (performance.now() < until)
  return { pages, events }
}
