// Checks just before each customer message whether it may go out now.
import type { App } from '#app/context/app-context.ts'
import type { Answer } from '#app/domain/automations/conversation.ts'
import type { JournalRow, PlanNotes } from '#app/domain/automations/journal-row.ts'
import { CONVERSATION_OPEN, RECEIPT_LOOKS, type SentAbout } from '#app/domain/automations/receipt.ts'
import type { RuleDefinition, RuleGuards, Step } from '#app/domain/automations/rule.ts'
import { runReason } from '#app/domain/automations/run-reasons.ts'
import { reasonCode } from '#app/domain/reason.ts'
import { recordNames } from '#app/domain/record-name.ts'
import { todayOf, wallOfDay } from '#app/domain/time/local-time.ts'
import type { Millis } from '#app/lib/clock.ts'
import { hours } from '#app/lib/duration.ts'
import { momentOfWall } from '#app/lib/zone.ts'
import type { MessageNote, MessageReceiver } from '#db/store/run-guards.ts'
import type { ClaimedRun } from '#db/store/runs.ts'
import { wordParameter } from '../actions/read-parameters.ts'
import type { JudgedAt, RecordFacts } from '../records/facts.ts'
import { judge, neededParts } from '../rules/conditions/conditions.ts'
import { type MessageVerdict, mayMessage, readAccountGuards } from '../rules/guards.ts'
import type { PutOff } from '../rules/journal.ts'
import { type Loaded, loadRecords, type RunFacts } from './run-facts.server.ts'
import type { RunParts } from './run-inputs.server.ts'
import { type CustomerMessage, channelOf, isTyped, receiverOf, receiverPurpose, receiverText } from './run-messages.ts'
import { withWritten } from './run-written.server.ts'

type GuardApp = Pick<App, 'store' | 'clock' | 'secrets'>

export type GuardAnswer = MessageVerdict | { outcome: 'put_off'; why: PutOff }

/** Did a person say that the run may begin? */
export function isReleased({ reason }: Pick<ClaimedRun, 'reason'>): boolean {
  return reasonCode(reason) === 'released'
}

/** Released when it was due: the person saw the state of the rule. Ahead of its time, the rule may have changed since. */
export function isReleasedDue({ reason }: Pick<ClaimedRun, 'reason'>): boolean {
  return isReleased({ reason }) && typeof reason === 'object' && !reason?.params?.ahead
}

/** A person who presses "send" knows that the rule is off. */
export function goesOnlyWhileOn(run: ClaimedRun, { released }: JournalRow): boolean {
  return run.source !== 'person' && !released && !isReleasedDue(run)
}

/** Every hash a receiver may be stored under, the current one first. */
export function hashesOfReceiver(
  { secrets }: Pick<App, 'secrets'>,
  accountUuid: string,
  channel: 'sms' | 'email',
  to: string,
): Promise<string[]> {
  return secrets.fingerprints(receiverPurpose(accountUuid), receiverText(channel, to))
}

/** Returns how a message counts that was sent, or may have been. */
export async function messageNote(
  app: Pick<App, 'secrets'>,
  run: Pick<ClaimedRun, 'accountUuid' | 'automationId'>,
  effect: CustomerMessage,
): Promise<MessageNote> {
  const [receiverHash = ''] = await hashesOfReceiver(app, run.accountUuid, channelOf(effect), effect.to)
  return { automationId: run.automationId, channel: channelOf(effect), receiverHash }
}

/** Where the receipt of a message is looked for. */
export function sentAbout(
  { notes, sendingAt, plannedAt }: JournalRow,
  effect: CustomerMessage,
  now: Millis,
): SentAbout {
  const companies = notes?.about?.companyUuids ?? []
  return {
    jobUuid: effect.regardingJobUuid,
    companyUuid: companies.length === 1 ? (companies[0] ?? null) : null,
    sentAt: sendingAt ?? plannedAt,
    firstLookAt: now + (RECEIPT_LOOKS[0] ?? 0),
    overBefore: now - CONVERSATION_OPEN,
  }
}

