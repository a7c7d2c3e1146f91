// What the rule form chooses from, out of the platform's pick-lists.
import { optionText } from './message-limits.ts'

export interface NamedId {
  uuid: string
  label: string
}

export interface FormLists {
  queues: NamedId[]
  staff: NamedId[]
  companies: NamedId[]
  jobs: NamedId[]
  emailTemplates: (NamedId & { subject: string; text: string })[]
  smsTemplates: (NamedId & { text: string })[]
  documentTemplates: NamedId[]
  materials: NamedId[]
  bundles: NamedId[]
  categories: NamedId[]
  badges: NamedId[]
}

export const EMPTY_LISTS: FormLists = {
  queues: [],
  staff: [],
  companies: [],
  jobs: [],
  emailTemplates: [],
  smsTemplates: [],
  documentTemplates: [],
  materials: [],
  bundles: [],
  categories: [],
  badges: [],
}

/** Where the rows of a list of the platform go, by the name of the list. */
export const FORM_LIST = {
  queues: 'queues',
  staff: 'staff',
  companies: 'companies',
  jobs: 'jobs',
  'email-templates': 'emailTemplates',
  'sms-templates': 'smsTemplates',
  'document-templates': 'documentTemplates',
  materials: 'materials',
  bundles: 'bundles',
  categories: 'categories',
  badges: 'badges',
} as const satisfies Readonly<Record<string, keyof FormLists>>

/** As the calls for the lists answer them, by the name of the list. */
type FoundLists = Partial<Record<string, readonly Readonly<Record<string, unknown>>[]>>

/** Long lists are cut: whoever needs another one pastes its id. */
const MOST_OPTIONS = 300
const PREVIEW = 600
/** Of the template of a text message, which goes into the field when it is chosen. */
const LONGEST_TEXT = 4_000

export function toFormLists(found: FoundLists): FormLists {
  const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')
  const rows = (name: string) => (found[name] ?? []).filter((row) => text(row.uuid) !== '').slice(0, MOST_OPTIONS)
  return {
    queues: rows('queues').map((row) => ({ uuid: text(row.uuid), label: text(row.name) || 'Unnamed queue' })),
    staff: rows('staff').map((row) => ({
      uuid: text(row.uuid),
      label: `${text(row.first)} ${text(row.last)}`.trim() || text(row.email) || 'Unnamed',
    })),
    companies: rows('companies').map((row) => ({
      uuid: text(row.uuid),
      label: `${text(row.name) || 'Unnamed customer'} (${text(row.uuid).slice(0, 8)})`,
    })),
    jobs: rows('jobs').map((row) => ({
      uuid: text(row.uuid),
      label: [text(row.generated_job_id), optionText(text(row.job_description))].filter(Boolean).join(' · ') || 'Job',
    })),
    emailTemplates: rows('email-templates').map((row) => ({
      uuid: text(row.uuid),
      label: optionText(text(row.template_name)) || 'Unnamed template',
      subject: text(row.subject),
      text: text(row.plain_text_body).slice(0, PREVIEW),
    })),
    smsTemplates: rows('sms-templates').map((row) => ({
      uuid: text(row.uuid),
      label: optionText(`${text(row.template_name)}: ${text(row.message_text)}`),
      text: text(row.message_text).slice(0, LONGEST_TEXT),
    })),
    documentTemplates: rows('document-templates').map((row) => ({
      uuid: text(row.uuid),
      label: optionText(text(row.name)) || 'Unnamed template',
    })),
    materials: rows('materials').map(stockLabel),
    bundles: rows('bundles').map(stockLabel),
    categories: rows('categories').map((row) => ({
      uuid: text(row.uuid),
      label: text(row.name) || 'Unnamed category',
    })),
    badges: rows('badges').map((row) => ({ uuid: text(row.uuid), label: text(row.name) || 'Unnamed badge' })),
  }
}

/** Two materials may have one name: the item number tells them apart. */
function stockLabel(row: Readonly<Record<string, unknown>>): NamedId {
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  const name = optionText(text(row.name))
  const number = text(row.item_number)
  const label = number === '' || number === name ? name : `${name} (${number})`
  return { uuid: text(row.uuid), label: label || 'Unnamed' }
}

/** Names of ids, for the rule's sentence. */
export function namesOfLists(lists: FormLists): Record<string, string> {
  const { queues, staff, companies, documentTemplates, materials, bundles, categories, badges } = lists
  const all = [
    ...queues,
    ...staff,
    ...companies,
    ...documentTemplates,
    ...materials,
    ...bundles,
    ...categories,
    ...badges,
  ]
  return Object.fromEntries(all.map(({ uuid, label }) => [uuid, label]))
}
