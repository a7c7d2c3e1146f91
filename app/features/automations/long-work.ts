// What is done apart from the main thread when somebody sends much of it: see decision 0037. Only the server imports this.
import { readTemplate } from '../templates/template.ts'
import { readDraft } from './draft.ts'
import { safeSentHtml, withSafeEmails } from './email-html.ts'
import { aidsOf } from './form-aids.ts'
import { problemsOf } from './form-problems.ts'
import { readImport } from './import-rule.ts'
import { openBlanksOf } from './rule-blanks.ts'
import { checkRule } from './rule-check.ts'
import { type FormIssue, type RuleForm, ruleForm } from './rule-form.ts'

export type ReadRuleForm =
  /** `takenOut`: what of its e-mails was not safe and went, in a sentence; null = nothing. */
  { outcome: 'read'; form: RuleForm; takenOut: string | null } | { outcome: 'invalid'; issues: FormIssue[] }

function readRuleForm(body: unknown): ReadRuleForm {
  const { body: safe, takenOut } = withSafeEmails(body)
  const parsed = ruleForm.safeParse(safe)
  if (parsed.success) return { outcome: 'read', form: parsed.data, takenOut }
  return { outcome: 'invalid', issues: parsed.error.issues.map(plainIssue) }
}

/** An issue of zod may carry what cannot be copied. */
function plainIssue(issue: FormIssue & { code?: string }): FormIssue {
  const { path, message, keys, code } = issue
  return {
    path: path.map((part) => (typeof part === 'symbol' ? String(part) : part)),
    message,
    ...(keys && { keys }),
    ...(code && { code }),
  }
}

export const LONG_WORK = {
  aidsOf,
  checkRule,
  openBlanksOf,
  problemsOf,
  readDraft,
  readImport,
  readRuleForm,
  safeSentHtml,
  readTemplateForm: (body: Readonly<Record<string, unknown>>) => {
    const read = readTemplate(withSafeEmails(body).body)
    return read.outcome === 'read' ? read : { ...read, issues: read.issues.map(plainIssue) }
  },
}

export type LongWork = typeof LONG_WORK
