// What can be watched: the object types with their names, fields, presets and spellings, as data. Imports nothing.
//
// Two lists of fields per object, on purpose:
// - `watchFields` is what we ask the platform to watch when somebody wants "all fields": the record's own fields less
//   `uuid`, `edit_date` and deprecated ones. The platform publishes no such list, and refuses an empty one.
// - `pickerFields` is what the form offers to choose from: the specification's list. For `company` that list names the
//   fields of a company's contacts, which a company never reports, so there the platform's own fields are offered.

export interface ObjectKind {
  /** As it is stored and addressed: lower case, nothing else. */
  type: string
  /** For people. */
  label: string
  /** How we come to know of its changes: the platform posts them to us, or, where it does not, we look every few minutes. */
  delivery: 'subscribed' | 'polled'
  watchFields: readonly string[]
  pickerFields: readonly string[]
  /** Accepted when typed, but never reported by the platform for this object. */
  neverReported: readonly string[]
  /** Computed by the platform or deprecated: the first to leave out when it refuses a list of fields. */
  doubtful: readonly string[]
  presets: readonly FieldPreset[]
}

interface FieldPreset {
  name: string
  fields: readonly string[]
}

const names = (text: string): readonly string[] => text.trim().split(/\s+/)
const NONE: readonly string[] = []

const JOB_GEO = names('geo_is_valid geo_country geo_postcode geo_state geo_city geo_street geo_number')

const COMPANY_FIELDS = names(`
  active name abn_number address billing_address is_individual parent_company_uuid website address_street address_city
  address_state address_postcode address_country fax_number badges tax_rate_uuid billing_attention payment_terms`)

// The specification lists no fields for these two: they are the platform's own.
const JOB_MATERIAL_FIELDS = names(`
  active job_uuid material_uuid name quantity price displayed_amount displayed_amount_is_tax_inclusive tax_rate_uuid
  sort_order cost displayed_cost job_material_bundle_uuid`)

const JOB_CONTACT_FIELDS = names('active job_uuid first last phone mobile email type')

