// Long: every kind of effect with every way it can end.
import { beforeEach, describe, expect, it } from 'vitest'
import type { CallAsAccount, PlatformApi, PlatformFailure } from '#app/adapters/platform.ts'
import { newSigningSecret, signForward } from '#app/adapters/standard-webhooks.server.ts'
import type { Effect, VerifyResult } from '#app/domain/automations/effect.ts'
import { hours } from '#app/lib/duration.ts'
import {
  ACCOUNT,
  type ActionWorld,
  actionWorld,
  CUSTOMER,
  identity,
  JOB,
  OTHER_JOB,
  PRIYA,
} from '#tests/support/action-platform.server.ts'
import type { Fate } from '#tests/support/platform-in-process.server.ts'
import { createCommitter } from './commit-effect.server.ts'

let world: ActionWorld

beforeEach(() => {
  world = actionWorld()
  for (const uuid of [FILE, OTHER_FILE]) world.platform.putFile(ACCOUNT, uuid)
})

const FILE = '70000000-0000-4000-8000-000000000001'
const OTHER_FILE = '70000000-0000-4000-8000-000000000002'

const CREATE: Effect = {
  kind: 'create_record',
  class: 'create',
  object: 'job',
  fields: { status: 'Quote', company_uuid: CUSTOMER, job_description: 'Yearly service' },
  parents: {},
  readBack: ['generated_job_id'],
  summary: 'New job',
}
const TASK: Effect = {
  kind: 'create_record',
  class: 'create',
  object: 'task',
  fields: { name: 'Ring', related_object: 'job', related_object_uuid: JOB },
  parents: {},
  readBack: [],
  summary: 'Task',
}
const STATUS: Effect = {
  kind: 'update_record',
  class: 'set',
  object: 'job',
  recordUuid: JOB,
  before: { status: 'Quote' },
  fields: { status: 'Completed' },
  summary: 'Set',
}
const SMS: Effect = {
  kind: 'send_sms',
  class: 'customer',
  to: '+447700900123',
  message: 'Hello',
  credits: 1,
  regardingJobUuid: JOB,
  summary: 'Text message',
}
const EMAIL: Effect = {
  kind: 'send_email',
  class: 'customer',
  to: 'margaret@smith.example',
  cc: '',
  replyTo: '',
  subject: 'S',
  textBody: 'T',
  htmlBody: '',
  regardingJobUuid: JOB,
  signatureOfStaff: null,
  attachments: [FILE],
  documentSteps: [],
  summary: 'E-mail',
}
const DOCUMENT: Effect = {
  kind: 'produce_document',
  class: 'document',
  objectType: 'Job',
  objectUuid: JOB,
  templateType: 'Invoice',
  templateUuid: null,
  outputFormat: 'pdf',
  fileName: 'Invoice 1041.pdf',
  attachTo: { object: 'job', uuid: JOB },
  storeToDiary: false,
  summary: 'Document',
}
const NOTIFY: Effect = {
  kind: 'post_webhook',
  class: 'webhook',
  url: 'https://hooks.example.test/in',
  body: '{"message":"x"}',
  summary: 'Notification',
}
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const OURS = identity(0).clientUuid

const commit = (effect: Effect, results = {}) => world.commit(effect, { results })
const verify = (effect: Effect): Promise<VerifyResult> =>
  world.committer.verify(effect, { identity: identity(0), siblings: [], results: {} })

/** The same platform, but some of its calls answer otherwise. */
function with_(overrides: (api: PlatformApi) => Partial<PlatformApi>) {
  const callAsAccount: CallAsAccount = (account, call, options) =>
    world.app.callAsAccount(account, (api, token) => call({ ...api, ...overrides(api) }, token), options)
  const committer = createCommitter({ ...world.app, callAsAccount }, { sign: signForward })
  return (effect: Effect, siblings: ({ uuid: string } | null)[] = []) =>
    committer.commit(effect, { identity: identity(siblings.length), siblings, results: {} })
}

