// Work on large input that runs off the main thread: see decision 0037. Only the server imports this.
import { aidsOf } from '../form/form-aids.ts'
import { problemsOf, readDraft } from '../form/form-check.ts'
import { checkRule } from '../rules/checks/rule-check.ts'
import { safeSentHtml, withSafeEmails } from '../rules/email-html.ts'
import { readImport } from '../rules/import-rule.ts'
import { openBlanksOf } from '../rules/rule-blanks.ts'
import type { RuleForm } from '../rules/rule-fields.ts'
import { type FormIssue, ruleForm } from '../rules/rule-form.ts'

type ReadRuleForm =
  /** `takenOut`: the unsafe e-mail content that was removed, in a sentence; null = none. */
  { outcome: 'read'; form: RuleForm; takenOut: string | null } | { outcome: 'invalid'; issues: FormIssue[] }

function readRuleForm(body: unknown): ReadRuleForm {
  const { body: safe, takenOut } = withSafeEmails(body)
  const parsed = ruleForm.safeParse(safe)
  if (parsed.success) return { outcome: 'read', form: parsed.data, takenOut }
  return { outcome: 'invalid', issues: parsed.error.issues.map(plainIssue) }
}

/** A zod issue may contain values that cannot be cloned. */
export function plainIssue(issue: FormIssue & { code?: string }): FormIssue {
  const { path, message, keys, code } = issue
  return {
    path: path.map((part) => (typeof part === 'symbol' ? String(part) : part)),
    message,
    ...(keys && { keys }),
    ...(code && { code }),
  }
}

export const AUTOMATIONS_WORK = {
  aidsOf,
  checkRule,
  openBlanksOf,
  problemsOf,
  readDraft,
  readImport,
  readRuleForm,
  safeSentHtml,
}

type Work = typeof AUTOMATIONS_WORK

declare module '#app/context/app-context.ts' {
  interface LongWork extends Work {}
}
