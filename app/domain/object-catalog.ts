// The objects that can be watched: types with names, fields, presets and spellings, as data. Imports nothing.
//
// Each object has two lists of fields, on purpose:
// - `watchFields` is what we ask the platform to watch for "all fields": the record's own fields without `uuid`,
//   `edit_date` and deprecated ones. The platform publishes no such list, and refuses an empty one.
// - `pickerFields` is what the form offers: the specification's list. For `company` that list names the fields of a
//   company's contacts, which a company never reports, so the form offers the platform's own fields instead.

export interface ObjectKind {
  /** The stored name, also used in addresses: lower case, letters and digits only. */
  type: string
  /** The display name. */
  label: string
  /** How we receive its changes: the platform posts events, or, where it sends none, we poll every few minutes. */
  delivery: 'subscribed' | 'polled'
  watchFields: readonly string[]
  pickerFields: readonly string[]
  /** Accepted when typed, but the platform never reports them for this object. */
  neverReported: readonly string[]
  /** Computed by the platform or deprecated: removed first when the platform refuses a list of fields. */
  doubtful: readonly string[]
  presets: readonly FieldPreset[]
}

interface FieldPreset {
  name: string
  fields: readonly string[]
}

const names = (text: string): readonly string[] => text.trim().split(/\s+/)

const JOB_GEO = names('geo_is_valid geo_country geo_postcode geo_state geo_city geo_street geo_number')

const COMPANY_FIELDS = names(`
  active name abn_number address billing_address is_individual parent_company_uuid website address_street address_city
  address_state address_postcode address_country fax_number badges tax_rate_uuid billing_attention payment_terms`)

// The specification lists no fields for these two objects, so these are the platform's own.
const JOB_MATERIAL_FIELDS = names(`
  active job_uuid material_uuid name quantity price displayed_amount displayed_amount_is_tax_inclusive tax_rate_uuid
  sort_order cost displayed_cost job_material_bundle_uuid`)

const JOB_CONTACT_FIELDS = names('active job_uuid first last phone mobile email type')

/** Offers what it watches, unless it says otherwise. `type` follows from the label. */
function kind(label: string, watchFields: readonly string[], more: Partial<ObjectKind> = {}): ObjectKind {
  const none = { neverReported: [], doubtful: [], presets: [] }
  const type = normalizeObjectType(label)
  return { type, label, delivery: 'subscribed', watchFields, pickerFields: watchFields, ...none, ...more }
}

const preset = (name: string, fields: string | readonly string[]): FieldPreset => ({
  name,
  fields: typeof fields === 'string' ? names(fields) : fields,
})

