// Previews the rule in the form before it is saved: what it would do with one record, and its placeholder values there.
// Writes nothing: everything it reads through is read-only.
import type { CallFailure } from '#app/adapters/platform.ts'
import type { App } from '#app/context/app-context.ts'
import type { ActionType } from '#app/domain/automations/action-parameters.ts'
import { type RuleDefinition, startsOnAnswers } from '#app/domain/automations/rule.ts'
import type { TriggerData } from '#app/domain/automations/run.ts'
import { runReasonText } from '#app/domain/automations/run-reasons.ts'
import type { NamesOf } from '#app/domain/record-name.ts'
import type { Millis } from '#app/lib/clock.ts'
import type { Draft } from '../form/form-check.ts'
import type { DraftPreview, PreviewTrouble, RecordChoice, Samples } from '../form/form-preview.ts'
import type { FormState } from '../form/form-state.ts'
import { matchedRecord } from '../records/changes.ts'
import type { FactPart, JudgedAt, RecordFacts } from '../records/facts.ts'
import { type Reads, rememberedReads } from '../records/remembered-reads.server.ts'
import { placeOfStep } from '../rules/checks/rule-check.ts'
import { noRoomFor } from '../rules/checks/rule-room.server.ts'
import type { KnownNames } from '../rules/conditions/condition-text.ts'
import { type FailedCondition, judge, readsDeleted } from '../rules/conditions/conditions.ts'
import { groupRecords } from '../rules/grouping.ts'
import { formatsFor, placeholderChoices } from '../rules/placeholders/placeholder-check.ts'
import { partsForTexts } from '../rules/placeholders/placeholder-names.ts'
import { resolveText } from '../rules/placeholders/placeholders.ts'
import { sampleReply } from '../rules/reply.ts'
import { judgedAt } from '../rules/rule-place.server.ts'
import { failedViews } from '../rules/rule-view.ts'
import { oftenOf } from '../rules/timing/once-text.ts'
import { executionOf } from '../runs/run-history.ts'
import { contextValues } from '../runs/run-step.server.ts'
import { filterOf, judgeAll, listFor } from '../triggers/list-records.server.ts'
import { notFoundText } from './ask-run.ts'
import { withCustomers } from './customer-names.server.ts'
import { type Preview, type PreviewParts, previewRun } from './preview.server.ts'
import {
  choiceOf,
  joinFor,
  MOST_CHOICES,
  newestMatching,
  partsToShow,
  recentRecords,
  searchRecords,
} from './preview-records.server.ts'
import { previewView } from './preview-view.ts'
import { notChecked } from './too-long.ts'

export type DraftApp = Pick<
  App,
  'store' | 'clock' | 'log' | 'secrets' | 'settings' | 'callAsAccount' | 'planning' | 'apart'
>

/** Names customers too: lists are without most of them. */
export type NamingApp = DraftApp & { namesOf: NamesOf }

/** Returns the draft of the form, or why it cannot be read now. */
export async function readDraft(
  app: Pick<App, 'apart'>,
  accountUuid: string,
  state: FormState,
): Promise<{ outcome: 'read'; draft: Draft } | { outcome: 'not_read'; trouble: PreviewTrouble }> {
  const read = await app.apart.do('readDraft', accountUuid, state)
  const notRead = (message: string) => ({ outcome: 'not_read', trouble: { kind: 'trouble', message } }) as const
  if (read.outcome !== 'done') return notRead(notChecked(read).message)
  const { tooLong } = read.value
  return tooLong === null ? { outcome: 'read', draft: read.value } : notRead(tooLong)
}

export interface DraftRequest {
  accountUuid: string
  /** The record to preview; '' = the newest that meets the conditions. */
  record: string
  /** Job number or customer to search for; '' = the newest. */
  search: string
  /** Names of queues and people, by uuid. */
  names: KnownNames
}

