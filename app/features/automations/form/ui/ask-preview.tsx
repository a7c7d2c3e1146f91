// A UI module (.tsx), because it has side effects and runs only in a browser.
import { askOwnServer } from '#app/ui/ask-own-server.tsx'
import type { FormPreview, PreviewKind } from '../form-preview.ts'
import { PREVIEW_FIELDS } from '../form-preview.ts'
import { type FormState, toForm } from '../form-state.ts'

interface Asked {
  accountUUID: string
  state: FormState
  preview: PreviewKind
  record?: string
  search?: string
  signal?: AbortSignal
}

/** Requests a preview of the unsaved rule. Every failure is an answer in words; only an aborted `signal` rejects. */
export async function askPreview(asked: Asked): Promise<FormPreview> {
  const { accountUUID, state, preview, record = '', search = '', signal } = asked
  const body = new URLSearchParams([
    ...toForm(state),
    ['preview', preview],
    [PREVIEW_FIELDS.record, record],
    [PREVIEW_FIELDS.search, search],
  ])
  try {
    const path = `/automation/preview?${new URLSearchParams({ accountUUID })}`
    const answer = await askOwnServer(path, { method: 'POST', body, ...(signal && { signal }) })
    const told = (await answer.json()) as FormPreview | { message: string }
    return 'kind' in told ? told : { kind: 'trouble', message: told.message }
  } catch (error) {
    if (signal?.aborted) throw error
    return { kind: 'trouble', message: 'Fieldhook could not be reached. What you wrote is still here.' }
  }
}
