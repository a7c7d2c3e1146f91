// Long: every part of an e-mail, kind by kind.
import { beforeEach, describe, expect, it } from 'vitest'
import {
  ACCOUNT,
  type ActionWorld,
  actionWorld,
  effectsOf,
  JOB,
  OTHER_JOB,
  PRIYA,
  TOM,
} from '#tests/support/action-platform.server.ts'
import { wholeJob } from '#tests/support/record-facts.ts'

let world: ActionWorld

beforeEach(() => {
  world = actionWorld()
})

const TEMPLATE = '70000000-0000-4000-8000-000000000001'
const TAG = '<platform-user-signature></platform-user-signature>'
const PLAIN = {
  to: '{entry.0.contact_email}',
  customSubject: 'Job {entry.0.generated_job_id}',
  customBody: 'Hello {entry.0.contact_first_name}',
}
const email = (parameters: Parameters<ActionWorld['plan']>[1], more?: Parameters<ActionWorld['plan']>[2]) =>
  world.plan('send_email', parameters, more)
const first = async (...input: Parameters<typeof email>) => {
  const [effect] = effectsOf(await email(...input), 'send_email')
  if (!effect) throw new Error('no e-mail')
  return effect
}

describe('an e-mail in plain text', () => {
  it('is complete before it is sent', async () => {
    expect(await first(PLAIN)).toEqual({
      kind: 'send_email',
      class: 'customer',
      to: 'margaret@smith.example',
      cc: '',
      replyTo: '',
      subject: 'Job 1041',
      textBody: 'Hello Margaret',
      htmlBody: '',
      regardingJobUuid: null,
      signatureOfStaff: null,
      attachments: [],
      documentSteps: [],
      summary: 'E-mail to margaret@smith.example: Job 1041',
    })
  })

  it('does not read the fields of the other kinds', async () => {
    const effect = await first({
      ...PLAIN,
      contentType: 'manual',
      customHtmlSubject: 'No',
      customHtmlBody: '<p>No</p>',
      htmlBody: 'No',
    })
    expect([effect.subject, effect.textBody, effect.htmlBody]).toEqual(['Job 1041', 'Hello Margaret', ''])
  })

  it('is linked to the job, answers go elsewhere', async () => {
    const effect = await first({ ...PLAIN, linkToJob: 'true', replyTo: 'Priya <priya@alder.example>' })
    expect([effect.regardingJobUuid, effect.replyTo]).toEqual([JOB, 'priya@alder.example'])
  })

  it('goes to the contact of the job when nobody is named', async () => {
    expect((await first({ customSubject: 'S', customBody: 'T' })).to).toBe('margaret@smith.example')
  })
})

describe('an e-mail in HTML', () => {
  const HTML = { contentType: 'html', to: 'a@b.example', customHtmlSubject: 'About {entry.0.job_description}' }

  it('has its values escaped', async () => {
    const record = await world.record()
    const sly = {
      ...record,
      values: { ...record.values, job_description: '<script>x</script>{company_email}\r\nBcc: all@x.example' },
    }
    const effect = await first({ ...HTML, customHtmlBody: '<p>{entry.0.job_description}</p>' }, { records: [sly] })
    expect(effect.htmlBody).toBe('<p>&lt;script&gt;x&lt;/script&gt;{company_email}<br />\nBcc: all@x.example</p>')
    expect(effect.subject).toBe('About <script>x</script>{company_email} Bcc: all@x.example')
    expect(effect.textBody).toBe('')
  })

  it('leaves without what could run, also where only the values made it whole', async () => {
    const record = await world.record()
    const sly = { ...record, values: { ...record.values, job_description: 'script:alert(1)' } }
    const body = '<a href="java{entry.0.job_description}">x</a><img src="cid:a" onerror="y">'
    const effect = await first({ ...HTML, customHtmlBody: body }, { records: [sly] })
    expect(effect.htmlBody).toBe('<a>x</a><img src="cid:a" />')
  })

  it('keeps braces of styles', async () => {
    const style = '<style>p { color: red }</style><p>Hello</p>'
    expect((await first({ ...HTML, customHtmlBody: style })).htmlBody).toBe(style)
  })

  it('without anything to read is not sent', async () => {
    expect(await email({ ...HTML, customHtmlBody: '<p>&nbsp;</p>' })).toMatchObject({
      outcome: 'impossible',
      sentence: expect.stringContaining('has no text'),
    })
    expect(await email({ ...HTML, customHtmlSubject: ' ', customHtmlBody: '<p>x</p>' })).toMatchObject({
      outcome: 'impossible',
      sentence: expect.stringContaining('has no subject'),
    })
  })
})

