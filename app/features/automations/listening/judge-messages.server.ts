// Asks the rules that start on messages about each answer of a customer and each receipt, once.
import type { App } from '#app/context/app-context.ts'
import type { Answer } from '#app/domain/automations/conversation.ts'
import { type TriggerType, type WebhookTrigger, writesToCustomers } from '#app/domain/automations/rule.ts'
import type { RunRequest } from '#app/domain/automations/run.ts'
import { runReason } from '#app/domain/automations/run-reasons.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days, minutes, seconds } from '#app/lib/duration.ts'
import type { AutomationRow } from '#db/store/automations.ts'
import type { JudgedReceipt } from '#db/store/listening.ts'
import type { NewVerdict } from '#db/store/triggers.ts'
import { shorten } from '../actions/failure-text.ts'
import { namedRecord } from '../records/changes.ts'
import type { JudgedAt, RecordFacts } from '../records/facts.ts'
import type { FactLoader } from '../records/load-facts.server.ts'
import { judge, judgedParts } from '../rules/conditions/conditions.ts'
import { BREAKER_WITHIN, mayStart } from '../rules/guards.ts'
import { replyMatches, settlesAnswer } from '../rules/reply.ts'
import { occurrenceOfMessage } from '../rules/timing/once.ts'
import { collectsUntil } from '../rules/timing/schedule.ts'
import { rememberUntil, runWish } from '../triggers/evaluate.server.ts'

export type JudgeApp = Pick<App, 'store' | 'clock' | 'log'> & { facts: Pick<FactLoader, 'one' | 'customerNames'> }

const AT_ONCE = 100
/** In one round of an account, so that one with many answers leaves others their turn. */
const PER_ACCOUNT = 20
/** A job that cannot be read for so long starts nothing. */
const GIVE_UP_AFTER = days(3)
const MOST_WORDS = 80

/** What a customer did, or what became of a message. */
interface Happening {
  accountUuid: string
  jobUuid: string
  /** The rules it can start. */
  type: TriggerType
  /** When it was, by the platform's clock, and when it was seen. */
  at: Millis
  seenAt: Millis
  /** `answer 12`: one firing in the ledger. */
  key: string
  description: string
  values: Record<string, string>
  /** Why a rule does not start on it; null = it does. */
  refusal(trigger: WebhookTrigger): string | null
  /** The rule deals with it, so nobody has to. */
  isTakenBy(trigger: WebhookTrigger): boolean
  /** Null = it was judged before; else how many runs started, or go on. */
  settle(judged: { requests: RunRequest[]; verdicts: NewVerdict[]; takes: boolean; at: Millis }): Promise<number | null>
  postpone(judgeAt: Millis): Promise<void>
}

function ofAnswer({ store }: JudgeApp, answer: Answer): Happening {
  const { id, accountUuid, jobUuid, channel, words, writtenAt, seenAt } = answer
  const said = `"${shorten(words, MOST_WORDS)}"`
  return {
    ...{ accountUuid, jobUuid, type: 'customer_replied', at: writtenAt, seenAt, key: `answer ${id}` },
    description: `The customer answered ${said} by ${channel === 'sms' ? 'text' : 'e-mail'}`,
    values: { answer_id: String(id), reply: words },
    refusal: ({ reply }) => (replyMatches(reply, words) ? null : `The automation starts on other words than ${said}.`),
    isTakenBy: ({ reply }) => settlesAnswer(reply),
    async settle(judged) {
      const settled = await store.listening.settleJudged(accountUuid, id, judged)
      return settled && settled.started + settled.wentOn
    },
    postpone: (judgeAt) => store.listening.postponeJudging(accountUuid, id, judgeAt),
  }
}