const refused = (status: number, message: string): PlatformFailure => ({ outcome: 'refused', status, message })

describe('what went well', () => {
  it('leaves what later steps read', async () => {
    expect(await commit(CREATE)).toEqual({
      outcome: 'sent',
      result: { job_uuid: OURS, uuid: OURS, generated_job_id: '1001' },
    })
    expect(await commit(TASK)).toEqual({ outcome: 'sent', result: { task_uuid: OURS, uuid: OURS } })
    expect(await commit(STATUS)).toEqual({ outcome: 'sent', result: { message: 'Set', uuid: JOB } })
    expect(await commit(SMS)).toEqual({
      outcome: 'sent',
      result: { sms_id: expect.stringMatching(UUID), status: 'sent' },
    })
    expect(await commit(EMAIL)).toEqual({
      outcome: 'sent',
      result: { message_id: expect.stringMatching(UUID), status: 'sent' },
    })
    expect(await commit(DOCUMENT)).toEqual({
      outcome: 'sent',
      result: {
        document_uuid: OURS,
        document_url: expect.stringMatching(/^https:\/\/fieldhook\.test\/documents\/v1\.k1\.[\w.-]+$/),
      },
    })
    expect(world.platform.records(ACCOUNT, 'attachment').get(OURS)).toMatchObject({
      attachment_name: 'Invoice 1041.pdf',
    })
  })

  it('carries the document of an earlier step', async () => {
    const effect: Effect = { ...EMAIL, documentSteps: ['s0'] }
    await commit(effect, { s0: { document_uuid: OTHER_FILE } })
    expect(world.platform.messages[0]?.attachments).toEqual([FILE, OTHER_FILE])
    expect(await commit(effect, {})).toMatchObject({ outcome: 'failed', errorClass: 'document_missing', retry: false })
  })
})

describe('what did not', () => {
  const ends: [Fate, object][] = [
    ['not_reached', { outcome: 'failed', errorClass: 'unavailable', retry: true }],
    ['broken', { outcome: 'unknown' }],
    ['answer_lost', { outcome: 'unknown' }],
    ['too_many', { outcome: 'wait', until: expect.any(Number) }],
    ['unauthorized', { outcome: 'blocked', errorClass: 'reconnect', sentence: { code: 'reconnect' } }],
    [
      'forbidden',
      {
        outcome: 'blocked',
        errorClass: 'scope',
        sentence: { code: 'scope', params: { scope: 'publish_sms' } },
      },
    ],
    ['suspended', { outcome: 'blocked', errorClass: 'suspended' }],
  ]

  it.each(ends)('is told exactly: %s', async (fate, end) => {
    world.platform.fate = () => fate
    for (const effect of [CREATE, TASK, STATUS, SMS, EMAIL]) expect(await commit(effect)).toMatchObject(end)
  })

  it('may simply be repeated for a document: until it is stored nothing has happened', async () => {
    for (const fate of ['broken', 'answer_lost'] as const) {
      world.platform.fate = () => fate
      expect(await commit(DOCUMENT)).toMatchObject({ outcome: 'failed', retry: true })
    }
    world.platform.fate = ({ verb }) => (verb === 'upload' ? 'answer_lost' : 'well')
    expect(await commit(DOCUMENT)).toMatchObject({ outcome: 'failed', retry: true })
    world.platform.fate = () => 'well'
    expect(await commit(DOCUMENT)).toMatchObject({ outcome: 'sent' })
    expect(world.platform.made.filter((one) => one.object === 'attachment')).toHaveLength(1)
  })

  it('is final where the platform refuses it, in its words', async () => {
    const sent = await with_(() => ({ sendSms: async () => refused(400, '07 is not a valid mobile number') }))(SMS)
    expect(sent).toEqual({
      outcome: 'failed',
      errorClass: 'invalid',
      sentence: 'ServiceM8 refused this text message: "07 is not a valid mobile number"',
      retry: false,
    })
    world.platform.records(ACCOUNT, 'job').delete(JOB)
    expect(await commit(STATUS)).toMatchObject({ outcome: 'failed', errorClass: 'not_found', retry: false })
  })

  it.each([
    ['x-impersonate-uuid does not name a staff member', { outcome: 'failed', errorClass: 'staff_gone' }],
    ['Forbidden', { outcome: 'failed', errorClass: 'staff_gone' }],
    ['insufficient_scope, publish_email scope required', { outcome: 'blocked', errorClass: 'scope' }],
  ])('is no missing permission when only whoever signs is gone: %s', async (message, ended) => {
    const forbidden: PlatformFailure = { outcome: 'forbidden', status: 403, message }
    const effect: Effect = { ...EMAIL, signatureOfStaff: PRIYA }
    expect(await with_(() => ({ sendEmail: async () => forbidden }))(effect)).toMatchObject(ended)
  })

  it('was certainly not done when no token could be had', async () => {
    const callAsAccount: CallAsAccount = async () => ({
      outcome: 'not_connected',
      message: 'No authentication credentials found',
    })
    const committer = createCommitter({ ...world.app, callAsAccount })
    expect(await committer.commit(SMS, { identity: identity(0), siblings: [], results: {} })).toMatchObject({
      outcome: 'blocked',
      errorClass: 'reconnect',
    })
  })
})

