// The fields as data, per object: its own fields under the platform's names, other names for them, and the parts that
// can be joined. Source of the own ones: servicem8 facts, objects.json. Read them through `fields.ts`.
import type { FactPart } from './facts.ts'

export type FieldType = 'text' | 'number' | 'money' | 'date' | 'flag' | 'uuid' | 'choice' | 'list' | 'phone' | 'age'

interface FieldRow {
  name: string
  type: FieldType
  label: string
}

/** Another name for a field. */
interface AliasRow extends FieldRow {
  source: string
}

type JoinedPart = Exclude<FactPart, 'job'>

export interface ObjectTable {
  /** The singular noun for people. */
  noun: string
  /** Belongs to a job, and through it to a customer. */
  belongsToJob: boolean
  own: readonly FieldRow[]
  aliases: readonly AliasRow[]
  joins: readonly JoinedPart[]
}

/** One row per line, split into words. */
function wordsOf(text: string): string[][] {
  return text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
}

/** `name type label …` */
function rows(text: string): FieldRow[] {
  return wordsOf(text).map(([name = '', type = '', ...label]) => ({
    name,
    type: type as FieldType,
    label: label.join(' '),
  }))
}

/** `name source type label …` */
function aliases(text: string): AliasRow[] {
  return wordsOf(text).map(([name = '', source = '', type = '', ...label]) => ({
    name,
    source,
    type: type as FieldType,
    label: label.join(' '),
  }))
}

const ALWAYS = `
  uuid uuid Record id
  active flag Not deleted
  edit_date date Last changed`

/** The fields of each part, under the names that conditions and placeholders use. */
export const JOINED: Readonly<Record<JoinedPart, readonly FieldRow[]>> = {
  contact: rows(`
    contact_first_name text Contact's first name
    contact_last_name text Contact's last name
    contact_phone phone Contact's phone
    contact_mobile phone Contact's mobile
    contact_email text Contact's e-mail`),
  company: rows(`
    company_name text Customer's name
    company_address text Customer's address
    company_payment_terms text Customer's payment terms`),
  company_contact: rows(`
    company_phone phone Customer's phone
    company_mobile phone Customer's mobile
    company_email text Customer's e-mail
    company_first_name text First name of the customer's main contact
    company_last_name text Last name of the customer's main contact`),
  staff: rows(`
    assigned_staff uuid Assigned staff
    staff_name text Staff member's name
    staff_email text Staff member's e-mail
    staff_mobile phone Staff member's mobile`),
  queue: rows(`
    queue_name text Queue's name
    queue_default_timeframe number Days a job may stay in the queue`),
  category: rows("category_name text Category's name"),
  badge: rows('badge_names list Names of the badges'),
}

/** Other names for joined fields, on objects that have those. */
export const JOINED_ALIASES: readonly AliasRow[] = aliases(`
  staff_uuid assigned_staff uuid Staff member`)

const JOB: ObjectTable = {
  noun: 'job',
  belongsToJob: false,
  own: rows(`${ALWAYS}
    status choice Status
    generated_job_id text Job number
    job_description text Job description
    work_done_description text Work done
    job_address text Job address
    billing_address text Billing address
    purchase_order_number text Purchase order number
    company_uuid uuid Customer
    queue_uuid uuid Queue
    queue_expiry_date date In the queue until
    queue_assigned_staff_uuid uuid Staff member of the queue
    category_uuid uuid Category
    badges list Badges
    date date Job date
    quote_date date Quote date
    quote_sent flag Quote sent
    quote_sent_stamp date Quote sent on
    work_order_date date Became a work order on
    completion_date date Completed on
    unsuccessful_date date Became unsuccessful on
    invoice_sent flag Invoice sent
    invoice_sent_stamp date Invoice sent on
    ready_to_invoice flag Ready to invoice
    ready_to_invoice_stamp date Ready to invoice since
    total_invoice_amount money Invoice total
    payment_received flag Paid
    payment_received_stamp date Paid on
    payment_processed flag Payment processed
    payment_processed_stamp date Payment processed on
    payment_amount money Payment amount
    payment_date date Payment date
    payment_method text Payment method
    payment_note text Payment note
    payment_actioned_by_uuid uuid Payment taken by
    completion_actioned_by_uuid uuid Completed by
    created_by_staff_uuid uuid Created by
    job_is_scheduled_until_stamp date Scheduled until
    geo_country text Country
    geo_postcode text Postcode
    geo_state text State or county
    geo_city text Town
    geo_street text Street
    geo_number text House number
    geo_is_valid flag Address found on the map
    lat number Latitude
    lng number Longitude
    related_knowledge_articles text Knowledge articles`),
  aliases: aliases(`
    created_date date date Created on
    updated_date edit_date date Last changed
    total_cost total_invoice_amount money Total cost
    queue queue_uuid uuid Queue`),
  joins: ['contact', 'company', 'company_contact', 'staff', 'queue', 'category', 'badge'],
}

interface Written {
  noun: string
  own: string
  aliases?: string
  joins?: ObjectTable['joins']
}

function objectOf({ noun, own, aliases: others = '', joins = [] }: Written): ObjectTable {
  const named = aliases(`updated_date edit_date date Last changed${others}`)
  return { noun, belongsToJob: false, own: rows(own), aliases: named, joins }
}

function jobChild(written: Written): ObjectTable {
  return { ...objectOf({ joins: JOB.joins, ...written }), belongsToJob: true }
}

