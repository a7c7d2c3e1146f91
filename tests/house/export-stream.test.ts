// The export of a long history over a real connection: it waits for its reader, and other work has its turns.
import { randomBytes } from 'node:crypto'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { writeReadableStreamToWritable } from '@remix-run/node'
import compression from 'compression'
import express from 'express'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { exportAccount } from '#app/features/accounts/export-account.server.ts'
import { withMethods } from '#app/lib/families.ts'
import { streamInTurns } from '#app/lib/turns.server.ts'
import { live } from '#tests/support/full-account.ts'
import { LEEDS, openWebhookWorld, type WebhookWorld } from '#tests/support/webhook-world.server.ts'
import { drainOf } from '../../scripts/http-server.mjs'

let world: WebhookWorld

beforeEach(async () => {
  world = await openWebhookWorld()
})
afterEach(() => world.close())

describe('the copy of a long history, as the server sends it', () => {
  const EVENTS = 10_000
  /** Of 20 events, more than 40 kB. */
  const body = () => randomBytes(1_500).toString('base64')

  /** Serves it from a store whose answers are there at once, as those of SQLite. Counts the pages read. */
  async function served(encoding: string, isRead: (taken: IncomingMessage, read: () => number) => Promise<void>) {
    await live(world, LEEDS)
    const { store } = world.app
    const all = { object: null, since: null, forwarding: 'all', before: null, limit: 1 } as const
    const [like] = await store.events.listEventLog(LEEDS, { ...all, withBody: true, withResponses: true })
    if (!like) throw new Error('no event')
    const counted = { read: 0, inOneTurn: 0, mostInOneTurn: 0 }
    const long = withMethods(store, {
      async listEventLog(_uuid: string, { before, limit }: { before: number | null; limit: number }) {
        counted.read++
        counted.mostInOneTurn = Math.max(counted.mostInOneTurn, ++counted.inOneTurn)
        const first = (before ?? EVENTS + 1) - 1
        return Array.from({ length: Math.min(limit, first) }, (_, n) => ({ ...like, seq: first - n, body: body() }))
      },
    })
    const broken: unknown[] = []
    const site = express()
    site.use(compression())
    site.get('/', async (_req, res) => {
      const pieces = await exportAccount({ ...world.app, store: long }, LEEDS)
      if (!pieces) throw new Error('no account')
      res.type('json')
      await writeReadableStreamToWritable(streamInTurns(pieces, drainOf(res)), res).catch((error) => broken.push(error))
    })
    const server = site.listen(0, '127.0.0.1')
    let over = false
    const turns = (async () => {
      for (; !over; await nextTurn()) counted.inOneTurn = 0
    })()
    try {
      await new Promise((resolve) => server.once('listening', resolve))
      const { port } = server.address() as AddressInfo
      const headers = { 'Accept-Encoding': encoding }
      const taken = await new Promise<IncomingMessage>((resolve, reject) => {
        get({ port, host: '127.0.0.1', headers }, resolve).on('error', reject)
      })
      await isRead(taken, () => counted.read)
      return { ...counted, broken }
    } finally {
      over = true
      await turns
      server.closeAllConnections()
      server.close()
    }
  }

  /** Until nothing is read any more. */
  async function stoodStill(read: () => number): Promise<number> {
    for (let before = -1; before !== read(); await pause(400)) before = read()
    return read()
  }

  it.each(['gzip', 'br', 'identity'])('waits for a reader that pauses, and ends with it: %s', async (encoding) => {
    const found = await served(encoding, async (taken, read) => {
      expect(taken.headers['content-encoding'] ?? 'identity').toBe(encoding)
      await new Promise((resolve) => taken.once('data', resolve))
      taken.pause()
      const atPause = await stoodStill(read)
      expect(atPause).toBeLessThan(EVENTS / 20 / 2)
      // A little more is read, and then nothing for good.
      await new Promise<void>((resolve) => {
        taken.on('data', () => {
          if (read() === atPause) return
          taken.pause()
          resolve()
        })
        taken.resume()
      })
      taken.destroy()
      expect(await stoodStill(read)).toBeLessThan(EVENTS / 20)
    })
    // Some pages, and other work has its turn: it was all of them.
    expect(found.mostInOneTurn).toBeLessThan(10)
    expect(found.broken).toEqual([])
  })

  it('arrives whole', async () => {
    let whole = ''
    await served('identity', async (taken) => {
      for await (const piece of taken.setEncoding('utf8')) whole += piece
    })
    expect(JSON.parse(whole).events).toHaveLength(EVENTS)
  })
})
