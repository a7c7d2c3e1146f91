// The result of a refused form of the manager page; the same form draws it.
import type { EndpointKey } from '#app/domain/endpoint-key.ts'
import type { FieldErrors } from './endpoint.ts'

export type ManagerIntent = 'create' | 'update' | 'delete' | 'create_rule'

export interface FormResult {
  fieldErrors: FieldErrors
  /** About the form as a whole. */
  formError?: string
  /** As typed, including `intent` and `id`, which identify the form. */
  values: Record<string, string>
}

/** Returns the result if it belongs to this form, otherwise null. `id` is the card's, for update and delete. */
export function resultFor(result: FormResult | undefined, intent: ManagerIntent, id?: EndpointKey): FormResult | null {
  if (result?.values.intent !== intent) return null
  return id === undefined || result.values.id === String(id) ? result : null
}