/** The objects that rules can watch or poll. */
export const OBJECTS: Readonly<Record<string, ObjectTable>> = {
  job: JOB,
  company: objectOf({
    noun: 'customer',
    own: `${ALWAYS}
      name text Name
      abn_number text Business number
      address text Address
      billing_address text Billing address
      address_street text Street
      address_city text Town
      address_state text State or county
      address_postcode text Postcode
      address_country text Country
      website text Website
      fax_number text Fax
      is_individual flag Private person
      parent_company_uuid uuid Head office
      badges list Badges
      tax_rate_uuid uuid Tax rate
      billing_attention text Billing attention
      payment_terms text Payment terms`,
    aliases: `
      company_uuid uuid uuid Customer
      company_name name text Customer's name
      company_address address text Customer's address
      company_payment_terms payment_terms text Customer's payment terms`,
    joins: ['company_contact', 'badge'],
  }),
  jobactivity: jobChild({
    noun: 'booking',
    own: `${ALWAYS}
      job_uuid uuid Job
      staff_uuid uuid Staff member
      start_date date Start
      end_date date End
      activity_was_scheduled flag Is a booking
      activity_was_recorded flag Is a check-in
      activity_was_automated flag Recorded automatically
      has_been_opened flag Seen by the staff member
      has_been_opened_timestamp date Seen on
      travel_time_in_seconds number Travel time in seconds
      travel_distance_in_meters number Travel distance in metres
      allocated_by_staff_uuid uuid Booked by
      allocated_timestamp date Booked on
      material_uuid uuid Labour rate
      edit_by_staff_uuid uuid Changed by`,
    aliases: `
      assigned_staff staff_uuid uuid Assigned staff`,
  }),
  jobpayment: jobChild({
    noun: 'payment',
    own: `${ALWAYS}
      job_uuid uuid Job
      amount money Amount
      method text Method
      note text Note
      is_deposit flag Is a deposit
      timestamp date Received on
      actioned_by_uuid uuid Taken by
      attachment_uuid uuid Receipt`,
    aliases: `
      created_date timestamp date Created on`,
  }),
  jobcontact: jobChild({
    noun: 'job contact',
    own: `${ALWAYS}
      job_uuid uuid Job
      first text First name
      last text Last name
      phone phone Phone
      mobile phone Mobile
      email text E-mail
      type text Kind of contact
      is_primary_contact flag Main contact`,
    aliases: `
      contact_first_name first text Contact's first name
      contact_last_name last text Contact's last name
      contact_phone phone phone Contact's phone
      contact_mobile mobile phone Contact's mobile
      contact_email email text Contact's e-mail`,
    joins: JOB.joins.filter((part) => part !== 'contact'),
  }),
  jobmaterial: jobChild({
    noun: 'job material',
    own: `${ALWAYS}
      job_uuid uuid Job
      material_uuid uuid Material
      name text Name
      quantity number Quantity
      price money Price
      cost money Cost
      displayed_amount money Amount shown
      displayed_amount_is_tax_inclusive flag Amount shown includes tax
      displayed_cost money Cost shown
      tax_rate_uuid uuid Tax rate
      job_material_bundle_uuid uuid Bundle`,
  }),
  note: jobChild({
    noun: 'note',
    own: `${ALWAYS}
      related_object text Belongs to
      related_object_uuid uuid Record it belongs to
      note text Note
      action_required flag Needs action
      action_completed_by_staff_uuid uuid Done by
      edit_by_staff_uuid uuid Changed by
      create_date date Written on`,
    aliases: `
      created_date create_date date Created on`,
  }),
  task: jobChild({
    noun: 'task',
    own: `${ALWAYS}
      related_object text Belongs to
      related_object_uuid uuid Record it belongs to
      name text Title
      task_details text Details
      due_date date Due on
      task_complete flag Done
      completed_timestamp date Done on
      completed_by_staff_uuid uuid Done by
      assigned_to_staff_uuid uuid Assigned to
      created_by_staff_uuid uuid Created by
      create_date date Task created on
      lat number Latitude
      lng number Longitude`,
    aliases: `
      created_date create_date date Created on`,
  }),
  attachment: jobChild({
    noun: 'file',
    own: `${ALWAYS}
      related_object text Belongs to
      related_object_uuid uuid Record it belongs to
      attachment_name text File name
      file_type text File type
      attachment_source text Where it came from
      tags text Tags
      lat number Latitude
      lng number Longitude
      photo_width number Width
      photo_height number Height
      extracted_info text Text found in it
      is_favourite flag Favourite
      class_name text Class
      metadata text Details of the file
      created_by_staff_uuid uuid Added by
      timestamp date Added on`,
    aliases: `
      created_date timestamp date Created on`,
  }),
  formresponse: jobChild({
    noun: 'form response',
    own: `${ALWAYS}
      form_uuid uuid Form
      staff_uuid uuid Staff member
      regarding_object text Belongs to
      regarding_object_uuid uuid Record it belongs to
      field_data text Answers
      timestamp date Filled in on
      form_by_staff_uuid uuid Filled in by
      document_attachment_uuid uuid Document
      asset_uuid uuid Asset`,
    aliases: `
      assigned_staff staff_uuid uuid Assigned staff
      created_date timestamp date Created on`,
  }),
  queue: objectOf({
    noun: 'queue',
    own: `${ALWAYS}
      name text Name
      default_timeframe number Days a job may stay
      subscribed_staff text Subscribed staff
      requires_assignment flag Needs a staff member`,
    aliases: `
      queue_name name text Queue`,
  }),
  material: objectOf({
    noun: 'material',
    own: `${ALWAYS}
      name text Name
      item_number text Item number
      price money Price
      cost money Cost
      quantity_in_stock number In stock
      price_includes_taxes flag Price includes tax
      barcode text Barcode
      item_is_inventoried flag Stock is counted
      item_description text Description
      use_description_for_invoicing flag Description goes on the invoice
      tax_rate_uuid uuid Tax rate`,
  }),
}