/** Returns `planning` with cached reads; an unfinished step reports what is missing instead of a plan. */
export function draftParts({ planning }: Pick<App, 'planning'>, reads: Reads, { unfinished }: Draft): PreviewParts {
  const actions = Object.fromEntries(
    Object.entries(planning.actions).map(([type, action]): [string, PreviewParts['actions'][ActionType]] => [
      type,
      {
        async plan(context) {
          const missing = unfinished.get(context.step.id)
          return missing === undefined
            ? action.plan(context)
            : { outcome: 'later', errorClass: 'unfinished', sentence: missing, retryAt: null }
        },
      },
    ]),
  ) as PreviewParts['actions']
  return { ...planning, actions, facts: reads.facts }
}

export async function previewDraft(
  app: NamingApp,
  state: FormState,
  request: DraftRequest,
): Promise<DraftPreview | PreviewTrouble> {
  const read = await readDraft(app, request.accountUuid, state)
  if (read.outcome !== 'read') return read.trouble
  const { draft } = read
  const stored =
    draft.ruleId === null ? null : await app.store.automations.findAutomation(request.accountUuid, draft.ruleId)
  const full = await noRoomFor(app, request.accountUuid, draft.definition, stored?.definition ?? null)
  if (full !== null) return { kind: 'trouble', message: full }
  const reads = rememberedReads(app)
  const at = await judgedAt(app, request.accountUuid)
  const chosen = await chooseRecord(app, reads, draft, request, at)
  if (chosen.outcome === 'failed') return troubleOf(chosen.failure)
  if (chosen.outcome === 'none') return { kind: 'trouble', message: chosen.message }
  const { facts, choices, note } = chosen
  const run = await recordsOfRun(app, reads, draft, request, facts, at)
  if (run.outcome === 'failed') return troubleOf(run.failure)
  const { definition, object } = draft
  const preview = await runOfDraft(app, draftParts(app, reads, draft), request.accountUuid, draft, run)
  if (preview.outcome === 'not_possible') return { kind: 'trouble', message: runReasonText(preview.why.sentence) }
  const { steps, customerMessages, credits } = preview
  const verdict = judge(definition.conditions, facts, at)
  const failed: FailedCondition[] = verdict.matched ? [] : verdict.failed
  const effects = steps.flatMap((step) => step.effects)
  const names = await withCustomers(app.namesOf, request.accountUuid, request.names, definition.conditions, [
    facts.values.company_uuid,
    ...effects.map(({ fields }) => fields.company_uuid),
    ...effects.flatMap(({ changes }) =>
      changes.flatMap(({ from, to, field }) => (field === 'company_uuid' ? [from, to] : [])),
    ),
  ])
  return {
    kind: 'preview',
    record: choiceOf(facts, definition.conditions, at),
    failed: failedViews(definition, failed, names).map(({ words }) => words),
    choices,
    note,
    preview: previewView(
      {
        execution: executionOf(preview.run),
        preview: { steps, customerMessages, credits, matched: run.records.length, total: run.records.length },
      },
      oftenOf(definition, object),
      names,
    ),
  }
}

type Chosen =
  | { outcome: 'chosen'; facts: RecordFacts; choices: RecordChoice[]; note: string | null }
  | { outcome: 'none'; message: string }
  | { outcome: 'failed'; failure: CallFailure }

async function chooseRecord(
  app: DraftApp,
  reads: Reads,
  draft: Draft,
  request: DraftRequest,
  at: JudgedAt,
): Promise<Chosen> {
  const { object, definition } = draft
  const { conditions } = definition
  const { accountUuid, search } = request
  const withDeleted = readsDeleted(definition.trigger)
  const from = { accountUuid, object, withDeleted, conditions, at }
  const recent = await recentRecords(reads, accountUuid, object, at, { orOlder: true, withDeleted })
  if (recent.outcome === 'failed') return recent
  const found = await searchRecords(reads, from, recent.records, search)
  if (found.outcome === 'failed') return found
  const [firstFound] = found.facts
  const listed = firstFound ? found : await joinFor(reads, from, recent.records.slice(0, MOST_CHOICES))
  if (listed.outcome === 'failed') return listed
  const named = await askedRecord(reads, draft, request)
  if (named.outcome === 'failed') return named
  const gone = named.outcome === 'gone' ? 'The chosen record is no longer in ServiceM8.' : null
  const note = search !== '' && !firstFound ? notFoundText(search) : gone
  const choices = listed.facts.map((facts) => choiceOf(facts, conditions, at))
  const wanted = named.outcome === 'ok' ? named.facts : firstFound
  if (wanted) return { outcome: 'chosen', facts: wanted, choices, note }
  const matching = await newestMatching(reads, from, recent.records)
  const match = matching.outcome === 'none' ? await oldMatch(app, reads, draft, request, at) : matching
  if (match.outcome === 'failed') return match
  const newest = match.outcome === 'ok' ? match.facts : listed.facts[0]
  if (newest) return { outcome: 'chosen', facts: newest, choices, note }
  return { outcome: 'none', message: 'ServiceM8 has no record yet to preview with.' }
}

