// Long: eleven actions, one stage. Every action of the product against the whole stand-in of the platform, over real HTTP: planned, done, looked at there.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createOutbound } from '#app/adapters/outbound/outbound.server.ts'
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import { createServiceM8Api } from '#app/adapters/servicem8/servicem8.server.ts'
import type { PlatformCall } from '#app/adapters/servicem8/servicem8-call.ts'
import { createServiceM8OAuth } from '#app/adapters/servicem8/servicem8-oauth.server.ts'
import { newSigningSecret, signForward } from '#app/adapters/standard-webhooks.server.ts'
import type { ActionType } from '#app/domain/automations/action-parameters.ts'
import type { CommitResult, Effect, StepResult } from '#app/domain/automations/effect.ts'
import type { ActionParameters } from '#app/domain/automations/rule.ts'
import { runReasonText } from '#app/domain/automations/run-reasons.ts'
import { tokenPlace } from '#app/domain/credential.ts'
import { createCallAsAccount } from '#app/features/accounts/call-as-account.server.ts'
import type { AccountProfile, CommitContext, Committer } from '#app/features/automations/actions/action.server.ts'
import { createCommitter } from '#app/features/automations/actions/commit/commit-effect.server.ts'
import type { CommitApp } from '#app/features/automations/actions/commit/commit-record.server.ts'
import { openDocument } from '#app/features/automations/actions/document-links.server.ts'
import { ACTIONS } from '#app/features/automations/actions/registry.server.ts'
import { createFactLoader } from '#app/features/automations/records/load-facts.server.ts'
import type { Log } from '#app/lib/log.ts'
import { SCOPES } from '#sandbox/servicem8/catalog.ts'
import { openStage, START, type TestStage } from '#sandbox/testing.server.ts'
import type { SeedAccount } from '#sandbox/world.ts'
import { readOfficialDocument } from '#tests/support/official-document.server.ts'
import { recordWire } from '#tests/support/wire-recorder.server.ts'

const ACCOUNT = 'a0000000-0000-4000-8000-000000000001'
const MIA = 'a0000000-0000-4000-8000-0000000000a1'
const SAM = 'a0000000-0000-4000-8000-0000000000a2'
const CUSTOMER = 'a0000000-0000-4000-8000-0000000000c1'
const JOB = 'a0000000-0000-4000-8000-000000000011'
const QUEUE = 'a0000000-0000-4000-8000-0000000000e1'
const TAP = 'a0000000-0000-4000-8000-0000000000f1'
const BUNDLE = 'a0000000-0000-4000-8000-0000000000f2'
const EMAIL_TEMPLATE = 'a0000000-0000-4000-8000-0000000000f3'
const SMS_TEMPLATE = 'a0000000-0000-4000-8000-0000000000f4'
const INVOICE = 'a0000000-0000-4000-8000-0000000000f5'
const QUIET: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => QUIET }

