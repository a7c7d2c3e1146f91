import { beforeEach, describe, expect, it } from 'vitest'
import {
  type ActionWorld,
  actionWorld,
  CUSTOMER,
  effectsOf,
  JOB,
  LEFT,
  PRIYA,
  TOM,
} from '#tests/support/action-platform.server.ts'

const TASK = '12000000-0000-4000-8000-000000000001'

let world: ActionWorld

beforeEach(() => {
  world = actionWorld()
})

const created = async (...input: Parameters<ActionWorld['plan']>) =>
  effectsOf(await world.plan(...input), 'create_record')

describe('send_staff_message', () => {
  const MESSAGE = { toStaffUuid: TOM, message: 'Job {entry.0.generated_job_id}: {entry.0.job_description}' }

  it('goes from the first active staff member, and says so', async () => {
    const plan = await world.plan('send_staff_message', { ...MESSAGE, linkToJob: true })
    expect(effectsOf(plan, 'create_record')).toEqual([
      {
        kind: 'create_record',
        class: 'create',
        object: 'staffmessage',
        fields: {
          from_staff_uuid: PRIYA,
          to_staff_uuid: TOM,
          message: 'Job 1041: Replace the boiler',
          regarding_job_uuid: JOB,
        },
        parents: {},
        readBack: [],
        summary: 'Staff message to Tom Finch',
      },
    ])
    expect(plan).toMatchObject({ warnings: [{ code: 'sender_by_default' }] })
  })

  it('goes from whoever is chosen; somebody who left is replaced with a word', async () => {
    const [effect] = await created('send_staff_message', MESSAGE, { senderStaffUuid: TOM })
    expect(effect?.fields).not.toHaveProperty('regarding_job_uuid')
    expect(effect?.fields.from_staff_uuid).toBe(TOM)
    expect(await world.plan('send_staff_message', MESSAGE, { senderStaffUuid: LEFT })).toMatchObject({
      warnings: [{ sentence: expect.stringContaining('The chosen sender no longer works here') }],
    })
  })

  it('goes to several, by id, name or placeholder, each once', async () => {
    const toStaffUuid = `${TOM}, tom finch; {staff_wanted}`
    const effects = await created(
      'send_staff_message',
      { ...MESSAGE, toStaffUuid },
      { trigger: { staff_wanted: PRIYA } },
    )
    expect(effects.map((effect) => effect.fields.to_staff_uuid)).toEqual([TOM, PRIYA])
  })

  it.each([
    [{ ...MESSAGE, toStaffUuid: LEFT }, 'no longer works here'],
    [{ ...MESSAGE, toStaffUuid: '' }, 'The staff message has no receiver'],
    [{ ...MESSAGE, message: ' ' }, 'has no text'],
  ])('cannot go out as %j', async (parameters, sentence) => {
    expect(await world.plan('send_staff_message', parameters)).toMatchObject({
      outcome: 'impossible',
      sentence: expect.stringContaining(sentence),
    })
  })

  it.each([
    ['job', JOB, '{entry.0.staff_uuid}', 'Nobody is assigned to this job.'],
    ['job', JOB, '{assigned_staff}, {staff.uuid}', 'Nobody is assigned to this job.'],
    ['task', TASK, '{entry.0.assigned_to_staff_uuid}', 'Nobody is assigned to this task.'],
    ['task', TASK, '{entry.0.staff_uuid}', 'Nobody is assigned to this job.'],
    ['task', TASK, '{completed_by_staff_uuid}', 'No staff message: {completed_by_staff_uuid} is empty here.'],
  ])('is passed over with the true reason where a %s has nobody', async (object, uuid, toStaffUuid, sentence) => {
    world.put('task', {
      uuid: TASK,
      name: 'Call',
      related_object: 'job',
      related_object_uuid: JOB,
      assigned_to_staff_uuid: '',
      completed_by_staff_uuid: '',
    })
    const records = [await world.record(object, uuid)]
    expect(await world.plan('send_staff_message', { ...MESSAGE, toStaffUuid }, { records })).toMatchObject({
      outcome: 'skipped',
      sentence,
    })
  })

  it('says of a blank that it is still to fill in, and once where nothing goes out', async () => {
    const task = await world.plan('create_task', { title: 'Ring [[Your name]]', description: '' })
    expect(task).toMatchObject({ warnings: [{ sentence: '“Your name” is still to fill in.' }] })
    expect(
      await world.plan('send_email', { to: 'ann@example.com', customSubject: 'Hi', customBody: '[[Your name]]' }),
    ).toMatchObject({
      outcome: 'skipped',
      sentence: 'No e-mail: “Your name” is still to fill in.',
      warnings: [],
    })
    const empty = await world.plan('send_email', {
      to: 'ann@example.com',
      customSubject: 'Hi',
      customBody: 'On {queue_name}',
    })
    expect(empty).toMatchObject({ outcome: 'skipped', warnings: [] })
  })

  it.each([
    ['send_staff_message', { toStaffUuid: TOM, message: '{queue_name}' }, 'staff message'],
    ['post_activity_feed', { message: ' {queue_name} ' }, 'feed message'],
    ['create_task', { title: '{queue_name}', description: 'x' }, 'task'],
    ['send_sms', { to: '+44 7700 900123', message: '{queue_name}' }, 'text message'],
    ['send_email', { to: 'tom@alder.example', customSubject: '{queue_name}', customBody: 'x' }, 'e-mail'],
    ['send_email', { to: 'tom@alder.example', customSubject: 'x', customBody: '{queue_name}' }, 'e-mail'],
  ] as const)('%s with %j is passed over where nothing of its text is left', async (type, parameters, what) => {
    world.set('staff', TOM, { email: 'tom@alder.example', mobile: '+447700900123' })
    expect(await world.plan(type, parameters)).toMatchObject({
      outcome: 'skipped',
      sentence: `No ${what}: {queue_name} is empty here, and the text has no other word for it.`,
    })
  })

  it('leaves a hole where a value is missing: colleagues can ask', async () => {
    const [effect] = await created('send_staff_message', { ...MESSAGE, message: 'PO {entry.0.purchase_order_number}.' })
    expect(effect?.fields.message).toBe('PO.')
  })
})

