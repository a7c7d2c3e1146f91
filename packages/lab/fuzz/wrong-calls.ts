// Sends wrong input to every call of the built server and tells what came of it: the short version is a walk, `npm run fuzz` the long.
import { MATRIX, type OwnedIds } from '#tests/support/call-matrix.ts'
import { runTimeOf } from '#tests/support/run-time.ts'
import { type ScriptlessBrowser, scriptlessBrowser } from '#tests/support/scriptless-browser.ts'
import { startSignedInServer } from '#tests/support/signed-in-server.ts'
import { anyBody, anyText, inputs, spoilt } from './wrong-input.ts'

export interface FuzzFinding {
  calls: number
  /** Answers of 500 and above, connections that broke: one line each, with the input. */
  broken: string[]
  /** Lines of the server's log about something nobody expected. */
  complaints: string[]
  /** The answers that cost the server's processor most, ms; where the system does not tell, those that took longest. */
  slowest: { call: string; ms: number }[]
  /** Over the bar: sent again by themselves, `leastMs` = the least of all. */
  judged: { call: string; leastMs: number }[]
  /** Those that are over it whatever the machine does: one line each, with the input. */
  tooSlow: string[]
}

/** ms that an answer may cost. */
export const FUZZ_BAR = 50
/** So often is sent again what was over the bar. */
const AGAIN = 5

/** Ids that are nobody's: the account is the caller's own, so that its own checks are reached. */
const ids = (account: string): OwnedIds => ({
  account,
  webhook: 1,
  rule: 1,
  delivery: 1,
  automation: 1,
  run: 1,
  mute: 1,
  template: 1,
})

/** Half of a pair of surrogates: no address can carry it. */
const LONE = /[\ud800-\udfff]/g

/** Pretends of provider and platform: any bytes at the addresses that take calls from outside. */
const OUTSIDE = [
  '/hooks/platform/{token}',
  '/hooks/platform/unknown',
  '/hooks/servicem8',
  '/hooks/stripe',
  '/csp-report',
] as const

