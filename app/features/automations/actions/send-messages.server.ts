// An e-mail: plain, HTML or from a template of the platform; signed, with files and documents. Each receiver is a
// separate effect, because several in one call are not documented (facts: section 6).
import type { Effect, Plan, PlanWarning } from '#app/domain/automations/effect.ts'
import { assertNever } from '../../../lib/assert-never.ts'
import { isActive, type Values, valuesOf } from '../records/fact-rows.ts'
import { quoted } from '../records/fact-sources.server.ts'
import { activeStaff, senderOf } from '../records/staff-members.server.ts'
import { templateProblem } from '../rules/checks/template-limits.ts'
import { safeSentHtml } from '../rules/email-html.ts'
import { creditText, lengthProblem, smsCredits } from '../rules/message-limits.ts'
import type { Action, PlanContext } from './action.server.ts'
import {
  asksForSignature,
  htmlOfText,
  isEmptyHtml,
  wantsSignature,
  withoutSignature,
  withSignature,
  withSignatureTags,
} from './email-body.ts'
import { type Audience, audienceOf } from './message-receivers.server.ts'
import {
  afterTrouble,
  createWording,
  type Ended,
  ended,
  impossible,
  jobTargets,
  planned,
  readNamed,
  type Wording,
  withoutText,
} from './planning.server.ts'
import { flagParameter, positionParameter, textParameter, wordParameter } from './read-parameters.ts'

const TOO_LONG = 'This e-mail takes too long to prepare. Make its HTML shorter.'

export const sendEmail: Action = { type: 'send_email', plan }

async function plan(context: PlanContext): Promise<Plan> {
  const { parameters } = context.step
  const chosen = await chooseContent(context)
  if (chosen.outcome !== 'ok') return chosen.plan
  const wording = createWording(context)
  const said = await sayContent(context, wording, chosen.content)
  if (said.outcome !== 'ok') return said.plan
  const { written } = said
  const audience = await audienceOf(context, wording, 'email', ['cc', 'replyTo'])
  if (audience.outcome !== 'ok') return audience.plan
  const { isColleague, warnings } = audience
  const [copies = [], [replyTo = ''] = []] = audience.also
  const { subject, body } = chosen.content
  if (written.subject === '') return withoutText(wording, ['e-mail', 'subject'], subject, warnings)
  if (written.text.trim() === '' && isEmptyHtml(written.html)) {
    return withoutText(wording, ['e-mail', 'text'], body, warnings)
  }
  const signed = await signedBody(context, written, asksForSignature(chosen.content.body))
  if (signed.outcome !== 'ok') return signed.plan
  warnings.push(...signed.warnings)
  const files = await chooseFiles(context, wording)
  if (files.outcome !== 'ok') return files.plan
  warnings.push(...files.warnings)

  const linked = flagParameter(parameters, 'linkToJob')
  const effects = addressed(audience, copies).map(
    ({ to, cc }): Effect => ({
      kind: 'send_email',
      class: isColleague(to) ? 'staff' : 'customer',
      to,
      cc,
      replyTo,
      subject: written.subject,
      textBody: written.text,
      htmlBody: signed.html,
      regardingJobUuid: linked ? (context.records[0]?.jobUuid ?? null) : null,
      signatureOfStaff: signed.staffUuid,
      attachments: files.wanted.map(({ uuid = '' }) => uuid),
      ...(files.wanted.length > 0 && { fileNames: files.wanted.map((file) => file.attachment_name ?? '') }),
      documentSteps: files.documentSteps,
      summary: `E-mail to ${to}${cc === '' ? '' : `, copy to ${cc}`}: ${written.subject}`,
    }),
  )
  const standIn = { message_id: 'the number of the e-mail (set when it runs)', status: 'sent' }
  return planned(wording, effects, { warnings, standIn })
}

interface Written {
  subject: string
  /** '' = HTML only. */
  text: string
  /** '' = plain only. */
  html: string
}

