// Template work on large input that runs off the main thread: see decision 0037. Only the server imports this.
import { plainIssue } from '#app/features/automations/page/long-work.ts'
import { withSafeEmails } from '#app/features/automations/rules/email-html.ts'
import { readTemplate } from './template.ts'

export const TEMPLATES_WORK = {
  readTemplateForm: (body: Readonly<Record<string, unknown>>) => {
    const read = readTemplate(withSafeEmails(body).body)
    return read.outcome === 'read' ? read : { ...read, issues: read.issues.map(plainIssue) }
  },
}

type Work = typeof TEMPLATES_WORK

declare module '#app/context/app-context.ts' {
  interface LongWork extends Work {}
}