describe('an e-mail out of a template', () => {
  beforeEach(() => {
    world.put('emailtemplate', {
      uuid: TEMPLATE,
      name: 'Quote ready',
      subject: 'Your quote from {vendor.name}',
      message: '<p>Dear {job.contact_first},</p><p>job {job.generated_job_id}: {document}</p>',
    })
  })

  it("has the platform's own placeholders put in", async () => {
    const effect = await first({ contentType: 'template', emailTemplateId: TEMPLATE, to: 'a@b.example' })
    expect(effect.subject).toBe('Your quote from Alder & Finch')
    expect(effect.htmlBody).toBe('<p>Dear Margaret,</p><p>job 1041: </p>')
    expect(effect.textBody).toBe('')
  })

  it('keeps what the form filled in, and needs no template then', async () => {
    const step = {
      contentType: 'template',
      emailTemplateId: TEMPLATE,
      to: 'a@b.example',
      subject: 'Mine',
      htmlBody: '<p>{job.contact_first}</p>',
    }
    world.platform.records(ACCOUNT, 'emailtemplate').clear()
    const effect = await first(step)
    expect([effect.subject, effect.htmlBody]).toEqual(['Mine', '<p>Margaret</p>'])
  })

  it('that was deleted is told', async () => {
    const step = { contentType: 'template', emailTemplateId: TEMPLATE, to: 'a@b.example' }
    world.set('emailtemplate', TEMPLATE, { active: '0' })
    const gone = { outcome: 'impossible', errorClass: 'template_missing' }
    expect(await email(step)).toMatchObject(gone)
    expect(await email({ ...step, emailTemplateId: '' })).toMatchObject(gone)
  })

  it('is tried again while the platform does not answer', async () => {
    world.platform.fate = ({ object }) => (object === 'emailtemplate' ? 'not_reached' : 'well')
    const step = { contentType: 'template', emailTemplateId: TEMPLATE, to: 'a@b.example' }
    expect(await email(step)).toMatchObject({ outcome: 'later', errorClass: 'unavailable' })
  })
})

describe('receivers', () => {
  it('are e-mails of their own; copies stand beside them one by one', async () => {
    const plan = await email({
      ...PLAIN,
      to: '{entry.0.contact_email}; tom@alder.example, MARGARET@smith.example',
      cc: 'one@x.example, two@x.example, three@x.example',
    })
    expect(effectsOf(plan, 'send_email').map(({ to, cc, class: kind }) => [to, cc, kind])).toEqual([
      ['margaret@smith.example', 'one@x.example', 'customer'],
      ['tom@alder.example', '', 'staff'],
      ['two@x.example', '', 'customer'],
      ['three@x.example', '', 'customer'],
    ])
  })

  it('who are customers never get the copy of a colleague’s e-mail, but one of their own', async () => {
    const mail = { ...PLAIN, to: 'tom@alder.example', cc: '{entry.0.contact_email}, office@alder.example' }
    const sent = async (parameters: typeof mail) =>
      effectsOf(await email(parameters), 'send_email').map(({ to, cc, class: kind }) => [to, cc, kind])
    expect(await sent(mail)).toEqual([
      ['tom@alder.example', 'office@alder.example', 'staff'],
      ['margaret@smith.example', '', 'customer'],
    ])
    // What is said of a deleted job is for colleagues only.
    world.set('job', JOB, { active: 0 })
    expect(await sent({ ...mail, cc: 'margaret@smith.example, office@alder.example' })).toEqual([
      ['tom@alder.example', 'office@alder.example', 'staff'],
    ])
  })

  it('that are no addresses are told and left out', async () => {
    const plan = await email({ ...PLAIN, to: 'nonsense, margaret@smith.example', cc: 'also nonsense' })
    expect(effectsOf(plan, 'send_email')).toHaveLength(1)
    expect(plan).toMatchObject({ warnings: [{ code: 'not_an_email' }, { code: 'not_an_email' }] })
  })

  it('cannot be added by a value', async () => {
    const record = await world.record()
    for (const contact_email of ['a@b.example, all@x.example', 'a@b.example\r\nBcc: all@x.example']) {
      const sly = { ...record, values: { ...record.values, contact_email } }
      const plan = await email(PLAIN, { records: [sly] })
      expect(JSON.stringify(plan.outcome === 'planned' ? plan.effects : [])).not.toContain('all@x.example')
    }
  })

  it('that nobody has skip the e-mail, because that is normal', async () => {
    const record = await world.record()
    const silent = { ...record, values: { ...record.values, contact_email: '' } }
    expect(await email(PLAIN, { records: [silent] })).toMatchObject({
      outcome: 'skipped',
      sentence: 'No e-mail: there is no e-mail address.',
      warnings: expect.arrayContaining([expect.objectContaining({ code: 'no_address' })]),
    })
  })

  it('who are customers get no text with a hole in it; the office does', async () => {
    const record = await world.record()
    const silent = { ...record, values: { ...record.values, contact_first_name: '' } }
    const plan = await email({ ...PLAIN, to: 'margaret@smith.example, office@alder.example' }, { records: [silent] })
    expect(effectsOf(plan, 'send_email').map(({ to }) => to)).toEqual(['office@alder.example'])
    expect(await email(PLAIN, { records: [silent] })).toMatchObject({
      outcome: 'skipped',
      sentence: expect.stringContaining('{entry.0.contact_first_name} is empty here'),
    })
  })
})