const SEED: readonly SeedAccount[] = [
  {
    vendor: {
      uuid: ACCOUNT,
      name: 'Harbour Plumbing',
      email: 'office@harbour.example',
      timezone_name: 'Australia/Sydney',
      currency: 'AUD',
      default_region: 'Australia',
    },
    records: {
      staff: [
        { uuid: MIA, first: 'Mia', last: 'Nguyen', email: 'mia@harbour.example', mobile: '0412 345 678' },
        { uuid: SAM, first: 'Sam', last: 'Okafor', email: 'sam@harbour.example', mobile: '' },
      ],
      company: [{ uuid: CUSTOMER, name: 'Corner Bakery', address: '12 Bay Street, Newtown NSW 2042' }],
      queue: [{ uuid: QUEUE, name: 'Parts on order', default_timeframe: 14, requires_assignment: 1 }],
      material: [{ uuid: TAP, name: 'Tap', item_number: 'T-1', price: '45.50', cost: '20.00' }],
      materialbundle: [
        { uuid: BUNDLE, name: 'Tap swap', item_number: 'B-1', material_list: [{ uuid: TAP, quantity: 2 }] },
      ],
      emailtemplate: [
        {
          uuid: EMAIL_TEMPLATE,
          name: 'Ready',
          subject: 'Job {job.generated_job_id}',
          message: '<p>Dear {job.contact_first},</p><p>{vendor.name}</p>',
        },
      ],
      smstemplate: [{ uuid: SMS_TEMPLATE, name: 'Thanks', message: 'Thanks {job.contact_first}! {vendor.name}' }],
      documenttemplate: [{ uuid: INVOICE, name: 'Tax invoice', template_type: 'Invoice', related_object: 'job' }],
      job: [
        {
          uuid: JOB,
          status: 'Quote',
          company_uuid: CUSTOMER,
          job_address: '12 Bay Street',
          job_description: 'Leaking tap {company_email} <b>',
          generated_job_id: '1041',
        },
      ],
      jobcontact: [
        {
          uuid: 'a0000000-0000-4000-8000-0000000000b1',
          job_uuid: JOB,
          type: 'JOB',
          first: 'Ann',
          last: 'Baker',
          mobile: '0498 765 432',
          email: 'ann@bakery.example',
        },
      ],
      jobmaterialbundle: [
        { uuid: 'a0000000-0000-4000-8000-0000000000d0', job_uuid: JOB, name: 'Old swap', quantity: '1' },
      ],
      jobmaterial: [
        { uuid: 'a0000000-0000-4000-8000-0000000000d1', job_uuid: JOB, name: 'Washer', quantity: '3', price: '2.00' },
        {
          uuid: 'a0000000-0000-4000-8000-0000000000d2',
          job_uuid: JOB,
          name: 'Old tap',
          quantity: '1',
          price: '30.00',
          job_material_bundle_uuid: 'a0000000-0000-4000-8000-0000000000d0',
        },
      ],
    },
  },
]

const PROFILE_OF_SANDBOX: Partial<AccountProfile> = { zone: 'Australia/Sydney', country: 'AU', currency: 'AUD' }

const official = readOfficialDocument()

let stage: TestStage
let wire: Awaited<ReturnType<typeof recordWire>>
let app: CommitApp
let committer: Committer
let facts: ReturnType<typeof createFactLoader>
let calls: PlatformCall[]
let closeOutbound: () => Promise<void>
let effects = 0

beforeEach(async () => {
  stage = await openStage({ seed: SEED })
  wire = await recordWire(stage.sandbox.apiUrl)
  calls = []
  effects = 0
  const { clock } = stage
  const secrets = createSecretBox(`k1:${Buffer.alloc(32, 7).toString('base64')}`)
  const granted = stage.world.grant(ACCOUNT, [...SCOPES].join(' '))
  const webhookSecret = newSigningSecret()
  const store = {
    accounts: {
      findCredential: async () => ({
        accountUuid: ACCOUNT,
        accessTokenSealed: await secrets.seal(tokenPlace(ACCOUNT, 'access_token'), granted.access_token),
        refreshTokenSealed: await secrets.seal(tokenPlace(ACCOUNT, 'refresh_token'), granted.refresh_token),
        expiresAt: clock.now() + 3_600_000,
        scope: granted.scope,
        state: 'connected',
        stateReason: null,
        generation: 1,
      }),
      findAccount: async () => ({ uuid: ACCOUNT, name: 'Harbour Plumbing', timezone: 'Australia/Sydney' }),
    },
    endpoints: {
      listEndpoints: async () => [
        {
          kind: 'webhook',
          id: 1,
          endpoint: {
            id: 1,
            url: `${stage.origin}/in/notify`,
            state: 'active',
            secretSealed: await secrets.seal(`endpoint|${ACCOUNT}|secret`, webhookSecret),
          },
        },
      ],
    },
  } as unknown as CommitApp['store']
  const platformApi = createServiceM8Api({
    apiUrl: wire.url,
    clock,
    log: QUIET,
    onCall: (call) => calls.push(call),
    timeouts: { read: 5_000, subscribe: 5_000, send: 5_000, document: 5_000 },
  })
  const oauth = createServiceM8OAuth({
    oauthUrl: stage.sandbox.apiUrl,
    appId: 'app-1',
    appSecret: 'secret-1',
    scopes: [],
    clock,
    log: QUIET,
  })
  const outbound = createOutbound({
    clock,
    selfHosts: ['fieldhook.test'],
    egressAllow: [new URL(stage.origin).host],
  })
  closeOutbound = () => outbound.close()
  app = {
    callAsAccount: createCallAsAccount({
      store: { ...store.accounts, ...store.events },
      clock,
      log: QUIET,
      secrets,
      oauth,
      platformApi,
    }),
    clock,
    log: QUIET,
    store,
    outbound,
    secrets,
    settings: {
      origin: 'https://fieldhook.test',
      adminAccounts: new Set(),
      routePattern: (path: string) => path,
      scopes: [],
      sandbox: true,
      payments: { mode: 'off' as const, publishableKey: null },
      version: '1.2.3',
      feedPath: '/unverified_feed',
    },
  }
  committer = createCommitter(app, { sign: signForward })
  facts = createFactLoader(app)
})