type Asked =
  | { outcome: 'ok'; facts: RecordFacts }
  | { outcome: 'gone' | 'none' }
  | { outcome: 'failed'; failure: CallFailure }

const NONE: Asked = { outcome: 'none' }

/** Many records meet the conditions of a check only as they age, long after their last edit. */
async function oldMatch(
  app: DraftApp,
  reads: Reads,
  draft: Draft,
  request: DraftRequest,
  at: JudgedAt,
): Promise<Asked> {
  if (draft.definition.trigger.source !== 'api_polling') return NONE
  const judged = await matchesOf(app, reads, draft, request, at)
  if (judged.outcome === 'failed') return judged
  return askedRecord(reads, draft, { ...request, record: judged.judged.matched[0]?.recordUuid ?? '' })
}

async function matchesOf(
  app: DraftApp,
  reads: Reads,
  { definition, object }: Draft,
  { accountUuid }: DraftRequest,
  at: JudgedAt,
): ReturnType<typeof judgeAll> {
  const parts = { ...app, callAsAccount: reads.callAsAccount, facts: reads.facts }
  const listed = await listFor(parts, accountUuid, object, filterOf(definition, at))
  return listed.outcome === 'failed' ? listed : judgeAll(parts, accountUuid, object, listed.records, definition, at)
}

/** Returns the requested record; `none` = none requested. */
async function askedRecord(
  reads: Reads,
  { object, definition }: Draft,
  { accountUuid, record }: DraftRequest,
): Promise<Asked> {
  if (record === '') return NONE
  const one = await reads.facts.one(accountUuid, object, record, partsToShow(object, definition.conditions))
  if (one.outcome === 'ok') return one.facts.active || readsDeleted(definition.trigger) ? one : { outcome: 'gone' }
  return one.outcome === 'gone' ? one : { outcome: 'failed', failure: one }
}

/** A run of a group or a list has all of its records; any other has one. */
interface OfRun {
  outcome: 'ok'
  records: RecordFacts[]
  groupKey: string | null
}

async function recordsOfRun(
  app: DraftApp,
  reads: Reads,
  draft: Draft,
  request: DraftRequest,
  facts: RecordFacts,
  at: JudgedAt,
): Promise<OfRun | { outcome: 'failed'; failure: CallFailure }> {
  const alone: OfRun = { outcome: 'ok', records: [facts], groupKey: null }
  const { grouping, digest, trigger } = draft.definition
  const field = grouping.enabled ? grouping.field : null
  if (trigger.source !== 'api_polling' || (field === null && !digest)) return alone
  const judged = await matchesOf(app, reads, draft, request, at)
  if (judged.outcome === 'failed') return judged
  const { matched } = judged.judged
  const has = (records: readonly RecordFacts[]) => records.some(({ recordUuid }) => recordUuid === facts.recordUuid)
  // A record that does not match has no group: show it alone, with its failed conditions.
  if (!has(matched)) return alone
  const group =
    field === null ? { key: null, records: matched } : groupRecords(matched, field).find((one) => has(one.records))
  return { outcome: 'ok', records: group?.records ?? [facts], groupKey: group?.key ?? null }
}

