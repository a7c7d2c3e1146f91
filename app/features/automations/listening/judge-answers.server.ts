// Customer replied: asks the rules that start on answers about each new one, once.
import type { App } from '#app/context/app-context.ts'
import { type RuleDefinition, startsOnAnswers } from '#app/domain/automations/rule.ts'
import type { RunRequest } from '#app/domain/automations/run.ts'
import { runReason } from '#app/domain/automations/run-reasons.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days, minutes, seconds } from '#app/lib/duration.ts'
import type { AutomationRow } from '#db/store/automations.ts'
import type { Answer } from '#db/store/listening.ts'
import type { NewVerdict } from '#db/store/triggers.ts'
import { shorten } from '../actions/failure-text.ts'
import { namedRecord } from '../records/changes.ts'
import type { JudgedAt, RecordFacts } from '../records/facts.ts'
import type { FactLoader } from '../records/load-facts.server.ts'
import { judge, neededParts } from '../rules/conditions/conditions.ts'
import { BREAKER_WITHIN, mayStart } from '../rules/guards.ts'
import { replyMatches, settlesAnswer } from '../rules/reply.ts'
import { occurrenceOfAnswer } from '../rules/timing/once.ts'
import { collectsUntil } from '../rules/timing/schedule.ts'
import { rememberUntil, runWish } from '../triggers/evaluate.server.ts'

export type JudgeApp = Pick<App, 'store' | 'clock' | 'log'> & { facts: Pick<FactLoader, 'one' | 'customerNames'> }

const AT_ONCE = 100
/** In one round of an account, so that one with many answers leaves others their turn. */
const PER_ACCOUNT = 20
/** A job that cannot be read for so long starts nothing. */
const GIVE_UP_AFTER = days(3)
const MOST_WORDS = 80

/** Judges every answer that is due. Returns how many runs started or go on. Never rejects because of one. */
export async function judgeAnswers(app: JudgeApp): Promise<number> {
  let moved = 0
  const due = await app.store.listening.answersToJudge(app.clock.now(), { limit: AT_ONCE, perAccount: PER_ACCOUNT })
  for (const answer of due) {
    try {
      moved += await judgeAnswer(app, answer)
    } catch (error) {
      app.log.error({ account: answer.accountUuid, answer: answer.id, error }, 'answer.not_judged')
      await app.store.listening.postponeJudging(answer.accountUuid, answer.id, app.clock.now() + minutes(1))
    }
  }
  return moved
}

async function judgeAnswer(app: JudgeApp, answer: Answer): Promise<number> {
  const { accountUuid, jobUuid } = answer
  const now = app.clock.now()
  const rules = (await app.store.automations.automationsOnAnswers(accountUuid)).filter((rule) => isAsked(rule, answer))
  if (rules.length === 0) return settle(app, answer, [])
  const conditions = rules.flatMap(({ definition }) => definition.conditions)
  const read = await app.facts.one(accountUuid, 'job', jobUuid, neededParts(conditions, 'job'))
  if (read.outcome === 'gone')
    return settle(
      app,
      answer,
      rules.map((rule) => no(rule, answer, GONE)),
    )
  if (read.outcome !== 'ok') {
    const age = now - answer.seenAt
    if (age > GIVE_UP_AFTER)
      return settle(
        app,
        answer,
        rules.map((rule) => no(rule, answer, UNREADABLE)),
      )
    const named = 'retryAt' in read ? read.retryAt : 0
    const pause = Math.min(minutes(15), Math.max(seconds(20), age / 2))
    await app.store.listening.postponeJudging(accountUuid, answer.id, Math.max(now + pause, named))
    return 0
  }
  const zone = (await app.store.accounts.findAccount(accountUuid))?.timezone ?? 'UTC'
  const seen = { facts: read.facts, at: { now, zone } }
  const opinions: Opinion[] = []
  for (const rule of rules) opinions.push(await guarded(app, rule, answer, opinionOf(rule, answer, seen)))
  return settle(app, answer, opinions, read.facts)
}

const GONE = 'The job is not in ServiceM8 any more.'
const UNREADABLE = 'The job could not be read for three days.'

/** Only answers written since the rule was switched on; the platform shows whole seconds. */
function isAsked({ activeSince, definition }: AutomationRow, { writtenAt, seenAt }: Answer): boolean {
  if (activeSince === null || !startsOnAnswers(definition.trigger)) return false
  return Math.min(writtenAt + seconds(1) - 1, seenAt) >= activeSince
}

/** `takes` = the rule deals with the answer, so nobody has to. */
type Opinion = { request: RunRequest; takes: boolean } | { verdict: NewVerdict }

