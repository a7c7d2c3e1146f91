import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SCOPES } from '../servicem8/catalog.ts'
import type { SeedAccount } from '../world.ts'
import { openConsole, type TestConsole } from './testing.server.ts'

const EVIL = `"><script>alert(1)</script><img src=x onerror='alert(2)'>&`
const ACCOUNT = 'c0000000-0000-4000-8000-000000000001'
const uuid = (tail: string) => `c0000000-0000-4000-8000-0000000000${tail}`
const JOB = uuid('11')

const SEED: readonly SeedAccount[] = [
  {
    vendor: { uuid: ACCOUNT, name: EVIL, timezone_name: 'Europe/London', currency: 'not a currency' },
    records: {
      staff: [{ uuid: uuid('a1'), first: EVIL, last: EVIL, email: 'a@example.com' }],
      company: [{ uuid: uuid('c1'), name: EVIL, address: EVIL }],
      queue: [{ uuid: uuid('e1'), name: EVIL }],
      category: [{ uuid: uuid('e2'), name: EVIL }],
      badge: [{ uuid: uuid('e3'), name: EVIL }],
      material: [{ uuid: uuid('e4'), name: EVIL, item_number: EVIL }],
      form: [{ uuid: uuid('e5'), name: EVIL }],
      job: [
        {
          uuid: JOB,
          status: EVIL,
          company_uuid: uuid('c1'),
          job_description: EVIL,
          job_address: EVIL,
          generated_job_id: EVIL,
          queue_uuid: uuid('e1'),
          category_uuid: uuid('e2'),
          badges: JSON.stringify([uuid('e3'), EVIL]),
          total_invoice_amount: EVIL,
        },
      ],
      jobcontact: [{ uuid: uuid('b1'), job_uuid: JOB, first: EVIL, mobile: EVIL, type: EVIL }],
      jobmaterial: [{ uuid: uuid('b2'), job_uuid: JOB, name: EVIL, quantity: EVIL, price: EVIL }],
      note: [{ uuid: uuid('b3'), related_object: 'job', related_object_uuid: JOB, note: EVIL, create_date: EVIL }],
      task: [{ uuid: uuid('b4'), related_object: 'job', related_object_uuid: JOB, name: EVIL, due_date: EVIL }],
      jobpayment: [{ uuid: uuid('b5'), job_uuid: JOB, amount: EVIL, method: EVIL, timestamp: EVIL }],
      attachment: [
        { uuid: uuid('b6'), related_object: 'job', related_object_uuid: JOB, attachment_name: EVIL, file_type: '.txt' },
      ],
      jobactivity: [{ uuid: uuid('b7'), job_uuid: JOB, staff_uuid: uuid('a1'), start_date: EVIL, end_date: EVIL }],
    },
  },
]

let stage: TestConsole

beforeAll(async () => {
  stage = await openConsole({ seed: SEED })
  const { access_token: token } = stage.world.grant(ACCOUNT, [...SCOPES].join(' '))
  const call = (path: string, body: Record<string, unknown>) =>
    fetch(`${stage.world.baseUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  await call('/platform_service_email', { to: 'a@example.com', subject: EVIL, htmlBody: EVIL, regardingJobUUID: JOB })
  await call('/platform_service_sms', { to: '+447700900123', message: EVIL })
  await call('/api_1.0/staffmessage.json', { from_staff_uuid: uuid('a1'), to_staff_uuid: uuid('a1'), message: EVIL })
  await call('/unverified_feed', { message: EVIL })
  await call(`/api_1.0/attachment/${uuid('b6')}.file`, { evil: EVIL })
  await stage.subscribe(ACCOUNT, 'note', 'note')
  stage.addonAnswers(500)
  await stage.pressAndLook(`accounts/${ACCOUNT}/jobs/${JOB}/note`, { text: EVIL, back: '/sandbox' })
})

afterAll(() => stage.stop())

describe('content that others wrote', () => {
  const own = `/sandbox/console/accounts/${ACCOUNT}`

  it.each([
    '/sandbox',
    '/sandbox?trail=1',
    '/sandbox/console/trail',
    own,
    `${own}?search=${encodeURIComponent(EVIL)}&status=${encodeURIComponent(EVIL)}`,
    `${own}/jobs/${JOB}`,
    `${own}/office`,
    `${own}/outbox`,
    `${own}/outbox?kind=${encodeURIComponent(EVIL)}`,
    `${own}/webhooks`,
    `${own}/posts`,
    `${own}/opening`,
    `${own}/opening/note?event=${encodeURIComponent(EVIL)}`,
    `${own}/switches`,
    `/sandbox/console/${encodeURIComponent(EVIL)}`,
  ])('is only ever text on %s', async (path) => {
    const { text } = await stage.get(path)
    expect(text.startsWith('<!doctype html>')).toBe(true)
    // What is between quotes is a value, not markup.
    const markup = text.replaceAll(/"[^"]*"/g, '""')
    expect(markup.match(/<script|<img|<[^>]+\son\w+=/gi) ?? []).toEqual([])
  })

  it('is shown rather than swallowed', async () => {
    const { text } = await stage.get(`${own}/jobs/${JOB}`)
    expect(text).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;')
  })

  it('cannot act from an e-mail: the frame forbids scripts twice over', async () => {
    const { text } = await stage.get(`${own}/outbox`)
    const frame = /<iframe[^>]*>/.exec(text)?.[0] ?? ''
    expect(frame).toContain('sandbox=""')
    const mail = await stage.get(/src="([^"]+)"/.exec(frame)?.[1] ?? '')
    expect(mail.text).toContain('<script>alert(1)</script>')
    expect(mail.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/)
  })

  it('leaves as a download when it is a file', async () => {
    const { headers } = await stage.get(`${own}/files/${uuid('b6')}`)
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename\*=UTF-8''/)
    expect(headers.get('content-security-policy')).toContain('sandbox')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })
})