/** Previews the run of the draft for these records. */
export function runOfDraft(
  app: DraftApp,
  parts: PreviewParts,
  accountUuid: string,
  { ruleId, name, definition, object }: Draft,
  {
    records,
    values = {},
    ...more
  }: Pick<OfRun, 'records' | 'groupKey'> & {
    values?: Record<string, string>
    saidAt?: Millis
  },
): Promise<Preview> {
  return previewRun(app, parts, {
    accountUuid,
    automation: { id: ruleId ?? 0, name, version: 1 },
    definition,
    object,
    recordUuids: records.map(({ recordUuid }) => recordUuid),
    ...more,
    triggerData: triggerDataOf(definition, object, records, values),
  })
}

/** Trigger data as in a run by hand; a manual rule gets the job and its date, one on answers an answer it takes. */
function triggerDataOf(
  { trigger }: RuleDefinition,
  object: string,
  records: readonly RecordFacts[],
  given: Record<string, string> = {},
): TriggerData {
  const [first] = records
  const values: Record<string, string> =
    trigger.source === 'manual_endpoint' && first
      ? { job_uuid: first.recordUuid, date: (first.values.date ?? '').slice(0, 10) }
      : trigger.source === 'webhook' && startsOnAnswers(trigger)
        ? { reply: sampleReply(trigger.reply) }
        : {}
  return {
    description: 'Previewed before saving',
    object,
    manualTrigger: true,
    conditionMatching: { totalRecords: records.length, matchedRecords: records.map(matchedRecord) },
    values: { ...values, ...given },
    bypassedConditions: false,
    changes: [],
  }
}

const LONGEST_SAMPLE = 160

/** Returns the value of every available placeholder in one record. */
export async function sampleDraft(
  app: DraftApp,
  state: FormState,
  request: DraftRequest,
): Promise<Samples | PreviewTrouble> {
  const read = await readDraft(app, request.accountUuid, state)
  if (read.outcome !== 'read') return read.trouble
  const { draft } = read
  const { definition, object } = draft
  const reads = rememberedReads(app)
  const at = await judgedAt(app, request.accountUuid)
  const chosen = await chooseRecord(app, reads, draft, request, at)
  if (chosen.outcome === 'failed') return troubleOf(chosen.failure)
  if (chosen.outcome === 'none') return { kind: 'trouble', message: chosen.message }
  const choices = placeholderChoices({
    ...placeOfStep(definition, object, definition.steps.length),
    destination: 'plain',
    toCustomer: false,
  }).filter(({ group }) => group !== 'earlier_steps')
  const parts: FactPart[] = partsForTexts(
    choices.map(({ name }) => `{${name}}`),
    object,
  )
  const one = await reads.facts.one(request.accountUuid, object, chosen.facts.recordUuid, parts)
  if (one.outcome === 'gone') return { kind: 'trouble', message: 'That record is no longer in ServiceM8.' }
  if (one.outcome !== 'ok') return troubleOf(one)
  const profile = await reads.facts.profile(request.accountUuid)
  if (profile.outcome !== 'ok') return troubleOf(profile)
  const scope = {
    records: [one.facts],
    trigger: contextValues(triggerDataOf(definition, object, [one.facts])),
    results: {},
    order: definition.steps.map(({ id }) => id),
    account: profile.profile,
    now: at.now,
  }
  const names = choices.flatMap((one) => [...new Set(['', ...formatsFor(one)])].map((format) => `${one.name}${format}`))
  const values = names.map((name): [string, string] => {
    const { text } = resolveText(`{${name}}`, 'plain', scope)
    const shown = text.trim()
    return [name, shown.length > LONGEST_SAMPLE ? `${shown.slice(0, LONGEST_SAMPLE)}…` : shown]
  })
  return {
    kind: 'samples',
    about: choiceOf(chosen.facts, definition.conditions, at).label,
    values: Object.fromEntries(values),
  }
}

export function troubleOf(failure: CallFailure): PreviewTrouble {
  switch (failure.outcome) {
    case 'not_connected':
    case 'reconnect':
      return { kind: 'trouble', message: `${failure.message} You can still fill in the form.` }
    case 'rate_limited':
      return { kind: 'trouble', message: 'Too many calls to ServiceM8. Try again in a minute.' }
    default:
      return {
        kind: 'trouble',
        message: `ServiceM8 did not answer this now${failure.message ? ` (${failure.message})` : ''}. You can still save.`,
      }
  }
}