const CATALOG: readonly ObjectKind[] = [
  kind(
    'Job',
    names(`
      active created_by_staff_uuid date company_uuid billing_address status lng lat payment_date payment_actioned_by_uuid
      payment_method payment_amount category_uuid payment_note geo_is_valid purchase_order_number invoice_sent
      invoice_sent_stamp geo_country geo_postcode geo_state geo_city geo_street geo_number queue_uuid queue_expiry_date
      queue_assigned_staff_uuid badges quote_date quote_sent quote_sent_stamp work_order_date job_address job_description
      work_done_description generated_job_id total_invoice_amount payment_processed payment_processed_stamp
      payment_received payment_received_stamp completion_date completion_actioned_by_uuid unsuccessful_date
      job_is_scheduled_until_stamp`),
    {
      pickerFields: names(`
      uuid status date company_uuid job_address billing_address job_description work_done_description lng lat
      generated_job_id payment_date payment_actioned_by_uuid payment_method payment_amount payment_note payment_processed
      payment_processed_stamp payment_received payment_received_stamp total_invoice_amount category_uuid geo_is_valid
      geo_country geo_postcode geo_state geo_city geo_street geo_number queue_uuid queue_expiry_date
      queue_assigned_staff_uuid invoice_sent invoice_sent_stamp ready_to_invoice ready_to_invoice_stamp quote_date
      quote_sent quote_sent_stamp work_order_date completion_date unsuccessful_date badges related_knowledge_articles
      active created_by_staff_uuid purchase_order_number completion_actioned_by_uuid job_is_scheduled_until_stamp`),
      doubtful: [
        ...JOB_GEO,
        ...names(`
        lng lat payment_date payment_actioned_by_uuid payment_method payment_amount payment_note invoice_sent_stamp
        ready_to_invoice ready_to_invoice_stamp quote_sent_stamp related_knowledge_articles generated_job_id
        total_invoice_amount payment_processed_stamp payment_received_stamp completion_actioned_by_uuid
        job_is_scheduled_until_stamp`),
      ],
      presets: [
        // The status, and the four dates the platform sets when it changes.
        preset('Status Changes', 'status quote_date work_order_date completion_date unsuccessful_date'),
        // All fields that show a payment. Single payments are separate objects (`jobpayment`).
        preset(
          'Payment Updates',
          'payment_received payment_received_stamp payment_processed payment_processed_stamp payment_date payment_amount payment_method payment_note payment_actioned_by_uuid',
        ),
        // When the job is scheduled and who has it next. Bookings are separate objects (`jobactivity`).
        preset(
          'Scheduling',
          'date job_is_scheduled_until_stamp queue_uuid queue_expiry_date queue_assigned_staff_uuid',
        ),
        // From "can be invoiced" to "was sent", with the amount.
        preset(
          'Invoice Tracking',
          'invoice_sent invoice_sent_stamp ready_to_invoice ready_to_invoice_stamp total_invoice_amount purchase_order_number',
        ),
        // The job's location: the address as typed, and how the platform geocodes it.
        preset('Location Updates', ['job_address', 'lng', 'lat', ...JOB_GEO]),
        // The fields that a list of jobs shows.
        preset(
          'Basic Job Info',
          'generated_job_id status date company_uuid job_address job_description work_done_description category_uuid badges',
        ),
      ],
    },
  ),
  kind('Company', COMPANY_FIELDS, {
    neverReported: names('company_uuid first last phone mobile email type is_primary_contact'),
    doubtful: names('is_individual'),
    presets: [
      // The customer's contact details.
      preset(
        'Contact Info',
        'name website fax_number address address_street address_city address_state address_postcode address_country',
      ),
      // The customer's identity and billing details.
      preset(
        'Company Details',
        'name active abn_number is_individual parent_company_uuid billing_address billing_attention payment_terms tax_rate_uuid badges',
      ),
    ],
  }),
  kind('Job Material', JOB_MATERIAL_FIELDS, { delivery: 'polled' }),
  kind('Job Contact', JOB_CONTACT_FIELDS, { delivery: 'polled' }),
  kind(
    'Job Activity',
    names(`
      active job_uuid staff_uuid start_date end_date activity_was_scheduled activity_was_recorded activity_was_automated
      has_been_opened has_been_opened_timestamp travel_time_in_seconds travel_distance_in_meters material_uuid
      edit_by_staff_uuid`),
    {
      pickerFields: names(`
      active job_uuid staff_uuid start_date end_date activity_was_scheduled activity_was_recorded activity_was_automated
      has_been_opened has_been_opened_timestamp travel_time_in_seconds travel_distance_in_meters
      allocated_by_staff_uuid allocated_timestamp material_uuid`),
      doubtful: names('allocated_by_staff_uuid allocated_timestamp edit_by_staff_uuid'),
      presets: [
        // Bookings and check-ins: the times, and which of the two it is.
        preset(
          'Activity Tracking',
          'active job_uuid start_date end_date activity_was_scheduled activity_was_recorded activity_was_automated',
        ),
        // The assigned staff member, and whether that person has seen it.
        preset(
          'Staff Assignment',
          'staff_uuid allocated_by_staff_uuid allocated_timestamp has_been_opened has_been_opened_timestamp',
        ),
        // Travel to the job.
        preset('Location & Travel', 'travel_time_in_seconds travel_distance_in_meters start_date end_date'),
      ],
    },
  ),
  kind(
    'Job Payment',
    names('active job_uuid actioned_by_uuid timestamp amount method note attachment_uuid is_deposit'),
    {
      doubtful: names('is_deposit'),
      presets: [
        // The payment itself.
        preset('Payment Details', 'amount method note is_deposit'),
        // When, by whom, for which job, and whether it was reversed.
        preset('Payment Tracking', 'active job_uuid actioned_by_uuid timestamp attachment_uuid'),
      ],
    },
  ),
  kind(
    'Note',
    names(`
      active related_object related_object_uuid note action_required action_completed_by_staff_uuid edit_by_staff_uuid
      create_date`),
    {
      pickerFields: names(
        'active related_object related_object_uuid note action_required action_completed_by_staff_uuid create_date',
      ),
      doubtful: names('edit_by_staff_uuid'),
    },
  ),
  kind(
    'Task',
    names(`
      active due_date task_details name related_object related_object_uuid task_complete completed_timestamp
      completed_by_staff_uuid assigned_to_staff_uuid created_by_staff_uuid create_date`),
    {
      pickerFields: names(`
      due_date task_details name related_object related_object_uuid task_complete completed_timestamp
      completed_by_staff_uuid assigned_to_staff_uuid lng lat created_by_staff_uuid create_date`),
      doubtful: names('lng lat'),
    },
  ),
  kind(
    'Material',
    names(`
      active name item_number price cost quantity_in_stock price_includes_taxes barcode item_is_inventoried
      item_description use_description_for_invoicing tax_rate_uuid`),
    {
      pickerFields: names(`
      name item_number price cost item_description quantity_in_stock price_includes_taxes use_description_for_invoicing
      tax_rate_uuid barcode item_is_inventoried`),
    },
  ),
  kind(
    'Attachment',
    names(`
      active related_object related_object_uuid attachment_name file_type attachment_source tags lng lat photo_width
      photo_height extracted_info is_favourite class_name metadata created_by_staff_uuid timestamp`),
    {
      pickerFields: names(`
      attachment_name file_type timestamp attachment_source tags lng lat photo_width photo_height extracted_info
      is_favourite class_name metadata signature_data`),
      neverReported: names('signature_data'),
      doubtful: names('photo_width photo_height extracted_info class_name'),
    },
  ),
  kind(
    'Form Response',
    names(`
      active form_uuid staff_uuid regarding_object regarding_object_uuid field_data timestamp form_by_staff_uuid
      document_attachment_uuid asset_uuid`),
    {
      pickerFields: [],
    },
  ),
]

