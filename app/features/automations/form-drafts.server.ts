// What was written into the form and not saved yet, for the page without scripts: a press elsewhere on the page redirects, and the
// form is drawn again with it. In memory only: it is nobody's rule yet, and a start of the process may forget it.
import type { App } from '#app/app-context.ts'
import type { Millis } from '#app/lib/clock.ts'
import { hours } from '#app/lib/duration.ts'
import { newToken } from '#app/lib/token.server.ts'
import { emptyForm, type FormState } from './form-state.ts'

const LASTS = hours(2)
/** Of all accounts; the oldest go first. */
const MOST_DRAFTS = 500

interface Draft {
  accountUuid: string
  until: Millis
  state: FormState
}

const shelves = new WeakMap<object, Map<string, Draft>>()

/** Answers its token; null = there is nothing in it worth keeping. `before` = the token of the same form until now. */
export function keepDraft(
  app: Pick<App, 'store' | 'clock'>,
  accountUuid: string,
  state: FormState,
  before: string | null = null,
): string | null {
  const { next: _next, ...said } = state
  const { next: _none, ...nothing } = emptyForm()
  if (JSON.stringify(said) === JSON.stringify(nothing)) return null
  const drafts = shelfOf(app)
  const token = before !== null && findDraft(app, accountUuid, before) ? before : newToken()
  drafts.delete(token)
  drafts.set(token, { accountUuid, until: app.clock.now() + LASTS, state })
  for (const oldest of drafts.keys()) {
    if (drafts.size <= MOST_DRAFTS) break
    drafts.delete(oldest)
  }
  return token
}

/** Null = it is somebody else's, too old, or was never kept. */
export function findDraft(
  app: Pick<App, 'store' | 'clock'>,
  accountUuid: string,
  token: string | null,
): FormState | null {
  const draft = token === null ? undefined : shelfOf(app).get(token)
  return draft && draft.accountUuid === accountUuid && draft.until > app.clock.now() ? draft.state : null
}

function shelfOf({ store }: Pick<App, 'store'>): Map<string, Draft> {
  const known = shelves.get(store)
  if (known) return known
  const made = new Map<string, Draft>()
  shelves.set(store, made)
  return made
}