afterEach(async () => {
  await closeOutbound()
  await wire.stop()
  await stage.stop()
  // Whatever an action asks, and whatever it is answered, is as the platform describes it.
  expect(wire.exchanges.flatMap(official.problemsOf)).toEqual([])
})

async function contextOf(effect: number, results: Record<string, StepResult>): Promise<CommitContext> {
  return {
    identity: {
      accountUuid: ACCOUNT,
      runId: 1,
      stepId: 's',
      itemKey: String(effect),
      clientUuid: `eeeeeeee-0000-5000-8000-${String(++effects).padStart(12, '0')}`,
      sendingAt: stage.clock.now(),
    },
    siblings: [],
    results,
  }
}

const EVERYTHING = ['contact', 'company', 'company_contact', 'staff', 'queue', 'category'] as const

async function plan(type: ActionType, parameters: ActionParameters, results: Record<string, StepResult> = {}) {
  const loaded = await facts.one(ACCOUNT, 'job', JOB, EVERYTHING)
  const profile = await facts.profile(ACCOUNT)
  if (loaded.outcome !== 'ok' || profile.outcome !== 'ok') throw new Error('the job could not be read')
  expect(profile.profile).toMatchObject(PROFILE_OF_SANDBOX)
  return ACTIONS[type].plan({
    now: stage.clock.now(),
    account: profile.profile,
    step: { id: 's2', type, parameters, waitForPrevious: false },
    records: [loaded.facts],
    trigger: {},
    results,
    order: ['s1', 's2'],
    read: facts.reader(ACCOUNT),
    origin: 'https://fieldhook.test',
    automation: { id: 7, name: 'Walk' },
    notifyUrl: `${stage.origin}/in/notify`,
    feed: true,
  })
}

/** Plans, does every effect, and answers what each left. Throws when one did not go well. */
async function act(
  type: ActionType,
  parameters: ActionParameters,
  results: Record<string, StepResult> = {},
): Promise<StepResult[]> {
  const planned = await plan(type, parameters, results)
  if (planned.outcome !== 'planned') throw new Error(JSON.stringify(planned))
  const done: StepResult[] = []
  for (const [index, effect] of planned.effects.entries()) {
    const ended = await commit(effect, { ...(await contextOf(index, results)), siblings: [...done] })
    if (ended.outcome !== 'sent') throw new Error(`${effect.summary}: ${JSON.stringify(ended)}`)
    done.push(ended.result)
  }
  return done
}

const commit = (effect: Effect, context: CommitContext): Promise<CommitResult> => committer.commit(effect, context)
const outbox = (kind: string) => stage.world.outbox(ACCOUNT).filter((item) => item.kind === kind)
const job = () => stage.world.findRecord(ACCOUNT, 'job', JOB)

