// Converts a firm's plan to the platform's records, with consistent uuids, timestamps, totals and flags.
import { hash } from '../servicem8/geo.ts'
import type { SeedAccount, SeedRecord, SeedValue } from '../world.ts'
import { type JobBook, jobRecords } from './job-records.ts'
import type { AddressPlan, ClientPlan, Day, FirmPlan } from './plan.ts'
import { addressText, moment, seedUuid } from './seed-values.ts'

/** The day the office's own lists were last changed. */
const SET_UP: Day = [-240, '08:30']

export function accountOf(plan: FirmPlan): SeedAccount {
  const book = bookOf(plan)
  const { uuid, vendor } = plan
  return {
    vendor: { uuid, active: 1, edit_date: moment(SET_UP), ...vendor },
    records: { ...officeRecords(plan, book), ...clientRecords(plan, book), ...jobRecords(plan, book) },
    nextJobNumber: Math.max(...plan.jobs.map((job) => job.number)) + 1,
  }
}

/** Finds the uuid of a record of this firm by its short name. Throws for a name missing in the plan, a mistake. */
function bookOf(plan: FirmPlan): JobBook {
  const known: Record<string, readonly string[]> = {
    staff: plan.staff.map((one) => one.key),
    queue: plan.queues.map((one) => one.key),
    category: Object.keys(plan.categories),
    badge: Object.keys(plan.badges),
    material: Object.keys(plan.materials),
    bundle: plan.bundles.map((one) => one.number),
    form: plan.forms.map((one) => one.key),
    client: plan.clients.map((one) => one.key),
  }
  return {
    uuidOf(kind, key) {
      const keys = known[kind]
      if (keys && !keys.includes(key)) throw new Error(`the plan of ${plan.key} has no ${kind} called ${key}`)
      return seedUuid(`${plan.key}/${kind}/${key}`)
    },
    spotOf: (address) => spotOf(plan, address),
  }
}

function officeRecords(plan: FirmPlan, book: JobBook): Record<string, SeedRecord[]> {
  const own = (kind: string, key: string, inactive?: unknown) => ({
    uuid: book.uuidOf(kind, key),
    active: inactive ? 0 : 1,
    edit_date: moment(SET_UP),
  })
  const taxUuid = book.uuidOf('taxrate', 'standard')
  return {
    staff: plan.staff.map((one) => ({
      ...own('staff', one.key, one.inactive),
      first: one.first,
      last: one.last,
      email: one.email,
      mobile: one.mobile,
      job_title: one.title,
      color: one.colour,
      can_receive_push_notification: one.inactive ? '0' : '1',
      hide_from_schedule: one.inactive ? 1 : 0,
      security_role_uuid: book.uuidOf('securityrole', one.key === plan.staff[0]?.key ? 'owner' : 'field'),
    })),
    securityrole: [
      { ...own('securityrole', 'owner'), name: 'Business owner', role_description: 'Sees and changes everything' },
      { ...own('securityrole', 'field'), name: 'Field staff', role_description: 'Own jobs and schedule' },
    ],
    taxrate: [
      { ...own('taxrate', 'standard'), name: plan.tax.name, amount: plan.tax.percent, is_default_tax_rate: 1 },
      { ...own('taxrate', 'none'), name: 'No tax', amount: '0.00' },
    ],
    queue: plan.queues.map((one) => ({
      ...own('queue', one.key, one.inactive),
      name: one.name,
      default_timeframe: one.days,
      requires_assignment: one.requiresAssignment ? 1 : 0,
      subscribed_staff: plan.staff
        .slice(0, 2)
        .map((staff) => book.uuidOf('staff', staff.key))
        .join(';'),
    })),
    category: Object.entries(plan.categories).map(([key, [name, colour, inactive]]) => ({
      ...own('category', key, inactive),
      name,
      colour,
    })),
    badge: Object.entries(plan.badges).map(([key, name]) => ({
      ...own('badge', key),
      name,
      automatically_allocated: '0',
    })),
    material: Object.entries(plan.materials).map(([key, one]) => ({
      ...own('material', key, one.inactive),
      name: one.name,
      item_number: one.number,
      price: one.price.toFixed(2),
      cost: one.cost.toFixed(2),
      quantity_in_stock: one.stock ?? 0,
      item_is_inventoried: one.stock === undefined ? 0 : 1,
      item_description: one.about ?? '',
      tax_rate_uuid: taxUuid,
    })),
    materialbundle: plan.bundles.map((one) => ({
      ...own('bundle', one.number),
      item_number: one.number,
      name: one.name,
      material_list: one.parts.map(([material, quantity]) => ({
        uuid: book.uuidOf('material', material),
        quantity,
      })),
    })),
    emailtemplate: plan.emailTemplates.map(([name, subject, message]) => ({
      ...own('emailtemplate', name),
      name,
      subject,
      message,
    })),
    smstemplate: plan.smsTemplates.map(([name, message]) => ({ ...own('smstemplate', name), name, message })),
    documenttemplate: plan.documentTemplates.map(([name, type]) => ({
      ...own('documenttemplate', name),
      name,
      template_type: type,
      related_object: 'job',
    })),
    jobtemplate: plan.jobTemplates.map((name) => ({ ...own('jobtemplate', name), name })),
    form: plan.forms.map((one) => ({
      ...own('form', one.key),
      name: one.name,
      can_be_used_independently: '1',
      badge_name: one.badge,
    })),
    formfield: plan.forms.flatMap((form) =>
      form.questions.map(([question, type], index) => ({
        ...own('formfield', `${form.key}/${index + 1}`),
        form_uuid: book.uuidOf('form', form.key),
        name: question,
        field_data_json: JSON.stringify({ fieldType: type, mandatory: index === 0 }),
        sort_order: index + 1,
      })),
    ),
    supplier: plan.suppliers.map((one) => ({ ...own('supplier', one.name), ...one })),
    location: [
      {
        ...own('location', 'office'),
        name: 'Office and stores',
        line1: String(plan.vendor.billing_address ?? '').split(',')[0] ?? '',
        country: plan.centre.country,
        lat: plan.centre.lat,
        lng: plan.centre.lng,
      },
    ],
  }
}

