// Keeps unsaved form input for the page without scripts: a press elsewhere on the page redirects, then the form is
// redrawn from here. Every instance finds it, because the next press may meet another one.
import type { App } from '#app/context/app-context.ts'
import { formDraftPlace } from '#app/domain/sealed-places.ts'
import { hours } from '#app/lib/duration.ts'
import { hashToken, newToken } from '#app/lib/token.server.ts'
import { emptyForm, type FormState } from '../form/form-state.ts'
import { readFormState } from '../form/form-wire.ts'

const LASTS = hours(2)
const LIMITS = {
  /** Heavy use evicts only the account's own drafts. Oldest first. */
  ofAccount: 10,
  /** Across all accounts, in characters: a form may be as long as a pasted rule. */
  heaviest: 16_000_000,
}

type DraftApp = Pick<App, 'store' | 'clock' | 'secrets'>

/** Returns the draft's token; null = nothing worth keeping. `before` = the form's previous token. */
export async function keepDraft(
  { store, clock, secrets }: DraftApp,
  accountUuid: string,
  state: FormState,
  before: string | null = null,
): Promise<string | null> {
  const { next: _next, ...said } = state
  const { next: _none, ...nothing } = emptyForm()
  const text = JSON.stringify(said)
  if (text === JSON.stringify(nothing)) return null
  const token = newToken()
  const now = clock.now()
  const formSealed = await secrets.seal(formDraftPlace(accountUuid), JSON.stringify(state))
  const draft = { accountUuid, tokenHash: hashToken(token), formSealed, weight: text.length, expiresAt: now + LASTS }
  const kept = await store.drafts.keepFormDraft(draft, before === null ? null : hashToken(before), LIMITS, now)
  return kept === draft.tokenHash ? token : before
}

/** Null = another account's, expired, never stored, or no longer readable. */
export async function findDraft(
  { store, clock, secrets }: DraftApp,
  accountUuid: string,
  token: string | null,
): Promise<FormState | null> {
  if (token === null) return null
  const sealed = await store.drafts.findFormDraft(accountUuid, hashToken(token), clock.now())
  if (sealed === null) return null
  const text = await secrets.open(formDraftPlace(accountUuid), sealed).catch(() => null)
  return text === null ? null : readFormState(text)
}