const BY_TYPE: ReadonlyMap<string, ObjectKind> = new Map(CATALOG.map((kind) => [kind.type, kind]))

/** The 11 types, in display order. */
export const OBJECT_KINDS: readonly ObjectKind[] = CATALOG

/** Their stored names, in the same order. */
export const OBJECT_TYPES: readonly string[] = CATALOG.map((kind) => kind.type)

/** The pairs shown in the quick reference, word for word. */
export const OBJECT_PAIRS: readonly string[] = [
  'Job and Job Activity',
  'Company and Job Contact',
  'Material and Job Material',
  'Task and Job Payment',
  'Note and Attachment',
  'Form Response',
]

/** The object of that normalized type, or null when it is not one of the 11. */
export function findObjectKind(type: string): ObjectKind | null {
  return BY_TYPE.get(type) ?? null
}

/** Returns `Job Activity` for `jobactivity`. A type outside the catalog is its own label. */
export function objectLabel(type: string): string {
  return BY_TYPE.get(type)?.label ?? type
}

/**
 * Normalizes every spelling of a type: `JobActivity`, `job_activity`, ` Job Activity ` become `jobactivity`. The
 * platform itself varies the spelling in what it sends. '' stays ''.
 */
export function normalizeObjectType(text: string): string {
  return text.toLowerCase().replace(/[\s_-]+/g, '')
}

/** Could this normalized text be the name of an object? The platform accepts at most 64 characters. */
export function isPlausibleObjectType(type: string): boolean {
  return /^[a-z][a-z0-9]{0,63}$/.test(type)
}

/**
 * Other spellings to try when the platform does not recognize the lower-case name: `JobActivity`, `job_activity` (both
 * seen by integrators). One-word types have only one spelling.
 */
export function otherSpellings(type: string): string[] {
  const label = BY_TYPE.get(type)?.label
  if (!label?.includes(' ')) return []
  return [label.replaceAll(' ', ''), label.toLowerCase().replaceAll(' ', '_')]
}

/** The types we poll for changes. */
export const POLLED_TYPES: readonly string[] = CATALOG.filter((kind) => kind.delivery === 'polled').map(
  (kind) => kind.type,
)

/** Does the platform send no webhooks for this normalized type, so that we poll it? */
export function isPolled(type: string): boolean {
  return BY_TYPE.get(type)?.delivery === 'polled'
}

/** The plural name of its records in a sentence: `job contacts`. */
export function recordsText(type: string): string {
  return `${objectLabel(type).toLowerCase()}s`
}

/** The presets a field picker offers for the type; selecting one adds its missing fields. */
export function fieldPresets(type: string): readonly FieldPreset[] {
  return BY_TYPE.get(type)?.presets ?? []
}

/** The single fields a picker offers for the type; empty = free text only. */
export function pickerFields(type: string): readonly string[] {
  return BY_TYPE.get(type)?.pickerFields ?? []
}