function clientRecords(plan: FirmPlan, book: JobBook): Record<string, SeedRecord[]> {
  return {
    company: plan.clients.map((client) => companyRecord(plan, book, client)),
    companycontact: plan.clients.flatMap((client) =>
      client.people.map((person, index) => ({
        uuid: seedUuid(`${plan.key}/companycontact/${client.key}/${index + 1}`),
        active: client.inactive ? 0 : 1,
        edit_date: moment(editDay(client.key)),
        company_uuid: book.uuidOf('client', client.key),
        first: person.first,
        last: person.last,
        mobile: person.mobile ?? '',
        phone: person.phone ?? '',
        email: person.email ?? '',
        type: index === 0 ? 'JOB' : 'BILLING',
        is_primary_contact: index === 0 ? '1' : '0',
      })),
    ),
  }
}

function companyRecord(plan: FirmPlan, book: JobBook, client: ClientPlan): SeedRecord {
  const { address } = client
  const whole = addressText(address, plan.centre.country)
  const record: Record<string, SeedValue> & { uuid: string } = {
    uuid: book.uuidOf('client', client.key),
    active: client.inactive ? 0 : 1,
    edit_date: moment(editDay(client.key)),
    name: client.name,
    is_individual: client.individual ? '1' : '0',
    address: whole,
    billing_address: whole,
    address_street: address.street,
    address_city: address.city,
    address_state: address.state,
    address_postcode: address.postcode,
    address_country: plan.centre.country,
    website: client.website ?? '',
    payment_terms: client.terms ?? '',
    tax_rate_uuid: book.uuidOf('taxrate', 'standard'),
  }
  if (client.badges) record.badges = JSON.stringify(client.badges.map((badge) => book.uuidOf('badge', badge)))
  return record
}

/** A day in the months before, derived from the key. */
function editDay(key: string): Day {
  return [-30 - (hash(key) % 160), '10:15']
}

/** The parts of a job's address that the platform computes: an invented place near the firm, always the same. */
function spotOf(plan: FirmPlan, address: AddressPlan): Record<string, SeedValue> {
  const spot = hash(address.street + address.postcode)
  const number = /^[\d/]+[A-Za-z]?(?=\s)/.exec(address.street)?.[0] ?? ''
  const near = (middle: number, step: number) => Math.round((middle + (step % 1000) / 9000 - 0.055) * 1e6) / 1e6
  return {
    geo_is_valid: 1,
    geo_number: number,
    geo_street: address.street.slice(number.length).trim(),
    geo_city: address.city,
    geo_state: address.state,
    geo_postcode: address.postcode,
    geo_country: plan.centre.country,
    lat: near(plan.centre.lat, spot),
    lng: near(plan.centre.lng, spot >>> 10),
  }
}
