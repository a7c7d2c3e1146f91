// The form's schema with its library, apart because it weighs as much as the rest of the page: fetched when typing begins.
import './zod-without-eval.ts'
import { parseWithZod } from '@conform-to/zod/v4'
import { webhookChange, webhookForm } from '../webhook.ts'

export function checkCreateForm(formData: FormData) {
  return parseWithZod(formData, { schema: webhookForm })
}

export function checkUpdateForm(formData: FormData) {
  return parseWithZod(formData, { schema: webhookChange })
}
