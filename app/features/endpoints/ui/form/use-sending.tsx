import { useNavigation } from '@remix-run/react'
import type { EndpointKey } from '#app/domain/endpoint-key.ts'
import type { ManagerIntent } from '../../form-result.ts'

/** Whether this form is being submitted. `id` is the card's, for update and delete. */
export function useSending(intent: ManagerIntent, id?: EndpointKey): boolean {
  const { state, formData } = useNavigation()
  if (state === 'idle' || formData?.get('intent') !== intent) return false
  return id === undefined || formData.get('id') === String(id)
}
