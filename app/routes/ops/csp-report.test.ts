// What is taken from a browser's report, how it is counted, and what the address answers.
import type { AppLoadContext } from '@remix-run/node'
import { beforeEach, describe, expect, test } from 'vitest'
import { isReportType, MOST_REPORT_BYTES, readCspReports } from '#app/features/ops/csp-report.ts'
import { noteViolations } from '#app/features/ops/csp-reports.server.ts'
import { type FixedClock, fixedClock } from '#app/lib/clocks.server.ts'
import { hours } from '#app/lib/duration.ts'
import type { Log } from '#app/lib/log.ts'
import { action } from './csp-report.ts'

const PAGE = 'https://fieldhook.test/fieldhook?accountUUID=6e3f5d0c&token=a-capability'
const older = (report: object) => JSON.stringify({ 'csp-report': { 'document-uri': PAGE, ...report } })
const newer = (...bodies: object[]) =>
  JSON.stringify(
    bodies.map((body) => ({ type: 'csp-violation', url: PAGE, age: 1, body: { documentURL: PAGE, ...body } })),
  )

let clock: FixedClock
let said: unknown[]
let app: ReturnType<typeof appWith>

beforeEach(() => {
  clock = fixedClock()
  said = []
  app = appWith()
})

function appWith(): { clock: FixedClock; log: Log } {
  const quiet = () => undefined
  const log: Log = {
    debug: quiet,
    info: quiet,
    error: (fields, message) => said.push([message, fields]),
    warn: (fields, message) => said.push([message, fields]),
    child: () => log,
  }
  return { clock, log }
}

describe('a report', () => {
  test('is read in the old form and in the new one, and of both the same two things', () => {
    const read = [{ directive: 'script-src-elem', blocked: 'https://evil.example' }]
    const address = 'https://evil.example/path?secret=1#x'
    expect(readCspReports(older({ 'effective-directive': 'script-src-elem', 'blocked-uri': address }))).toEqual(read)
    expect(readCspReports(older({ 'violated-directive': "script-src-elem 'self'", 'blocked-uri': address }))).toEqual(
      read,
    )
    expect(readCspReports(newer({ effectiveDirective: 'script-src-elem', blockedURL: address }))).toEqual(read)
  })

  test.each([
    ['inline', 'inline'],
    ['eval', 'eval'],
    ['data', 'data:'],
    ['data:text/html,<script>a-capability</script>', 'data:'],
    ['blob:https://fieldhook.test/0f8fad5b', 'https://fieldhook.test'],
    ['chrome-extension://abcdef/inject.js', 'chrome-extension:'],
    ['https://user:a-capability@evil.example:8443/x', 'https://evil.example:8443'],
    ['HTTPS://EVIL.example', 'https://evil.example'],
    ['', 'nothing named'],
    ['not an address', 'unreadable'],
    [`https://${'a'.repeat(300)}.example/`, `https://${'a'.repeat(92)}`],
  ])('of a blocked "%s" says %s', (address, blocked) => {
    expect(readCspReports(newer({ effectiveDirective: 'img-src', blockedURL: address }))).toEqual([
      { directive: 'img-src', blocked },
    ])
  })

  test('names no rule that a policy does not have, and takes nothing of the wrong type', () => {
    const rules = ['img-src', 'report-to', '<script>', 'a'.repeat(50), '', 'img-src\nlevel=error']
    const bodies = rules.map((effectiveDirective) => ({ effectiveDirective, blockedURL: 'inline' }))
    expect(
      readCspReports(newer(...bodies, { effectiveDirective: 7, blockedURL: {} }))?.map((one) => one.directive),
    ).toEqual(['img-src', 'report-to', 'other', 'other', 'other', 'img-src', 'other'])
  })

  test('about something else is left out; of many the first twenty are read; anything else is none', () => {
    expect(readCspReports('[{"type":"deprecation","body":{"id":"x"}},7,null]')).toEqual([])
    const many = Array.from({ length: 30 }, () => ({ effectiveDirective: 'img-src', blockedURL: 'inline' }))
    expect(readCspReports(newer(...many))).toHaveLength(20)
    for (const body of ['', 'x', '7', 'null', '{}', '{"csp-report":7}', '{"__proto__":[]}'])
      expect(readCspReports(body)).toBeNull()
  })

  test('comes as one of the types browsers send', () => {
    for (const type of ['application/csp-report', 'Application/Reports+JSON; charset=utf-8', 'application/json'])
      expect(isReportType(type)).toBe(true)
    for (const type of ['text/plain', '', 'application/csp-report-x', null]) expect(isReportType(type)).toBe(false)
  })
})

describe('what is counted', () => {
  const violation = { directive: 'script-src', blocked: 'inline' }

  test('is said when it first comes and then once an hour, with how often it came', () => {
    for (let n = 0; n < 5; n += 1) noteViolations(app, [violation, violation])
    expect(said).toEqual([['csp.violated', { ...violation, count: 1 }]])
    clock.advance(hours(1))
    noteViolations(app, [violation])
    expect(said.at(-1)).toEqual(['csp.violated', { ...violation, count: 11 }])
    expect(said).toHaveLength(2)
  })

  test('is bounded: 200 kinds are told apart, the rest is one', () => {
    const many = Array.from({ length: 300 }, (_, n) => ({ directive: 'img-src', blocked: `https://${n}.example` }))
    noteViolations(app, many)
    noteViolations(app, many.slice(0, 1))
    expect(said).toHaveLength(201)
    clock.advance(hours(1))
    noteViolations(
      app,
      [many[0], many.at(-1)].flatMap((one) => one ?? []),
    )
    expect(said.slice(201)).toEqual([
      ['csp.violated', { ...many[0], count: 3 }],
      ['csp.violated', { directive: 'other', blocked: 'other', count: 101 }],
    ])
  })
})

describe('the address', () => {
  const send = (body: string, type = 'application/csp-report', method = 'POST') =>
    action({
      request: new Request('https://fieldhook.test/csp-report', {
        method,
        headers: { 'content-type': type, cookie: '__Host-sid=x' },
        ...(method === 'POST' && { body }),
      }),
      // There is no store: no cookie is looked up.
      context: { app, clientIp: '192.0.2.7', nonce: '' } as unknown as AppLoadContext,
      params: {},
    })

  test('takes a report without a word, and keeps nothing of where it was made', async () => {
    const answer = await send(older({ 'effective-directive': 'script-src', 'blocked-uri': 'inline' }))
    expect([answer.status, await answer.text(), answer.headers.get('set-cookie')]).toEqual([204, '', null])
    expect(said).toEqual([['csp.violated', { directive: 'script-src', blocked: 'inline', count: 1 }]])
    expect(JSON.stringify(said)).not.toContain('capability')
  })

  test.each([
    ['another type', 'x', 'text/plain', 'POST', 415],
    ['no report', '{', 'application/csp-report', 'POST', 400],
    ['too large a one', 'x'.repeat(MOST_REPORT_BYTES + 1), 'application/reports+json', 'POST', 413],
    ['a look', '', 'application/csp-report', 'GET', 405],
  ])('answers %s in words', async (_what, body, type, method, status) => {
    expect((await send(body, type, method)).status).toBe(status)
    expect(said).toEqual([])
  })

  test('takes 30 a minute from one place', async () => {
    const report = older({ 'effective-directive': 'script-src', 'blocked-uri': 'inline' })
    for (let n = 0; n < 30; n += 1) expect((await send(report)).status).toBe(204)
    expect((await send(report)).status).toBe(429)
    clock.advance(2_000)
    expect((await send(report)).status).toBe(204)
  })
})
