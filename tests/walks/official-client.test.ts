// The platform's official client (npm `servicem8`) against our stand-in, over real HTTP: every operation it offers, with its own
// validation of the answers. Where it is content, whoever knows the real service finds it again here.
import { ServiceM8 } from 'servicem8'
import * as components from 'servicem8/models/components'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seedWorld } from '#sandbox/seed/seed.ts'
import { SCOPES } from '#sandbox/servicem8/catalog.ts'
import { openStage, type TestStage } from '#sandbox/testing.server.ts'
import { type Json, type Operation, readOfficialDocument } from '#tests/support/official-document.server.ts'
import { type Known, sampleOf } from '#tests/support/official-samples.ts'

type Call = (request?: unknown) => Promise<unknown>

/** Operations that the stand-in does not serve, each with the reason. It answers them with a plain 404 or 501. */
const NOT_SERVED: Record<string, string> = {}

/** Operations whose every answer this version of the client refuses, with its own fault. The answer is judged by the description. */
const REFUSED_BY_THE_CLIENT: Record<string, string> = {
  createJobFromTemplate: 'it wants headers in the answer and leaves them out itself',
}

/** What the platform works out or stamps by itself, whatever is sent. */
const ITS_OWN: Record<string, readonly string[]> = {
  createAttachments: ['photoWidth', 'photoHeight', 'extractedInfo'],
  createStaffMessages: ['sentTimestamp'],
}

const official = readOfficialDocument()
const { operations } = official
const ran = new Set<string>()

let stage: TestStage
let account: string
let token: string
let calls: Map<string, Call>
let known: Known