type Said = { outcome: 'ok'; written: Written } | Ended

async function sayContent(context: PlanContext, wording: Wording, content: EmailContent): Promise<Said> {
  const subject = wording.say(content.subject, 'subject').trim()
  if (content.kind === 'plain') {
    return { outcome: 'ok', written: { subject, text: wording.say(content.body, 'plain').trim(), html: '' } }
  }
  const filled = wording.say(content.body, 'html')
  if (!context.safeHtml) return { outcome: 'ok', written: { subject, text: '', html: safeSentHtml(filled) } }
  const made = await context.safeHtml(filled)
  switch (made.outcome) {
    case 'done':
      return { outcome: 'ok', written: { subject, text: '', html: made.value } }
    case 'too_long':
      return ended(impossible('value', TOO_LONG))
    case 'busy':
      return ended(waiting(context.now + made.retryAfterMs))
    default:
      return assertNever(made)
  }
}

function waiting(retryAt: number): Plan {
  return { outcome: 'later', errorClass: 'limit', sentence: 'Other texts of this account are prepared first.', retryAt }
}

/**
 * Each receiver gets one of the copies, in order; leftover copies become separate e-mails. So does a customer's copy of
 * a colleague's e-mail: the guards for customers judge the receiver, and the colleague's goes out anyway.
 */
function addressed(
  { to, onlyColleagues, isColleague }: Pick<Audience, 'to' | 'onlyColleagues' | 'isColleague'>,
  cc: readonly string[],
): { to: string; cc: string }[] {
  const copies = cc.filter(
    (copy) => !to.some((one) => one.toLowerCase() === copy.toLowerCase()) && (!onlyColleagues || isColleague(copy)),
  )
  const pairs = to.map((one) => {
    const place = copies.findIndex((copy) => !isColleague(one) || isColleague(copy))
    const [cc = ''] = place < 0 ? [] : copies.splice(place, 1)
    return { to: one, cc }
  })
  return [...pairs, ...copies.map((copy) => ({ to: copy, cc: '' }))]
}

type SignedBody = { outcome: 'ok'; html: string; staffUuid: string | null; warnings: PlanWarning[] } | Ended

/** A signature requires HTML and a staff member who signs (contract: section 8); a plain text is converted to HTML. */
async function signedBody(context: PlanContext, written: Written, isRequested: boolean): Promise<SignedBody> {
  const asked = isRequested || flagParameter(context.step.parameters, 'includeSignature')
  if (!asked && !wantsSignature(written.html))
    return { outcome: 'ok', html: written.html, staffUuid: null, warnings: [] }
  const found = await activeStaff(context.read)
  if (found.outcome === 'failed') return ended(afterTrouble(found.trouble, 'the staff list'))
  const sender = senderOf(context, found.staff)
  const html = written.html === '' ? htmlOfText(written.text) : written.html
  if (sender.outcome === 'nobody') {
    const warning = { code: 'no_signature', sentence: 'No active staff member can sign this e-mail.' }
    return { outcome: 'ok', html: withoutSignature(html), staffUuid: null, warnings: [warning] }
  }
  return { outcome: 'ok', html: withSignature(html), staffUuid: sender.uuid, warnings: sender.warnings }
}

// The subject and text of an e-mail. Switching the kind clears the fields of the others (specification, section 4), so
// only those of the chosen kind are read.
interface EmailContent {
  kind: 'plain' | 'html'
  /** With placeholders. */
  subject: string
  body: string
}

type Chosen = { outcome: 'ok'; content: EmailContent } | Ended

const TEMPLATE_GONE =
  'The e-mail template of this automation was deleted in ServiceM8. Open the automation and choose another one.'

