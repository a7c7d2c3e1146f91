// A document from the platform's templates, returned as bytes only (facts: 7.1). An attachment is a file of the job
// with an id of ours, for sending, finding and downloading it. For the diary alone, the platform files it itself.
import type { Effect, Plan, PlanWarning } from '#app/domain/automations/effect.ts'
import type { RecordFacts } from '../records/facts.ts'
import { folded, isUuid } from '../records/field-value.ts'
import type { Action, PlanContext } from './action.server.ts'
import { shorten } from './failure-text.ts'
import {
  afterTrouble,
  createWording,
  type Ended,
  ended,
  findListed,
  impossible,
  isCalled,
  jobName,
  jobTargets,
  NO_JOB,
  planned,
  readNamed,
} from './planning.server.ts'
import { flagParameter, wordParameter } from './read-parameters.ts'

const TYPES = ['Quote', 'Work Order', 'Invoice'] as const
const FORMATS = ['pdf', 'docx', 'jpg'] as const

type DocumentEffect = Extract<Effect, { kind: 'produce_document' }>

export const generateDocument: Action = { type: 'generate_document', plan }

async function plan(context: PlanContext): Promise<Plan> {
  const { parameters } = context.step
  const forCompany = wordParameter(parameters, 'objectType').toLowerCase() === 'company'
  const given = wordParameter(parameters, 'outputFormat').toLowerCase()
  const format = given === '' ? 'pdf' : FORMATS.find((one) => one === given)
  if (!format)
    return impossible('value', `"${shorten(given, 20)}" is none of pdf, docx and jpg. Choose one in the automation.`)

  const subject = forCompany ? companySubject(context) : jobSubject(context)
  if (subject.outcome === 'none') return impossible('value', subject.sentence)
  const template = await chooseTemplate(context, subject.record)
  if (template.outcome !== 'ok') return template.plan
  const attached = flagParameter(parameters, 'createAttachment')
  // Never both: the job's files appear in its diary, so the platform's copy would be a second one.
  const inDiary = !attached && flagParameter(parameters, 'storeToDiary')
  const effect: DocumentEffect = {
    kind: 'produce_document',
    class: 'document',
    objectType: forCompany ? 'Company' : 'Job',
    objectUuid: subject.uuid,
    templateType: template.type,
    templateUuid: template.uuid,
    outputFormat: format,
    fileName: fileName(`${template.type} ${subject.name}`, format),
    attachTo: attached ? { object: forCompany ? 'company' : 'job', uuid: subject.uuid } : null,
    storeToDiary: inDiary,
    summary: `${template.type} as ${format.toUpperCase()} for ${subject.words}, ${attached ? 'kept with its files' : inDiary ? 'kept in its diary' : 'not kept'}`,
  }
  return planned(createWording(context), [effect], {
    warnings: forCompany ? [COMPANY_DOCUMENT] : [],
    standIn: attached
      ? {
          document_uuid: 'the document (made when it runs)',
          document_url: `${context.origin}/documents/… (set when it runs)`,
        }
      : {},
  })
}

const COMPANY_DOCUMENT: PlanWarning = {
  code: 'company_document',
  sentence: 'ServiceM8 is only known to make documents for jobs. If it refuses this one, the history shows why.',
}

type Subject =
  | { outcome: 'found'; uuid: string; record: RecordFacts; name: string; words: string }
  | { outcome: 'none'; sentence: string }

function jobSubject(context: PlanContext): Subject {
  const [target] = jobTargets(context)
  if (!target) return { outcome: 'none', sentence: NO_JOB }
  const { uuid, record } = target
  if (record.object === 'job' && !record.active) {
    return { outcome: 'none', sentence: `No document: ${jobName(record)} was deleted in ServiceM8.` }
  }
  const number = record.values.generated_job_id ?? ''
  return { outcome: 'found', uuid, record, name: number, words: jobName(record) }
}

function companySubject({ records }: PlanContext): Subject {
  const record = records.find((one) => one.companyUuid !== null)
  if (!record?.companyUuid)
    return { outcome: 'none', sentence: 'This document is for a customer, and this record has none.' }
  const name = record.values.company_name ?? (record.object === 'company' ? record.values.name : '') ?? ''
  return { outcome: 'found', uuid: record.companyUuid, record, name, words: name || 'the customer' }
}

type ChosenTemplate = { outcome: 'ok'; type: string; uuid: string | null } | Ended

/** A type, the id of a template, or its name; empty = the type that fits the job's status. */
async function chooseTemplate(context: PlanContext, record: RecordFacts): Promise<ChosenTemplate> {
  const wanted = createWording(context).parameter('templateType', 'plain').trim()
  if (wanted === '') return { outcome: 'ok', type: typeForStatus(record.values.status ?? ''), uuid: null }
  const type = TYPES.find((one) => folded(one).replaceAll(' ', '') === folded(wanted).replaceAll(/[\s_]/g, ''))
  if (type) return { outcome: 'ok', type, uuid: null }
  const isId = isUuid(wanted)
  const template = isId
    ? await readNamed(context.read, 'documenttemplate', wanted.toLowerCase())
    : await findListed(context.read, 'documenttemplate', isCalled(wanted))
  switch (template.outcome) {
    case 'failed':
      return ended(afterTrouble(template.trouble, isId ? 'the document template' : 'the document templates'))
    case 'gone': {
      const sentence = isId
        ? 'The document template of this automation was deleted in ServiceM8. Open the automation and choose another one.'
        : `There is no document template "${shorten(wanted, 60)}" in ServiceM8. Open the automation and choose one.`
      return ended(impossible('template_missing', sentence))
    }
    case 'found': {
      const { template_type: given = 'Invoice', uuid = wanted } = template.values
      return { outcome: 'ok', type: given, uuid }
    }
  }
}

function typeForStatus(status: string): (typeof TYPES)[number] {
  if (status === 'Quote' || status === 'Unsuccessful') return 'Quote'
  return status === 'Work Order' ? 'Work Order' : 'Invoice'
}

/** No path, no control characters, at most 127 characters including the extension (facts: 7.2). */
function fileName(name: string, format: string): string {
  const clean = name
    .replace(/[^\p{L}\p{N} ()&'.,_-]+/gu, ' ')
    .replace(/\.{2,}/g, '.')
    .replace(/\s+/g, ' ')
    .trim()
  return `${(clean || 'Document').slice(0, 120)}.${format}`
}