describe('a signature', () => {
  it('stands below, in the name of the first active staff member, and says so', async () => {
    const plan = await email({ ...PLAIN, customBody: 'Hello\n\nBye & thanks', includeSignature: true })
    const [effect] = effectsOf(plan, 'send_email')
    expect(effect?.signatureOfStaff).toBe(PRIYA)
    expect(effect?.textBody).toBe('Hello\n\nBye & thanks')
    expect(effect?.htmlBody).toBe(`<p>Hello</p><p>Bye &amp; thanks</p>${TAG}`)
    expect(plan).toMatchObject({
      warnings: [{ code: 'sender_by_default', sentence: expect.stringContaining('Priya Alder, the first active') }],
    })
  })

  it('is the one of whoever was chosen', async () => {
    const effect = await first({ ...PLAIN, includeSignature: true }, { senderStaffUuid: TOM })
    expect(effect.signatureOfStaff).toBe(TOM)
  })

  it.each([TAG, '<platform-user-signature/>', '{staff_signature}', '{{signature}}'])(
    'stands where %s is, once',
    async (tag) => {
      const effect = await first({
        contentType: 'html',
        to: 'a@b.example',
        customHtmlSubject: 'S',
        customHtmlBody: `<body><p>x</p>${tag}<i>y</i></body>`,
        includeSignature: true,
      })
      expect(effect.htmlBody).toBe(`<body><p>x</p>${TAG}<i>y</i></body>`)
    },
  )

  it('that a text asks for needs somebody even without the switch; without anybody the tag goes', async () => {
    const step = { contentType: 'html', to: 'a@b.example', customHtmlSubject: 'S', customHtmlBody: `<p>x</p>${TAG}` }
    expect((await first(step)).signatureOfStaff).toBe(PRIYA)
    world = actionWorld()
    world.platform.records(ACCOUNT, 'staff').clear()
    const plan = await email(step)
    expect(effectsOf(plan, 'send_email')[0]).toMatchObject({ htmlBody: '<p>x</p>', signatureOfStaff: null })
    expect(plan).toMatchObject({ warnings: [{ code: 'no_signature' }] })
  })

  it('cannot be smuggled in by a value', async () => {
    const record = await world.record()
    const sly = { ...record, values: { ...record.values, contact_first_name: `${TAG}{signature}` } }
    const effect = await first(
      {
        contentType: 'html',
        to: 'a@b.example',
        customHtmlSubject: 'S',
        customHtmlBody: '<p>{entry.0.contact_first_name}</p>',
      },
      { records: [sly] },
    )
    expect(effect.signatureOfStaff).toBeNull()
  })
})

describe('files', () => {
  const file = (uuid: string, attachment_name: string, more = {}) =>
    world.put('attachment', {
      uuid,
      attachment_name,
      related_object: 'job',
      related_object_uuid: JOB,
      timestamp: '2026-01-03 10:00:00',
      ...more,
    })

  beforeEach(() => {
    file('f-1', 'Before.jpg')
    file('f-2', 'Quote 1041.pdf', { timestamp: '2026-01-04 10:00:00' })
    file('f-3', 'old.jpg', { active: 0 })
    file('f-4', 'elsewhere.jpg', { related_object_uuid: OTHER_JOB })
  })

  it('of the job go along, the newest first; deleted ones do not', async () => {
    expect(await first({ ...PLAIN, includeJobAttachments: true })).toMatchObject({
      attachments: ['f-2', 'f-1'],
      fileNames: ['Quote 1041.pdf', 'Before.jpg'],
    })
    expect((await first({ ...PLAIN, includeAttachments: true })).attachments).toEqual(['f-2', 'f-1'])
    expect((await first(PLAIN)).attachments).toEqual([])
  })

  it('are chosen by a part of their name, case aside', async () => {
    const step = { ...PLAIN, includeJobAttachments: true }
    expect((await first({ ...step, attachmentFilter: '.JPG' })).attachments).toEqual(['f-1'])
    expect((await first({ ...step, attachmentFilter: 'quote {entry.0.generated_job_id}' })).attachments).toEqual([
      'f-2',
    ])
    expect(
      (await first({ ...step, includeAllJobAttachments: true, attachmentFilter: '.jpg' })).attachments,
    ).toHaveLength(2)
    expect(await email({ ...step, attachmentFilter: 'contract' })).toMatchObject({
      outcome: 'planned',
      warnings: [{ code: 'no_files', sentence: expect.stringContaining('no file with "contract" in its name') }],
    })
  })

  it('are those of all jobs of a group when all are wanted', async () => {
    world.put('job', { uuid: OTHER_JOB, generated_job_id: '1042' })
    const records = [await world.record(), await world.record('job', OTHER_JOB)]
    const effect = await first({ ...PLAIN, includeAllJobAttachments: true }, { records })
    expect([...effect.attachments].sort()).toEqual(['f-1', 'f-2', 'f-4'])
  })

  it('are twenty at most', async () => {
    for (let index = 0; index < 25; index += 1) file(`g-${index}`, `photo ${index}.jpg`)
    const plan = await email({ ...PLAIN, includeAllJobAttachments: true })
    expect(effectsOf(plan, 'send_email')[0]?.attachments).toHaveLength(20)
    expect(plan).toMatchObject({ warnings: [{ code: 'too_many_files' }] })
  })
})

