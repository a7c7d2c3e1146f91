// The subject and text of an e-mail. Switching the kind clears the fields of the others (specification, section 4), so
// only those of the chosen kind are read.
import { templateProblem } from '../rules/checks/template-limits.ts'
import type { PlanContext } from './action.server.ts'
import { withSignatureTags } from './email-body.ts'
import { afterTrouble, type Ended, ended, impossible, readNamed } from './planning.server.ts'
import { textParameter, wordParameter } from './read-parameters.ts'

export interface EmailContent {
  kind: 'plain' | 'html'
  /** With placeholders. */
  subject: string
  body: string
}

type Chosen = { outcome: 'ok'; content: EmailContent } | Ended

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
  if (problem) return ended(impossible('invalid', problem))
  return plainly('html', lacks.subject ? itsSubject : subject, lacks.body ? message : body)
}
