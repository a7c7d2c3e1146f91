import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CheckStep, type StepName, worstStep } from '#app/domain/endpoints/endpoint-check.ts'
import { days, seconds } from '#app/lib/duration.ts'
import { checkJson, checkSteps, checkSummary, type LatestAnswer, pathOf, type SeenAddress } from './endpoint-check.ts'

const NOW = Date.UTC(2026, 10, 21, 9)
const URL_OF = 'https://hooks.example.com/in'
const TIMING = { totalMs: 240, dnsMs: 12, connectMs: 31, tlsMs: 40, firstByteMs: 150 }
const FINE: LatestAnswer = { code: 200, sentence: 'Delivered: your address answered 200.' }

function answered(status: number, over: { headers?: Record<string, string>; body?: string; ms?: number } = {}) {
  const { headers = {}, body = '', ms = 150 } = over
  return { outcome: 'response' as const, status, headers, body, timing: { ...TIMING, firstByteMs: ms } }
}

function failed(outcome: Exclude<SeenAddress['result']['outcome'], 'response'>, sentence = 'It ended.') {
  return { outcome, sentence, timing: TIMING }
}

function seen(over: Partial<SeenAddress> = {}): SeenAddress {
  return {
    result: answered(204),
    endedAt: 'answer',
    secure: true,
    literal: false,
    certificate: { validUntil: NOW + days(60), issuer: null },
    ...over,
  }
}

const steps = (over: Partial<SeenAddress> = {}, latest: LatestAnswer | null = FINE, url = URL_OF) =>
  checkSteps({ url, seen: seen(over), latest }, NOW)

function step(list: readonly CheckStep[], name: StepName): CheckStep {
  const found = list.find((one) => one.name === name)
  if (!found) throw new Error(`no step ${name}`)
  return found
}

const verdicts = (list: readonly CheckStep[]) => list.map((one) => one.verdict)

