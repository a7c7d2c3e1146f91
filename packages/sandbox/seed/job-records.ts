// Converts a job of the plan to the platform's records: the job record and every record that belongs to it.
import type { SeedRecord, SeedValue } from '../world.ts'
import type { AddressPlan, ClientPlan, Day, FirmPlan, JobPlan, PersonPlan } from './plan.ts'
import { addressText, moment, seedUuid } from './seed-values.ts'

export interface JobBook {
  /** Throws for a short name that is not in the plan. */
  uuidOf(kind: string, key: string): string
  /** `geo_*`, `lat` and `lng` of an address. */
  spotOf(address: AddressPlan): Record<string, SeedValue>
}

type Records = Record<string, SeedRecord[]>
type Values = Record<string, SeedValue>

/** One job with the context its records need. */
interface JobAtHand {
  plan: FirmPlan
  book: JobBook
  job: JobPlan
  client: ClientPlan
  uuid: string
  total: number
  own(kind: string, key: string | number, day: Day): Values & { uuid: string }
}

export function jobRecords(plan: FirmPlan, book: JobBook): Records {
  const jobs = plan.jobs.map((job) => atHand(plan, book, job))
  const all = (part: (job: JobAtHand) => SeedRecord[]) => jobs.flatMap(part)
  return {
    job: jobs.map(jobRecord),
    jobcontact: all(contactRecords),
    jobmaterialbundle: all(bundleRecords),
    jobmaterial: all(lineRecords),
    jobactivity: all(activityRecords),
    note: all(noteRecords),
    attachment: all(attachmentRecords),
    task: all(taskRecords),
    jobpayment: all(paymentRecords),
    formresponse: all(formRecords),
  }
}

function atHand(plan: FirmPlan, book: JobBook, job: JobPlan): JobAtHand {
  const client = plan.clients.find((one) => one.key === job.client)
  if (!client) throw new Error(`job ${job.key} is for an unknown client: ${job.client}`)
  const total = linesOf(plan, job).reduce((sum, [material, quantity]) => sum + priceOf(plan, material) * quantity, 0)
  return {
    plan,
    book,
    job,
    client,
    uuid: seedUuid(`${plan.key}/job/${job.key}`),
    total,
    own: (kind, key, day) => ({
      uuid: seedUuid(`${plan.key}/job/${job.key}/${kind}/${key}`),
      active: 1,
      edit_date: moment(day),
    }),
  }
}

function jobRecord({ plan, book, job, client, uuid, total }: JobAtHand): SeedRecord {
  const address = job.address ?? client.address
  const paid = paidOf(job, total)
  const record: Values & { uuid: string } = {
    uuid,
    active: job.inactive ? 0 : 1,
    edit_date: moment(newest(job)),
    generated_job_id: String(job.number),
    status: job.status,
    date: moment(job.created),
    company_uuid: book.uuidOf('client', client.key),
    category_uuid: book.uuidOf('category', job.category),
    created_by_staff_uuid: book.uuidOf('staff', plan.staff[0]?.key ?? ''),
    job_description: job.description,
    work_done_description: job.work ?? '',
    job_address: addressText(address, plan.centre.country),
    billing_address: addressText(client.address, plan.centre.country),
    purchase_order_number: job.order ?? '',
    total_invoice_amount: total.toFixed(2),
    ...book.spotOf(address),
  }
  const stamp = (name: string, day: Day | undefined) => {
    if (day) record[name] = moment(day)
  }
  stamp('quote_date', job.quoted)
  stamp('work_order_date', job.won)
  stamp('completion_date', job.completed)
  stamp('unsuccessful_date', job.lost)
  if (job.completed) record.completion_actioned_by_uuid = staffOf(book, job.visits?.at(-1)?.[0] ?? plan.staff[0]?.key)
  if (job.quoteSent) Object.assign(record, { quote_sent: 1, quote_sent_stamp: moment(job.quoteSent) })
  if (job.invoiced) Object.assign(record, { invoice_sent: 1, invoice_sent_stamp: moment(job.invoiced) })
  if (job.completed && !job.invoiced)
    Object.assign(record, { ready_to_invoice: '1', ready_to_invoice_stamp: moment(job.completed) })
  const last = job.payments?.at(-1)
  if (last && total > 0 && paid >= total) {
    Object.assign(record, {
      payment_received: 1,
      payment_received_stamp: moment(last[0]),
      payment_processed: 1,
      payment_processed_stamp: moment(last[0]),
      payment_date: moment(last[0]),
      payment_amount: total.toFixed(2),
      payment_method: last[2],
      payment_actioned_by_uuid: record.created_by_staff_uuid ?? '',
    })
  }
  if (job.queue) {
    Object.assign(record, {
      queue_uuid: book.uuidOf('queue', job.queue.key),
      queue_expiry_date: moment(job.queue.until),
      queue_assigned_staff_uuid: staffOf(book, job.queue.staff),
    })
  }
  if (job.badges) record.badges = JSON.stringify(job.badges.map((badge) => book.uuidOf('badge', badge)))
  const lastBooking = job.bookings?.at(-1)
  if (lastBooking) record.job_is_scheduled_until_stamp = { days: lastBooking[1], at: lastBooking[3] }
  return record
}