async function chooseContent(context: PlanContext): Promise<Chosen> {
  const { parameters } = context.step
  const text = (name: string) => textParameter(parameters, name)
  switch (wordParameter(parameters, 'contentType').toLowerCase()) {
    case 'html':
      return plainly('html', text('customHtmlSubject') || text('subject'), text('customHtmlBody') || text('htmlBody'))
    case 'template':
      return fromTemplate(context)
    default:
      return plainly('plain', text('customSubject') || text('subject'), text('customBody'))
  }
}

function plainly(kind: EmailContent['kind'], subject: string, body: string): Chosen {
  return { outcome: 'ok', content: { kind, subject, body: kind === 'html' ? withSignatureTags(body) : body } }
}

/**
 * The form's copy of the template wins; empty fields are read from the template now. The messaging calls do not resolve
 * the platform's placeholders (facts: section 6), so they are filled in here like ours.
 */
async function fromTemplate({ step, read }: PlanContext): Promise<Chosen> {
  const subject = textParameter(step.parameters, 'subject')
  const body = textParameter(step.parameters, 'htmlBody')
  const lacks = { subject: subject.trim() === '', body: body.trim() === '' }
  if (!lacks.subject && !lacks.body) return plainly('html', subject, body)
  const template = await readNamed(read, 'emailtemplate', wordParameter(step.parameters, 'emailTemplateId'))
  if (template.outcome === 'failed') return ended(afterTrouble(template.trouble, 'the e-mail template'))
  if (template.outcome === 'gone') return ended(impossible('template_missing', TEMPLATE_GONE))
  const { subject: itsSubject = '', message = '' } = template.values
  const problem = (lacks.subject && templateProblem(itsSubject)) || (lacks.body && templateProblem(message))
  if (problem) return ended(impossible('value', problem))
  return plainly('html', lacks.subject ? itsSubject : subject, lacks.body ? message : body)
}

// The files of an e-mail: those of the jobs, chosen by name, and the document of an earlier step.

/** More files make an e-mail too large for any mailbox. */
const MOST_FILES = 20
/** Jobs of a group: each costs a call. */
const MOST_JOBS = 10

type ChosenFiles = { outcome: 'ok'; wanted: Values[]; documentSteps: string[]; warnings: PlanWarning[] } | Ended

async function chooseFiles(context: PlanContext, wording: Wording): Promise<ChosenFiles> {
  const document = documentStep(context)
  if (document.outcome === 'missing') return ended(impossible('document_missing', document.sentence))
  const { parameters } = context.step
  const all = flagParameter(parameters, 'includeAllJobAttachments')
  const some = flagParameter(parameters, 'includeJobAttachments')
  // The outer switch alone selects the job's files.
  const plain = flagParameter(parameters, 'includeAttachments') && document.steps.length === 0
  if (!all && !some && !plain) return { outcome: 'ok', wanted: [], documentSteps: document.steps, warnings: [] }

  const found: Values[] = []
  for (const { uuid } of jobTargets(context).slice(0, all ? MOST_JOBS : 1)) {
    const filter = `related_object_uuid eq '${quoted(uuid)}' and active eq '1'`
    const answer = await context.read.list('attachment', { filter })
    if (answer.outcome !== 'ok') return ended(afterTrouble(answer, "the job's files"))
    // Filtered again: the platform ignores a filter it does not understand and returns everybody's files (facts: 5.2).
    found.push(...answer.value.map(valuesOf).filter((file) => isActive(file) && file.related_object_uuid === uuid))
  }
  const filter = all ? '' : wording.parameter('attachmentFilter', 'plain').trim().toLowerCase()
  const wanted = found.filter((file) => file.uuid && (file.attachment_name ?? '').toLowerCase().includes(filter))
  const warnings: PlanWarning[] = []
  if (wanted.length === 0) {
    const which = filter === '' ? 'no files' : `no file with "${filter}" in its name`
    warnings.push({ code: 'no_files', sentence: `The job has ${which}, so none is attached.` })
  }
  if (wanted.length > MOST_FILES) {
    const sentence = `The job has ${wanted.length} such files; the newest ${MOST_FILES} are attached.`
    warnings.push({ code: 'too_many_files', sentence })
  }
  const newest = [...wanted].sort((a, b) => ((a.timestamp ?? '') < (b.timestamp ?? '') ? 1 : -1)).slice(0, MOST_FILES)
  return { outcome: 'ok', wanted: newest, documentSteps: document.steps, warnings }
}

