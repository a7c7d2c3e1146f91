import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { minutes } from '#app/lib/duration.ts'
import { AU_ACCOUNT } from '../seed/au-firm.ts'
import { UK_ACCOUNT } from '../seed/uk-firm.ts'
import type { SandboxRecord } from '../world.ts'
import { openConsole, type TestConsole } from './testing.server.ts'

const UK = `accounts/${UK_ACCOUNT}`
const BACK = { back: '/sandbox' }

let stage: TestConsole
let job: SandboxRecord

beforeEach(async () => {
  stage = await openConsole()
  const found = stage.world.records(UK_ACCOUNT, 'job').find((one) => one.generated_job_id === '3128')
  if (!found) throw new Error('the seed has no job 3128')
  job = found
})

afterEach(() => stage.stop())

function now(): SandboxRecord {
  return stage.world.findRecord(UK_ACCOUNT, 'job', job.uuid) ?? job
}

/** The trail's words without markup. */
function trailIn(page: string): string {
  const start = page.indexOf('id="trail"')
  return page
    .slice(start, page.indexOf('</section>', start))
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
}

describe('pressing a status', () => {
  it('changes the job and shows the event from the press to the receiver', async () => {
    await stage.subscribe(UK_ACCOUNT, 'job', 'status')
    const { text } = await stage.pressAndLook(`${UK}/jobs/${job.uuid}/status`, { ...BACK, status: 'Completed' })
    expect(now().status).toBe('Completed')
    const trail = trailIn(text)
    expect(trail).toContain('Job 3128 changed from Work Order to Completed.')
    expect(trail).toContain('Posted to the add-on: job')
    expect(trail).toContain('Delivered Answered 200')
    expect(trail).toContain('Forwarded to receiver demo')
    expect(trail).toContain('It answered 200')
  })

  it('says that nobody listens when there is no subscription', async () => {
    const { text } = await stage.pressAndLook(`${UK}/jobs/${job.uuid}/status`, { ...BACK, status: 'Quote' })
    expect(now().status).toBe('Quote')
    expect(trailIn(text)).toContain('Fieldhook has not subscribed to anything of this account yet')
  })

  it('says that the change is not watched when another field is', async () => {
    await stage.subscribe(UK_ACCOUNT, 'job', 'badges')
    const { text } = await stage.pressAndLook(`${UK}/jobs/${job.uuid}/status`, { ...BACK, status: 'Quote' })
    expect(trailIn(text)).toContain('nothing that changed is watched')
  })

  it('changes nothing when the job is there already', async () => {
    const { text } = await stage.pressAndLook(`${UK}/jobs/${job.uuid}/status`, { ...BACK, status: 'Work Order' })
    expect(text).toContain('Job 3128 is Work Order already. Nothing changed, so no webhook was posted.')
  })

  it('refuses a status that is none and a job that is not there', async () => {
    expect((await stage.press(`${UK}/jobs/${job.uuid}/status`, { ...BACK, status: 'Sleeping' })).status).toBe(404)
    expect((await stage.press(`${UK}/jobs/nope/status`, { ...BACK, status: 'Quote' })).status).toBe(404)
    expect(
      (await stage.press(`accounts/${AU_ACCOUNT}/jobs/${job.uuid}/status`, { ...BACK, status: 'Quote' })).status,
    ).toBe(404)
  })

  it('shows a failing add-on, and the way after trying again', async () => {
    await stage.subscribe(UK_ACCOUNT, 'job', 'status')
    stage.addonAnswers(500)
    const { to } = await stage.press(`${UK}/jobs/${job.uuid}/status`, { ...BACK, status: 'Completed' })
    const failing = trailIn((await stage.get(to)).text)
    expect(failing).toContain('Failing, will be tried again Answered 500')
    expect(failing).toContain('Next attempt today')
    stage.addonAnswers(200)
    const again = await stage.pressAndLook(`${UK}/retry`, { ...BACK, trail: '1' })
    expect(trailIn(again.text)).toContain('Answered 200')
    expect(trailIn(again.text)).toContain('attempt 2')
    expect(trailIn(again.text)).toContain('Forwarded to receiver demo')
  })

  it('keeps the ways of two presses apart', async () => {
    await stage.subscribe(UK_ACCOUNT, 'job', 'status')
    await stage.pressAndLook(`${UK}/jobs/${job.uuid}/status`, { ...BACK, status: 'Completed' })
    stage.world.advanceClock(minutes(1))
    await stage.pressAndLook(`${UK}/jobs/${job.uuid}/status`, { ...BACK, status: 'Quote' })
    const { text } = await stage.get('/sandbox/console/trail')
    expect(text.match(/Forwarded to receiver/g)?.length).toBe(2)
    expect(text.indexOf('from Completed to Quote')).toBeLessThan(text.indexOf('from Work Order to Completed'))
  })
})

