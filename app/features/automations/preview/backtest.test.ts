import { describe, expect, it, test } from 'vitest'
import type { PollTrigger } from '#app/domain/automations/rule.ts'
import { days, hours } from '#app/lib/duration.ts'
import { AT, jobFacts } from '#tests/support/record-facts.ts'
import { draftOf } from '../form/form-body.ts'
import { formOfFields } from '../form/form-state.ts'
import { basisOf, checksBetween, ticksOf, wouldHaveActed } from './backtest.ts'

const { now, zone } = AT
const from = now - days(30)
const rule = (fields: Record<string, unknown>) => draftOf(formOfFields({ name: 'x', actions: [], ...fields }))
const onEvent = (triggerType: string, more = {}) =>
  rule({ triggerSource: 'webhook', object: 'job', triggerType, ...more })
const acted = (definition: ReturnType<typeof rule>, values: Record<string, string>, editDate = '2026-11-10 12:00:00') =>
  wouldHaveActed(definition, jobFacts(values, { editDate }), { from, now, zone, ticks: [] })
const polled = (pollInterval: string) =>
  rule({ triggerSource: 'api_polling', apiEndpoint: '/api_1.0/job.json', pollInterval, runTime: '09:00' })

describe('a rule on events would have acted', () => {
  it('on a new job the day it was made, and on an old one not', () => {
    expect(acted(onEvent('job_created'), { date: '2026-11-08' })).toBe(Date.UTC(2026, 10, 8))
    expect(acted(onEvent('job_created'), { date: '2025-11-08' })).toBeNull()
  })

  it('on a status the day the platform stamped, and on its last change where there is no stamp', () => {
    const completed = { status: 'Completed', completion_date: '2026-11-03 10:00:00' }
    expect(acted(onEvent('job_status'), completed)).toBe(Date.UTC(2026, 10, 3, 10))
    expect(acted(onEvent('job_status'), { ...completed, completion_date: '2026-09-03 10:00:00' })).toBeNull()
    expect(acted(onEvent('job_status'), { status: 'Completed' })).toBe(Date.UTC(2026, 10, 10, 12))
  })

  it('on a queue only when it is in it', () => {
    const definition = onEvent('job_queue', { triggerQueueUuid: 'q-1' })
    expect(acted(definition, { queue_uuid: 'q-1' })).not.toBeNull()
    expect(acted(definition, { queue_uuid: 'q-2' })).toBeNull()
    expect(acted(definition, { queue_uuid: '' })).toBeNull()
  })

  it('on one certain job and no other', () => {
    expect(acted(onEvent('job_updated', { triggerJobUuid: 'another' }), { status: 'Quote' })).toBeNull()
  })

  it('never, when it is called from outside', () => {
    expect(acted(rule({ triggerSource: 'manual_endpoint' }), { status: 'Quote' })).toBeNull()
  })
})

test('a rule by the clock looks at its own times, at most once a day, and one on demand only now', () => {
  const ticks = (interval: string) => ticksOf(polled(interval).trigger as PollTrigger, from, now, zone)
  expect(ticks('daily')).toHaveLength(30)
  expect(ticks('hourly').length).toBeLessThanOrEqual(31)
  expect(ticks('hourly').at(-1)).toBeGreaterThan(now - hours(1))
  expect(ticks('weekly')).toHaveLength(4)
  expect(ticks('on_demand')).toEqual([now])
  const recurring = { scheduleType: 'recurring', scheduleRecurrence: 'weekly' } as const
  expect(ticksOf({ ...(polled('on_demand').trigger as PollTrigger), ...recurring }, from, now, zone)).toHaveLength(4)
})

test('a rule by the clock that checks more than once a day is known as such, and a day of 23 hours makes none', () => {
  const until = Date.UTC(2026, 3, 10, 7, 59)
  const checks = (interval: string, more = {}) => {
    const trigger = { ...(polled(interval).trigger as PollTrigger), ...more }
    const ticks = ticksOf(trigger, until - days(30), until, 'Europe/London')
    return checksBetween(ticks, trigger, until, 'Europe/London')
  }
  const cron = (scheduleRecurrence: string) => ({ scheduleType: 'recurring', scheduleRecurrence })
  expect([checks('hourly'), checks('daily', cron('0 9,17 * * *'))]).toEqual([true, true])
  expect(['daily', 'weekly', 'on_demand'].map((interval) => checks(interval))).toEqual([false, false, false])
})

test('each record stands once below a check, but not where one run has many and acts again', () => {
  const basis = (fields: object) => basisOf({ ...polled('daily'), ...fields }, 'job', true).join(' ')
  expect(basis({ once: 'day', digest: true })).not.toContain('each record once')
  expect(basis({ once: 'day' })).toContain('each record once')
  expect(basis({ once: 'record', digest: true })).toContain('each record once')
})

test('a rule by the clock acts at the first look after the last change', () => {
  const definition = polled('daily')
  const ticks = ticksOf(definition.trigger as PollTrigger, from, now, zone)
  const facts = jobFacts({ date: '2026-11-01' }, { editDate: '2026-11-10 12:00:00' })
  expect(wouldHaveActed(definition, facts, { from, now, zone, ticks })).toBe(Date.UTC(2026, 10, 11, 9))
})