describe('on the wire of the platform', () => {
  test('a job gets a new status, and the platform stamps it', async () => {
    await act('update_job_status', { status: 'Completed' })
    expect(job()).toMatchObject({ status: 'Completed', completion_date: '2026-01-05 20:00:00' })
  })

  test('a job goes into a queue, for somebody, until a day', async () => {
    await act('assign_to_queue', { queueUuid: QUEUE })
    expect(job()).toMatchObject({
      queue_uuid: QUEUE,
      queue_expiry_date: '2026-01-19 20:00:00',
      queue_assigned_staff_uuid: MIA,
    })
  })

  test('a field of a job is set', async () => {
    await act('update_job_field', { fieldName: 'date', fieldValue: 'TODAY+1' })
    await act('update_job_field', { fieldName: 'work_done_description', fieldValue: 'Was: {entry.0.job_description}' })
    expect(job()).toMatchObject({ date: '2026-01-06', work_done_description: 'Was: Leaking tap {company_email} <b>' })
  })

  test('a task stands on the job', async () => {
    const [result] = await act('create_task', { title: 'Ring {entry.0.contact_first_name}', description: 'Now' })
    expect(stage.world.findRecord(ACCOUNT, 'task', result?.task_uuid ?? '')).toMatchObject({
      name: 'Ring Ann',
      task_details: 'Now',
      related_object: 'job',
      related_object_uuid: JOB,
    })
  })

  test('a staff member gets a message', async () => {
    await act('send_staff_message', { toStaffUuid: SAM, message: 'Job {entry.0.generated_job_id}', linkToJob: true })
    expect(outbox('staff_message')).toMatchObject([
      { fromStaffUuid: MIA, toStaffUuid: SAM, message: 'Job 1041', jobUuid: JOB },
    ])
  })

  test('the feed is posted to; without a path it is a note on the job', async () => {
    await act('post_activity_feed', { message: 'Done', showActionBar: true })
    expect(outbox('feed')).toMatchObject([{ message: 'Done', showActionBar: true }])
    const planned = await ACTIONS.post_activity_feed.plan({
      ...(await bareContext('post_activity_feed', { message: 'Parts chased', showActionBar: true })),
      feed: false,
    })
    if (planned.outcome !== 'planned' || !planned.effects[0]) throw new Error(planned.outcome)
    const ended = await commit(planned.effects[0], await contextOf(0, {}))
    expect(ended.outcome).toBe('sent')
    expect(stage.world.records(ACCOUNT, 'note')).toMatchObject([
      { note: 'Parts chased', related_object_uuid: JOB, action_required: '1' },
    ])
  })

  test('a text message goes out, from the rule and from a template', async () => {
    const [first] = await act('send_sms', { message: 'Hi {entry.0.contact_first_name}', linkToJob: true })
    const [second] = await act('send_sms', { useSmsTemplate: true, smsTemplateId: SMS_TEMPLATE, to: '+61412345678' })
    expect(outbox('sms').reverse()).toMatchObject([
      { to: '+61498765432', message: 'Hi Ann', jobUuid: JOB, messageId: first?.sms_id, credits: 1 },
      { to: '+61412345678', message: 'Thanks Ann! Harbour Plumbing', messageId: second?.sms_id },
    ])
  })

  test('a document is produced in three forms, kept with the job, and can be downloaded', async () => {
    for (const outputFormat of ['pdf', 'docx', 'jpg']) {
      const [result] = await act('generate_document', { templateType: INVOICE, outputFormat, createAttachment: true })
      const uuid = result?.document_uuid ?? ''
      const file = stage.world.fileOf(ACCOUNT, uuid)
      expect(file?.name).toBe(`Invoice 1041.${outputFormat}`)
      expect(file?.bytes.byteLength).toBeGreaterThan(100)
      const token = result?.document_url?.split('/').at(-1) ?? ''
      const opened = await openDocument(app, token)
      if (opened.outcome !== 'found') throw new Error(opened.outcome)
      const downloaded = await fetch(opened.url)
      expect(downloaded.status).toBe(200)
      expect((await downloaded.arrayBuffer()).byteLength).toBe(file?.bytes.byteLength)
    }
    expect(stage.world.records(ACCOUNT, 'attachment')).toHaveLength(3)
  })

  test.each([
    [true, true, 1],
    [true, false, 1],
    [false, true, 1],
    [false, false, 0],
  ])(
    'a document as an attachment %s and in the diary %s leaves %i file',
    async (createAttachment, storeToDiary, files) => {
      const [result] = await act('generate_document', { templateType: 'Quote', createAttachment, storeToDiary })
      expect(stage.world.records(ACCOUNT, 'attachment')).toHaveLength(files)
      expect(Object.keys(result ?? {})).toEqual(createAttachment ? ['document_uuid', 'document_url'] : [])
    },
  )

  test('an e-mail goes out: plain, HTML with signature, template; with the files of the job and a document', async () => {
    const [document] = await act('generate_document', { templateType: 'Quote', createAttachment: true })
    const results = { s1: document ?? {} }
    await act('send_email', { customSubject: 'Job {entry.0.generated_job_id}', customBody: 'Hello', linkToJob: true })
    await act('send_email', {
      contentType: 'html',
      to: 'ann@bakery.example',
      cc: 'pay@bakery.example',
      replyTo: 'office@harbour.example',
      customHtmlSubject: 'S',
      customHtmlBody: '<p>{entry.0.job_description}</p>',
      includeSignature: true,
      includeJobAttachments: true,
      attachmentFilter: 'quote',
    })
    await act(
      'send_email',
      {
        contentType: 'template',
        emailTemplateId: EMAIL_TEMPLATE,
        includeGeneratedDocument: true,
        documentActionIndex: 1,
      },
      results,
    )
    expect(outbox('email').reverse()).toMatchObject([
      { to: 'ann@bakery.example', subject: 'Job 1041', textBody: 'Hello', htmlBody: '', jobUuid: JOB, attachments: [] },
      {
        cc: 'pay@bakery.example',
        replyTo: 'office@harbour.example',
        htmlBody: '<p>Leaking tap {company_email} &lt;b&gt;</p><p>Mia Nguyen<br>Harbour Plumbing</p>',
        signedByStaffUuid: MIA,
        attachments: [{ name: 'Quote 1041.pdf' }],
      },
      {
        subject: 'Job 1041',
        htmlBody: '<p>Dear Ann,</p><p>Harbour Plumbing</p>',
        attachments: [{ uuid: document?.document_uuid }],
      },
    ])
  })

  test('a job is made with copied lines and bundles, typed bundles and a queue', async () => {
    const [made] = await act('create_job', {
      company_uuid: '{company_uuid}',
      status: 'Work Order',
      job_description: 'Again: {entry.0.generated_job_id}',
      date: 'TODAY',
      queue_uuid: QUEUE,
      copyMaterialsFromJob: true,
      material_bundles: [{ bundle_uuid: BUNDLE, quantity: 3 }],
    })
    const uuid = made?.job_uuid ?? ''
    expect(made?.generated_job_id).toBe('1042')
    expect(stage.world.findRecord(ACCOUNT, 'job', uuid)).toMatchObject({
      status: 'Work Order',
      company_uuid: CUSTOMER,
      job_description: 'Again: 1041',
      date: '2026-01-05',
      queue_uuid: QUEUE,
      queue_assigned_staff_uuid: MIA,
      total_invoice_amount: '309.00',
    })
    const lines = stage.world.records(ACCOUNT, 'jobmaterial').filter((line) => line.job_uuid === uuid)
    expect(lines.map((line) => [line.name, line.quantity])).toEqual([
      ['Tap', '6'],
      ['Washer', '3'],
      ['Old tap', '1'],
    ])
  })

  test('lines and bundles are moved to a new job', async () => {
    const [made] = await act('create_job', {
      company_uuid: CUSTOMER,
      status: 'Quote',
      updateExistingMaterials: true,
      transferBundles: true,
    })
    const moved = stage.world.records(ACCOUNT, 'jobmaterial')
    expect(moved.map((line) => line.job_uuid)).toEqual([made?.job_uuid, made?.job_uuid])
    expect(stage.world.records(ACCOUNT, 'jobmaterialbundle')).toMatchObject([{ job_uuid: made?.job_uuid }])
  })

  test('a notification reaches the address of the user, signed', async () => {
    const [result] = await act('send_notification', { message: 'event=done; job={entry.0.generated_job_id}' })
    expect(result).toMatchObject({ status: '200' })
    expect(stage.hits).toHaveLength(1)
    expect(JSON.parse(stage.hits[0]?.body ?? '')).toMatchObject({
      automation: { id: 7, name: 'Walk' },
      data: { event: 'done', job: '1041' },
      job: { uuid: JOB, company_name: 'Corner Bakery' },
    })
  })
})

