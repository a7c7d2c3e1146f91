// Loads the context that all plans of a run share, once: the account, the current records, and our own defaults.
import type { App } from '#app/context/app-context.ts'
import type { AccountProfile } from '../actions/action.server.ts'
import { type Loaded, loadRecords, putOffOf, type RunFacts } from './run-facts.server.ts'
import { partsOfSteps } from './run-parts.ts'
import { contextValues, type RunContext, type StepParts } from './run-step.server.ts'

export interface ContextRequest extends Pick<RunContext, 'automation' | 'definition' | 'triggerData'> {
  accountUuid: string
  object: string
  recordUuids: string[]
}

type ContextParts = Pick<StepParts, 'defaults'> & { facts: RunFacts }

/** `no_records` = all records of the run are deleted. */
type LoadedContext = Loaded<RunContext | 'no_records'>

async function loadProfile(facts: RunFacts, accountUuid: string): Promise<Loaded<AccountProfile>> {
  const answer = await facts.profile(accountUuid)
  return answer.outcome === 'ok'
    ? { outcome: 'ok', value: answer.profile }
    : { outcome: 'put_off', why: putOffOf(answer) }
}

export async function loadContext(
  app: Pick<App, 'settings'>,
  parts: ContextParts,
  request: ContextRequest,
): Promise<LoadedContext> {
  const { accountUuid, automation, definition, object, recordUuids, triggerData } = request
  const account = await loadProfile(parts.facts, accountUuid)
  if (account.outcome === 'put_off') return account
  const records = await loadRecords(parts.facts, request, definition, partsOfSteps(definition, object))
  if (records.outcome === 'put_off') return records
  if (records.value.length === 0 && recordUuids.length > 0) return { outcome: 'ok', value: 'no_records' }
  return {
    outcome: 'ok',
    value: {
      automation: { id: automation.id, name: automation.name },
      definition,
      triggerData,
      account: account.value,
      records: records.value,
      trigger: contextValues(triggerData),
      defaults: (await parts.defaults?.(accountUuid, definition)) ?? {},
      read: parts.facts.reader(accountUuid),
      origin: app.settings.origin,
    },
  }
}

/** Loads context for one turn of a run, when the first step needs it. */
export interface ContextLoader {
  load(): Promise<LoadedContext>
  profile(): Promise<Loaded<AccountProfile>>
}

export function contextLoader(app: Pick<App, 'settings'>, parts: ContextParts, request: ContextRequest): ContextLoader {
  return {
    load: remembered(() => loadContext(app, parts, request)),
    profile: remembered(() => loadProfile(parts.facts, request.accountUuid)),
  }
}

/** Caches successful loads only; failures are retried. */
function remembered<T>(load: () => Promise<Loaded<T>>): () => Promise<Loaded<T>> {
  let kept: Loaded<T> | null = null
  return async () => {
    if (kept) return kept
    const loaded = await load()
    if (loaded.outcome === 'ok') kept = loaded
    return loaded
  }
}
