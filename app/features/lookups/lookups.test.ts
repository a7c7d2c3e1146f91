import { describe, expect, test } from 'vitest'
import type { ListInput, PlatformApi, PlatformRecord } from '#app/adapters/platform.ts'
import type { App } from '#app/context/app-context.ts'
import { localStamp } from '#app/domain/time/local-time.ts'
import { namesOfLists, toFormLists } from '#app/features/automations/rules/form-lists.ts'
import { hours, minutes } from '#app/lib/duration.ts'
import { plainText } from '#app/lib/plain-text.ts'
import { steppingClock } from '#tests/support/stepping-clock.ts'
import { loadFormLists } from './form-lists.server.ts'
import { lookUp, lookUpForForm } from './lookups.server.ts'
import { bytesOf, lookupRecords } from './lookups.ts'

test('materials, bundles and categories are offered by name, told apart by their number; deleted ones are not', () => {
  const materials = lookupRecords('materials', [
    { uuid: 'm-2', name: 'Valve', item_number: 'V2', active: 1 },
    { uuid: 'm-1', name: 'Copper pipe', item_number: '', active: 1 },
    { uuid: 'm-0', name: 'Old', item_number: 'O', active: '0' },
  ])
  const bundles = lookupRecords('bundles', [{ uuid: 'b-1', name: '', item_number: 'BOILER', active: 1 }])
  const categories = lookupRecords('categories', [{ uuid: 'c-1', name: 'Heating', active: 1 }])
  const lists = toFormLists({ materials, bundles, categories })
  expect(lists.materials).toEqual([
    { uuid: 'm-1', label: 'Copper pipe' },
    { uuid: 'm-2', label: 'Valve (V2)' },
  ])
  expect(lists.bundles).toEqual([{ uuid: 'b-1', label: 'BOILER' }])
  expect(namesOfLists(lists)).toMatchObject({ 'm-2': 'Valve (V2)', 'c-1': 'Heating' })
})

test('the text of an option has at most 50 characters, and a customer the first eight of its id', () => {
  const uuid = '12345678-0000-4000-8000-000000000001'
  const long = 'x'.repeat(60)
  const lists = toFormLists({
    companies: [{ uuid, name: 'Smith' }],
    'email-templates': [{ uuid, template_name: long }],
    'sms-templates': [{ uuid, template_name: 'On the way', message_text: long }],
    'document-templates': [{ uuid, name: long }],
  })
  expect(lists.companies[0]?.label).toBe('Smith (12345678)')
  const labels = [lists.emailTemplates, lists.smsTemplates, lists.documentTemplates].map(([one]) => one?.label ?? '')
  expect(labels.map((label) => label.replace('…', '').length)).toEqual([50, 50, 50])
  expect(lists.smsTemplates[0]?.text).toBe(long)
})

test('an account that never signed in has placeholder credentials, and a failure is not kept', async () => {
  let asked = 0
  const callAsAccount: App['callAsAccount'] = async () => {
    asked += 1
    return { outcome: 'not_connected', message: 'No authentication credentials found' }
  }
  const app = { store: {} as App['store'], clock: steppingClock(), callAsAccount }
  for (let time = 1; time <= 2; time += 1) {
    expect(await lookUp(app, 'account-1', 'queues')).toEqual({
      outcome: 'failed',
      message: expect.stringContaining('placeholder credentials'),
    })
    expect(asked).toBe(time)
  }
})

test('the newest jobs are those edited last, also of more than one page', async () => {
  const clock = steppingClock()
  const dated = Array.from({ length: 6_000 }, (_, n) => ({
    uuid: `u${n}`,
    active: 1,
    edit_date: localStamp(clock.now() - hours(6_000 - n)),
  }))
  const api = {
    list: async (_token: string, _object: string, { filter = '', limit, keep }: ListInput = {}) => {
      const since = /edit_date gt '([^']+)'/.exec(filter)?.[1] ?? ''
      const value = dated.filter(({ edit_date }) => edit_date > since).slice(0, limit)
      return { outcome: 'ok', value: value.map(keep ?? ((record) => record)) }
    },
  } as unknown as PlatformApi
  const callAsAccount: App['callAsAccount'] = (_account, call) => call(api, 'token')
  const looked = await lookUp({ store: {} as App['store'], clock, callAsAccount }, 'a', 'jobs')
  const uuids = looked.outcome === 'found' ? looked.records.map(({ uuid }) => uuid) : []
  expect([uuids.length, uuids[0], uuids[999]]).toEqual([1_000, 'u5999', 'u5000'])
})