/** @param input.each how much wrong input every call gets */
export async function fuzz(input: { seed: number; each: number }): Promise<FuzzFinding> {
  const { server, browser, accountUUID } = await startSignedInServer({
    LOG_LEVEL: 'warn',
    REQUESTS_PER_MINUTE: '100000',
  })
  try {
    const finding: FuzzFinding = { calls: 0, broken: [], complaints: [], slowest: [], judged: [], tooSlow: [] }
    const slow: { call: string; said: string; ms: number; again: () => Promise<unknown> }[] = []
    const own = { 'sec-fetch-site': 'same-origin', origin: server.origin }
    const ask = async (
      who: ScriptlessBrowser,
      call: string,
      ...given: [method: string, path: string, body: string | undefined, headers: Record<string, string>]
    ) => {
      const [method, path, body, headers] = given
      const cost = costOf(server.pid)
      const said = `${call} with ${(body ?? path).slice(0, 200)}`
      try {
        const { status, text } = await who.rawText(method, path, body, headers)
        // What the platform or the provider refuses is passed on as 5xx in their words; a fault of ours has words of its own.
        const passedOn = text.startsWith('{"message":') && !text.includes('Something went wrong')
        if (status >= 500 && !passedOn) finding.broken.push(`${said}: ${status} ${text.slice(0, 200)}`)
      } catch (error) {
        finding.broken.push(`${said}: ${String(error)}`)
      }
      finding.calls += 1
      const ms = cost()
      finding.slowest.push({ call, ms })
      if (ms > FUZZ_BAR) slow.push({ call, said, ms, again: () => who.rawText(method, path, body, headers) })
    }

    const mine = ids(accountUUID)
    const hook = await browser.json('POST', '/api/webhooks', {
      callback_url: `${server.origin}/sandbox/receiver/fuzz`,
      object: 'job',
      fields: '',
      active: true,
      accountUUID,
    })
    const { forwardingUrl } = hook.body as { forwardingUrl: string }
    const token = new URL(forwardingUrl).pathname.split('/').at(-1) ?? ''

    // Of the buttons of a page one is enough: they are read by the same form.
    const calls = MATRIX.filter(
      (one, at) =>
        !one.signsOut && !(one.form && MATRIX.slice(0, at).some(({ form, route }) => form && route === one.route)),
    )
    for (const [index, one] of calls.entries()) {
      const call = `${one.method} ${one.route}`
      const seed = input.seed + index
      if (one.method === 'GET') {
        for (const text of inputs(anyText, seed, input.each)) {
          const query = new URLSearchParams({
            accountUUID,
            limit: text,
            since: text,
            status: text,
            page: text,
            q: text,
            before: text,
          })
          const path = one.path(mine).split('?')[0] ?? ''
          await ask(browser, call, 'GET', `${path}?${query}`.slice(0, 12_000), undefined, own)
        }
        continue
      }
      const right = (one.body?.(mine) ?? {}) as Record<string, unknown>
      const bodies = [
        ...inputs(spoilt(right), seed, input.each).map((body) => JSON.stringify(body)),
        ...inputs(anyBody, seed, Math.ceil(input.each / 2)),
      ]
      for (const body of bodies) {
        await ask(browser, call, one.method, one.path(mine), body, { ...own, 'content-type': 'application/json' })
      }
    }
    for (const [index, address] of OUTSIDE.entries()) {
      for (const body of inputs(anyBody, input.seed + 500 + index, input.each * 4)) {
        for (const type of ['application/json', 'application/x-www-form-urlencoded', 'application/jwt']) {
          const signed: Record<string, string> =
            address === '/hooks/stripe'
              ? { 'stripe-signature': `t=1,v1=${body.slice(0, 60).replace(/[^\x20-\x7e]/g, '?')}` }
              : {}
          await ask(scriptlessBrowser(server.origin), address, 'POST', address.replace('{token}', token), body, {
            'content-type': type,
            ...signed,
          })
        }
      }
    }
    for (const [index, one] of calls.entries()) {
      for (const text of inputs(anyText, input.seed + 900 + index, Math.ceil(input.each / 2))) {
        const odd = encodeURIComponent(text.replace(LONE, '?')).slice(0, 2_000)
        const path = one.route
          .split('/')
          .map((part) => (part.startsWith(':') ? odd : part))
          .join('/')
        await ask(
          browser,
          `${one.method} ${one.route}`,
          one.method,
          `/${path.replace(/^\/+/, '')}?accountUUID=${accountUUID}`,
          undefined,
          own,
        )
      }
    }

    // The first of a kind costs more, and so does one that meets the engines at work; an input that is slow by what it is, is so again.
    for (const { call, said, ms, again } of slow) {
      let leastMs = ms
      for (let turn = 0; turn < AGAIN && leastMs > FUZZ_BAR; turn += 1) {
        const cost = costOf(server.pid)
        // What breaks has been told the first time.
        await again().catch(() => undefined)
        leastMs = Math.min(leastMs, cost())
      }
      finding.judged.push({ call, leastMs })
      if (leastMs > FUZZ_BAR) finding.tooSlow.push(`${said}: ${leastMs.toFixed(0)} ms`)
    }

    const alive = await fetch(`${server.origin}/readyz`)
    if (alive.status !== 200) finding.broken.push(`afterwards the server answers ${alive.status}`)
    finding.complaints = server
      .output()
      .split('\n')
      .filter((line) => /unhandled|uncaught|(call|request|ingress|page\.render)_?\.?failed/i.test(line))
    finding.slowest.sort((a, b) => b.ms - a.ms)
    finding.slowest.length = Math.min(finding.slowest.length, 10)
    return finding
  } finally {
    await server.dispose()
  }
}

/** Gives what the server's process has been at work for since, ms on a processor; the time that passed where the system does not tell. */
function costOf(pid: number): () => number {
  const [began, before] = [performance.now(), runTimeOf(pid)]
  return () => {
    const after = runTimeOf(pid)
    return before === null || after === null ? performance.now() - began : after - before
  }
}
