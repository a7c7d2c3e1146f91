// Keeps unsaved form input for the page without scripts: a press elsewhere on the page redirects, then the form is
// redrawn from here. In memory only: it is not a rule yet, and a restart may lose it.
import type { App } from '#app/context/app-context.ts'
import type { Millis } from '#app/lib/clock.ts'
import { hours } from '#app/lib/duration.ts'
import { newToken } from '#app/lib/token.server.ts'
import { emptyForm, type FormState } from '../form/form-state.ts'

const LASTS = hours(2)
/** Per account, so heavy use evicts only the account's own drafts. Oldest first. */
const MOST_OF_ACCOUNT = 10
/** Across all accounts, in characters: a form may be as long as a pasted rule. About 32 MB. */
const HEAVIEST = 16_000_000

interface Draft {
  accountUuid: string
  until: Millis
  state: FormState
  weight: number
}

/** Oldest first. */
type CachePart = Map<string, Draft>

const caches = new WeakMap<object, CachePart>()

/** Returns the draft's token; null = nothing worth keeping. `before` = the form's previous token. */
export function keepDraft(
  app: Pick<App, 'store' | 'clock'>,
  accountUuid: string,
  state: FormState,
  before: string | null = null,
): string | null {
  const { next: _next, ...said } = state
  const { next: _none, ...nothing } = emptyForm()
  const text = JSON.stringify(said)
  if (text === JSON.stringify(nothing)) return null
  const drafts = cacheOf(app)
  const now = app.clock.now()
  const token = before !== null && findDraft(app, accountUuid, before) ? before : newToken()
  drafts.delete(token)
  drafts.set(token, { accountUuid, until: now + LASTS, state, weight: text.length })
  makeRoom(drafts, accountUuid, now)
  return token
}

/** Removes expired drafts, then the oldest: of an account above its limit, and of all above the total. */
function makeRoom(drafts: CachePart, accountUuid: string, now: Millis): void {
  for (const [token, { until }] of drafts) if (until <= now) drafts.delete(token)
  const own = [...drafts].filter(([, draft]) => draft.accountUuid === accountUuid)
  for (const [token] of own.slice(0, -MOST_OF_ACCOUNT)) drafts.delete(token)
  let weight = [...drafts.values()].reduce((sum, draft) => sum + draft.weight, 0)
  for (const [token, draft] of drafts) {
    if (weight <= HEAVIEST) break
    drafts.delete(token)
    weight -= draft.weight
  }
}

/** Null = another account's, expired, or never stored. */
export function findDraft(
  app: Pick<App, 'store' | 'clock'>,
  accountUuid: string,
  token: string | null,
): FormState | null {
  const draft = token === null ? undefined : cacheOf(app).get(token)
  return draft && draft.accountUuid === accountUuid && draft.until > app.clock.now() ? draft.state : null
}

function cacheOf({ store }: Pick<App, 'store'>): CachePart {
  const known = caches.get(store)
  if (known) return known
  const made: CachePart = new Map()
  caches.set(store, made)
  return made
}