function ofReceipt({ store }: JudgeApp, receipt: JudgedReceipt): Happening {
  const { id, accountUuid, jobUuid, channel, state, notArrived, happenedAt, seenAt } = receipt
  const type = state === 'opened' ? 'message_opened' : 'message_failed'
  const message = channel === 'sms' ? 'text' : 'e-mail'
  // What was missing may have a late row. Some accounts show no messages at all.
  const other =
    state === 'missing' ? 'Fieldhook cannot tell whether the message arrived.' : 'The message arrived after all.'
  return {
    ...{ accountUuid, jobUuid, type, at: happenedAt, seenAt, key: `receipt ${id} ${state}` },
    description:
      state === 'opened'
        ? 'The customer opened our e-mail'
        : state === 'bounced'
          ? 'Our e-mail came back'
          : `Our ${message} was not confirmed after 30 minutes`,
    values: {},
    refusal: () => (state === 'opened' || notArrived ? null : other),
    isTakenBy: () => false,
    settle: (judged) => store.listening.settleReceipt(accountUuid, id, judged),
    postpone: (judgeAt) => store.listening.postponeReceipt(accountUuid, id, judgeAt),
  }
}

/** Judges everything that is due. Returns how many runs started or go on. Never rejects because of one. */
export async function judgeMessages(app: JudgeApp): Promise<number> {
  let moved = 0
  const now = app.clock.now()
  const limit = { limit: AT_ONCE, perAccount: PER_ACCOUNT }
  const answers = await app.store.listening.answersToJudge(now, limit)
  const receipts = await app.store.listening.receiptsToJudge(now, limit)
  const due = [...answers.map((one) => ofAnswer(app, one)), ...receipts.map((one) => ofReceipt(app, one))]
  for (const happening of due) {
    try {
      moved += await judgeOne(app, happening)
    } catch (error) {
      app.log.error({ account: happening.accountUuid, key: happening.key, error }, 'message.not_judged')
      await happening.postpone(app.clock.now() + minutes(1))
    }
  }
  return moved
}

async function judgeOne(app: JudgeApp, happening: Happening): Promise<number> {
  const { accountUuid, jobUuid, seenAt } = happening
  const now = app.clock.now()
  const all = await app.store.automations.automationsOnMessages(accountUuid)
  const rules = all.filter((rule) => isAsked(rule, happening))
  if (rules.length === 0) return settle(app, happening, [])
  const definitions = rules.map(({ definition }) => definition)
  const read = await app.facts.one(accountUuid, 'job', jobUuid, judgedParts(definitions, 'job'))
  const refuse = (sentence: string) => rules.map((rule) => no(rule, happening, sentence))
  if (read.outcome === 'gone') return settle(app, happening, refuse(GONE))
  if (read.outcome !== 'ok') {
    const age = now - seenAt
    if (age > GIVE_UP_AFTER) return settle(app, happening, refuse(UNREADABLE))
    const named = 'retryAt' in read ? read.retryAt : 0
    const pause = Math.min(minutes(15), Math.max(seconds(20), age / 2))
    await happening.postpone(Math.max(now + Math.round(pause), named))
    return 0
  }
  const zone = (await app.store.accounts.findAccount(accountUuid))?.timezone ?? 'UTC'
  const seen = { facts: read.facts, at: { now, zone } }
  const opinions: Opinion[] = []
  for (const rule of rules) opinions.push(await guarded(app, rule, happening, opinionOf(rule, happening, seen)))
  return settle(app, happening, opinions, read.facts)
}

const GONE = 'The job is no longer in ServiceM8.'
const UNREADABLE = 'The job could not be read for three days.'

/** Only what happened since the rule was switched on; the platform shows whole seconds. */
function isAsked({ activeSince, definition: { trigger } }: AutomationRow, { type, at, seenAt }: Happening): boolean {
  if (activeSince === null || trigger.source !== 'webhook' || trigger.type !== type) return false
  return Math.min(at + seconds(1) - 1, seenAt) >= activeSince
}

type Opinion = { request: RunRequest; takes: boolean } | { verdict: NewVerdict }

