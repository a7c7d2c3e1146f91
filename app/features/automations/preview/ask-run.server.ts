// The question before "Run Now" writes to customers: plans with real records, and shows earlier messages.
import { plural } from '#app/domain/time/moments.ts'
import type { AutomationRow } from '#db/store/automations.ts'
import type { RecordChoice } from '../form/form-preview.ts'
import { objectNoun } from '../records/fields.ts'
import { rememberedReads } from '../records/remembered-reads.server.ts'
import type { KnownNames } from '../rules/conditions/condition-text.ts'
import { objectOfRule, readsDeleted } from '../rules/conditions/conditions.ts'
import { judgedAt } from '../rules/rule-place.server.ts'
import { oftenOf } from '../rules/timing/once-text.ts'
import { hashesOfReceiver } from '../runs/run-guards.server.ts'
import type { EvaluateApp } from '../triggers/evaluate.server.ts'
import { type NowPlan, planNow, type RunNowRequest } from '../triggers/plan-now.server.ts'
import { type RequestShown, showRequests } from './approval.server.ts'
import { ASK_FIELDS, type AskedRun, type GotBefore, notFoundText } from './ask-run.ts'
import type { PreviewedStep } from './preview.ts'
import { choiceOf, joinFor, MOST_CHOICES, recentRecords, searchRecords } from './preview-records.server.ts'
import { previewView } from './preview-view.ts'
import { matchedFor, NO_RECORDS, type NothingToRun, type NotMet, type RunNowApp } from './run-now.server.ts'
import { ranBeforeText } from './run-now-text.ts'

type RunQuestion = { outcome: 'ask'; asked: AskedRun } | NotMet | NothingToRun

const MOST_GOT = 3

interface Asked extends RunNowRequest {
  /** Job number or customer, to choose another record; '' = the newest. */
  search: string
  note: string | null
  names: KnownNames
}

/** Reads and plans; sends and stores nothing. */
export async function askRun(app: RunNowApp, rule: AutomationRow, asked: Asked): Promise<RunQuestion> {
  const parts: EvaluateApp = { ...app, facts: app.planning.facts }
  const chosen = await choicesFor(app, rule, asked)
  // Use the record that was searched for, never another one.
  const [found] = asked.search === '' ? [] : chosen
  if (asked.search !== '' && !found) {
    return { outcome: 'ask', asked: nothingFound(asked.search, await choicesFor(app, rule, { ...asked, search: '' })) }
  }
  const requested = found ? { ...asked, recordUuid: found.uuid } : asked
  const matched = await matchedFor(parts, rule, requested)
  if (matched.outcome !== 'matched') return matched
  const plain = await planNow(parts, rule, matched, { ...requested, includeHandled: false })
  const again = plain.requests.length === 0 && plain.handled.length > 0
  const { requests } = again ? await planNow(parts, rule, matched, { ...requested, includeHandled: true }) : plain
  const [first] = requests
  if (!first) return { outcome: 'no_record', message: NO_RECORDS }
  const shown = await showRequests(app, rule, requests)
  if (shown.outcome === 'not_possible') return { outcome: 'unavailable', message: shown.message }
  const runs = await shownRuns(app, rule, shown.shown.runs, asked.names)
  const one = requested.recordUuid ?? (isOne(rule, requested) ? first.recordUuids[0] : null) ?? null
  return {
    outcome: 'ask',
    asked: {
      about: aboutOf(first.object, requests, runs),
      handled: again ? ranBeforeText(plain.handled, matched.object) : null,
      note: asked.note,
      runs,
      more: requests.length - runs.length,
      choices: chosen,
      search: asked.search,
      values: {
        [ASK_FIELDS.confirmed]: 'yes',
        [ASK_FIELDS.seen]: shown.shown.approval,
        ...(one !== null && { recordUuid: one }),
        ...(requested.bypassConditions && { bypass: 'yes' }),
        ...(again && { [ASK_FIELDS.handled]: 'yes' }),
      },
    },
  }
}

/** Adds the earlier messages of the recipients. */
async function shownRuns(
  app: RunNowApp,
  { accountUuid, definition }: AutomationRow,
  shown: readonly RequestShown[],
  names: KnownNames,
): Promise<AskedRun['runs']> {
  const often = oftenOf(definition, objectOfRule(definition))
  const runs: AskedRun['runs'] = []
  for (const { request, execution, preview } of shown) {
    const count = request.recordUuids.length
    const view = previewView({ execution, preview: { ...preview, matched: count, total: count } }, often, names)
    runs.push({ preview: view, got: await gotBefore(app, accountUuid, preview.steps) })
  }
  return runs
}

function nothingFound(search: string, choices: RecordChoice[]): AskedRun {
  return { about: '', handled: null, note: notFoundText(search), runs: [], more: 0, choices, search, values: null }
}

/** A polling rule acts on all matches, any other on one record. */
function isOne({ triggerSource }: AutomationRow, { bypassConditions }: RunNowRequest): boolean {
  return triggerSource !== 'api_polling' || bypassConditions
}

function aboutOf(object: string, requests: NowPlan['requests'], runs: AskedRun['runs']): string {
  const [only] = runs
  if (requests.length === 1 && only) return only.preview.about
  return plural(requests.flatMap(({ recordUuids }) => recordUuids).length, objectNoun(object, 'record'))
}

/** Returns other records to choose from. Continues without them if the list fails. */
async function choicesFor(app: RunNowApp, rule: AutomationRow, { search }: Asked): Promise<RecordChoice[]> {
  const { accountUuid, definition } = rule
  const { conditions } = definition
  const object = objectOfRule(definition)
  const at = await judgedAt(app, accountUuid)
  const reads = rememberedReads(app)
  const withDeleted = readsDeleted(definition.trigger)
  const recent = await recentRecords(reads, accountUuid, object, at, { orOlder: true, withDeleted })
  if (recent.outcome === 'failed') return []
  const from = { accountUuid, object, withDeleted, conditions, at }
  const listed =
    search === ''
      ? await joinFor(reads, from, recent.records.slice(0, MOST_CHOICES))
      : await searchRecords(reads, from, recent.records, search)
  return listed.outcome === 'ok' ? listed.facts.map((facts) => choiceOf(facts, conditions, at)) : []
}

async function gotBefore(app: RunNowApp, accountUuid: string, steps: readonly PreviewedStep[]): Promise<GotBefore[]> {
  const receivers = new Map<string, 'sms' | 'email'>()
  for (const { effectClass, channel, to } of steps.flatMap(({ effects }) => effects)) {
    if (effectClass === 'customer' && channel !== null && to !== null) receivers.set(to, channel)
  }
  const got: GotBefore[] = []
  for (const [to, channel] of receivers) {
    const hashes = await hashesOfReceiver(app, accountUuid, channel, to)
    for (const message of await app.store.runs.messagesTo(accountUuid, hashes, MOST_GOT)) got.push({ ...message, to })
  }
  return got
}