describe('a record of ours', () => {
  it('that is there already is the one: a repeat makes no second', async () => {
    await commit(TASK)
    expect(await commit(TASK)).toEqual({ outcome: 'sent', result: { task_uuid: OURS, uuid: OURS } })
    expect(world.platform.made).toHaveLength(1)
  })

  it('gets an id of the platform where ours is refused', async () => {
    const ended = await with_((api) => ({
      create: async (token, object, fields, input) =>
        input?.uuid ? refused(400, 'uuid may not be set by the client') : api.create(token, object, fields),
    }))(TASK)
    expect(ended).toMatchObject({ outcome: 'sent' })
    expect(world.platform.made.map((one) => one.uuid)).not.toContain(OURS)
  })

  it('is not made without an id when the platform complains about another field', async () => {
    const ended = await with_(() => ({ create: async () => refused(400, 'company_uuid is not a valid UUID') }))(CREATE)
    expect(ended).toMatchObject({
      outcome: 'failed',
      errorClass: 'invalid',
      sentence: expect.stringContaining('company_uuid'),
    })
  })

  it('whose number cannot be read yet is looked at again, not made again', async () => {
    world.platform.fate = ({ verb }) => (verb === 'read' ? 'broken' : 'well')
    expect(await commit(CREATE)).toMatchObject({ outcome: 'unknown' })
    world.platform.fate = () => 'well'
    expect(await verify(CREATE)).toEqual({
      outcome: 'done',
      result: { job_uuid: OURS, uuid: OURS, generated_job_id: '1001' },
    })
  })

  it('needs what it hangs on', async () => {
    const line: Effect = {
      ...TASK,
      object: 'jobmaterial',
      fields: { name: 'Tap', quantity: '1' },
      parents: { job_uuid: 0 },
    }
    expect(await with_(() => ({}))(line, [{ uuid: OTHER_JOB }])).toMatchObject({ outcome: 'sent' })
    expect(world.platform.made[0]?.fields).toEqual({ name: 'Tap', quantity: '1', job_uuid: OTHER_JOB })
    expect(await with_(() => ({}))(line, [null])).toMatchObject({ outcome: 'failed', retry: false })
  })
})

