import { describe, expect, it } from 'vitest'
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import type { App } from '#app/context/app-context.ts'
import { fixedClock } from '#app/lib/clocks.server.ts'
import { loadFlash, setFlash } from './flash.server.ts'

const key = (n: number) =>
  Buffer.from(Array.from({ length: 32 }, (_, index) => (index * 7 + n) % 256)).toString('base64')

function flashApp(origin = 'https://fieldhook.test', keys = `k1:${key(1)}`) {
  const settings = { origin } as App['settings']
  return { secrets: createSecretBox(keys), clock: fixedClock(), settings }
}

function requestWith(setCookie: string): Request {
  return new Request('https://fieldhook.test/', { headers: { cookie: setCookie.split(';')[0] ?? '' } })
}

describe('a message for the next page', () => {
  it('arrives once, whole', async () => {
    const app = flashApp()
    const flash = { kind: 'error', title: 'Failed to create webhook', description: 'The platform said: "no".' } as const
    const cookie = setFlash(app, flash)
    expect(cookie).toMatch(/^__Host-flash=[\w.-]+; Path=\/; Max-Age=300; HttpOnly; SameSite=None; Secure; Partitioned$/)
    const loaded = await loadFlash(app, requestWith(cookie))
    expect(loaded.flash).toEqual(flash)
    expect(loaded.headers['Set-Cookie']).toMatch(/^__Host-flash=; Path=\/; Max-Age=0;/)
  })

  it('has a plain cookie over http', () => {
    expect(setFlash(flashApp('http://localhost:3000'), { kind: 'info', title: 'x' })).toMatch(
      /^flash=[\w.-]+; .*SameSite=Lax$/,
    )
  })

  it('is not there without a cookie', async () => {
    expect(await loadFlash(flashApp(), new Request('https://fieldhook.test/'))).toEqual({ flash: null, headers: {} })
  })

  it("is never somebody else's words", async () => {
    const app = flashApp()
    const forged = setFlash(flashApp(undefined, `k1:${key(2)}`), { kind: 'info', title: 'Call 0800' })
    expect((await loadFlash(app, requestWith(forged))).flash).toBeNull()
    const plain = Buffer.from(JSON.stringify({ at: 0, flash: { kind: 'info', title: 'x' } })).toString('base64url')
    const loaded = await loadFlash(app, requestWith(`__Host-flash=${plain}`))
    expect(loaded.flash).toBeNull()
    expect(loaded.headers['Set-Cookie']).toContain('Max-Age=0')
  })

  it('is forgotten after five minutes', async () => {
    const app = flashApp()
    const cookie = setFlash(app, { kind: 'success', title: 'Done' })
    app.clock.advance(300_001)
    expect((await loadFlash(app, requestWith(cookie))).flash).toBeNull()
  })

  it('stays small enough for a cookie', () => {
    const cookie = setFlash(flashApp(), { kind: 'error', title: 'x'.repeat(5000), description: 'y'.repeat(5000) })
    expect(cookie.length).toBeLessThan(4000)
  })
})
