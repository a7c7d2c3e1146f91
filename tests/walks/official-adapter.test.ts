// What the product asks of the platform and how it is answered, call by call against the platform's published description: the
// adapter and the stand-in cannot agree on something that the real service does not know.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createServiceM8Api, type ServiceM8Api } from '#app/adapters/servicem8/servicem8.server.ts'
import type { Log } from '#app/lib/log.ts'
import { seedWorld } from '#sandbox/seed/seed.ts'
import { SCOPES } from '#sandbox/servicem8/catalog.ts'
import { openStage, type TestStage } from '#sandbox/testing.server.ts'
import { readOfficialDocument } from '#tests/support/official-document.server.ts'
import { type Known, sampleOf } from '#tests/support/official-samples.ts'
import { recordWire } from '#tests/support/wire-recorder.server.ts'

/** What rules make and change. */
const WRITTEN = {
  job: 'JobCreate',
  jobmaterial: 'JobMaterialCreate',
  jobmaterialbundle: 'JobMaterialBundleCreate',
  note: 'NoteCreate',
  task: 'TaskCreate',
  staffmessage: 'StaffMessageCreate',
  attachment: 'AttachmentCreate',
}

const QUIET: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => QUIET }

const official = readOfficialDocument()
const lists = official.operations.filter((one) => /^list(?!Inbox)/.test(one.id))

let stage: TestStage
let wire: Awaited<ReturnType<typeof recordWire>>
let api: ServiceM8Api
let account: string
let token: string
let known: Known

beforeAll(async () => {
  stage = await openStage({ seed: seedWorld() })
  wire = await recordWire(stage.sandbox.apiUrl)
  api = createServiceM8Api({ apiUrl: wire.url, clock: stage.clock, log: QUIET })
  account = stage.world.accounts()[0]?.uuid ?? ''
  stage.world.setOptions(account, { perMinute: 10_000, pageSize: 20 })
  token = stage.world.grant(account, [...SCOPES].join(' ')).access_token
  const first = (object: string) => stage.world.records(account, object)[0]?.uuid ?? ''
  known = {
    job: first('job'),
    company: first('company'),
    staff: first('staff'),
    material: first('material'),
    queue: first('queue'),
    category: first('category'),
    taxrate: first('taxrate'),
  }
})
afterEach(() => expect(wire.exchanges.splice(0).flatMap(official.problemsOf)).toEqual([]))
afterAll(async () => {
  await wire.stop()
  await stage.stop()
})

/** The value of a call that went well. */
async function value<T>(call: Promise<{ outcome: 'ok'; value: T } | { outcome: string }>): Promise<T> {
  const answer = await call
  if (!('value' in answer)) throw new Error(JSON.stringify(answer))
  return answer.value
}

describe.each(Object.entries(WRITTEN))('%s', (object, schema) => {
  test('is made, changed, read and deleted as described, with every field', async () => {
    const sample = sampleOf(schema, official.fieldsOf(schema), known)
    const fields = Object.fromEntries(Object.entries(sample).map(([name, one]) => [name, String(one)]))
    const uuid = '0ff1c1a1-0000-4000-8000-0000000000aa'
    expect(await value(api.create(token, object, fields, { uuid }))).toEqual({ uuid })
    await value(api.update(token, object, uuid, fields))
    const seen = await value(api.read(token, object, uuid))
    expect(seen).toMatchObject({ uuid, active: 1 })
    await value(api.remove(token, object, uuid))
    await value(api.update(token, object, uuid, { active: '1' }))
    expect(wire.exchanges.at(-1)?.sent).toEqual({ active: 1 })
    expect(await value(api.read(token, object, uuid))).toMatchObject({ active: 1 })
    expect(wire.exchanges.map((one) => official.operationOf(one.method, one.path)?.id.replace(/[A-Z].*/, ''))).toEqual([
      'create',
      'update',
      'get',
      'delete',
      'update',
      'get',
    ])
  })
})

test.each(lists.map((one) => one.path.slice(1, -5)))('%s is listed as described, page by page', async (object) => {
  const held = stage.world.records(account, object)
  const all = await value(api.list(token, object))
  expect(all.map((one) => one.uuid)).toEqual(held.map((one) => one.uuid))
  const active = held.filter((one) => Number(one.active) === 1)
  expect(await value(api.list(token, object, { filter: 'active eq 1' }))).toHaveLength(active.length)
  expect(wire.exchanges.length).toBeGreaterThanOrEqual(2)
})

test('the account, a file and a refusal are read as described', async () => {
  expect(await value(api.vendor(token))).toMatchObject({ uuid: account, timezone: 'Europe/London' })
  const file = { relatedObject: 'job', relatedObjectUuid: known.job, name: 'a.pdf', fileType: '.pdf' } as const
  const { uuid } = await value(api.uploadFile(token, { ...file, bytes: Buffer.from('%PDF-') }))
  expect(stage.world.fileOf(account, uuid)).toMatchObject({ name: 'a.pdf', bytes: Buffer.from('%PDF-') })
  expect(await api.read(token, 'job', uuid)).toMatchObject({ outcome: 'refused', status: 404 })
  expect(await api.vendor('nobody')).toMatchObject({ outcome: 'unauthorized' })
  expect(wire.exchanges).toHaveLength(5)
})