describe('a line that moves', () => {
  const MOVE: Effect = {
    kind: 'update_record',
    class: 'set',
    object: 'jobmaterial',
    recordUuid: 'l-1',
    before: { job_uuid: JOB },
    fields: {},
    parents: { job_uuid: 0 },
    summary: 'Move',
  }
  const fixed = (api: PlatformApi): Partial<PlatformApi> => ({
    update: async (token, object, uuid, fields) =>
      object === 'jobmaterial' ? refused(400, 'job_uuid cannot be changed') : api.update(token, object, uuid, fields),
  })

  beforeEach(() => {
    world.put('jobmaterial', { uuid: 'l-1', job_uuid: JOB, name: 'Tap', quantity: '2', price: '10.00', edit_date: 'x' })
  })

  it('is copied and then removed where the platform does not let it', async () => {
    const ended = await with_(fixed)(MOVE, [{ uuid: OTHER_JOB }])
    const copy = identity(1).clientUuid
    expect(ended).toEqual({ outcome: 'sent', result: { message: 'Move', uuid: copy } })
    const lines = world.platform.records(ACCOUNT, 'jobmaterial')
    expect(lines.get(copy)).toMatchObject({
      job_uuid: OTHER_JOB,
      name: 'Tap',
      quantity: '2',
      price: '10.00',
      active: 1,
    })
    expect(lines.get('l-1')).toMatchObject({ active: 0 })
    expect(world.platform.made[0]?.fields).not.toHaveProperty('edit_date')
  })

  it('is found afterwards, however it moved', async () => {
    const look = () =>
      world.committer.verify(MOVE, { identity: identity(1), siblings: [{ uuid: OTHER_JOB }], results: {} })
    expect(await look()).toEqual({ outcome: 'not_done' })
    await with_(fixed)(MOVE, [{ uuid: OTHER_JOB }])
    expect(await look()).toEqual({ outcome: 'done', result: { message: 'Move', uuid: identity(1).clientUuid } })
    world.put('jobmaterial', { uuid: 'l-1', job_uuid: OTHER_JOB, name: 'Tap', quantity: '2' })
    expect(await look()).toEqual({ outcome: 'done', result: { message: 'Move', uuid: 'l-1' } })
  })
})