describe('a generated document', () => {
  const order = ['s0', 's1']
  const results = { s0: { document_uuid: 'd-1', document_url: 'https://x' } }
  const step = { ...PLAIN, includeGeneratedDocument: true }

  it('comes from the action with that number, counted from 1, or from the latest that made one', async () => {
    expect((await first({ ...step, documentActionIndex: 1 }, { order, results })).documentSteps).toEqual(['s0'])
    expect((await first(step, { order, results })).documentSteps).toEqual(['s0'])
    expect((await first({ ...step, documentActionIndex: '1' }, { order, results })).documentSteps).toEqual(['s0'])
  })

  it('that is missing keeps the e-mail from being sent', async () => {
    const missing = { outcome: 'impossible', errorClass: 'document_missing' }
    expect(await email({ ...step, documentActionIndex: 2 }, { order, results })).toMatchObject(missing)
    expect(await email(step, { order, results: {} })).toMatchObject({
      ...missing,
      sentence: 'Not sent: no earlier action made a document, and one was to be attached.',
    })
  })

  it('does not bring the files of the job along by itself', async () => {
    world.put('attachment', { uuid: 'f-1', attachment_name: 'x.jpg', related_object_uuid: JOB })
    const effect = await first({ ...step, includeAttachments: true }, { order, results })
    expect([effect.attachments, effect.documentSteps]).toEqual([[], ['s0']])
  })
})

describe('about a record that was deleted', () => {
  it('is not sent to a customer', async () => {
    world.set('job', JOB, { active: 0 })
    const mail = { customSubject: 'S', customBody: 'T' }
    expect(await email({ ...mail, to: 'margaret@smith.example' })).toMatchObject({
      outcome: 'skipped',
      sentence: 'No e-mail: job 1041 was deleted in ServiceM8.',
    })
    expect((await first({ ...mail, to: 'tom@alder.example' })).class).toBe('staff')
  })
})

describe('a signature that a plain text asks for', () => {
  it('stands at its end', async () => {
    const effect = await first({ to: 'a@b.example', customSubject: 'S', customBody: 'Thanks {staff_signature}' })
    expect(effect.textBody).toBe('Thanks')
    expect(effect.htmlBody).toBe(`<p>Thanks</p>${TAG}`)
    expect(effect.signatureOfStaff).toBe(PRIYA)
  })
})

describe('HTML that is made safe apart from everybody', () => {
  const html = { to: 'a@b.example', contentType: 'html', customHtmlSubject: 'x', customHtmlBody: '<p>Hi</p>' }

  it('is sent as it comes back', async () => {
    const safeHtml = async (text: string) => ({ outcome: 'done', value: `safe: ${text}` }) as const
    expect((await first(html, { safeHtml })).htmlBody).toBe('safe: <p>Hi</p>')
  })

  it('is not sent when that takes too long, and waits for its turn when others come first', async () => {
    expect(await email(html, { safeHtml: async () => ({ outcome: 'too_long' }) })).toMatchObject({
      outcome: 'impossible',
      sentence: 'This e-mail takes too long to prepare. Make its HTML shorter.',
    })
    const later = await email(html, { safeHtml: async () => ({ outcome: 'busy', retryAfterMs: 2_000 }) })
    expect(later).toMatchObject({ outcome: 'later', retryAt: expect.any(Number) })
  })

  it('is not sent when its values make it longer than any message', async () => {
    const customHtmlBody = '{job_description}'.repeat(150)
    const records = [wholeJob({ job_description: 'x'.repeat(10_000) })]
    expect(await email({ ...html, customHtmlBody }, { records })).toMatchObject({
      outcome: 'impossible',
      sentence: 'With its values, a text in this step exceeds 500,000 characters.',
    })
  })
})