function no(rule: AutomationRow, { jobUuid }: Happening, sentence: string): Opinion {
  const detail = JSON.stringify({ sentence })
  return { verdict: { automationId: rule.id, recordUuid: jobUuid, verdict: 'not_triggered', detail } }
}

function opinionOf(rule: AutomationRow, happening: Happening, seen: { facts: RecordFacts; at: JudgedAt }): Opinion {
  const { facts, at } = seen
  const { jobUuid, key } = happening
  const { trigger, conditions, once } = rule.definition
  if (trigger.source !== 'webhook') return no(rule, happening, 'The automation does not start on messages.')
  if (!facts.active) return no(rule, happening, 'The job was deleted.')
  if (trigger.jobUuid !== null && trigger.jobUuid.toLowerCase() !== jobUuid.toLowerCase()) {
    return no(rule, happening, 'The automation watches one other job.')
  }
  const refusal = happening.refusal(trigger)
  if (refusal !== null) return no(rule, happening, refusal)
  const judged = judge(conditions, facts, at)
  if (!judged.matched) {
    const detail = JSON.stringify({ failed: judged.failed })
    return { verdict: { automationId: rule.id, recordUuid: jobUuid, verdict: 'not_matched', detail } }
  }
  const settled = at.now + minutes(trigger.settleMinutes)
  const collectedUntil = collectsUntil(trigger, at.zone, settled)
  const occurrence = occurrenceOfMessage(once, key, { facts, at, collectedUntil })
  const request = runWish(rule, {
    ...{ source: 'webhook', object: 'job', recordUuids: [jobUuid] },
    triggerData: { description: happening.description, values: happening.values },
    ledger: [{ recordUuid: jobUuid, occurrence, expiresAt: rememberUntil(rule.definition, collectedUntil ?? at.now) }],
    wakeAt: collectedUntil ?? settled,
    ...(collectedUntil !== null && { waits: runReason('collected') }),
  })
  return { request, takes: happening.isTakenBy(trigger) }
}

/**
 * Two machines that answer each other stop here: the rule is paused. A rule that writes to no customer is in no circle,
 * and people write several short texts in a row.
 */
async function guarded(app: JudgeApp, rule: AutomationRow, happening: Happening, opinion: Opinion): Promise<Opinion> {
  if ('verdict' in opinion || !writesToCustomers(rule.definition)) return opinion
  const { accountUuid, jobUuid } = happening
  const now = app.clock.now()
  const runsOnRecord = await app.store.triggers.recentRuns(accountUuid, rule.id, jobUuid, now - BREAKER_WITHIN)
  const may = mayStart({ automationId: rule.id, cause: null, runsOnRecord, now })
  if (may.outcome !== 'pause') return opinion
  await app.store.automations.changeAutomation(accountUuid, rule.id, { pausedReason: may.reason, at: now })
  app.log.warn({ account: accountUuid, automation: rule.id }, 'automation.paused')
  return { request: { ...opinion.request, held: may.reason }, takes: false }
}

async function settle(
  app: JudgeApp,
  happening: Happening,
  opinions: readonly Opinion[],
  facts: RecordFacts | null = null,
): Promise<number> {
  const { accountUuid, key } = happening
  const asked = opinions.flatMap((opinion) => ('request' in opinion ? [opinion.request] : []))
  const customers = asked.length === 0 || !facts ? new Map() : await app.facts.customerNames(accountUuid, [facts])
  const conditionMatching = facts && { totalRecords: 1, matchedRecords: [namedRecord(facts, customers)] }
  const requests = asked.map((request) => ({
    ...request,
    triggerData: { ...request.triggerData, conditionMatching },
  }))
  const verdicts = opinions.flatMap((opinion) => ('verdict' in opinion ? [opinion.verdict] : []))
  const takes = opinions.some((opinion) => 'request' in opinion && opinion.takes)
  const moved = await happening.settle({ requests, verdicts, takes, at: app.clock.now() })
  if (requests.length > 0) app.log.info({ account: accountUuid, key, moved, takes }, 'message.judged')
  return moved ?? 0
}
