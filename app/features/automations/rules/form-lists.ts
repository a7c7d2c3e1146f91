// The choices of the rule form, from the platform's pick-lists.
import { optionText } from './message-limits.ts'

export interface NamedId {
  uuid: string
  label: string
}

export type FormLists = ReturnType<typeof toFormLists>

/** The form's list for each list of the platform, by name. */
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

/** The answers of the calls, by the name of the list. */
type FoundLists = Partial<Record<string, readonly Row[]>>

/** Long lists are cut; for other options a person pastes the id. */
const MOST_OPTIONS = 300
const PREVIEW = 600
/** For the template of a text message, which fills the field when it is chosen. */
const LONGEST_TEXT = 4_000

type Row = Readonly<Record<string, unknown>>

export function toFormLists(found: FoundLists) {
  const listed = <Option extends object>(name: string, option: (row: Row) => Option) =>
    (found[name] ?? [])
      .filter((row) => text(row.uuid) !== '')
      .slice(0, MOST_OPTIONS)
      .map((row) => ({ uuid: text(row.uuid), ...option(row) }))
  return {
    queues: listed('queues', ({ name }) => ({ label: text(name) || 'Unnamed queue' })),
    staff: listed('staff', ({ first, last, email }) => ({
      label: `${text(first)} ${text(last)}`.trim() || text(email) || 'Unnamed',
    })),
    companies: listed('companies', ({ name, uuid }) => ({
      label: `${text(name) || 'Unnamed customer'} (${text(uuid).slice(0, 8)})`,
    })),
    jobs: listed('jobs', (row) => ({
      label: [text(row.generated_job_id), optionText(text(row.job_description))].filter(Boolean).join(' · ') || 'Job',
    })),
    emailTemplates: listed('email-templates', (row) => ({
      label: optionText(text(row.template_name)) || 'Unnamed template',
      subject: text(row.subject),
      text: text(row.plain_text_body).slice(0, PREVIEW),
    })),
    smsTemplates: listed('sms-templates', (row) => ({
      label: optionText(`${text(row.template_name)}: ${text(row.message_text)}`),
      text: text(row.message_text).slice(0, LONGEST_TEXT),
    })),
    documentTemplates: listed('document-templates', ({ name }) => ({
      label: optionText(text(name)) || 'Unnamed template',
    })),
    materials: listed('materials', stockOption),
    bundles: listed('bundles', stockOption),
    categories: listed('categories', ({ name }) => ({ label: text(name) || 'Unnamed category' })),
    badges: listed('badges', ({ name }) => ({ label: text(name) || 'Unnamed badge' })),
  }
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** Materials can share a name; the item number distinguishes them. */
function stockOption(row: Row): { label: string } {
  const name = optionText(text(row.name))
  const number = text(row.item_number)
  return { label: (number === '' || number === name ? name : `${name} (${number})`) || 'Unnamed' }
}

export const EMPTY_LISTS: FormLists = toFormLists({})

/** Names of ids, for the rule's sentence. */
export function namesOfLists(lists: FormLists): Record<string, string> {
  const { jobs: _jobs, emailTemplates: _emails, smsTemplates: _texts, ...named } = lists
  return Object.fromEntries(
    Object.values(named)
      .flat()
      .map(({ uuid, label }) => [uuid, label]),
  )
}
