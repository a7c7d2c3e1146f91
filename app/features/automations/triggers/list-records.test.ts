import { beforeEach, expect, test } from 'vitest'
import type { PlatformApi, PlatformRecord, PlatformResult } from '#app/adapters/platform.ts'
import { ACTIVE_ONLY } from '../rules/conditions/conditions.ts'
import type { EvaluateApp } from './evaluate.server.ts'
import { listFor, MOST_RECORDS, newestFirst } from './list-records.server.ts'

const JOBS: PlatformRecord[] = [{ uuid: 'a' }, { uuid: 'b' }]

let asked: (string | undefined)[]
let warned: string[]
let answerTo: (filter: string | undefined) => PlatformResult<PlatformRecord[]>

beforeEach(() => {
  asked = []
  warned = []
  answerTo = () => ({ outcome: 'ok', value: JOBS })
})

function list(filter: string, now: number | null = null) {
  const api = {
    list: async (_token: string, _object: string, input?: { filter?: string }) => {
      asked.push(input?.filter)
      return answerTo(input?.filter)
    },
  } as unknown as PlatformApi
  const app = {
    callAsAccount: (_account: string, call: (api: PlatformApi, token: string) => unknown) => call(api, 'token'),
    log: { warn: (_fields: unknown, message: string) => warned.push(message) },
  } as unknown as EvaluateApp
  return listFor(app, 'account', 'job', filter, now)
}

const refused: PlatformResult<PlatformRecord[]> = { outcome: 'refused', status: 400, message: 'Field not filterable' }
const WANTED = `${ACTIVE_ONLY} and queue_uuid eq 'q'`

test('a filter that the platform refuses is asked once more without it', async () => {
  answerTo = (filter) => (filter === ACTIVE_ONLY ? { outcome: 'ok', value: JOBS } : refused)
  expect(await list(WANTED)).toMatchObject({ outcome: 'ok', records: JOBS })
  expect(asked).toEqual([WANTED, ACTIVE_ONLY])
  expect(warned).toEqual(['list.filter_refused'])
})

test('once, and never for what is no fault of the filter', async () => {
  answerTo = () => refused
  expect(await list(WANTED)).toMatchObject({ outcome: 'failed', failure: { status: 400 } })
  expect(asked).toHaveLength(2)
  asked = []
  expect(await list(ACTIVE_ONLY)).toMatchObject({ outcome: 'failed' })
  answerTo = () => ({ outcome: 'unavailable', status: 500, message: 'Internal error' })
  expect(await list(WANTED)).toMatchObject({ outcome: 'failed' })
  expect(asked).toEqual([ACTIVE_ONLY, WANTED])
})

test('a list too long to read has the records edited last, when they are wanted', async () => {
  const old = Array.from({ length: MOST_RECORDS }, (_, n) => ({ uuid: `u${n}`, edit_date: '2020-01-01 00:00:00' }))
  const late = { uuid: 'late', edit_date: '2026-01-04 00:00:00' }
  answerTo = (filter) => ({ outcome: 'ok', value: filter?.includes('edit_date') ? [late] : old })
  const listed = await list(WANTED, Date.UTC(2026, 0, 5))
  expect(listed.outcome === 'ok' && newestFirst(listed.records)[0]).toEqual(late)
  expect(asked).toEqual([WANTED, `${WANTED} and edit_date gt '2025-01-05 00:00:00'`])
  expect(warned).toEqual(['list.more_than_read'])
})