describe('an address that works', () => {
  test('passes every step, each in a sentence', () => {
    const list = steps()
    expect(verdicts(list)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok'])
    expect(list.map((one) => one.sentence)).toEqual([
      'Address allowed.',
      'The name was found in 12 milliseconds.',
      'The connection was made in 31 milliseconds.',
      'The certificate is valid for 60 more days.',
      'No redirect.',
      'Your address answered 204. It took 150 milliseconds.',
      'Delivered: your address answered 200.',
    ])
    expect(worstStep(list)).toBeNull()
    expect(checkSummary(list)).toBe('Your address can be reached and answers.')
  })

  test('says so when it has had no event yet', () => {
    const list = steps({}, null)
    expect(step(list, 'latest')).toMatchObject({ verdict: 'skipped', fix: expect.stringContaining('Send test event') })
    expect(checkSummary(list)).toBe('Your address can be reached and answers.')
  })

  test('may have no name, and may be plain http where that is let through', () => {
    const list = steps({ literal: true, secure: false, certificate: null })
    expect(verdicts(list)).toEqual(['ok', 'skipped', 'ok', 'skipped', 'ok', 'ok', 'ok'])
  })
})

describe('what stands in the way', () => {
  test.each<[SeenAddress['endedAt'], Parameters<typeof failed>[0], StepName]>([
    ['address', 'blocked', 'address'],
    ['name', 'dns', 'name'],
    ['name', 'timeout', 'name'],
    ['connection', 'refused', 'connection'],
    ['connection', 'timeout', 'connection'],
    ['security', 'tls', 'certificate'],
    ['security', 'reset', 'certificate'],
    ['answer', 'timeout', 'answer'],
    ['answer', 'reset', 'answer'],
    ['answer', 'protocol', 'answer'],
  ])('at the %s (%s) is the fault of that step, and nothing after it is judged', (endedAt, outcome, name) => {
    const list = steps({ endedAt, result: failed(outcome, 'What happened.'), certificate: null })
    expect(worstStep(list)).toMatchObject({ name, verdict: 'fail', sentence: 'What happened.' })
    const index = list.findIndex((one) => one.name === name)
    expect(list.slice(0, index).every((one) => one.verdict === 'ok' || one.name === 'redirect')).toBe(true)
    expect(list.slice(index + 1, -1).every((one) => one.verdict === 'skipped')).toBe(true)
    expect(checkSummary(list)).toBe('What happened.')
  })

  test('says what to do about it', () => {
    const fixes = (['name', 'connection', 'security'] as const).map(
      (endedAt) => worstStep(steps({ endedAt, result: failed('timeout') }))?.fix,
    )
    for (const fix of fixes) expect(fix).toMatch(/.{20,}/)
  })
})

describe('the certificate', () => {
  test.each([
    [days(14), 'ok', 'The certificate is valid for 14 more days.'],
    [days(14) - 1, 'warn', 'The certificate is valid for 13 more days. After that nothing can be delivered.'],
    [days(1), 'warn', 'The certificate is valid for 1 more day. After that nothing can be delivered.'],
    [seconds(60), 'warn', 'The certificate is valid for less than a day. After that nothing can be delivered.'],
  ])('with %i ms left: %s', (left, verdict, sentence) => {
    const list = steps({ certificate: { validUntil: NOW + left, issuer: null } })
    expect(step(list, 'certificate')).toMatchObject({ verdict, sentence })
  })
})

describe('a redirect', () => {
  test('is a fault that names the address to enter, without its query', () => {
    const list = steps({ result: answered(301, { headers: { location: 'https://www.example.com/in?key=secret' } }) })
    expect(step(list, 'redirect')).toEqual({
      name: 'redirect',
      verdict: 'fail',
      sentence: 'Your address answered 301 and redirects to https://www.example.com/in. Redirects are not followed.',
      fix: 'Enter https://www.example.com/in as the callback URL.',
    })
    expect(step(list, 'answer').verdict).toBe('skipped')
    expect(JSON.stringify(list)).not.toContain('secret')
  })

  test.each([['/relative'], ['javascript:alert(1)'], ['data:text/html,x']])('to %s names no address', (location) => {
    expect(step(steps({ result: answered(302, { headers: { location } }) }), 'redirect').fix).toBe(
      'Enter the final address as the callback URL.',
    )
  })

  test.each([300, 302, 304])('is not meant by %i that leads nowhere: that answer is the fault', (status) => {
    const list = steps({ result: answered(status) })
    expect(step(list, 'redirect')).toMatchObject({ verdict: 'ok', sentence: 'No redirect.' })
    expect(step(list, 'answer')).toMatchObject({
      verdict: 'fail',
      sentence: `Your address answered ${status}. For an event, that is no delivery.`,
    })
  })
})

describe('the answer to a look without an event', () => {
  test.each([
    [200, 'ok'],
    [204, 'ok'],
    [400, 'ok'],
    [405, 'ok'],
    [415, 'ok'],
    [422, 'ok'],
    [401, 'warn'],
    [403, 'warn'],
    [404, 'warn'],
    [410, 'fail'],
    [429, 'warn'],
    [500, 'warn'],
    [503, 'warn'],
  ])('%i: %s', (status, verdict) => {
    expect(step(steps({ result: answered(status) }), 'answer').verdict).toBe(verdict)
  })

  test('404 says what an owner can do', () => {
    expect(step(steps({ result: answered(404) }), 'answer')).toMatchObject({
      sentence: 'Your address answered 404. It may be mistyped, or its scenario switched off.',
      fix: expect.stringContaining('If a scenario is behind it, switch it on.'),
    })
    const zap = steps({ result: answered(404) }, FINE, 'https://hooks.zapier.com/hooks/catch/1/2')
    expect(step(zap, 'answer').sentence).toContain('the Zap may be switched off')
  })

  test('405 that does not offer POST is worth a look', () => {
    const list = steps({ result: answered(405, { headers: { allow: 'GET, HEAD<b>' } }) })
    expect(step(list, 'answer')).toMatchObject({
      verdict: 'warn',
      sentence: expect.stringContaining('accepts only GET, HEADb.'),
    })
    expect(step(steps({ result: answered(405, { headers: { allow: 'POST, OPTIONS' } }) }), 'answer').verdict).toBe('ok')
  })

  test('is slow from five seconds on', () => {
    expect(step(steps({ result: answered(200, { ms: 4_999 }) }), 'answer')).toMatchObject({
      verdict: 'ok',
      sentence: 'Your address answered 200. It took 5.0 seconds.',
    })
    expect(step(steps({ result: answered(200, { ms: 6_200 }) }), 'answer')).toMatchObject({
      verdict: 'warn',
      sentence: 'It took 6.2 seconds to answer. The limit for an event is 15 seconds.',
    })
  })
})

describe('how the latest event was answered', () => {
  test('is a fault even where the look went well', () => {
    const latest = { code: 404, sentence: 'Your address answered 404. Is the scenario switched on?' }
    const list = steps({}, latest)
    expect(worstStep(list)).toMatchObject({ name: 'latest', verdict: 'fail', sentence: latest.sentence })
    const make = steps({}, latest, 'https://hook.eu1.make.com/abc')
    expect(step(make, 'latest').sentence).toContain('the scenario may be switched off or deleted')
  })

  test('without a code keeps the sentence of the attempt', () => {
    const latest = { code: null, sentence: 'No answer within 15 seconds.' }
    expect(step(steps({}, latest), 'latest')).toMatchObject({ verdict: 'fail', sentence: latest.sentence })
  })
})

const anySeen: fc.Arbitrary<SeenAddress> = fc.record({
  result: fc.oneof(
    fc.record({
      outcome: fc.constant('response' as const),
      status: fc.integer({ min: 200, max: 599 }),
      headers: fc.dictionary(fc.constantFrom('location', 'allow', 'server'), fc.string()),
      body: fc.string(),
      timing: fc.constant(TIMING),
    }),
    fc.constantFrom('blocked', 'dns', 'refused', 'reset', 'tls', 'timeout', 'protocol').map((one) => failed(one)),
  ),
  endedAt: fc.constantFrom('address', 'name', 'connection', 'security', 'answer'),
  secure: fc.boolean(),
  literal: fc.boolean(),
  certificate: fc.option(
    fc.record({ validUntil: fc.integer({ min: NOW, max: NOW + days(400) }), issuer: fc.string() }),
  ),
})

test('whatever is seen: seven steps in order, each a sentence, a fault always with one that says so, and the call agrees', () => {
  const latest = fc.option(
    fc.record({ code: fc.option(fc.integer({ min: 200, max: 599 })), sentence: fc.constant('S.') }),
  )
  fc.assert(
    fc.property(anySeen, latest, fc.webUrl({ validSchemes: ['https'] }), (address, answer, url) => {
      const list = checkSteps({ url, seen: address, latest: answer }, NOW)
      expect(list.map((one) => one.name).join()).toBe('address,name,connection,certificate,redirect,answer,latest')
      for (const { sentence } of list) expect(sentence).toMatch(/[.!?]$/)
      const failing = address.result.outcome !== 'response'
      if (failing) expect(worstStep(list)?.verdict).toBe('fail')
      const json = checkJson({ url, at: NOW, steps: list })
      expect(json.verdict).toBe(worstStep(list)?.verdict ?? 'ok')
      expect(json.summary).toBe(checkSummary(list))
      for (const one of json.steps) expect(Object.keys(one)).toEqual(['name', 'verdict', 'sentence', 'fix'])
    }),
  )
})

describe('the way to an address', () => {
  const last = (...asked: Parameters<typeof steps>) => pathOf(steps(...asked)).at(-1)

  test('ends with what the latest event was answered, when that is worse than the check', () => {
    const sentence = 'Your address answered 500.'
    expect(last()).toMatchObject({ title: 'Answer', step: { name: 'redirect', verdict: 'ok' } })
    expect(last({}, { code: 500, sentence })).toMatchObject({ title: 'Answer', step: { verdict: 'fail', sentence } })
  })

  test('does not pass its end because of an event from before, when the check did not get there', () => {
    const unsafe = { endedAt: 'security' as const, result: failed('tls') }
    for (const code of [200, 500])
      expect(last(unsafe, { code, sentence: 'S.' })).toMatchObject({ title: 'Answer', step: { verdict: 'skipped' } })
  })

  test('counts the latest event of a check stored before it was noted, when the check got there', () => {
    const end = (...asked: Parameters<typeof steps>) =>
      pathOf(steps(...asked).map(({ atAnswer, ...step }) => step)).at(-1)?.step.verdict
    expect(end({}, { code: 500, sentence: 'S.' })).toBe('fail')
    expect(end({ endedAt: 'security', result: failed('tls') }, { code: 500, sentence: 'S.' })).toBe('skipped')
  })

  test('shows no problem there of an event that was not answered', () => {
    const unheard = { code: null, sentence: 'The server refused the connection.' }
    expect(last({}, unheard)).toMatchObject({ title: 'Answer', step: { name: 'redirect', verdict: 'ok' } })
  })
})
