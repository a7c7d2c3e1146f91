// An e-mail: plain, HTML or from a template of the platform; signed, with files and documents. Each receiver is a
// separate effect, because several in one call are not documented (facts: section 6).
import type { Effect, Plan, PlanWarning } from '#app/domain/automations/effect.ts'
import { assertNever } from '../../../lib/assert-never.ts'
import { activeStaff, senderOf } from '../records/staff-members.server.ts'
import { safeSentHtml } from '../rules/email-html.ts'
import type { Action, PlanContext } from './action.server.ts'
import {
  asksForSignature,
  htmlOfText,
  isEmptyHtml,
  wantsSignature,
  withoutSignature,
  withSignature,
} from './email-body.ts'
import { chooseContent, type EmailContent } from './email-content.server.ts'
import { chooseFiles } from './email-files.server.ts'
import { audienceOf } from './message-receivers.server.ts'
import { afterTrouble, createWording, type Ended, ended, impossible, planned, type Wording } from './planning.server.ts'
import { flagParameter } from './read-parameters.ts'

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
  if (written.subject === '') {
    return impossible('invalid', 'The e-mail has no subject. Open the automation and write one.', warnings)
  }
  if (written.text.trim() === '' && isEmptyHtml(written.html)) {
    return impossible('invalid', 'The e-mail has no text. Open the automation and write one.', warnings)
  }
  const signed = await signedBody(context, written, asksForSignature(chosen.content.body))
  if (signed.outcome !== 'ok') return signed.plan
  warnings.push(...signed.warnings)
  const files = await chooseFiles(context, wording)
  if (files.outcome !== 'ok') return files.plan
  warnings.push(...files.warnings)

  const linked = flagParameter(parameters, 'linkToJob')
  const effects = addressed(audience.to, copies).map(
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
      attachments: files.attachments,
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
      return ended(impossible('invalid', TOO_LONG))
    case 'busy':
      return ended(waiting(context.now + made.retryAfterMs))
    default:
      return assertNever(made)
  }
}

function waiting(retryAt: number): Plan {
  return { outcome: 'later', errorClass: 'limit', sentence: 'Other texts of this account are prepared first.', retryAt }
}

/** Each receiver gets one of the copies, in order; leftover copies become separate e-mails. */
function addressed(to: readonly string[], cc: readonly string[]): { to: string; cc: string }[] {
  const copies = cc.filter((copy) => !to.some((one) => one.toLowerCase() === copy.toLowerCase()))
  return [
    ...to.map((one, index) => ({ to: one, cc: copies[index] ?? '' })),
    ...copies.slice(to.length).map((copy) => ({ to: copy, cc: '' })),
  ]
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
    const warning = { code: 'no_signature', sentence: 'Nobody active could sign this e-mail, so it has no signature.' }
    return { outcome: 'ok', html: withoutSignature(html), staffUuid: null, warnings: [warning] }
  }
  return { outcome: 'ok', html: withSignature(html), staffUuid: sender.uuid, warnings: sender.warnings }
}