/** An account that has these records in every list. `asked`: what was asked of each, and how many were asked for at once. */
function accountWith(records: PlatformRecord[], pause: () => Promise<void> = async () => {}) {
  const asked: { object: string; input: ListInput }[] = []
  const long = new Set(['job', 'company', 'material', 'materialbundle', 'emailtemplate'])
  let [atOnce, most] = [0, 0]
  const api = {
    list: async (_token: string, object: string, input: ListInput = {}) => {
      asked.push({ object, input })
      if (long.has(object)) most = Math.max(most, ++atOnce)
      await pause()
      if (long.has(object)) atOnce -= 1
      return { outcome: 'ok', value: records.map(input.keep ?? ((record) => record)) }
    },
  } as unknown as PlatformApi
  const callAsAccount: App['callAsAccount'] = (_account, call) => call(api, 'token')
  const clock = steppingClock()
  return { app: { store: {} as App['store'], clock, callAsAccount }, clock, asked, mostAtOnce: () => most }
}

const LARGE = 'x'.repeat(6 * 1024)
const job = (n: number) => ({
  uuid: `u${n}`,
  active: 1,
  edit_date: '2026-01-01',
  job_description: LARGE,
  message: LARGE,
})
const jobs = (count: number) => Array.from({ length: count }, (_, n) => job(n))

describe('what the form keeps of a list', () => {
  test('is what it draws, however large the records are', async () => {
    const { app, asked } = accountWith(jobs(5_000))
    const looked = await lookUpForForm(app, 'a', 'jobs')
    expect(looked.outcome === 'found' && looked.rows).toHaveLength(300)
    expect(looked.outcome === 'found' && bytesOf(looked.rows)).toBeLessThan(60_000)
    expect(JSON.stringify(asked[0]?.input.keep?.(job(1))).length).toBeLessThan(500)
  })

  test('comes with one long list at a time, and short ones of at most 2 MB', async () => {
    const { app, asked, mostAtOnce } = accountWith(jobs(2), () => new Promise((resolve) => setTimeout(resolve, 2)))
    const { lists, failures } = await loadFormLists(app, 'a')
    expect([lists.jobs.length, lists.queues.length, failures]).toEqual([2, 2, []])
    expect(mostAtOnce()).toBe(1)
    const bounded = asked.filter(({ input }) => input.mostBytes === 2 * 1024 * 1024).map(({ object }) => object)
    expect(bounded.sort()).toEqual(['badge', 'category', 'documenttemplate', 'queue', 'smstemplate', 'staff'])
  })
})

describe('a list that was read a minute ago', () => {
  test('is answered again, unless the account has more than 2 MB of them: then it is read again', async () => {
    const small = accountWith(jobs(90))
    await lookUp(small.app, 'a', 'jobs')
    await lookUp(small.app, 'a', 'jobs')
    expect(small.asked).toHaveLength(1)
    small.clock.leap(minutes(1))
    await lookUp(small.app, 'a', 'jobs')
    expect(small.asked).toHaveLength(2)

    const large = accountWith(jobs(1_000))
    await lookUp(large.app, 'a', 'jobs')
    await lookUp(large.app, 'a', 'jobs')
    expect(large.asked).toHaveLength(2)
  })

  test('goes for a newer one of the same account, not for one of another', async () => {
    const { app, asked } = accountWith(jobs(90))
    await lookUp(app, 'a', 'jobs')
    await lookUp(app, 'b', 'jobs')
    await lookUp(app, 'a', 'email-templates')
    expect(asked).toHaveLength(3)
    await lookUp(app, 'b', 'jobs')
    await lookUp(app, 'a', 'email-templates')
    expect(asked).toHaveLength(3)
    await lookUp(app, 'a', 'jobs')
    expect(asked).toHaveLength(4)
  })
})

test('an HTML text without its tags keeps its lines and its words', () => {
  expect(plainText('<p>Dear <b>Tom</b>,</p>5 &lt; 6<br/>Yours')).toBe('Dear Tom,\n5 < 6\nYours')
  expect(plainText('<'.repeat(100_000))).toHaveLength(100_000)
})
