// One way in for everything a person can look at before a rule is saved, for the page with scripts and for the one without.
import { assertNever } from '#app/lib/assert-never.ts'
import type { FormLook, LookKind } from '../form/form-preview.ts'
import type { FormState } from '../form/form-state.ts'
import { type LookDraftApp, type LookWish, previewDraft, sampleDraft } from './preview-draft.server.ts'
import { lookBackOfDraft } from './backtest.server.ts'

/** Never throws for the platform's trouble: that is an answer, in words, and the form goes on without it. */
export function lookAtForm(
  app: LookDraftApp,
  state: FormState,
  { look, ...wish }: LookWish & { look: LookKind },
): Promise<FormLook> {
  switch (look) {
    case 'preview':
      return previewDraft(app, state, wish)
    case 'samples':
      return sampleDraft(app, state, wish)
    case 'lookback':
      return lookBackOfDraft(app, wish.accountUuid, state)
    default:
      return assertNever(look)
  }
}
