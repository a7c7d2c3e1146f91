// The platform's pick-lists as the form needs them: which there are, where they come from, and under which names they are answered.

export const LOOKUPS = [
  'jobs',
  'queues',
  'staff',
  'companies',
  'email-templates',
  'sms-templates',
  'document-templates',
  'materials',
  'bundles',
  'categories',
] as const
export type LookupName = (typeof LOOKUPS)[number]

/** The admin's API test, by its ten names (source: objects of the platform facts, "specApiNames"). */
export const API_NAMES = {
  jobs: 'job',
  companies: 'company',
  companycontacts: 'companycontact',
  staff: 'staff',
  queues: 'queue',
  categories: 'category',
  jobmaterials: 'jobmaterial',
  jobmaterialbundles: 'jobmaterialbundle',
  attachments: 'attachment',
  activities: 'jobactivity',
} as const
export type ApiName = keyof typeof API_NAMES

export function isLookup(name: string): name is LookupName {
  return LOOKUPS.some((lookup) => lookup === name)
}

export function isApiName(name: string): name is ApiName {
  return Object.hasOwn(API_NAMES, name)
}

/** What the documented client looks for in the message when nobody has signed in for the account. */
export const NOT_SIGNED_IN = 'This account has only placeholder credentials. Please sign in to ServiceM8 first.'

export const OBJECT_OF: Readonly<Record<LookupName, string>> = {
  jobs: 'job',
  queues: 'queue',
  staff: 'staff',
  companies: 'company',
  'email-templates': 'emailtemplate',
  'sms-templates': 'smstemplate',
  'document-templates': 'documenttemplate',
  materials: 'material',
  bundles: 'materialbundle',
  categories: 'category',
}

/** Jobs are many and only the newest are worth choosing from; the rest are short lists. */
export const MOST_LISTED: Readonly<Record<LookupName, number>> = {
  jobs: 1_000,
  queues: 1_000,
  staff: 1_000,
  companies: 20_000,
  'email-templates': 1_000,
  'sms-templates': 1_000,
  'document-templates': 1_000,
  materials: 20_000,
  bundles: 5_000,
  categories: 1_000,
}

type Raw = Readonly<Record<string, unknown>>

const text = (value: unknown) => (value === null || value === undefined ? '' : String(value))

/** What is not deleted, as the specification names its fields. */
export function lookupRecords(name: LookupName, records: readonly Raw[]): Record<string, unknown>[] {
  const present = records.filter((record) => text(record.active) !== '0')
  switch (name) {
    case 'jobs':
      return [...present]
        .sort((a, b) => (text(a.edit_date) < text(b.edit_date) ? 1 : -1))
        .slice(0, MOST_LISTED.jobs)
        .map((record) => ({ ...record }))
    case 'queues':
    case 'companies':
    case 'categories':
      return byName(present.map((record) => ({ uuid: text(record.uuid), name: text(record.name) })))
    case 'staff':
      return present.map((record) => ({
        uuid: text(record.uuid),
        first: text(record.first),
        last: text(record.last),
        email: text(record.email),
      }))
    case 'email-templates':
      return present.map((record) => ({
        uuid: text(record.uuid),
        template_name: text(record.name),
        subject: text(record.subject),
        html_body: text(record.message),
        plain_text_body: plainText(text(record.message)),
      }))
    case 'sms-templates':
      return present.map((record) => ({
        uuid: text(record.uuid),
        template_name: text(record.name),
        message_text: text(record.message),
      }))
    case 'document-templates':
      return present.map((record) => ({
        uuid: text(record.uuid),
        name: text(record.name),
        template_type: text(record.template_type),
        related_object: text(record.related_object),
      }))
    // A bundle needs a number and may go without a name (facts: 5.7).
    case 'materials':
    case 'bundles':
      return byName(
        present.map((record) => ({
          uuid: text(record.uuid),
          name: text(record.name) || text(record.item_number),
          item_number: text(record.item_number),
        })),
      )
  }
}

function byName<T extends { name: string }>(records: T[]): T[] {
  return records.sort((a, b) => a.name.localeCompare(b.name, 'en'))
}

/** Kinds of document templates there are, each once. */
export function templateTypes(records: readonly Record<string, unknown>[]): string[] {
  return [...new Set(records.map((record) => text(record.template_type)).filter((type) => type !== ''))].sort()
}

/** An HTML text without its tags, for a preview and a plain body. Not for showing as HTML. */
export function plainText(html: string): string {
  return html
    .replace(/<(br|\/p|\/div|\/li|\/tr|\/h\d)[^>]*>/gi, '\n')
    .replace(/<[^>]*>/g, '')
    .replace(/&nbsp;/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