export async function askGuards(
  app: GuardApp,
  { facts, lastLook }: Pick<RunParts, 'facts' | 'lastLook'>,
  run: ClaimedRun,
  definition: RuleDefinition,
  row: JournalRow & { effect: CustomerMessage },
  journal: readonly JournalRow[],
  zone: string,
): Promise<GuardAnswer> {
  if (goesOnlyWhileOn(run, row)) {
    if (run.rule.deleted) return { outcome: 'skip', reason: runReason('deleted_meanwhile') }
    if (!run.rule.active) return { outcome: 'skip', reason: runReason('switched_off_meanwhile') }
  }
  const refused = await recheck(app.store, facts, run, definition, { now: app.clock.now(), zone }, journal)
  if (refused) return refused
  const about = row.notes?.about ?? { companyUuids: [], jobUuids: [] }
  const looked = await lastLook?.(run.accountUuid, await receiverOfMessage(app, run.accountUuid, row.effect, about))
  if (looked?.outcome === 'put_off') return looked
  return messageVerdict(app, {
    accountUuid: run.accountUuid,
    automationId: run.automationId,
    runId: run.id,
    guards: definition.guards,
    effect: row.effect,
    about,
    zone,
    released: row.released ? row.plannedAt : null,
    setOffBy: Number(run.triggerData.values.answer_id) || null,
    mayRepeat: mayRepeat(run, definition, row),
  })
}

function mayRepeat({ source }: ClaimedRun, { once }: RuleDefinition, { notes }: JournalRow): boolean {
  return source === 'person' || (!notes?.again && (once === 'change' || once === 'period'))
}

/** Everybody who may have answered: the receiver, whoever gets the copy, and the customer of the job. */
export async function receiverOfMessage(
  app: Pick<App, 'secrets'>,
  accountUuid: string,
  effect: CustomerMessage,
  { companyUuids, jobUuids }: AskedMessage['about'],
): Promise<MessageReceiver> {
  const isOfNobody = companyUuids.length + jobUuids.length === 0
  const linked = effect.regardingJobUuid === null || isOfNobody ? [] : [effect.regardingJobUuid]
  const hashes = await hashesOfReceiver(app, accountUuid, channelOf(effect), effect.to)
  const copy = effect.kind === 'send_email' ? effect.cc : ''
  const ofCopy = copy === '' ? [] : await hashesOfReceiver(app, accountUuid, 'email', copy)
  return { companyUuids, jobUuids: [...new Set([...jobUuids, ...linked])], receiverHashes: [...hashes, ...ofCopy] }
}

/** For a group, one matching record is enough. */
async function recheck(...asked: Parameters<typeof judgeAgain>): Promise<GuardAnswer | null> {
  const [, , { triggerData }, { guards }] = asked
  if (!guards.recheckBeforeSending || triggerData.bypassedConditions) return null
  const judged = await judgeAgain(...asked)
  if (judged.outcome === 'put_off') return judged
  if (judged.value.length === 0) return { outcome: 'skip', reason: runReason('record_gone') }
  const isMet = judged.value.some(({ matched }) => matched)
  return isMet ? null : { outcome: 'skip', reason: runReason('conditions_no_longer_met') }
}

/**
 * Judges the records on fresh data, but for what the run, or another of its event, wrote: whichever acts first switches
 * off none of the others. Of a gone record, nothing is said.
 */
export async function judgeAgain(
  { runs }: App['store'],
  facts: RunFacts,
  run: ClaimedRun,
  definition: RuleDefinition,
  at: JudgedAt,
  journal: readonly JournalRow[],
): Promise<Loaded<{ recordUuid: string; matched: boolean }[]>> {
  const parts = neededParts(definition.conditions, run.object)
  const loaded = await loadRecords(facts, run, definition, parts)
  if (loaded.outcome === 'put_off') return loaded
  const written = run.source === 'webhook' ? await runs.sentForEvent(run.accountUuid, run.id) : journal
  const before = await withWritten(facts, run.accountUuid, loaded.value, written, at.zone)
  if (before.outcome === 'put_off') return before
  const value = before.value.map((record) => {
    return { recordUuid: record.recordUuid, matched: judge(definition.conditions, record, at).matched }
  })
  return { outcome: 'ok', value }
}

interface AskedMessage {
  accountUuid: string
  automationId: number
  runId?: number
  guards: RuleGuards
  effect: CustomerMessage
  about: NonNullable<PlanNotes['about']>
  zone: string
  /** When a person pressed "send"; null = nobody did. */
  released: Millis | null
  /** The answer that set off the run: it holds nothing back. */
  setOffBy?: number | null
  /** A person, or the rule, wants the same words again: two bookings or a copied rule do not. Default: yes. */
  mayRepeat?: boolean
}

