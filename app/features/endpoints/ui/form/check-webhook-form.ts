// The forms' schemas with their library, apart because they weigh as much as the rest of the page: fetched when typing begins.
import '#app/ui/zod-without-eval.ts'
import { parseWithZod } from '@conform-to/zod/v4'
import { forwardingRuleChange, forwardingRuleForm, webhookChange, webhookForm } from '../../endpoint.ts'

export function checkCreateForm(formData: FormData) {
  return parseWithZod(formData, { schema: webhookForm })
}

export function checkUpdateForm(formData: FormData) {
  return parseWithZod(formData, { schema: webhookChange })
}

export function checkAddRuleForm(formData: FormData) {
  return parseWithZod(formData, { schema: forwardingRuleForm })
}

export function checkRuleChangeForm(formData: FormData) {
  return parseWithZod(formData, { schema: forwardingRuleChange })
}
