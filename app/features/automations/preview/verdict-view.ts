// "Why did this job not fire?": the verdict of each rule on a record, in words.
import { z } from 'zod'
import { OPERATORS, type StoredRule, startsOnAnswers, startsOnMessages } from '#app/domain/automations/rule.ts'
import { runReasonText } from '#app/domain/automations/run-reasons.ts'
import type { Reason } from '#app/domain/reason.ts'
import { withoutJobWord } from '#app/domain/record-name.ts'
import type { RunLine } from '../history/run-list-view.ts'
import type { JudgedAt } from '../records/facts.ts'
import { failedText, type KnownNames } from '../rules/conditions/condition-text.ts'
import { type FailedCondition, objectOfRule } from '../rules/conditions/conditions.ts'
import { type SentenceParts, sentenceParts } from '../rules/sentence.ts'
import { nextRun } from '../rules/timing/schedule.ts'
import { isRecordUuid } from '../settings/automation-settings.ts'
import type { MetCustomer } from '../settings/mute.ts'
import type { WhyStanding } from './why-text.ts'

export interface WhyView {
  ruleId: number
  name: string
  sentence: SentenceParts
  standing: WhyStanding
  /** The reason, in sentences. */
  words: string[]
  /** Each failed condition, with the value seen. */
  failed: string[]
  /** Last time the rule checked or acted, epoch ms; null = never. */
  at: number | null
  runId: number | null
  /** Next check, epoch ms; null = none is due. */
  nextAt: number | null
}

/** The parts of a rule that its answer needs. */
export type WhyRule = Omit<StoredRule, 'executionCount' | 'lastExecutedAt' | 'createdAt'>

export interface WhyFacts {
  /** The latest check; null = none stored. */
  verdict: { verdict: string; detail: string | null; at: number; runId: number | null } | null
  /** What the rule did for the record before; `runId` null = it matched already when the rule was switched on. */
  ledger: { runId: number | null; at: number } | null
  /** What became of the run that either names; null = it names none, or it is gone. */
  run: Pick<RunLine, 'standing' | 'happened'> | null
  /** The record's current result; null = it could not be read. */
  now: { matched: true } | { matched: false; failed: readonly FailedCondition[] } | null
}

export function whyView(rule: WhyRule, facts: WhyFacts, names: KnownNames = {}, now: JudgedAt | null = null): WhyView {
  const { definition } = rule
  const view = answerOf(rule, facts, now?.zone ?? 'UTC')
  const object = objectOfRule(definition)
  return {
    ruleId: rule.id,
    name: rule.name,
    sentence: sentenceParts(definition, names, now),
    standing: view.standing,
    words: [...offText(rule), ...view.words],
    failed: view.failed.map((one) => failedText(one, object, names)),
    at: view.at,
    runId: view.runId,
    nextAt: rule.active && rule.pausedReason === null ? rule.nextRunAt : null,
  }
}

interface Answer extends Pick<WhyView, 'standing' | 'words' | 'at' | 'runId'> {
  failed: readonly FailedCondition[]
}

function answerOf(rule: WhyRule, { verdict, ledger, now, run }: WhyFacts, zone: string): Answer {
  const nothing = { failed: [], at: null, runId: null }
  const isOff = !rule.active || rule.pausedReason !== null
  const acted = verdict?.verdict === 'fired' || verdict?.verdict === 'held'
  // A check after the last action is more recent news.
  if (verdict && (acted || ledger?.runId == null || verdict.at >= ledger.at)) return ofVerdict(rule, verdict, now, run)
  if (ledger && ledger.runId !== null) {
    return { ...nothing, ...ofRun(run), at: ledger.at, runId: ledger.runId }
  }
  if (ledger) {
    const words = [
      'It matched before the automation was switched on. It only acts on records that start matching later.',
    ]
    return { ...nothing, standing: 'passed_over', words, at: ledger.at }
  }
  if (isOff)
    return { ...nothing, standing: 'off', words: asItIs(now, true), failed: now && !now.matched ? now.failed : [] }
  if (now && !now.matched) {
    return { ...nothing, standing: 'not_met', words: ['Right now the conditions are not met.'], failed: now.failed }
  }
  return { ...nothing, standing: 'not_yet', words: [...notYetText(rule, zone), ...asItIs(now, false)] }
}

/** Only a run that did its work "ran"; of any other, its own standing and reason count. */
function ofRun(run: WhyFacts['run'], because: string[] = []): Pick<Answer, 'standing' | 'words'> {
  if (run === null || run.standing === 'success') return { standing: 'fired', words: because }
  return { standing: run.standing, words: [run.happened] }
}