function no(
  rule: AutomationRow,
  { jobUuid }: Answer,
  sentence: string,
  verdict: NewVerdict['verdict'] = 'not_triggered',
): Opinion {
  return {
    verdict: { automationId: rule.id, recordUuid: jobUuid, verdict, detail: JSON.stringify({ sentence }) },
  }
}

function opinionOf(rule: AutomationRow, answer: Answer, seen: { facts: RecordFacts; at: JudgedAt }): Opinion {
  const { facts, at } = seen
  const { trigger, conditions, once } = rule.definition
  if (trigger.source !== 'webhook') return no(rule, answer, 'This rule does not start on answers.')
  if (!facts.active) return no(rule, answer, 'The job was deleted.')
  if (trigger.jobUuid !== null && trigger.jobUuid.toLowerCase() !== answer.jobUuid.toLowerCase()) {
    return no(rule, answer, 'The rule is for one certain job, and this is another.')
  }
  const said = `"${shorten(answer.words, MOST_WORDS)}"`
  if (!replyMatches(trigger.reply, answer.words))
    return no(rule, answer, `The rule waits for other words than ${said}.`)
  const judged = judge(conditions, facts, at)
  if (!judged.matched) {
    const detail = JSON.stringify({ failed: judged.failed })
    return { verdict: { automationId: rule.id, recordUuid: answer.jobUuid, verdict: 'not_matched', detail } }
  }
  const settled = at.now + minutes(trigger.settleMinutes)
  const collectedUntil = collectsUntil(trigger, at.zone, settled)
  const occurrence = occurrenceOfAnswer(once, answer.id, { facts, at })
  return {
    request: wishOf(rule, answer, { said, settled, collectedUntil, occurrence, at }),
    takes: settlesAnswer(trigger.reply),
  }
}

interface Wish {
  said: string
  settled: Millis
  collectedUntil: Millis | null
  occurrence: string
  at: JudgedAt
}

function wishOf(
  rule: { id: number; version: number; definition: RuleDefinition },
  answer: Answer,
  { said, settled, collectedUntil, occurrence, at }: Wish,
): RunRequest {
  const { id, jobUuid, channel, words } = answer
  return runWish(rule, {
    source: 'webhook',
    object: 'job',
    recordUuids: [jobUuid],
    triggerData: {
      description: `The customer answered ${said} by ${channel === 'sms' ? 'text' : 'e-mail'}`,
      values: { answer_id: String(id), reply: words },
    },
    ledger: [{ recordUuid: jobUuid, occurrence, expiresAt: rememberUntil(rule.definition.once, at.now) }],
    wakeAt: collectedUntil ?? settled,
    ...(collectedUntil !== null && { waits: runReason('collected') }),
  })
}

/** Two machines that answer each other stop here: the rule is held, or paused. */
async function guarded(app: JudgeApp, rule: AutomationRow, answer: Answer, opinion: Opinion): Promise<Opinion> {
  if ('verdict' in opinion) return opinion
  const { accountUuid, jobUuid } = answer
  const now = app.clock.now()
  const runsOnRecord = await app.store.triggers.recentRuns(accountUuid, rule.id, jobUuid, now - BREAKER_WITHIN)
  const may = mayStart({ automationId: rule.id, cause: null, runsOnRecord, now })
  switch (may.outcome) {
    case 'go':
      return opinion
    case 'skip':
      return no(rule, answer, may.sentence, 'own_change')
    case 'pause':
      await app.store.automations.changeAutomation(accountUuid, rule.id, { pausedReason: may.reason, at: now })
      app.log.warn({ account: accountUuid, automation: rule.id }, 'automation.paused')
      return { request: { ...opinion.request, held: may.reason }, takes: false }
    case 'hold':
      return { request: { ...opinion.request, held: may.reason }, takes: false }
  }
}

async function settle(
  app: JudgeApp,
  { accountUuid, id }: Answer,
  opinions: readonly Opinion[],
  facts: RecordFacts | null = null,
): Promise<number> {
  const asked = opinions.flatMap((opinion) => ('request' in opinion ? [opinion.request] : []))
  const customers = asked.length === 0 || !facts ? new Map() : await app.facts.customerNames(accountUuid, [facts])
  const requests = asked.map((request) => ({
    ...request,
    triggerData: {
      ...request.triggerData,
      ...(facts && {
        conditionMatching: { totalRecords: 1, matchedRecords: [namedRecord(facts, customers)] },
      }),
    },
  }))
  const verdicts = opinions.flatMap((opinion) => ('verdict' in opinion ? [opinion.verdict] : []))
  const takes = opinions.some((opinion) => 'request' in opinion && opinion.takes)
  const moved = await app.store.listening.settleJudged(accountUuid, id, {
    requests,
    verdicts,
    takes,
    at: app.clock.now(),
  })
  if (requests.length > 0) app.log.info({ account: accountUuid, answer: id, moved, takes }, 'answer.judged')
  return moved ?? 0
}
