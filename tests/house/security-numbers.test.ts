// The numbers on docs/security.md are those of the code. That each limit holds is shown by the tests that its row names.
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { AUDIT_KEPT } from '#app/domain/audit.ts'
import { RUNS_KEPT } from '#app/domain/kept-until.ts'
import { FRESH_FOR } from '#app/domain/people.ts'
import { SESSION_ABSOLUTE, SESSION_IDLE, SIGN_IN_LASTS } from '#app/domain/session.ts'
import { MOST_RULES } from '#app/features/automations/rules/checks/rule-room.server.ts'
import { LONGEST_RULE, MOST_OF_RULES } from '#app/features/automations/rules/checks/rule-size.ts'
import { PENDING_LIMIT } from '#app/features/events/delivering/housekeeping.server.ts'
import { LARGEST_BODY } from '#app/features/events/event.ts'
import { MOST_REPORT_BYTES } from '#app/features/ops/csp-report.ts'
import { LIMITS } from '#app/http/rate-limit.server.ts'
import { days, hours, minutes } from '#app/lib/duration.ts'
import { RULE_BODY } from '#app/routes/api/rule-refusal.ts'
import { FUZZ_BAR } from '#lab/fuzz/wrong-calls.ts'
import { HTTP_LIMITS } from '../../scripts/http-server.mjs'
import { MODULES } from '../../stryker.config.mjs'

const page = readFileSync('docs/security.md', 'utf8')
const source = (file: string) => readFileSync(file, 'utf8')

test('how often somebody may ask', () => {
  const { sign_in, credentials, link, run, preview, test: tests, trigger, csp_report } = LIMITS
  expect(page).toContain(
    `${sign_in.perMinute} sign-ins, ${credentials.perMinute} credential calls and ${link.perMinute} links a minute per address`,
  )
  expect(page).toContain(
    `of an account ${run.perMinute} runs by hand, ${preview.perMinute} looks and ${tests.perMinute} test calls a minute, of a trigger ${trigger.perMinute} `,
  )
  expect(page).toContain(`16 KB, ${csp_report.perMinute} a minute for each address`)
  expect(page).toContain(`wrong key is 404, ${trigger.perMinute} a minute`)
})

test('how large something may be', () => {
  expect([LARGEST_BODY, MOST_REPORT_BYTES]).toEqual([256 * 1024, 16 * 1024])
  expect(page).toContain('address found by hash, 256 KB')
  expect(source('app/http/guards.server.ts')).toContain('const USUAL_BODY = 100 * 1024')
  expect(PENDING_LIMIT).toEqual({ deliveries: 50_000, bytes: 50_000_000 })
  expect(source('docs/user-guide.md')).toContain('Up to 50,000 events (or 50 MB) of an account can wait')
  expect(RULE_BODY).toBe(640 * 1024)
  expect(page).toContain('bodies of calls have at most 100 KB, those of automations and templates 640 KB')
  expect(source('app/features/automations/rules/import-rule.ts')).toContain('const LONGEST_IMPORT = 400_000')
  expect(page).toContain('text of at most 400,000 characters, in a form of at most 1 MB')
  expect(MOST_RULES).toBe(200)
  expect(page).toContain('; 200 rules;')
  expect([LONGEST_RULE, MOST_OF_RULES]).toEqual([100_000, 2_000_000])
  expect(page).toContain('; 100,000 characters a rule, 2,000,000 all of an account;')
})

test('how long something counts or is kept', () => {
  expect([SESSION_IDLE, SESSION_ABSOLUTE, FRESH_FOR, SIGN_IN_LASTS]).toEqual([
    hours(8),
    hours(24),
    minutes(10),
    minutes(10),
  ])
  expect(page).toContain('8 h idle, 24 h at most')
  expect(page).toContain('an owner with an opening or a sign-in of the last 10 minutes')
  expect(page).toContain('state is stored hashed, 10 minutes, once')
  expect([RUNS_KEPT, AUDIT_KEPT]).toEqual([days(90), days(400)])
  expect(page).toContain('90 days for runs); counters; the trail (400 days)')
})

test('what a connection may take', () => {
  const { headerBytes, headersMs, requestMs, silentMs, requestsPerConnection, connections } = HTTP_LIMITS
  const count = (number: number) => number.toLocaleString('en')
  expect(page).toContain(
    `${headerBytes / 1024} KB of headers, ${headersMs / 1000} s for them, ${requestMs / 1000} s for a request, ` +
      `${silentMs / 1000} s of silence, ${count(requestsPerConnection)} requests on a connection, ${count(connections)} connections`,
  )
})

test('what a call to somebody’s address may take', () => {
  const limits = source('app/adapters/outbound/outbound.server.ts')
  for (const limit of ['totalMs: seconds(15)', 'readBytes: 16 * 1024', 'storedBytes: 4 * 1024'])
    expect(limits).toContain(limit)
  expect(page).toContain('15 s and 16 KB of an answer at most (4 KB are kept, as text)')
})

test('when keys are changed by themselves', () => {
  const job = source('app/boot/jobs.server.ts').split("name: 'keys.rotate'")[1]?.slice(0, 120) ?? ''
  expect(job).toMatch(/pattern: '\d+ \* \* \* \*'/)
  expect(job).toContain('afterStartMs: seconds(10)')
  expect(source('app/features/ops/rotate-keys.server.ts')).toContain('const ROWS_PER_STEP = 50')
  expect(page).toContain('Ten seconds after the start, and every hour, a job re-encrypts the keys of accounts')
  expect(page).toContain('fifty rows at a time')
})

test('what fuzzing and mutation ask for', () => {
  expect(FUZZ_BAR).toBe(50)
  expect(source('packages/lab/fuzz/wrong-calls.ts')).toContain('const AGAIN = 5\n')
  expect(source('scripts/mutate.mjs')).toContain('const ENOUGH = 85\n')
  const modules = Object.values(MODULES).flat()
  expect(modules.filter((module) => !existsSync(module))).toEqual([])
  expect([modules.length, new Set(modules).size]).toEqual([25, 25])
  expect(page).toContain('faults in 25 modules')
})