function contactRecords({ job, client, uuid, own }: JobAtHand): SeedRecord[] {
  const met = job.contact === undefined ? client.people[0] : job.contact
  const pays = client.people[1]
  const person = (type: string, one: PersonPlan) => ({
    ...own('jobcontact', type, job.created),
    job_uuid: uuid,
    type,
    first: one.first,
    last: one.last,
    mobile: one.mobile ?? '',
    phone: one.phone ?? '',
    email: one.email ?? '',
    is_primary_contact: type === 'JOB' ? '1' : '0',
  })
  return [...(met ? [person('JOB', met)] : []), ...(pays ? [person('BILLING', pays)] : [])]
}

function bundleRecords({ plan, book, job, uuid, own }: JobAtHand): SeedRecord[] {
  const bundle = plan.bundles.find((one) => one.number === job.bundle)
  if (!bundle) return []
  return [
    {
      ...own('jobmaterialbundle', bundle.number, job.quoted ?? job.created),
      job_uuid: uuid,
      material_bundle_uuid: book.uuidOf('bundle', bundle.number),
      item_number: bundle.number,
      name: bundle.name,
      quantity: '1',
    },
  ]
}

function lineRecords({ plan, book, job, uuid, own }: JobAtHand): SeedRecord[] {
  const loose = job.lines?.length ?? 0
  return linesOf(plan, job).map(([key, quantity], index) => {
    const material = plan.materials[key]
    if (!material) throw new Error(`job ${job.key} uses an unknown material: ${key}`)
    return {
      ...own('jobmaterial', index + 1, job.completed ?? job.quoted ?? job.created),
      job_uuid: uuid,
      material_uuid: book.uuidOf('material', key),
      name: material.name,
      quantity: String(quantity),
      price: material.price.toFixed(2),
      displayed_amount: material.price.toFixed(2),
      cost: material.cost.toFixed(2),
      displayed_cost: material.cost.toFixed(2),
      tax_rate_uuid: book.uuidOf('taxrate', 'standard'),
      sort_order: String(index + 1),
      job_material_bundle_uuid: index < loose ? '' : bundleUuid(plan, job),
    }
  })
}

function activityRecords({ plan, book, job, uuid, own }: JobAtHand): SeedRecord[] {
  const row = (
    kind: 'booking' | 'visit',
    index: number,
    [staff, days, from, to]: readonly [string, number, string, string],
  ) => ({
    ...own(kind, index + 1, kind === 'visit' ? [days, to] : (job.won ?? job.created)),
    job_uuid: uuid,
    staff_uuid: book.uuidOf('staff', staff),
    start_date: { days, at: from },
    end_date: { days, at: to },
    activity_was_scheduled: kind === 'booking' ? '1' : '0',
    activity_was_recorded: kind === 'visit' ? '1' : '0',
    allocated_by_staff_uuid: kind === 'booking' ? staffOf(book, plan.staff[0]?.key) : '',
    edit_by_staff_uuid: book.uuidOf('staff', kind === 'visit' ? staff : (plan.staff[0]?.key ?? '')),
  })
  return [
    ...(job.visits ?? []).map((visit, index) => row('visit', index, visit)),
    ...(job.bookings ?? []).map((booking, index) => row('booking', index, booking)),
  ]
}

function noteRecords({ book, job, uuid, own }: JobAtHand): SeedRecord[] {
  return (job.notes ?? []).map(([staff, day, text], index) => ({
    ...own('note', index + 1, day),
    related_object: 'job',
    related_object_uuid: uuid,
    note: text,
    create_date: moment(day),
    edit_by_staff_uuid: book.uuidOf('staff', staff),
  }))
}