beforeAll(async () => {
  stage = await openStage({ seed: seedWorld() })
  const { world } = stage
  account = world.accounts()[0]?.uuid ?? ''
  world.setOptions(account, { perMinute: 10_000 })
  token = world.grant(account, [...SCOPES].join(' ')).access_token
  calls = callsOf({ oauth2: token })
  const first = (object: string) => world.records(account, object).find((one) => one.active === 1)?.uuid ?? ''
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
afterAll(() => stage.stop())

/** Every method of the client by its name, which is the operation's id. */
function callsOf(security: { oauth2?: string; apiKey?: string }): Map<string, Call> {
  const client = new ServiceM8({
    serverURL: `${stage.sandbox.apiUrl}/api_1.0`,
    security,
    retryConfig: { strategy: 'none' },
  })
  const groups = Object.entries(Object.getOwnPropertyDescriptors(ServiceM8.prototype))
    .filter(([, { get }]) => get !== undefined)
    .map(([name]) => client[name as keyof ServiceM8] as unknown as Record<string, Call>)
  return new Map(
    groups.flatMap((group) =>
      Object.getOwnPropertyNames(Object.getPrototypeOf(group))
        .filter((name) => name !== 'constructor')
        .map((name): [string, Call] => [
          name,
          (request) => (request === undefined ? group[name]?.() : group[name]?.(request)) as Promise<unknown>,
        ]),
    ),
  )
}

/** Makes the call. What the client finds wrong with the answer is in the error. */
async function run<T = Json>(id: string, request?: unknown, by = calls): Promise<T> {
  const call = by.get(id)
  if (!call) throw new Error(`the client has no ${id}`)
  ran.add(id)
  try {
    return (await call(request)) as T
  } catch (error) {
    if (!(error instanceof Error)) throw error
    throw new Error(`${id}: ${error.message}`, { cause: error.cause ?? error })
  }
}

/** A body in the client's own spelling. */
function spelt(schema: string, body: Json): Json {
  const read = (components as unknown as Record<string, (text: string) => { ok: boolean; value?: Json }>)[
    `${lowerFirst(schema)}FromJSON`
  ]
  const result = read?.(JSON.stringify(body))
  if (!result?.ok || !result.value) throw new Error(`${schema} of the client does not take ${JSON.stringify(body)}`)
  return result.value
}

const lowerFirst = (text: string) => text.slice(0, 1).toLowerCase() + text.slice(1)

/** The ordinary calls, and the kinds of record they are about, by the path of the list. */
const ordinary = operations.filter(
  (one) => /^\/\w+(\/\{uuid\})?\.json$/.test(one.path) && !/search|inboxmessage/.test(one.path),
)
const kindOf = (one: Operation) => one.path.replace('/{uuid}', '').replace(/^\/dbo/, '/')
const kinds = [...new Set(ordinary.map(kindOf))]

function ofKind(kind: string, verb: RegExp): Operation | undefined {
  return ordinary.find((one) => kindOf(one) === kind && verb.test(one.id))
}

test('the client offers what its description describes', () => {
  expect([...calls.keys()].sort()).toEqual(operations.map((one) => one.id).sort())
  expect(operations).toHaveLength(193)
})

describe.each(kinds)('%s', (kind) => {
  const object = kind.slice(1, -5)

  test('is made with every field, read back, changed and deleted', async () => {
    const create = ofKind(kind, /^create/)
    const read = ofKind(kind, /^get/)?.id ?? ''
    const update = ofKind(kind, /^update/)
    const remove = ofKind(kind, /^delete/)?.id
    const schema = create?.body ?? update?.body ?? ''
    const body = schema === '' ? {} : sampleOf(schema, official.fieldsOf(schema), known)

    let uuid = stage.world.records(account, object)[0]?.uuid ?? ''
    if (create) {
      const made = await run<{ headers: Record<string, string[]> }>(create.id, spelt(schema, body))
      uuid = made.headers['x-record-uuid']?.[0] ?? ''
    } else if (object === 'asset') {
      // The client cannot make one: they come from the app.
      const made = stage.world.create(account, 'asset', { uuid: '0ff1c1a1-0000-4000-8000-000000000001' })
      uuid = made.outcome === 'done' ? made.record.uuid : ''
    }
    const seen = await run(read, { uuid })
    expect(seen).toMatchObject({ uuid })
    if (create) expectSame(spelt(schema, body), seen, ITS_OWN[create.id])

    if (update) {
      expect(await run(update.id, { uuid, [lowerFirst(update.body)]: spelt(schema, body) })).toEqual({
        errorCode: 0,
        message: 'OK',
      })
    }
    if (remove) {
      expect(await run(remove, { uuid })).toEqual({ errorCode: 0, message: 'OK' })
      expect(await run(read, { uuid })).toMatchObject({ active: 0 })
    }
  })

  test('is listed, whatever the demo accounts hold of it', async () => {
    const list = await run<Json[]>(ofKind(kind, /^list/)?.id ?? '')
    expect(list).toHaveLength(stage.world.records(account, object).length)
    expect(list.length).toBeGreaterThan(0)
  })
})

/** What was sent is what is shown, whether a number or its text. */
function expectSame(sent: Json, seen: Json, except: readonly string[] = []): void {
  const names = Object.keys(sent).filter((name) => !except.includes(name))
  const plain = (values: Json) =>
    names.map((name) => `${name}: ${typeof values[name] === 'object' ? JSON.stringify(values[name]) : values[name]}`)
  expect(plain(seen)).toEqual(plain(sent))
}

describe('the inbox', () => {
  test('takes a message, shows it, and turns it into a job', async () => {
    const jobData = { companyName: 'Harbour Cafe', contactFirst: 'Ana', email: 'ana@example.com', jobAddress: '5 Quay' }
    const made = await run('createInboxMessage', {
      subject: 'Leaking tap',
      messageText: 'It drips all night.',
      fromName: 'Ana',
      fromEmail: 'ana@example.com',
      jobData,
    })
    expect(made).toMatchObject({ subject: 'Leaking tap', active: true, isArchived: false, readTimestamp: null })
    const { uuid } = made
    expect(await run('getInboxMessage', { uuid })).toEqual(made)
    const unread = await run<{ messages: Json[]; pagination: Json }>('listInboxMessages', { filter: 'unread' })
    expect(unread.messages).toEqual([made])
    expect(unread.pagination).toEqual({ offset: 0, limit: 50, total: 1, hasMore: false })

    expect(await run('markInboxMessageAsRead', { uuid })).toMatchObject({ success: true })
    const until = new Date(stage.clock.now() + 3_600_000)
    const snooze = { uuid, snoozeRequest: { snoozeUntil: until } }
    expect(await run('snoozeInboxMessage', snooze)).toMatchObject({ success: true })
    expect(await run('addNoteToInboxMessage', { uuid, addNoteRequest: { note: 'Called back' } })).toMatchObject({
      success: true,
    })
    expect(await run('archiveInboxMessage', { uuid, archiveRequest: { archived: true } })).toMatchObject({
      success: true,
    })
    expect(await run('getInboxMessage', { uuid })).toMatchObject({
      readTimestamp: new Date(stage.clock.now()),
      snoozeUntilTimestamp: until,
      isArchived: true,
    })

    const converted = await run<{ job: Json }>('convertInboxMessageToJob', { uuid, convertToJobRequest: {} })
    const job = stage.world.findRecord(account, 'job', String(converted.job.uuid))
    expect(converted).toMatchObject({ success: true, job: { id: Number(job?.generated_job_id) } })
    expect(job).toMatchObject({ job_address: '5 Quay', job_description: expect.stringContaining('It drips') })
    expect(stage.world.findRecord(account, 'company', String(job?.company_uuid))).toMatchObject({
      name: 'Harbour Cafe',
    })
    const attached = { uuid, attachToJobRequest: { jobUuid: known.job } }
    expect(await run('attachInboxMessageToJob', attached)).toMatchObject({ success: true, job: { uuid: known.job } })
  })
})

describe('search', () => {
  test('finds records of every kind, and jobs by what they are about', async () => {
    const [job] = stage.world.records(account, 'job').filter((one) => one.active === 1)
    const words = String(job?.job_description).split(/\s+/).slice(0, 3).join(' ')
    const everywhere = await run<{ results: Json[]; count: number }>('generalSearch', { q: words })
    expect(everywhere.results).toContainEqual(expect.objectContaining({ uuid: job?.uuid, type: 'job' }))
    const inJobs = await run<{ results: Json[] }>('objectSearch', { objectType: 'job', q: words, limit: 5 })
    expect(inJobs.results[0]).toMatchObject({ type: 'job', title: expect.stringMatching(/\S/), highlights: {} })
    const alike = await run<{ results: { similarityScore: number }[] }>('jobEmbeddingSearch', { q: words })
    expect(alike.results).toContainEqual(expect.objectContaining({ uuid: job?.uuid, status: job?.status }))
    const scores = alike.results.map((one) => one.similarityScore)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
  })
})

test('a job is made from a template', async () => {
  const [template] = await run<{ uuid: string; name: string }[]>('listJobTemplates')
  const overrides = { companyName: 'Bakers Row', jobAddress: '9 Mill Lane' }
  const request = { uuid: template?.uuid, jobTemplateOverrides: overrides }
  const refused = await run('createJobFromTemplate', request).catch((error: Error) => error.cause)
  const missing = [{ code: 'invalid_type', expected: 'object', received: 'undefined', path: ['Headers'] }]
  expect(refused).toMatchObject({ issues: missing })

  const path = `/api_1.0/jobtemplate/${template?.uuid}/job.json`
  const sent = { company_name: 'Bakers Row', job_address: '9 Mill Lane' }
  const raw = await stage.call(path, { token, json: sent })
  const answer = raw.json<{ jobUUID: string; location: string }>()
  expect(official.problemsOf({ method: 'POST', path, sent, status: raw.status, answer })).toEqual([])
  expect(answer.location).toBe(`/api_1.0/job/${answer.jobUUID}.json`)
  const job = stage.world.findRecord(account, 'job', answer.jobUUID)
  expect(job).toMatchObject({ job_address: '9 Mill Lane', job_description: template?.name })
  const bakers = stage.world.records(account, 'company').filter((one) => one.name === 'Bakers Row')
  expect(bakers.map((one) => one.uuid)).toEqual([job?.company_uuid])
})

test('a key of a private app works like a token', async () => {
  const byKey = callsOf({ apiKey: stage.world.makeApiKey(account) })
  expect(await run<Json[]>('listVendors', undefined, byKey)).toEqual(await run('listVendors'))
  const wrong = callsOf({ apiKey: 'smk-nobody' })
  await expect(run('listVendors', undefined, wrong)).rejects.toThrow('Authorization Required')
})

test('every operation was made, or is named above with its reason', () => {
  const made = [...ran].filter((id) => !(id in REFUSED_BY_THE_CLIENT))
  const named = [...Object.keys(NOT_SERVED), ...Object.keys(REFUSED_BY_THE_CLIENT)]
  expect([...made, ...named].sort()).toEqual(operations.map((one) => one.id).sort())
  expect(made).toHaveLength(192)
})