describe('looking afterwards', () => {
  it('finds what was made under our id', async () => {
    world.platform.fate = () => 'answer_lost'
    expect(await commit(TASK)).toMatchObject({ outcome: 'unknown' })
    world.platform.fate = () => 'well'
    expect(await verify(TASK)).toEqual({ outcome: 'done', result: { task_uuid: OURS, uuid: OURS } })
  })

  it('says so when it was not made', async () => {
    expect(await verify(TASK)).toEqual({ outcome: 'not_done' })
    expect(await verify(CREATE)).toEqual({ outcome: 'not_done' })
    expect(await verify(STATUS)).toEqual({ outcome: 'not_done' })
    expect(await verify(DOCUMENT)).toEqual({ outcome: 'not_done' })
  })

  it('finds one under another id that says the same and is younger than the try', async () => {
    const twin = (uuid: string, more = {}) =>
      world.put('task', {
        uuid,
        name: 'Ring',
        related_object: 'job',
        related_object_uuid: JOB,
        create_date: '2026-01-05 09:00:04',
        ...more,
      })
    twin('t-old', { create_date: '2026-01-04 09:00:00' })
    twin('t-else', { name: 'Ring them' })
    expect(await verify(TASK)).toEqual({ outcome: 'not_done' })
    twin('t-1')
    expect(await verify(TASK)).toEqual({ outcome: 'done', result: { task_uuid: 't-1', uuid: 't-1' } })
    twin('t-2')
    expect(await verify(TASK)).toMatchObject({ outcome: 'unclear' })
  })

  it('compares what was set as the platform may write it back', async () => {
    const effect: Effect = {
      ...STATUS,
      fields: { completion_date: '2026-01-05', total_invoice_amount: '12', job_description: 'a\nb' },
    }
    world.put('job', {
      uuid: JOB,
      completion_date: '2026-01-05 00:00:00',
      total_invoice_amount: '12.00',
      job_description: 'a\r\nb ',
    })
    expect(await verify(effect)).toMatchObject({ outcome: 'done' })
    world.put('job', {
      uuid: JOB,
      completion_date: '2026-01-06 00:00:00',
      total_invoice_amount: '12.00',
      job_description: 'a',
    })
    expect(await verify(effect)).toEqual({ outcome: 'not_done' })
  })

  it('finds the file of a document', async () => {
    await commit(DOCUMENT)
    expect(await verify(DOCUMENT)).toMatchObject({ outcome: 'done', result: { document_uuid: OURS } })
  })

  it('can prove that a message went out where the history shows it, and nothing else', async () => {
    for (const effect of [SMS, EMAIL, { ...SMS, regardingJobUuid: null }]) {
      expect(await verify(effect)).toEqual({
        outcome: 'unclear',
        sentence: 'ServiceM8 does not show whether it went out.',
      })
    }
    const row = {
      direction: 'outbound',
      related_object: 'job',
      related_object_uuid: JOB,
      timestamp: '2026-01-05 09:00:01',
    }
    world.put('sms', { uuid: 'm-0', ...row, to: '+447700900123', message: 'Hello', timestamp: '2026-01-04 09:00:01' })
    world.put('sms', { uuid: 'm-1', ...row, to: '+447700900123', message: 'Another' })
    expect(await verify(SMS)).toMatchObject({ outcome: 'unclear' })
    world.put('sms', { uuid: 'm-2', ...row, to: '+447700900123', message: 'Hello' })
    expect(await verify(SMS)).toEqual({ outcome: 'done', result: { sms_id: 'm-2', status: 'sent' } })
    world.put('email', { uuid: 'm-3', ...row, to: 'Margaret@smith.example', subject: 'S' })
    expect(await verify(EMAIL)).toEqual({ outcome: 'done', result: { message_id: 'm-3', status: 'sent' } })
    world.platform.fate = () => 'forbidden'
    expect(await verify(SMS)).toMatchObject({ outcome: 'unclear' })
  })

  it('is tried later when the platform does not answer', async () => {
    for (const effect of [CREATE, STATUS, DOCUMENT]) {
      world.platform.fate = () => 'broken'
      expect(await verify(effect)).toMatchObject({ outcome: 'later', retryAt: null })
      world.platform.fate = () => 'too_many'
      expect(await verify(effect)).toMatchObject({ outcome: 'later', retryAt: world.clock.now() + 20_000 })
    }
  })
})

