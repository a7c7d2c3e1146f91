// Sends wrong input to every call of the built server and reports the results: a short walk, or long in `npm run fuzz`.
import { MATRIX, type OwnedIds } from '#tests/support/call-matrix.ts'
import { runTimeOf } from '#tests/support/run-time.ts'
import { type ScriptlessBrowser, scriptlessBrowser } from '#tests/support/scriptless-browser.ts'
import { startSignedInServer } from '#tests/support/signed-in-server.ts'
import { anyBody, anyText, inputs, spoilt } from './wrong-input.ts'

export interface FuzzFinding {
  calls: number
  /** Answers of 500 and above, and broken connections: one line each, with the input. */
  broken: string[]
  /** Log lines of the server about unexpected errors. */
  complaints: string[]
  /** The answers with the highest processor time of the server, ms; without such figures, the slowest ones. */
  slowest: { call: string; ms: number }[]
  /** Answers over the bar: each sent again on its own; `leastMs` = the minimum of all. */
  judged: { call: string; leastMs: number }[]
  /** Answers over the bar whatever the machine does: one line each, with the input. */
  tooSlow: string[]
}

/** Maximum cost of an answer, ms. */
export const FUZZ_BAR = 50
/** How often an input over the bar is sent again. */
const AGAIN = 5

/** Ids that nobody owns: the account is the caller's own, so that its own checks are reached. */
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

/** An unpaired surrogate: no address can carry it. */
const LONE = /[\ud800-\udfff]/g

/** Impersonates provider and platform: any bytes at the addresses that receive outside calls. */
const OUTSIDE = [
  '/hooks/platform/{token}',
  '/hooks/platform/unknown',
  '/hooks/servicem8',
  '/hooks/stripe',
  '/csp-report',
] as const

/** @param input.each number of wrong inputs for every call */
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
        // Refusals of the platform or the provider are forwarded as 5xx in their words; our own errors have their own.
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

    // One button of a page is enough: the same form parses them all.
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

    // The first answer of a kind costs more, and so does one beside busy engines; an inherently slow input stays slow.
    for (const { call, said, ms, again } of slow) {
      let leastMs = ms
      for (let turn = 0; turn < AGAIN && leastMs > FUZZ_BAR; turn += 1) {
        const cost = costOf(server.pid)
        // Broken answers were already reported the first time.
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

/** Returns the processor ms that the server's process has used since; without such figures, wall-clock time. */
function costOf(pid: number): () => number {
  const [began, before] = [performance.now(), runTimeOf(pid)]
  return () => {
    const after = runTimeOf(pid)
    return before === null || after === null ? performance.now() - began : after - before
  }
}
