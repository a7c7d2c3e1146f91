// Single entry point for previews of an unsaved rule, with and without scripts.
import { assertNever } from '#app/lib/assert-never.ts'
import type { FormPreview, PreviewKind } from '../form/form-preview.ts'
import type { FormState } from '../form/form-state.ts'
import { backtestDraft } from './backtest.server.ts'
import { type DraftRequest, type NamingApp, previewDraft, sampleDraft } from './preview-draft.server.ts'

/** Never throws when the platform fails: the answer says so in words, and the form continues without a preview. */
export function previewForm(
  app: NamingApp,
  state: FormState,
  { preview, ...request }: DraftRequest & { preview: PreviewKind },
): Promise<FormPreview> {
  switch (preview) {
    case 'preview':
      return previewDraft(app, state, request)
    case 'samples':
      return sampleDraft(app, state, request)
    case 'backtest':
      return backtestDraft(app, request.accountUuid, state)
    default:
      return assertNever(preview)
  }
}