describe('post_activity_feed', () => {
  it('becomes a note on the job where no feed is known, and says so', async () => {
    const plan = await world.plan('post_activity_feed', { message: 'Parts chased for {entry.0.generated_job_id}' })
    expect(effectsOf(plan, 'create_record')).toMatchObject([
      {
        object: 'note',
        class: 'create',
        fields: { related_object: 'job', related_object_uuid: JOB, note: 'Parts chased for 1041' },
      },
    ])
    expect(plan).toMatchObject({
      warnings: [{ code: 'note_instead', sentence: expect.stringContaining('a note on job 1041') }],
    })
  })

  it('asks to be dealt with where the action bar is wanted', async () => {
    const [effect] = await created('post_activity_feed', { message: 'x', showActionBar: true })
    expect(effect?.fields.action_required).toBe('1')
  })

  it('goes into the feed where the installation knows it', async () => {
    const plan = await world.plan('post_activity_feed', { message: 'x', showActionBar: true }, { feed: true })
    expect(effectsOf(plan, 'post_feed')).toEqual([
      { kind: 'post_feed', class: 'staff', message: 'x', showActionBar: true, summary: 'Message in the activity feed' },
    ])
  })

  it('is cut to 500 characters once its values are in', async () => {
    const record = await world.record()
    const long = { ...record, values: { ...record.values, job_description: 'y'.repeat(900) } }
    const plan = await world.plan(
      'post_activity_feed',
      { message: '{entry.0.job_description}' },
      { records: [long], feed: true },
    )
    expect(effectsOf(plan, 'post_feed')[0]?.message).toHaveLength(500)
    expect(plan).toMatchObject({ warnings: [{ code: 'shortened' }] })
  })

  it('stands on the customer where there is no job', async () => {
    const [effect] = await created(
      'post_activity_feed',
      { message: 'x' },
      { records: [await world.record('company', CUSTOMER)] },
    )
    expect(effect?.fields).toMatchObject({ related_object: 'company', related_object_uuid: CUSTOMER })
  })
})