const CATALOG: readonly ObjectKind[] = [
  {
    type: 'job',
    label: 'Job',
    delivery: 'subscribed',
    watchFields: names(`
      active created_by_staff_uuid date company_uuid billing_address status lng lat payment_date payment_actioned_by_uuid
      payment_method payment_amount category_uuid payment_note geo_is_valid purchase_order_number invoice_sent
      invoice_sent_stamp geo_country geo_postcode geo_state geo_city geo_street geo_number queue_uuid queue_expiry_date
      queue_assigned_staff_uuid badges quote_date quote_sent quote_sent_stamp work_order_date job_address job_description
      work_done_description generated_job_id total_invoice_amount payment_processed payment_processed_stamp
      payment_received payment_received_stamp completion_date completion_actioned_by_uuid unsuccessful_date
      job_is_scheduled_until_stamp`),
    pickerFields: names(`
      uuid status date company_uuid job_address billing_address job_description work_done_description lng lat
      generated_job_id payment_date payment_actioned_by_uuid payment_method payment_amount payment_note payment_processed
      payment_processed_stamp payment_received payment_received_stamp total_invoice_amount category_uuid geo_is_valid
      geo_country geo_postcode geo_state geo_city geo_street geo_number queue_uuid queue_expiry_date
      queue_assigned_staff_uuid invoice_sent invoice_sent_stamp ready_to_invoice ready_to_invoice_stamp quote_date
      quote_sent quote_sent_stamp work_order_date completion_date unsuccessful_date badges related_knowledge_articles
      active created_by_staff_uuid purchase_order_number completion_actioned_by_uuid job_is_scheduled_until_stamp`),
    neverReported: NONE,
    doubtful: [
      ...JOB_GEO,
      ...names(`
        lng lat payment_date payment_actioned_by_uuid payment_method payment_amount payment_note invoice_sent_stamp
        ready_to_invoice ready_to_invoice_stamp quote_sent_stamp related_knowledge_articles generated_job_id
        total_invoice_amount payment_processed_stamp payment_received_stamp completion_actioned_by_uuid
        job_is_scheduled_until_stamp`),
    ],
    presets: [
      // The status word, and the four dates the platform stamps when it changes.
      {
        name: 'Status Changes',
        fields: names('status quote_date work_order_date completion_date unsuccessful_date'),
      },
      // Everything that says money came in. Single payments are objects of their own (`jobpayment`).
      {
        name: 'Payment Updates',
        fields: names(
          'payment_received payment_received_stamp payment_processed payment_processed_stamp payment_date payment_amount payment_method payment_note payment_actioned_by_uuid',
        ),
      },
      // When it is to be done and who has it next. Bookings are objects of their own (`jobactivity`).
      {
        name: 'Scheduling',
        fields: names('date job_is_scheduled_until_stamp queue_uuid queue_expiry_date queue_assigned_staff_uuid'),
      },
      // From "can be invoiced" to "was sent", with the amount.
      {
        name: 'Invoice Tracking',
        fields: names(
          'invoice_sent invoice_sent_stamp ready_to_invoice ready_to_invoice_stamp total_invoice_amount purchase_order_number',
        ),
      },
      // Where the job is: the address as typed and what the platform makes of it.
      { name: 'Location Updates', fields: ['job_address', 'lng', 'lat', ...JOB_GEO] },
      // What a list of jobs shows.
      {
        name: 'Basic Job Info',
        fields: names(
          'generated_job_id status date company_uuid job_address job_description work_done_description category_uuid badges',
        ),
      },
    ],
  },
  {
    type: 'company',
    label: 'Company',
    delivery: 'subscribed',
    watchFields: COMPANY_FIELDS,
    pickerFields: COMPANY_FIELDS,
    neverReported: names('company_uuid first last phone mobile email type is_primary_contact'),
    doubtful: names('is_individual'),
    presets: [
      // How to reach the customer.
      {
        name: 'Contact Info',
        fields: names(
          'name website fax_number address address_street address_city address_state address_postcode address_country',
        ),
      },
      // Who the customer is and how they are billed.
      {
        name: 'Company Details',
        fields: names(
          'name active abn_number is_individual parent_company_uuid billing_address billing_attention payment_terms tax_rate_uuid badges',
        ),
      },
    ],
  },
  {
    type: 'jobmaterial',
    label: 'Job Material',
    delivery: 'polled',
    watchFields: JOB_MATERIAL_FIELDS,
    pickerFields: JOB_MATERIAL_FIELDS,
    neverReported: NONE,
    doubtful: NONE,
    presets: [],
  },
  {
    type: 'jobcontact',
    label: 'Job Contact',
    delivery: 'polled',
    watchFields: JOB_CONTACT_FIELDS,
    pickerFields: JOB_CONTACT_FIELDS,
    neverReported: NONE,
    doubtful: NONE,
    presets: [],
  },
  {
    type: 'jobactivity',
    label: 'Job Activity',
    delivery: 'subscribed',
    watchFields: names(`
      active job_uuid staff_uuid start_date end_date activity_was_scheduled activity_was_recorded activity_was_automated
      has_been_opened has_been_opened_timestamp travel_time_in_seconds travel_distance_in_meters material_uuid
      edit_by_staff_uuid`),
    pickerFields: names(`
      active job_uuid staff_uuid start_date end_date activity_was_scheduled activity_was_recorded activity_was_automated
      has_been_opened has_been_opened_timestamp travel_time_in_seconds travel_distance_in_meters
      allocated_by_staff_uuid allocated_timestamp material_uuid`),
    neverReported: NONE,
    doubtful: names('allocated_by_staff_uuid allocated_timestamp edit_by_staff_uuid'),
    presets: [
      // Bookings and check-ins: when, and which of the two it is.
      {
        name: 'Activity Tracking',
        fields: names(
          'active job_uuid start_date end_date activity_was_scheduled activity_was_recorded activity_was_automated',
        ),
      },
      // Who does it, and has that person seen it.
      {
        name: 'Staff Assignment',
        fields: names(
          'staff_uuid allocated_by_staff_uuid allocated_timestamp has_been_opened has_been_opened_timestamp',
        ),
      },
      // The way there.
      {
        name: 'Location & Travel',
        fields: names('travel_time_in_seconds travel_distance_in_meters start_date end_date'),
      },
    ],
  },
  {
    type: 'jobpayment',
    label: 'Job Payment',
    delivery: 'subscribed',
    watchFields: names('active job_uuid actioned_by_uuid timestamp amount method note attachment_uuid is_deposit'),
    pickerFields: names('active job_uuid actioned_by_uuid timestamp amount method note attachment_uuid is_deposit'),
    neverReported: NONE,
    doubtful: names('is_deposit'),
    presets: [
      // What was paid.
      { name: 'Payment Details', fields: names('amount method note is_deposit') },
      // When, by whom, for which job, and was it taken back.
      { name: 'Payment Tracking', fields: names('active job_uuid actioned_by_uuid timestamp attachment_uuid') },
    ],
  },
  {
    type: 'note',
    label: 'Note',
    delivery: 'subscribed',
    watchFields: names(`
      active related_object related_object_uuid note action_required action_completed_by_staff_uuid edit_by_staff_uuid
      create_date`),
    pickerFields: names(
      'active related_object related_object_uuid note action_required action_completed_by_staff_uuid create_date',
    ),
    neverReported: NONE,
    doubtful: names('edit_by_staff_uuid'),
    presets: [],
  },
  {
    type: 'task',
    label: 'Task',
    delivery: 'subscribed',
    watchFields: names(`
      active due_date task_details name related_object related_object_uuid task_complete completed_timestamp
      completed_by_staff_uuid assigned_to_staff_uuid created_by_staff_uuid create_date`),
    pickerFields: names(`
      due_date task_details name related_object related_object_uuid task_complete completed_timestamp
      completed_by_staff_uuid assigned_to_staff_uuid lng lat created_by_staff_uuid create_date`),
    neverReported: NONE,
    doubtful: names('lng lat'),
    presets: [],
  },
  {
    type: 'material',
    label: 'Material',
    delivery: 'subscribed',
    watchFields: names(`
      active name item_number price cost quantity_in_stock price_includes_taxes barcode item_is_inventoried
      item_description use_description_for_invoicing tax_rate_uuid`),
    pickerFields: names(`
      name item_number price cost item_description quantity_in_stock price_includes_taxes use_description_for_invoicing
      tax_rate_uuid barcode item_is_inventoried`),
    neverReported: NONE,
    doubtful: NONE,
    presets: [],
  },
  {
    type: 'attachment',
    label: 'Attachment',
    delivery: 'subscribed',
    watchFields: names(`
      active related_object related_object_uuid attachment_name file_type attachment_source tags lng lat photo_width
      photo_height extracted_info is_favourite class_name metadata created_by_staff_uuid timestamp`),
    pickerFields: names(`
      attachment_name file_type timestamp attachment_source tags lng lat photo_width photo_height extracted_info
      is_favourite class_name metadata signature_data`),
    neverReported: names('signature_data'),
    doubtful: names('photo_width photo_height extracted_info class_name'),
    presets: [],
  },
  {
    type: 'formresponse',
    label: 'Form Response',
    delivery: 'subscribed',
    watchFields: names(`
      active form_uuid staff_uuid regarding_object regarding_object_uuid field_data timestamp form_by_staff_uuid
      document_attachment_uuid asset_uuid`),
    pickerFields: NONE,
    neverReported: NONE,
    doubtful: NONE,
    presets: [],
  },
]