describe('a notification', () => {
  it('is signed like a forward, under a key that stays the same', async () => {
    const secret = newSigningSecret()
    world.webhooks.push({ id: 1, url: 'https://elsewhere.example/in', state: 'active', secret: newSigningSecret() })
    world.webhooks.push({ id: 2, url: NOTIFY.url, state: 'active', secret })
    expect(await commit(NOTIFY)).toMatchObject({ outcome: 'sent', result: { status: '200' } })
    await commit(NOTIFY)
    const [first, second] = world.outbound.sent
    expect(first?.headers['idempotency-key']).toBe(OURS)
    expect(second?.headers['idempotency-key']).toBe(OURS)
    const signature = signForward({
      id: OURS,
      timestampSeconds: Number(first?.headers['webhook-timestamp']),
      body: NOTIFY.body,
      secrets: [secret],
    })['webhook-signature']
    expect(first?.headers['webhook-signature']).toBe(signature)
  })

  it('is signed with both secrets while the one before a new one stays valid, then with the new one alone', async () => {
    const [older, newer] = [newSigningSecret(), newSigningSecret()]
    const previous = { secret: older, until: world.clock.now() + hours(24) }
    world.webhooks.push({ id: 1, url: NOTIFY.url, state: 'active', secret: newer, previous })
    await commit(NOTIFY)
    world.clock.advance(hours(24))
    await commit(NOTIFY)
    const signedWith = [[newer, older], [newer]]
    expect(world.outbound.sent.map(({ headers }) => headers['webhook-signature'])).toEqual(
      world.outbound.sent.map(({ headers }, at) => {
        const timestampSeconds = Number(headers['webhook-timestamp'])
        const forward = { id: OURS, timestampSeconds, body: NOTIFY.body, secrets: signedWith[at] ?? [] }
        return signForward(forward)['webhook-signature']
      }),
    )
  })

  it('to an address of no webhook is signed by the first one of the account; without any it leaves unsigned', async () => {
    await commit(NOTIFY)
    expect(world.outbound.sent[0]?.headers).not.toHaveProperty('webhook-signature')
    world.webhooks.push({ id: 1, url: 'https://elsewhere.example/in', state: 'active', secret: newSigningSecret() })
    await commit(NOTIFY)
    expect(world.outbound.sent[1]?.headers).toHaveProperty('webhook-signature')
  })

  it.each([
    [{ status: 204 }, { outcome: 'sent' }],
    [{ status: 404 }, { outcome: 'failed', errorClass: 'address_refused', retry: false }],
    [{ status: 410 }, { outcome: 'failed', retry: false, sentence: expect.stringContaining('in the automation.') }],
    [
      { status: 301, headers: { location: 'https://x' } },
      { outcome: 'failed', retry: false },
    ],
    [{ status: 429 }, { outcome: 'failed', retry: true, sentence: expect.stringContaining('We try again later.') }],
    [
      { status: 429, headers: { 'retry-after': '3600' } },
      {
        notBefore: expect.any(Number),
        sentence: 'Your address answered 429 and asked us to wait 60 minutes. We try again then.',
      },
    ],
    [{ status: 503 }, { outcome: 'failed', errorClass: 'address_failed', retry: true }],
    [{ fails: 'blocked' }, { outcome: 'failed', retry: false }],
    [{ fails: 'dns' }, { outcome: 'failed', retry: true }],
    [{ fails: 'refused' }, { outcome: 'failed', retry: true }],
    [{ fails: 'timeout' }, { outcome: 'unknown' }],
    [{ fails: 'reset' }, { outcome: 'unknown' }],
  ] as const)('that is answered with %j ends as %j', async (answer, end) => {
    world.outbound.when(NOTIFY.url, answer)
    expect(await commit(NOTIFY)).toMatchObject(end)
  })

  it('cannot be looked for', async () => {
    expect(await verify(NOTIFY)).toMatchObject({ outcome: 'unclear' })
  })
})

describe('the feed', () => {
  const FEED: Effect = { kind: 'post_feed', class: 'staff', message: 'x', showActionBar: false, summary: 'Feed' }

  it('needs its path', async () => {
    expect(await commit(FEED)).toMatchObject({ outcome: 'failed', retry: false })
    const committer = createCommitter({
      ...world.app,
      settings: { ...world.app.settings, feedPath: '/unverified_feed' },
    })
    const context = { identity: identity(0), siblings: [], results: {} }
    expect(await committer.commit(FEED, context)).toMatchObject({ outcome: 'sent' })
    expect(await committer.verify(FEED, context)).toMatchObject({ outcome: 'unclear' })
  })
})

describe('a document that is not a file of ours', () => {
  const DIARY: Effect = { ...DOCUMENT, attachTo: null, storeToDiary: true }
  const NOT_KEPT: Effect = { ...DOCUMENT, attachTo: null, storeToDiary: false }

  it('is filed by the platform, and looked for in the job after an unclear end', async () => {
    expect(await verify(DIARY)).toEqual({ outcome: 'not_done' })
    expect(await commit(DIARY)).toEqual({ outcome: 'sent', result: {} })
    expect(await verify(DIARY)).toEqual({ outcome: 'done', result: {} })
    expect(world.platform.made.filter(({ object }) => object === 'attachment')).toEqual([])
  })

  it('is produced and leaves nothing where nobody keeps it', async () => {
    expect(await commit(NOT_KEPT)).toEqual({ outcome: 'sent', result: {} })
    expect(await verify(NOT_KEPT)).toEqual({ outcome: 'not_done' })
    expect([...world.platform.records(ACCOUNT, 'attachment').keys()]).toEqual([FILE, OTHER_FILE])
  })
})