describe('create_task', () => {
  it('is on the job, with its details', async () => {
    const parameters = {
      title: 'Ring {entry.0.company_name}\r\nnow',
      description: 'Phone {entry.0.contact_phone or "unknown"}',
    }
    const plan = await world.plan('create_task', parameters)
    expect(effectsOf(plan, 'create_record')).toEqual([
      {
        kind: 'create_record',
        class: 'create',
        object: 'task',
        fields: {
          name: 'Ring Smith & Sons now',
          task_details: 'Phone 0113 496 0000',
          related_object: 'job',
          related_object_uuid: JOB,
        },
        parents: {},
        readBack: [],
        summary: 'Task "Ring Smith & Sons now" on job 1041',
      },
    ])
    expect(plan).toMatchObject({ standIn: { task_uuid: expect.stringContaining('when it runs') } })
  })

  it('needs a title', async () => {
    expect(await world.plan('create_task', { title: ' ', description: '{queue_name}' })).toMatchObject({
      outcome: 'impossible',
      sentence: expect.stringContaining('has no title'),
    })
  })

  it('stands alone where there is neither job nor customer', async () => {
    const [effect] = await created('create_task', { title: 'Count the stock' }, { records: [] })
    expect(effect?.fields).toEqual({ name: 'Count the stock' })
  })
})

describe('send_notification', () => {
  const more = { notifyUrl: 'https://hooks.example.test/in', automation: { id: 7, name: 'Hand over' } }
  const body = async (...[parameters, extra]: [Parameters<ActionWorld['plan']>[1], object?]) => {
    const [effect] = effectsOf(await world.plan('send_notification', parameters, { ...more, ...extra }), 'post_webhook')
    return JSON.parse(effect?.body ?? '') as Record<string, unknown>
  }

  it('posts message, automation and job', async () => {
    const plan = await world.plan(
      'send_notification',
      { notificationType: 'webhook', message: 'Done: {entry.0.status}' },
      more,
    )
    const [effect] = effectsOf(plan, 'post_webhook')
    expect(effect).toMatchObject({
      class: 'webhook',
      url: more.notifyUrl,
      summary: 'Notification to hooks.example.test',
    })
    expect(JSON.parse(effect?.body ?? '')).toEqual({
      message: 'Done: Quote',
      automation: { id: 7, name: 'Hand over' },
      job: {
        uuid: JOB,
        generated_job_id: '1041',
        status: 'Quote',
        date: '2026-01-02 00:00:00',
        job_description: 'Replace the boiler',
        job_address: '12 High Street, Dundee',
        company_uuid: CUSTOMER,
        company_name: 'Smith & Sons',
        total_invoice_amount: '1234.50',
        queue_uuid: '',
        category_uuid: expect.any(String),
        edit_date: '2026-01-04 17:30:00',
      },
    })
  })

  it('makes data out of name=value rows, which no value can add to', async () => {
    const record = await world.record()
    const sly = { ...record, values: { ...record.values, company_name: 'Evil; admin=1\nroot=yes "}' } }
    const message = 'event=job_completed; customer={entry.0.company_name}\n__proto__=x; empty='
    const posted = await body({ message }, { records: [sly] })
    expect(posted.data).toEqual(
      JSON.parse('{"event":"job_completed","customer":"Evil; admin=1\\nroot=yes \\"}","__proto__":"x","empty":""}'),
    )
  })

  it('never reads braces of free JSON', async () => {
    expect(await body({ message: '{"a": {"b": 1}}' })).toMatchObject({ message: '{"a": {"b": 1}}' })
  })

  it('goes to a chat program as text', async () => {
    const url = 'https://hooks.slack.com/services/T0/B0/x'
    const [said] = effectsOf(
      await world.plan('send_notification', { message: 'Done & dusted', url }, more),
      'post_webhook',
    )
    expect(JSON.parse(said?.body ?? '')).toMatchObject({ text: 'Done &amp; dusted', mrkdwn: false })
    const rows = { message: 'event=done; job=7', url: 'https://discord.com/api/webhooks/1/x' }
    const [lines] = effectsOf(await world.plan('send_notification', rows, more), 'post_webhook')
    expect(JSON.parse(lines?.body ?? '').content).toBe('event\\: done\njob\\: 7')
  })

  it('goes to the address of the step before the one of the account', async () => {
    const plan = await world.plan('send_notification', { message: 'x', url: 'https://mine.example/x' }, more)
    expect(effectsOf(plan, 'post_webhook')[0]?.url).toBe('https://mine.example/x')
  })

  it.each([
    [{ message: 'x' }, { notifyUrl: null }, 'There is no address to notify'],
    [{ message: 'x', url: 'not an address' }, {}, 'is not a web address'],
    [{ message: 'x', notificationType: 'push' }, {}, 'can only be sent to a web address'],
  ])('cannot go out as %j', async (parameters, extra, sentence) => {
    expect(await world.plan('send_notification', parameters, { ...more, ...extra })).toMatchObject({
      outcome: 'impossible',
      sentence: expect.stringContaining(sentence),
    })
  })
})
