// Belongs to the pixels (.tsx), because it acts, and only in a browser.
import { askOwnServer } from '#app/ui/ask-own-server.tsx'
import type { FormLook, LookKind } from '../form-preview.ts'
import { LOOK_FIELDS } from '../form-preview.ts'
import { type FormState, toForm } from '../form-state.ts'

interface Asked {
  accountUUID: string
  state: FormState
  look: LookKind
  record?: string
  search?: string
  signal?: AbortSignal
}

/** Looks at the rule as it stands. Every trouble is an answer in words; only an ended `signal` rejects. */
export async function askLook({
  accountUUID,
  state,
  look,
  record = '',
  search = '',
  signal,
}: Asked): Promise<FormLook> {
  const body = new URLSearchParams([
    ...toForm(state),
    ['look', look],
    [LOOK_FIELDS.record, record],
    [LOOK_FIELDS.search, search],
  ])
  try {
    const path = `/automation/look?${new URLSearchParams({ accountUUID })}`
    const answer = await askOwnServer(path, { method: 'POST', body, ...(signal && { signal }) })
    const told = (await answer.json()) as FormLook | { message: string }
    return 'kind' in told ? told : { kind: 'trouble', message: told.message }
  } catch (error) {
    if (signal?.aborted) throw error
    return { kind: 'trouble', message: 'Fieldhook could not be reached. What you wrote is still here.' }
  }
}