/** Evaluates the guards of the account and the rule now. */
export async function messageVerdict(app: GuardApp, asked: AskedMessage): Promise<MessageVerdict> {
  const { accountUuid, automationId, guards, effect, about, zone, released, setOffBy = null, mayRepeat = true } = asked
  const now = app.clock.now()
  const at = { now, zone }
  const receiver = await receiverOfMessage(app, accountUuid, effect, about)
  const input = { since: now - CONVERSATION_OPEN, except: setOffBy }
  const answer = await app.store.listening.openAnswer(accountUuid, receiver, input)
  // Who presses "send" after an answer has seen it.
  const isOpen = answer && (released === null || answer.seenAt > released)
  const isOther = isOpen && !receiver.jobUuids.includes(answer.jobUuid)
  const answered = isOpen ? { ...answer, job: isOther ? await jobOfAnswer(app, answer) : '' } : null
  const { muted, got, ...counts } = await app.store.runs.messageFacts(accountUuid, {
    automationId,
    runId: asked.runId ?? null,
    receiverHashes: receiver.receiverHashes,
    companyUuids: about.companyUuids,
    jobUuids: about.jobUuids,
    now,
    dayStart: momentOfWall(wallOfDay(todayOf(at)), zone).at,
    hourStart: now - hours(1),
  })
  const sameAt = mayRepeat ? null : (got.find((one) => isSame(one.effect, effect, about))?.at ?? null)
  const sent = { ...counts, sameAt }
  const account = readAccountGuards(await app.store.runs.findAccountGuards(accountUuid))
  return mayMessage({ rule: guards, account, at, muted, answered, sent, released: released !== null })
}

/** The number of the job that an answer is about; '' = unknown. */
export async function jobOfAnswer({ store }: Pick<App, 'store'>, { accountUuid, jobUuid }: Answer): Promise<string> {
  const known = await store.records.knownOf(accountUuid, [{ object: 'job', recordUuid: jobUuid }])
  return recordNames(known).get(jobUuid)?.job ?? ''
}

/** `stored`: a message that was sent, as its row has it. */
function isSame(stored: string, effect: CustomerMessage, about: AskedMessage['about']): boolean {
  const toldOf = (of: PlanNotes['about']) => of?.told ?? of?.jobUuids ?? []
  if (toldOf(about).length === 0) return false
  const { effect: sent, notes } = JSON.parse(stored)
  return JSON.stringify([sent, toldOf(notes?.about)]) === JSON.stringify([effect, toldOf(about)])
}

/**
 * Customers and job of a message. In a message about many, the mute or the answer of one customer stops only what goes
 * to them; a job's mute applies only to messages about that job alone.
 */
export function aboutOf(
  { parameters }: Step,
  records: readonly RecordFacts[],
  effect: CustomerMessage,
): AskedMessage['about'] {
  const known = (values: (string | null)[]) => [...new Set(values.filter((value) => value !== null))]
  // Without a receiver in the step, it goes to the contact of the first record.
  const toFirst = wordParameter(parameters, 'to') === ''
  const reached = records.filter((one, index) => (toFirst ? index === 0 : Object.values(one.values).some(isTheirs)))
  const jobs = known([...records.map((one) => one.jobUuid), effect.regardingJobUuid])
  const jobUuids = jobs.length === 1 ? jobs : []
  // A receiver typed as it is may be nobody's of these records: the office, or who is on call.
  if (isTyped(parameters) && reached.length === 0) return { companyUuids: [], jobUuids: [], told: jobUuids }
  const companies = known(records.map((one) => one.companyUuid))
  return {
    companyUuids: companies.length === 1 ? companies : known(reached.map((one) => one.companyUuid)),
    jobUuids,
  }

  /** A number may be written with or without its country. */
  function isTheirs(value: string): boolean {
    const shown = receiverText(channelOf(effect), value)
    if (effect.kind === 'send_sms') return shown.length >= 8 && receiverOf(effect).endsWith(shown.slice(-8))
    return shown !== '' && [receiverOf(effect), receiverText('email', effect.cc)].includes(shown)
  }
}
