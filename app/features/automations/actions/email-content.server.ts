// Where subject and text of an e-mail come from. Switching the kind clears the fields of the others (specification, section 4), so
// only those of the chosen kind are read.

import type { Plan } from '#app/domain/automations/effect.ts'
import { isActive, valuesOf } from '../records/fact-rows.ts'
import { isUuid } from '../records/field-value.ts'
import { templateProblem } from '../rules/checks/template-limits.ts'
import type { PlanContext } from './action.server.ts'
import { withSignatureTags } from './email-body.ts'
import { afterTrouble, impossible } from './planning.server.ts'
import { textParameter, wordParameter } from './read-parameters.ts'

export interface EmailContent {
  kind: 'plain' | 'html'
  /** With placeholders. */
  subject: string
  body: string
}

type Chosen = { outcome: 'ok'; content: EmailContent } | { outcome: 'ended'; plan: Plan }

const TEMPLATE_GONE =
  'The e-mail template of this automation was deleted in ServiceM8. Open the automation and choose another one.'

export async function chooseContent(context: PlanContext): Promise<Chosen> {
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
 * What the form filled in from the template counts; what is empty there is read from the template now. Its placeholders are the
 * platform's own; the messaging calls do not resolve them (facts: section 6), so they are put in here like ours.
 */
async function fromTemplate({ step, read }: PlanContext): Promise<Chosen> {
  let subject = textParameter(step.parameters, 'subject')
  let body = textParameter(step.parameters, 'htmlBody')
  if (subject.trim() === '' || body.trim() === '') {
    const id = wordParameter(step.parameters, 'emailTemplateId')
    if (!isUuid(id)) return gone()
    const answer = await read.read('emailtemplate', id)
    if (answer.outcome === 'refused') return gone()
    if (answer.outcome !== 'ok') return { outcome: 'ended', plan: afterTrouble(answer, 'the e-mail template') }
    const template = valuesOf(answer.value)
    if (!isActive(template)) return gone()
    const taken = {
      ...(subject.trim() === '' && { subject: template.subject ?? '' }),
      ...(body.trim() === '' && { body: template.message ?? '' }),
    }
    const [problem] = Object.values(taken).flatMap((text) => templateProblem(text) ?? [])
    if (problem !== undefined) return { outcome: 'ended', plan: impossible('invalid', problem) }
    subject = taken.subject ?? subject
    body = taken.body ?? body
  }
  return plainly('html', subject, body)
}

function gone(): Chosen {
  return { outcome: 'ended', plan: impossible('template_missing', TEMPLATE_GONE) }
}