function ofVerdict(
  { definition: { trigger } }: WhyRule,
  verdict: NonNullable<WhyFacts['verdict']>,
  now: WhyFacts['now'],
  run: WhyFacts['run'],
): Answer {
  const { sentence, failed } = readDetail(verdict.detail)
  const { at, runId } = verdict
  const because = sentence === null ? [] : [sentence]
  const answer = (standing: WhyStanding, words: string[]): Answer => ({ standing, words, failed: [], at, runId })
  switch (verdict.verdict) {
    case 'fired':
      return { ...ofRun(run, because), failed: [], at, runId }
    case 'held':
      if (run !== null) return { ...ofRun(run), failed: [], at, runId }
      return answer('held', because.length > 0 ? because : ['It waits for you.'])
    case 'not_matched': {
      const since = now?.matched ? ['Right now they are met: the next change starts it.'] : []
      const words = ['At its last check, these conditions were not met.', ...since]
      return { standing: 'not_met', words, failed, at, runId }
    }
    case 'done_before':
      return answer('passed_over', ['It already ran for this record.', ...because])
    case 'first_sight':
    case 'own_change':
    case 'muted':
      return answer('passed_over', because.length > 0 ? because : ['It skipped this change.'])
    default: {
      // A record is new only once.
      const isOver = trigger.source === 'webhook' && trigger.type === 'job_created'
      return answer(
        isOver ? 'passed_over' : 'not_yet',
        because.length > 0 ? because : ['This change does not start it.'],
      )
    }
  }
}

function offText(rule: WhyRule): string[] {
  if (!rule.active) return ['The automation is switched off.']
  if (rule.pausedReason !== null) return [`The automation is stopped. ${runReasonText(rule.pausedReason)}`]
  return rule.baselined ? [] : ['It was just switched on and is still starting.']
}

function notYetText({ definition: { trigger }, nextRunAt, updatedAt }: WhyRule, zone: string): string[] {
  switch (trigger.source) {
    case 'webhook':
      return startsOnMessages(trigger)
        ? [`${startsOnAnswers(trigger) ? 'No answer' : 'No such message'} about this job since it was switched on.`]
        : ['No change of this record since it was switched on.']
    case 'api_polling': {
      if (nextRunAt === null) return ['It runs only when you press Run Now.']
      // A check leaves no verdict. Its first tick after it was switched on or edited has passed when a later one is due.
      const hasChecked = nextRunAt > (nextRun(trigger, zone, updatedAt) ?? nextRunAt)
      const told = hasChecked ? 'At its last check, it did not start.' : 'It has not checked this record yet.'
      return [`${told} See its next check.`]
    }
    case 'manual_endpoint':
      return ['It runs only when another program calls it.']
  }
}

function asItIs(now: WhyFacts['now'], isOff: boolean): string[] {
  if (now === null) return []
  if (!now.matched) return ['Right now the conditions are not met.']
  return [isOff ? 'Right now its conditions would be met.' : 'Right now its conditions are met.']
}

const detail = z.object({
  /** Why a run is held; or why the rule skipped the record, in words. */
  reason: z.custom<Reason>().nullish(),
  sentence: z.string().nullish(),
  failed: z
    .array(z.object({ field: z.string(), operator: z.enum(OPERATORS), value: z.string(), seen: z.string().nullable() }))
    .nullish(),
})

/** Written by the engine; ignores the format of an older version. */
export function readDetail(text: string | null): { sentence: string | null; failed: FailedCondition[] } {
  if (text === null) return { sentence: null, failed: [] }
  try {
    const read = detail.safeParse(JSON.parse(text))
    const { reason, sentence, failed } = read.data ?? {}
    return { sentence: reason ? runReasonText(reason) : (sentence ?? null), failed: failed ?? [] }
  } catch {
    return { sentence: null, failed: [] }
  }
}

/** The record a person asks about: a job number, or a record uuid. */
type AskedRecord = { by: 'number'; number: string } | { by: 'uuid'; uuid: string }

/** Null = neither. `#4411` and `Job 4411` are 4411. */
export function readAskedRecord(text: string): AskedRecord | null {
  const trimmed = text.trim()
  if (isRecordUuid(trimmed)) return { by: 'uuid', uuid: trimmed.toLowerCase() }
  const number = withoutJobWord(trimmed)
  return /^[A-Za-z0-9][A-Za-z0-9_./-]{0,29}$/.test(number) ? { by: 'number', number } : null
}

export const NOT_A_RECORD = 'Enter a job number, like 4411, or a record id.'

/** Display order, closest to a run first. Before all of these: runs that have not done their work. */
const ORDER: readonly WhyStanding[] = ['fired', 'passed_over', 'not_met', 'not_yet', 'off']

export function inOrder(views: readonly WhyView[]): WhyView[] {
  return [...views].sort(
    (a, b) => ORDER.indexOf(a.standing) - ORDER.indexOf(b.standing) || a.name.localeCompare(b.name),
  )
}

export type WhyAnswer =
  | { outcome: 'refused'; message: string }
  | {
      outcome: 'answered'
      recordUuid: string
      /** False for another record, and for a job that could not be read. */
      isJob: boolean
      /** `Job 4411`, or the text asked for if the record could not be read. */
      title: string
      /** Customer or address; '' = unknown. */
      about: string
      /** Why the record could not be read; then only stored verdicts are shown. */
      trouble: string | null
      rules: WhyView[]
      /** Number of rules not about jobs: ask for those with a record id. */
      others: number
      /** Customers of the job, and whether they are muted; empty = unknown. */
      customers: MetCustomer[]
    }
