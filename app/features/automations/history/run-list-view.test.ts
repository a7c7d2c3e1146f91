import { describe, expect, test } from 'vitest'
import type { RunRecord } from '#app/domain/automations/run-record.ts'
import type { RecordName } from '#app/domain/record-name.ts'
import { hours } from '#app/lib/duration.ts'
import { anEffect, aRow, NOW } from '#tests/support/journal-rows.ts'
import { SENT_TEXT, sampleMatch, sampleRun } from '#tests/support/sample-runs.ts'
import { executionOf } from '../runs/run-history.ts'
import { logLine } from './log-line.ts'
import { type RunLine, runLine, runsByDay } from './run-list-view.ts'

const lineOf = (more: Partial<RunRecord> = {}, known: RecordName | null = null) =>
  runLine(executionOf(sampleRun(more)), known)

const about = (more: Partial<RunRecord>, known: RecordName | null = null) => {
  const { job, customer } = lineOf(more, known)
  return [job, customer]
}

const TRIGGER = sampleRun().triggerData

describe('whom it was about', () => {
  test('is the number of the job and the customer', () => {
    expect(about({})).toEqual(['Job 4411', 'Margaret Smith'])
  })

  test('is the address where the customer has no name', () => {
    const conditionMatching = { totalRecords: 1, matchedRecords: [sampleMatch({ companyName: '' })] }
    expect(about({ triggerData: { ...TRIGGER, conditionMatching } })).toEqual(['Job 4411', '12 High St'])
  })

  test('counts several, and names the customer only when it is one', () => {
    const recordUuids = ['a', 'b', 'c']
    const of = (...names: string[]) => ({
      recordUuids,
      triggerData: {
        ...TRIGGER,
        conditionMatching: {
          totalRecords: 3,
          matchedRecords: names.map((companyName) => sampleMatch({ companyName })),
        },
      },
    })
    expect(about(of('Smith', 'Smith', 'Smith'))).toEqual(['3 jobs', 'Smith'])
    expect(about(of('Smith', 'Jones', 'Smith'))).toEqual(['3 jobs', ''])
    expect(about({ ...of('Smith'), object: 'jobactivity' })).toEqual(['3 bookings', 'Smith'])
    expect(about({ ...of('Smith'), object: 'companycontact' })).toEqual(['3 contacts', 'Smith'])
    expect(about({ ...of('Smith'), object: 'unheard_of' })).toEqual(['3 records', 'Smith'])
  })

  test('is what a rule last saw of it when the run itself says nothing', () => {
    const triggerData = { ...TRIGGER, conditionMatching: null }
    expect(about({ triggerData })).toEqual(['A job', ''])
    expect(about({ triggerData }, { what: 'Job 17', job: '17', who: '3 Low Rd', customer: '' })).toEqual([
      'Job 17',
      '3 Low Rd',
    ])
  })

  test('is never a uuid', () => {
    const uuid = '11111111-0000-4000-8000-000000000001'
    const conditionMatching = { totalRecords: 1, matchedRecords: [sampleMatch({ jobId: uuid })] }
    const triggerData = { ...TRIGGER, conditionMatching }
    expect(about({ triggerData })).toEqual(['A job', 'Margaret Smith'])
    expect(about({ triggerData, object: 'jobactivity' })).toEqual(['Booking', 'Margaret Smith'])
    expect(about({ object: 'jobactivity' })).toEqual(['Booking on job 4411', 'Margaret Smith'])
    expect(about({ object: 'note' })).toEqual(['Note on job 4411', 'Margaret Smith'])
    expect(about({ triggerData, object: 'task' })).toEqual(['Task', 'Margaret Smith'])
  })
})

describe('what happened', () => {
  test('is what was done, in words', () => {
    expect(lineOf()).toMatchObject({ happened: 'Text message.', standing: 'success', needsYou: false, goesOnAt: null })
  })

  test('says what failed and why beside what was done', () => {
    const failed = aRow({ stepId: 's2', effect: anEffect('create'), state: 'failed', sentence: 'No permission.' })
    expect(lineOf({ outcome: 'partial', journal: [SENT_TEXT, failed] })).toMatchObject({
      happened: 'Text message. No permission.',
      standing: 'partial',
    })
  })

  test('is why nothing was done when nothing was', () => {
    const line = lineOf({ outcome: 'nothing', reason: 'The list was empty.', journal: [] })
    expect(line).toMatchObject({ happened: 'The list was empty.', standing: 'nothing' })
  })

  test('says what it waits for, and until when', () => {
    const line = lineOf({ state: 'waiting', outcome: null, reason: 'Quiet hours.', wakeAt: NOW + 60_000, journal: [] })
    expect(line).toMatchObject({ standing: 'waiting', happened: 'Quiet hours.', goesOnAt: NOW + 60_000 })
    expect(lineOf({ state: 'queued', outcome: null, journal: [] }).happened).toBe('It waits for its turn.')
  })

  test('that ends with words of a customer has one full stop', () => {
    const reason = 'They answered at 14:02: "Please ring me."'
    expect(lineOf({ state: 'held', outcome: null, reason, journal: [] }).happened).toBe(reason)
  })

  test('puts what may have been sent above everything', () => {
    const journal = [aRow({ state: 'unknown', sentence: 'It may have been sent' })]
    expect(lineOf({ outcome: 'failure', journal })).toMatchObject({ standing: 'unknown', needsYou: true })
    expect(lineOf({ state: 'held', outcome: null, reason: 'Asks you.', journal: [] })).toMatchObject({
      standing: 'held',
      needsYou: true,
    })
  })
})

test('runs are counted by the day of the account', () => {
  const at = (hoursAgo: number, more: Partial<RunLine> = {}) => ({ ...lineOf(), at: NOW - hours(hoursAgo), ...more })
  // 09:00 in London, 20:00 in Sydney.
  const lines = [at(1), at(10, { needsYou: true, standing: 'held' }), at(22, { standing: 'failure' }), at(50)]
  const days = (zone: string) => runsByDay(lines, NOW, zone).map(({ day, counts }) => [day, counts])
  expect(days('Europe/London')).toEqual([
    ['Today', '1 run'],
    ['Yesterday', '2 runs · 1 failed · 1 needs you'],
    ['3 January 2026', '1 run'],
  ])
  expect(days('Australia/Sydney')[0]).toEqual(['Today', '2 runs · 1 needs you'])
})

test('a run that waited stands where it was set off, and says when it started', () => {
  const times = { createdAt: NOW - hours(30), startedAt: NOW }
  const waited = lineOf(times)
  const when = { at: NOW - hours(30), startedAt: NOW }
  for (const line of [waited, logLine(executionOf(sampleRun(times)))]) expect(line).toMatchObject(when)
  expect([lineOf().startedAt, lineOf({ startedAt: null }).startedAt]).toEqual([null, null])
  expect(runsByDay([lineOf(), waited], NOW, 'UTC').map(({ day }) => day)).toEqual(['Today', 'Yesterday'])
})