describe('what people do to a job', () => {
  const act = (action: string, fields: Record<string, string>) =>
    stage.pressAndLook(`${UK}/jobs/${job.uuid}/${action}`, { ...BACK, ...fields })
  const hanging = (object: string) =>
    stage.world
      .records(UK_ACCOUNT, object)
      .filter((one) => [one.job_uuid, one.related_object_uuid, one.regarding_object_uuid].includes(job.uuid))

  it('adds a note', async () => {
    expect(trailIn((await act('note', { text: 'Key under the pot' })).text)).toContain('A note was added to Job 3128.')
    expect(hanging('note').at(-1)?.note).toBe('Key under the pot')
    expect((await act('note', { text: '  ' })).text).toContain('A note needs some words.')
  })

  it('edits the description', async () => {
    await act('description', { text: 'Tap and waste' })
    expect(now().job_description).toBe('Tap and waste')
  })

  it('moves it to a queue and out of it', async () => {
    const queue = stage.world.records(UK_ACCOUNT, 'queue')[0]
    const moved = await act('queue', { queue: queue?.uuid ?? '' })
    expect(trailIn(moved.text)).toContain('Job 3128 was moved to the queue “Waiting for parts”.')
    expect(now().queue_uuid).toBe(queue?.uuid)
    expect(trailIn((await act('queue', { queue: '' })).text)).toContain('Job 3128 left its queue.')
    expect(now().queue_uuid).toBe('')
  })

  it('records a payment, and only a real one', async () => {
    expect(trailIn((await act('payment', { amount: '20.50', method: 'Cash' })).text)).toContain('£20.50 was paid')
    expect(hanging('jobpayment').at(-1)).toMatchObject({ amount: '20.50', method: 'Cash' })
    for (const amount of ['', '0', '-5', 'ten', '1e9']) {
      expect((await act('payment', { amount })).text).toContain('A payment is an amount')
    }
  })

  it('does the rarer things', async () => {
    const badge = stage.world.records(UK_ACCOUNT, 'badge')[0]
    const staff = stage.world.records(UK_ACCOUNT, 'staff')[1]
    await act('schedule', { staff: staff?.uuid ?? '' })
    await act('check-in', { staff: staff?.uuid ?? '' })
    await act('check-out', {})
    await act('material', { name: 'Washer', quantity: '2', price: '0.80' })
    await act('task', { name: 'Ring back', staff: staff?.uuid ?? '' })
    await act('badge', { badge: badge?.uuid ?? '' })
    await act('form', {})
    await act('photo', { name: 'after.jpg' })
    await act('quote-sent', {})
    await act('invoice-sent', {})
    expect(hanging('jobactivity').length).toBe(3)
    expect(hanging('jobmaterial').at(-1)?.name).toBe('Washer')
    expect(hanging('task').at(-1)?.name).toBe('Ring back')
    expect(hanging('formresponse').length).toBe(1)
    expect(hanging('attachment').at(-1)?.attachment_name).toBe('after.jpg')
    expect(now()).toMatchObject({ quote_sent: 1, invoice_sent: 1, badges: JSON.stringify([badge?.uuid]) })
    await act('unbadge', { badge: badge?.uuid ?? '' })
    expect(now().badges).toBe('[]')
    await act('delete', {})
    expect(now().active).toBe(0)
    await act('restore', {})
    expect(now().active).toBe(1)
  })

  it('adds and removes a contact, which moves its edit date, and says that no webhook tells of it', async () => {
    await stage.subscribe(UK_ACCOUNT, 'job', 'status')
    const fields = { first: 'Robin', last: 'Ferry', mobile: '+447700900123', email: 'r@example.com', type: 'BILLING' }
    const added = await act('contact', fields)
    const contact = hanging('jobcontact').at(-1)
    const made = contact?.edit_date
    expect(contact).toMatchObject({ ...fields, job_uuid: job.uuid, active: 1 })
    expect(made).toBe(stage.world.findAccount(UK_ACCOUNT)?.localNow)
    expect(trailIn(added.text)).toContain('Robin Ferry was added to Job 3128 as a contact.')
    expect(trailIn(added.text)).toContain('No webhook was posted: ServiceM8 has none for job contacts.')
    stage.world.advanceClock(60_000)
    const removed = await act('remove-contact', { contact: contact?.uuid ?? '' })
    expect(trailIn(removed.text)).toContain('Robin Ferry is no longer a contact of Job 3128.')
    const gone = stage.world.findRecord(UK_ACCOUNT, 'jobcontact', contact?.uuid ?? '')
    expect(gone?.active).toBe(0)
    expect(String(gone?.edit_date) > String(made)).toBe(true)
  })

  it('refuses a contact without a name, and one of another job', async () => {
    expect((await act('contact', { mobile: '1' })).text).toContain('A contact needs a name.')
    const other = stage.world.records(UK_ACCOUNT, 'jobcontact').find((one) => one.job_uuid !== job.uuid)
    const path = `${UK}/jobs/${job.uuid}/remove-contact`
    expect((await stage.press(path, { ...BACK, contact: other?.uuid ?? '' })).status).toBe(404)
  })

  it('moves the edit date of a line, and says that no webhook tells of it', async () => {
    const { text } = await act('material', { name: 'Washer', quantity: '2', price: '0.80' })
    expect(hanging('jobmaterial').at(-1)?.edit_date).toBe(stage.world.findAccount(UK_ACCOUNT)?.localNow)
    expect(trailIn(text)).toContain('ServiceM8 has none for job materials')
  })

  it('passes on the platform’s own words when it refuses', async () => {
    expect((await act('check-out', {})).text).toContain('The platform refused: Nobody is checked in on this job (404).')
  })
})