describe('when the platform misbehaves', () => {
  test('flags and error codes in the other spelling change nothing', async () => {
    stage.world.setOptions(ACCOUNT, { quotedFlags: true })
    const [made] = await act('create_job', {
      company_uuid: CUSTOMER,
      status: 'Quote',
      queue_uuid: QUEUE,
      copyMaterialsFromJob: true,
      material_bundles: [{ bundle_uuid: BUNDLE, quantity: 3 }],
    })
    const ofJob = (object: string) =>
      stage.world.records(ACCOUNT, object).filter((one) => one.job_uuid === made?.job_uuid)
    expect(
      ofJob('jobmaterial')
        .map((one) => one.name)
        .sort(),
    ).toEqual(['Old tap', 'Tap', 'Washer'])
    expect(
      ofJob('jobmaterialbundle')
        .map((one) => one.name)
        .sort(),
    ).toEqual(['Tap swap'])
    // It was so: these answers are not as described.
    const odd = wire.exchanges.splice(0).flatMap(official.problemsOf)
    expect(odd).toContainEqual(expect.stringContaining('answered: /errorCode must be number'))
    expect(odd).toContainEqual(expect.stringContaining('/active must be integer'))
  })

  test('a document it does not make is told in its words', async () => {
    const planned = await plan('generate_document', { objectType: 'Company', templateType: 'Invoice' })
    if (planned.outcome !== 'planned' || !planned.effects[0]) throw new Error(planned.outcome)
    expect(await commit(planned.effects[0], await contextOf(0, {}))).toEqual({
      outcome: 'failed',
      errorClass: 'invalid',
      sentence: 'ServiceM8 refused this document: "objectType must be Job"',
      retry: false,
    })
  })

  test('a lost answer leaves a customer message unclear and a record findable, and nothing is there twice', async () => {
    const sms = await plan('send_sms', { message: 'Hello', linkToJob: true })
    const task = await plan('create_task', { title: 'Ring' })
    if (sms.outcome !== 'planned' || task.outcome !== 'planned') throw new Error('not planned')
    stage.world.addFault({ path: '/platform_service_sms', effect: { kind: 'lose_answer' } })
    stage.world.addFault({ path: '/api_1.0/task.json', method: 'POST', effect: { kind: 'lose_answer' } })
    const smsContext = await contextOf(0, {})
    const taskContext = await contextOf(0, {})
    const [message, made] = [sms.effects[0], task.effects[0]]
    if (!message || !made) throw new Error('nothing planned')
    expect(await commit(message, smsContext)).toMatchObject({ outcome: 'unknown' })
    expect(await commit(made, taskContext)).toMatchObject({ outcome: 'unknown' })
    expect(await committer.verify(made, taskContext)).toMatchObject({ outcome: 'done' })
    expect(await commit(made, taskContext)).toMatchObject({ outcome: 'sent' })
    expect(stage.world.records(ACCOUNT, 'task')).toHaveLength(1)
    // The history proves it here, because this account agreed to its being read.
    expect(await committer.verify(message, smsContext)).toMatchObject({ outcome: 'done' })
    expect(outbox('sms')).toHaveLength(1)
  })

  test('a 200 that sent nothing is a failure that may be repeated', async () => {
    stage.world.setOptions(ACCOUNT, { messagingSilent: true })
    const planned = await plan('send_sms', { message: 'Hello' })
    if (planned.outcome !== 'planned' || !planned.effects[0]) throw new Error(planned.outcome)
    const ended = await commit(planned.effects[0], await contextOf(0, {}))
    expect(ended).toMatchObject({ outcome: 'failed', errorClass: 'unavailable', retry: true })
    expect(outbox('sms')).toEqual([])
  })

  test("messages beyond the platform's own quota wait, and other calls go on", async () => {
    stage.world.setOptions(ACCOUNT, { messagesPerMinute: 1 })
    await act('send_sms', { message: 'One' })
    const planned = await plan('send_sms', { message: 'Two' })
    if (planned.outcome !== 'planned' || !planned.effects[0]) throw new Error(planned.outcome)
    expect(await commit(planned.effects[0], await contextOf(0, {}))).toMatchObject({
      outcome: 'wait',
      until: START + 60_000,
    })
    await act('create_task', { title: 'Still possible' })
  })

  test('the limit of calls stops the account until it is over', async () => {
    await act('create_task', { title: 'First' })
    stage.world.addFault({ path: '/api_1.0/*', effect: { kind: 'status', status: 429 } })
    expect(await plan('update_job_status', { status: 'Completed' }).catch(String)).toContain('could not be read')
    const before = calls.length
    expect(await app.callAsAccount(ACCOUNT, (api, token) => api.read(token, 'job', JOB))).toMatchObject({
      outcome: 'rate_limited',
      retryAt: START + 60_000,
    })
    expect(calls).toHaveLength(before)
    stage.clock.advance(60_000)
    await act('update_job_status', { status: 'Completed' })
  })

  test('a missing permission is named', async () => {
    const narrow = stage.world.grant(ACCOUNT, 'vendor read_jobs read_staff')
    const api = createServiceM8Api({ apiUrl: stage.sandbox.apiUrl, clock: stage.clock, log: QUIET })
    const committed = createCommitter({ ...app, callAsAccount: (_account, call) => call(api, narrow.access_token) })
    const planned = await plan('send_sms', { message: 'Hello' })
    if (planned.outcome !== 'planned' || !planned.effects[0]) throw new Error(planned.outcome)
    const answer = await committed.commit(planned.effects[0], await contextOf(0, {}))
    if (answer.outcome !== 'blocked') throw new Error(answer.outcome)
    expect(answer.errorClass).toBe('scope')
    expect(runReasonText(answer.sentence)).toBe(
      'We may not do this in ServiceM8: the permission publish_sms is missing. Please click Reconnect in the Webhook Manager to give it.',
    )
  })
})

