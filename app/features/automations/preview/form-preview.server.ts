// One way in for everything a person can look at before a rule is saved, for the page with scripts and for the one without.
import { assertNever } from '#app/lib/assert-never.ts'
import type { FormPreview, PreviewKind } from '../form/form-preview.ts'
import type { FormState } from '../form/form-state.ts'
import { backtestDraft } from './backtest.server.ts'
import { type DraftApp, type DraftRequest, previewDraft, sampleDraft } from './preview-draft.server.ts'

/** Never throws for the platform's trouble: that is an answer, in words, and the form goes on without it. */
export function previewForm(
  app: DraftApp,
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