const BY_TYPE: ReadonlyMap<string, ObjectKind> = new Map(CATALOG.map((kind) => [kind.type, kind]))

/** The 11 types in the order they are offered. */
export const OBJECT_KINDS: readonly ObjectKind[] = CATALOG

/** Their short names, same order. */
export const OBJECT_TYPES: readonly string[] = CATALOG.map((kind) => kind.type)

/** The pairs the quick reference shows, word for word. */
export const OBJECT_PAIRS: readonly string[] = [
  'Job and Job Activity',
  'Company and Job Contact',
  'Material and Job Material',
  'Task and Job Payment',
  'Note and Attachment',
  'Form Response',
]

/** The object of that type (already normalised), or null when it is not one of the 11. */
export function findObjectKind(type: string): ObjectKind | null {
  return BY_TYPE.get(type) ?? null
}

/** `Job Activity` for `jobactivity`. A type outside the catalogue is its own label. */
export function objectLabel(type: string): string {
  return BY_TYPE.get(type)?.label ?? type
}

/**
 * One spelling for every way a type is written: `JobActivity`, `job_activity`, ` Job Activity ` are `jobactivity`.
 * The platform itself varies between them in what it sends. '' stays ''.
 */
export function normalizeObjectType(text: string): string {
  return text.toLowerCase().replace(/[\s_-]+/g, '')
}

/** Could this (already normalised) text be the name of an object? The platform takes at most 64 characters. */
export function isPlausibleObjectType(type: string): boolean {
  return /^[a-z][a-z0-9]{0,63}$/.test(type)
}

/**
 * How a type may have to be written when the platform does not recognise the plain lower-case name: `JobActivity`,
 * `job_activity` (both seen by integrators). Types of one word have one spelling only.
 */
export function otherSpellings(type: string): string[] {
  const label = BY_TYPE.get(type)?.label
  if (!label?.includes(' ')) return []
  return [label.replaceAll(' ', ''), label.toLowerCase().replaceAll(' ', '_')]
}

/** The types whose changes we look for ourselves. */
export const POLLED_TYPES: readonly string[] = CATALOG.filter((kind) => kind.delivery === 'polled').map(
  (kind) => kind.type,
)

/** Is it a type (already normalised) that the platform sends no webhooks for, so that we look for its changes ourselves? */
export function isPolled(type: string): boolean {
  return BY_TYPE.get(type)?.delivery === 'polled'
}

/** Its records as a sentence calls them: `job contacts`. */
export function recordsText(type: string): string {
  return `${objectLabel(type).toLowerCase()}s`
}

/** Presets a field picker offers for the type; selecting one adds the missing fields. */
export function fieldPresets(type: string): readonly FieldPreset[] {
  return BY_TYPE.get(type)?.presets ?? []
}

/** Single fields a picker offers for the type; empty = free text only. */
export function pickerFields(type: string): readonly string[] {
  return BY_TYPE.get(type)?.pickerFields ?? []
}