describe('what happens in the office', () => {
  it('creates a job that is found at once', async () => {
    const company = stage.world.records(UK_ACCOUNT, 'company')[0]
    const fields = { ...BACK, company: company?.uuid ?? '', status: 'Work Order', description: 'Radiator knocks' }
    const { text } = await stage.pressAndLook(`${UK}/jobs`, fields)
    expect(trailIn(text)).toContain('Job 3129 was created as Work Order.')
    expect(text).toContain('>Job 3129</a> · Joan Hartley')
  })

  it('adds and renames customers, changes prices, lets messages arrive, clocks staff', async () => {
    await stage.press(`${UK}/company`, { ...BACK, name: 'Nook & Cranny Ltd', address: '1 Mews Lane' })
    const company = stage.world.records(UK_ACCOUNT, 'company').at(-1)
    expect(company).toMatchObject({ name: 'Nook & Cranny Ltd', address: '1 Mews Lane' })
    await stage.press(`${UK}/company-change`, { ...BACK, company: company?.uuid ?? '', name: 'Nook Ltd' })
    expect(stage.world.findRecord(UK_ACCOUNT, 'company', company?.uuid ?? '')?.name).toBe('Nook Ltd')
    const material = stage.world.records(UK_ACCOUNT, 'material')[0]
    await stage.press(`${UK}/price`, { ...BACK, material: material?.uuid ?? '', price: '65' })
    expect(stage.world.findRecord(UK_ACCOUNT, 'material', material?.uuid ?? '')?.price).toBe('65.00')
    const message = { from: 'Alex Rowe', email: 'alex@example.com', subject: 'Hello', text: 'Come round?' }
    const { text } = await stage.pressAndLook(`${UK}/inbox`, { ...BACK, ...message })
    expect(trailIn(text)).toContain('A message from Alex Rowe arrived in the inbox.')
    const staff = stage.world.records(UK_ACCOUNT, 'staff')[0]
    const clocked = await stage.pressAndLook(`${UK}/working-day`, { ...BACK, staff: staff?.uuid ?? '', way: 'off' })
    expect(trailIn(clocked.text)).toContain('Priya Alder has clocked off.')
  })

  it('starts over only when that is really meant', async () => {
    await stage.press(`${UK}/jobs/${job.uuid}/status`, { ...BACK, status: 'Completed' })
    expect((await stage.pressAndLook(`${UK}/reset`, BACK)).text).toContain('Tick the box first')
    expect(now().status).toBe('Completed')
    await stage.press(`${UK}/reset`, { ...BACK, sure: '1' })
    expect(now().status).toBe('Work Order')
  })
})

describe('the add-on’s standing', () => {
  it('is shown, can be shaken and can be ended', async () => {
    await stage.subscribe(UK_ACCOUNT, 'job', 'status,queue_uuid')
    const page = `/sandbox/console/${UK}/webhooks`
    const shown = await stage.get(page)
    expect(shown.text).toContain('Fieldhook may act for this account.')
    expect(shown.text).toContain('status, queue_uuid')
    // The address is a key: it is never shown whole.
    expect(shown.text).not.toContain('t'.repeat(43))
    await stage.press(`${UK}/expire`, { back: page })
    const [subscription] = stage.world.subscriptions(UK_ACCOUNT)
    const off = await stage.pressAndLook(`${UK}/subscriptions/${subscription?.uuid}/deactivate`, { back: page })
    expect(off.text).toContain('Switched off by the platform')
    expect(off.text).toContain('Webhook request failed for over 12 hours')
    const gone = await stage.pressAndLook(`${UK}/revoke`, { back: page })
    expect(gone.text).toContain('Fieldhook may not act for this account.')
    expect(stage.world.connections(UK_ACCOUNT).every((one) => one.revoked)).toBe(true)
  })
})