function attachmentRecords({ book, job, uuid, own, plan }: JobAtHand): SeedRecord[] {
  const staff = staffOf(book, job.visits?.[0]?.[0] ?? plan.staff[0]?.key)
  const file = (kind: 'photo' | 'file', day: Day, name: string, index: number): SeedRecord => ({
    ...own(kind, index + 1, day),
    related_object: 'job',
    related_object_uuid: uuid,
    attachment_name: name,
    file_type: name.slice(name.lastIndexOf('.')),
    attachment_source: kind === 'photo' ? 'CAMERA' : '',
    tags: kind === 'photo' ? 'site' : '',
    ...(kind === 'photo' ? { photo_width: '1600', photo_height: '1200' } : {}),
    created_by_staff_uuid: staff,
    timestamp: moment(day),
  })
  return [
    ...(job.photos ?? []).map(([day, name], index) => file('photo', day, name, index)),
    ...(job.files ?? []).map(([day, name], index) => file('file', day, name, index)),
  ]
}

function taskRecords({ plan, book, job, uuid, own }: JobAtHand): SeedRecord[] {
  return (job.tasks ?? []).map((task, index) => ({
    ...own('task', index + 1, task.done ?? job.created),
    name: task.name,
    task_details: task.details ?? '',
    related_object: 'job',
    related_object_uuid: uuid,
    due_date: { days: task.due, at: '17:00' },
    assigned_to_staff_uuid: book.uuidOf('staff', task.staff),
    created_by_staff_uuid: staffOf(book, plan.staff[0]?.key),
    create_date: moment(job.created),
    ...(task.done
      ? {
          task_complete: '1',
          completed_timestamp: moment(task.done),
          completed_by_staff_uuid: book.uuidOf('staff', task.staff),
        }
      : {}),
  }))
}

function paymentRecords({ plan, book, job, uuid, total, own }: JobAtHand): SeedRecord[] {
  let left = total
  return (job.payments ?? []).map(([day, amount, method], index) => {
    const paid = amount === 'rest' ? left : amount
    left -= paid
    return {
      ...own('jobpayment', index + 1, day),
      job_uuid: uuid,
      amount: paid.toFixed(2),
      method,
      note: index === 0 && left > 0 ? 'Deposit' : '',
      is_deposit: index === 0 && left > 0 ? 1 : 0,
      timestamp: moment(day),
      actioned_by_uuid: staffOf(book, plan.staff[0]?.key),
    }
  })
}

function formRecords({ plan, book, job, uuid, own }: JobAtHand): SeedRecord[] {
  const { form: filled } = job
  const form = plan.forms.find((one) => one.key === filled?.key)
  if (!filled || !form) return []
  const answers = form.questions.map(([question, type], index) => ({
    UUID: seedUuid(`${plan.key}/formfield/${form.key}/${index + 1}`),
    Question: question,
    FieldType: type,
    Response: filled.answers[index] ?? '',
    SortOrder: index + 1,
  }))
  return [
    {
      ...own('formresponse', form.key, filled.day),
      form_uuid: book.uuidOf('form', form.key),
      staff_uuid: book.uuidOf('staff', filled.staff),
      form_by_staff_uuid: book.uuidOf('staff', filled.staff),
      regarding_object: 'job',
      regarding_object_uuid: uuid,
      field_data: JSON.stringify(answers),
      timestamp: moment(filled.day),
    },
  ]
}

/** The job's own lines first, then those of the bundle. */
function linesOf(plan: FirmPlan, job: JobPlan): (readonly [material: string, quantity: number])[] {
  const bundle = plan.bundles.find((one) => one.number === job.bundle)
  if (job.bundle && !bundle) throw new Error(`job ${job.key} uses an unknown bundle: ${job.bundle}`)
  return [...(job.lines ?? []), ...(bundle?.parts ?? [])]
}

function priceOf(plan: FirmPlan, material: string): number {
  return plan.materials[material]?.price ?? 0
}

function bundleUuid(plan: FirmPlan, job: JobPlan): string {
  return seedUuid(`${plan.key}/job/${job.key}/jobmaterialbundle/${job.bundle}`)
}

function paidOf(job: JobPlan, total: number): number {
  return (job.payments ?? []).reduce((sum, [, amount]) => sum + (amount === 'rest' ? total - sum : amount), 0)
}

function staffOf(book: JobBook, key: string | undefined): string {
  return key ? book.uuidOf('staff', key) : ''
}

/** The last day in the job's own history that is not in the future. */
function newest(job: JobPlan): Day {
  const days = [
    job.created,
    job.quoted,
    job.quoteSent,
    job.won,
    job.completed,
    job.lost,
    job.invoiced,
    job.payments?.at(-1)?.[0],
  ]
  const known = days.filter((day): day is Day => day !== undefined)
  return known.reduce((latest, day) =>
    day[0] > latest[0] || (day[0] === latest[0] && day[1] > latest[1]) ? day : latest,
  )
}
