// What a refused form of the manager page sends back: it is drawn by the form that was sent.
import type { FieldErrors } from '../webhook.ts'

export type ManagerIntent = 'create' | 'update' | 'delete'

export interface FormResult {
  fieldErrors: FieldErrors
  /** About the form as a whole. */
  formError?: string
  /** As typed, `intent` and `id` included: they say which form it was. */
  values: Record<string, string>
}

/** The result if it belongs to this form, else null. `id` is the webhook's, for update and delete. */
export function resultFor(result: FormResult | undefined, intent: ManagerIntent, id?: number): FormResult | null {
  if (result?.values.intent !== intent) return null
  return id === undefined || result.values.id === String(id) ? result : null
}
