// For tests: a body for each kind of record, with every field of the published description, so that every field the
// official client may send is covered.
import type { Json } from './official-document.server.ts'

/** The account's records that others refer to. */
export interface Known {
  job: string
  company: string
  staff: string
  material: string
  queue: string
  category: string
  taxrate: string
}

const TIME = '2026-01-06 09:30:00'

/** Values for fields that no rule below fits, by schema and field. `null`: left out. */
function exceptions(known: Known): Record<string, Record<string, unknown>> {
  const onJob = { related_object: 'job', related_object_uuid: known.job }
  return {
    AllocationWindowCreate: { start_time: 480, end_time: 720 },
    AssetCreate: { field_data: null },
    AssetTypeFieldCreate: { field_data: { fieldType: 'Multiple Choice', mandatory: true, choices: ['Gas', 'Oil'] } },
    AttachmentCreate: { ...onJob, timestamp: TIME, file_type: '.pdf' },
    BadgeCreate: { file_name: 'badge.png' },
    CompanyCreate: { badges: '[]' },
    FeedbackCreate: { ...onJob, timestamp: TIME },
    FormCreate: { template_fields: [{ name: 'Size', fieldType: 'Text', value: '22 mm', sortOrder: 1 }] },
    FormFieldCreate: { field_data_json: '{"fieldType":"Text","mandatory":false}' },
    FormResponseCreate: {
      regarding_object: 'job',
      regarding_object_uuid: known.job,
      field_data: '[]',
      timestamp: TIME,
    },
    // The platform refuses both at once.
    JobActivityCreate: { activity_was_recorded: '0' },
    JobChecklistCreate: { reminder_data: null, assigned_to_staff_uuids: [known.staff] },
    JobCreate: { badges: '[]', status: 'Work Order', job_address: '12 Bay Street, Leeds LS1 4AP' },
    JobMaterialBundleCreate: { quantity: '2' },
    JobPaymentCreate: { timestamp: TIME },
    KnowledgeArticleCreate: { relationships: [{ object_name: 'Job', object_uuid: known.job, create_date: TIME }] },
    MaterialBundleCreate: { item_number: 'OFFICIAL-B', material_list: [{ uuid: known.material, quantity: 2.5 }] },
    MaterialCreate: { item_number: 'OFFICIAL-M' },
    NoteCreate: onJob,
    StaffMessageCreate: { from_staff_uuid: known.staff, to_staff_uuid: known.staff },
    TaskCreate: onJob,
  }
}

/** @param fields the schema's fields, as described */
export function sampleOf(schema: string, fields: Record<string, Json>, known: Known): Json {
  const own = exceptions(known)[schema] ?? {}
  const sample: Json = {}
  for (const [name, field] of Object.entries(fields)) {
    const value = name in own ? own[name] : sampleValue(name, field, known)
    if (value !== null && value !== undefined) sample[name] = value
  }
  return sample
}

function sampleValue(name: string, field: Json, known: Known): unknown {
  if (name === 'uuid' || field.readOnly === true) return null
  if (Array.isArray(field.enum)) return field.enum.at(-1)
  if (field.format === 'uuid' || /_uuid$/.test(name)) return referenceOf(name, known)
  if (field.format === 'email') return 'office@example.com'
  if (field.type === 'integer') return 1
  if (field.type === 'number') return 1.5
  if (field.example === 'YYYY-MM-DD') return TIME.slice(0, 10)
  if (field.example === '2025-09-01 12:00:00') return TIME
  // Text, a flag, or an amount as text: `1` is valid for all three.
  return field.type === 'string' ? '1' : null
}

function referenceOf(name: string, known: Known): string | null {
  if (/staff_uuid$|_by_uuid$/.test(name)) return known.staff
  const object = name.replace(/_uuid$/, '').replace(/^tax_rate$/, 'taxrate')
  return object in known ? known[object as keyof Known] : null
}