/** `documentActionIndex` counts from 1; without it, the latest document made before this step. */
function documentStep({
  step,
  order,
  results,
}: PlanContext): { outcome: 'ok'; steps: string[] } | { outcome: 'missing'; sentence: string } {
  if (!flagParameter(step.parameters, 'includeGeneratedDocument')) return { outcome: 'ok', steps: [] }
  const position = positionParameter(step.parameters, 'documentActionIndex')
  const own = order.indexOf(step.id)
  const earlier = own < 0 ? order : order.slice(0, own)
  const madeOne = (id: string | undefined) => id !== undefined && (results[id]?.document_uuid ?? '') !== ''
  const id = position === null ? earlier.findLast(madeOne) : earlier[position - 1]
  if (id !== undefined && madeOne(id)) return { outcome: 'ok', steps: [id] }
  const who = position === null ? 'no earlier action made a document' : `action ${position} made no document`
  return { outcome: 'missing', sentence: `Not sent: ${who}, and one was to be attached.` }
}

const NO_SMS_TEXT = 'The text message has no text. Open the automation and write one.'
const SMS_TEMPLATE_GONE =
  'The SMS template of this automation was deleted in ServiceM8. Open the automation and choose another one.'

// A text message: from the rule or the templates of the platform, to one or several numbers, each a separate effect.
export const sendSms: Action = { type: 'send_sms', plan: planSms }

async function planSms(context: PlanContext): Promise<Plan> {
  const text = await smsTextOf(context)
  if (text.outcome !== 'ok') return text.plan
  const wording = createWording(context)
  const message = wording.say(text.text, 'sms').trim()
  const audience = await audienceOf(context, wording, 'sms')
  if (audience.outcome !== 'ok') return audience.plan
  const { to: receivers, isColleague, warnings } = audience
  if (message === '') return withoutText(wording, ['text message', 'text'], text.text, warnings)
  const problem = lengthProblem('sms', message)
  if (problem !== null) return impossible('value', `${problem} Shorten the text in the automation.`, warnings)

  const linked = flagParameter(context.step.parameters, 'linkToJob')
  const credits = smsCredits(message)
  const effects = receivers.map(
    (to): Effect => ({
      kind: 'send_sms',
      class: isColleague(to) ? 'staff' : 'customer',
      to,
      message,
      credits,
      regardingJobUuid: linked ? (context.records[0]?.jobUuid ?? null) : null,
      summary: `Text message to ${to} (${creditText(credits)})`,
    }),
  )
  const standIn = { sms_id: 'the number of the message (set when it runs)', status: 'sent' }
  return planned(wording, effects, { warnings, standIn })
}

/** The rule's own text, also if a template filled it in; an empty one is read from the template now. */
async function smsTextOf({ step, read }: PlanContext): Promise<{ outcome: 'ok'; text: string } | Ended> {
  const written = textParameter(step.parameters, 'message')
  if (written.trim() !== '') return { outcome: 'ok', text: written }
  if (!flagParameter(step.parameters, 'useSmsTemplate')) return ended(impossible('value', NO_SMS_TEXT))
  const template = await readNamed(read, 'smstemplate', wordParameter(step.parameters, 'smsTemplateId'))
  if (template.outcome === 'failed') return ended(afterTrouble(template.trouble, 'the SMS template'))
  const text = template.outcome === 'found' ? (template.values.message ?? '') : ''
  if (text === '') return ended(impossible('template_missing', SMS_TEMPLATE_GONE))
  const problem = templateProblem(text)
  return problem === null ? { outcome: 'ok', text } : ended(impossible('value', problem))
}