describe('calls', () => {
  test('are at most six for two actions once the surroundings are known', async () => {
    await plan('send_sms', { message: 'x' })
    const before = calls.length
    const loaded = await facts.one(ACCOUNT, 'job', JOB, EVERYTHING)
    if (loaded.outcome !== 'ok') throw new Error(loaded.outcome)
    const context = await bareContext(
      'create_job',
      { company_uuid: CUSTOMER, status: 'Quote', queue_uuid: QUEUE },
      loaded.facts,
    )
    const email = await bareContext(
      'send_email',
      { contentType: 'template', emailTemplateId: EMAIL_TEMPLATE, to: 'ann@bakery.example', includeSignature: true },
      loaded.facts,
    )
    for (const [type, one] of [
      ['create_job', context],
      ['send_email', email],
    ] as const) {
      const planned = await ACTIONS[type].plan(one)
      if (planned.outcome !== 'planned' || !planned.effects[0]) throw new Error(JSON.stringify(planned))
      expect(await commit(planned.effects[0], await contextOf(0, {}))).toMatchObject({ outcome: 'sent' })
    }
    expect(calls.slice(before).map((call) => `${call.method} ${call.path}`)).toHaveLength(6)
  })
})

async function bareContext(type: ActionType, parameters: ActionParameters, record?: Parameters<typeof recordsOf>[0]) {
  const profile = await facts.profile(ACCOUNT)
  if (profile.outcome !== 'ok') throw new Error(profile.outcome)
  return {
    now: stage.clock.now(),
    account: profile.profile,
    step: { id: 's2', type, parameters, waitForPrevious: false },
    records: await recordsOf(record),
    trigger: {},
    results: {},
    order: ['s1', 's2'],
    read: facts.reader(ACCOUNT),
    origin: 'https://fieldhook.test',
  }
}

async function recordsOf(known?: Awaited<ReturnType<typeof loadedJob>>) {
  return [known ?? (await loadedJob())]
}

async function loadedJob() {
  const loaded = await facts.one(ACCOUNT, 'job', JOB, EVERYTHING)
  if (loaded.outcome !== 'ok') throw new Error(loaded.outcome)
  return loaded.facts
}
