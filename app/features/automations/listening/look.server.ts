// One look at the platform's history of a job: which messages arrived, and what the customer answered. It is one call
// (one more for every 5,000 rows), and it stores what it saw in one transaction.
import { randomUUID } from 'node:crypto'
import type { CallFailure, PlatformRecord } from '#app/adapters/platform.ts'
import type { App } from '#app/context/app-context.ts'
import type { Conversation } from '#app/domain/automations/conversation.ts'
import { CONVERSATION_FRESH, CONVERSATION_OPEN } from '#app/domain/automations/receipt.ts'
import { recordNames } from '#app/domain/record-name.ts'
import { localStamp } from '#app/domain/time/local-time.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days, hours, minutes, seconds } from '#app/lib/duration.ts'
import { wallAt } from '#app/lib/zone.ts'
import type { Listened, Look, StopMute, WaitingMessage } from '#db/store/listening.ts'
import { quoted } from '../records/fact-sources.server.ts'
import { saysStop } from '../rules/reply.ts'
import { putOffOf } from '../runs/run-facts.server.ts'
import { hashesOfReceiver } from '../runs/run-guards.server.ts'
import type { LastLook } from '../runs/run-inputs.server.ts'
import { isCustomerMessage, receiverOf, receiverText } from '../runs/run-messages.ts'
import { stopSource } from '../settings/mute.ts'
import { mutedName } from '../settings/settings-text.ts'
import { newAnswers } from './answers.ts'
import { type HistoryRow, keptOfHistory, readHistory } from './history-rows.ts'
import { claimRows, receiptAfter, receiptsSince } from './receipts.ts'

export type LookApp = Pick<App, 'store' | 'clock' | 'log' | 'callAsAccount' | 'secrets'>

/** `refused` = the platform does not let us read this history. `failed` = later. `gone` = somebody else looked. */
export type Looked =
  /** `moved` = messages that turned out to be sent, or are asked again because of an answer: their runs go on. */
  { outcome: 'looked' | 'gone'; moved: number } | { outcome: 'refused' } | { outcome: 'failed'; failure: CallFailure }

/** After a refusal, one look an hour asks whether the permission is there. */
const ASK_AGAIN = hours(1)

const FAILED_GAPS: readonly number[] = [minutes(1), minutes(5), minutes(15), hours(1)]

/** An answer stops what waits within five minutes; a conversation that rests is looked at less often. */
const LISTEN: readonly (readonly [upTo: number, every: number])[] = [
  [days(1), minutes(5)],
  [days(3), minutes(15)],
  [CONVERSATION_OPEN, hours(1)],
]
/** Together a third of an account's calls for rules: most go where an answer is likely, the others to each alike. */
const LOOKS_A_DAY = { fresh: 4_000, each: 2_000 }

/** When a conversation is looked at next, for answers. Null = it is over. */
function nextListen({ lastMessageAt }: Conversation, { open, freshness }: Listened, now: Millis): Millis | null {
  const age = now - lastMessageAt
  const every = LISTEN.find(([upTo]) => age < upTo)?.[1]
  if (every === undefined) return null
  const share = CONVERSATION_FRESH / Math.max(age, CONVERSATION_FRESH) / freshness
  return now + Math.max(every, Math.ceil(days(1) / (LOOKS_A_DAY.fresh * share + LOOKS_A_DAY.each / open)))
}

export async function lookAt(app: LookApp, conversation: Conversation): Promise<Looked> {
  const { accountUuid, jobUuid, channel } = conversation
  const at = app.clock.now()
  const account = await app.store.accounts.findAccount(accountUuid)
  const answer = await app.callAsAccount(
    accountUuid,
    (api, token) =>
      api.list(token, channel, { filter: `related_object_uuid eq '${quoted(jobUuid)}'`, keep: keptOfHistory }),
    { priority: 'background' },
  )
  if (answer.outcome !== 'ok') return putOff(app, conversation, answer, at)
  const zone = account?.timezone ?? 'UTC'
  const rows = rowsOfJob(answer.value, conversation)
  const look = await judgeRows(app, conversation, rows, { at, zone })
  const stored = await app.store.listening.settleLook(conversation, look)
  if (stored === null) return { outcome: 'gone', moved: 0 }
  const { settled, woken } = stored
  if (settled > 0) app.log.info({ account: accountUuid, messages: settled }, 'messages.found_sent')
  const answers = look.answers.length
  if (answers > 0) app.log.info({ account: accountUuid, channel, answers, waiting: woken }, 'customer.answered')
  return { outcome: 'looked', moved: settled + woken }
}

/** The filter is the platform's; a row about another job is never taken for this one's. */
function rowsOfJob(records: readonly PlatformRecord[], { jobUuid, channel }: Conversation): HistoryRow[] {
  return readHistory(records, channel).filter(({ about }) => about === jobUuid.toLowerCase())
}

async function judgeRows(
  app: LookApp,
  conversation: Conversation,
  rows: readonly HistoryRow[],
  { at, zone }: { at: Millis; zone: string },
): Promise<Look> {
  const { store } = app
  const { accountUuid, channel } = conversation
  // In this order: a message that ends in between has a receipt by then.
  const sending = await store.listening.sendingNow(accountUuid)
  const receipts = await store.listening.wantedReceipts(conversation, receiptsSince(at))
  const claimed = claimRows(receipts, rows, { channel, zone, sending })
  const changes = receipts
    .filter((receipt) => receipt.state !== 'delivered' && receipt.state !== 'bounced')
    .map((receipt) => receiptAfter(receipt, claimed.get(receipt.id), { channel, zone, now: at }))
  const listened = await store.listening.countConversations(accountUuid, at, CONVERSATION_FRESH)
  const listen = nextListen(conversation, listened, at)
  const looks = [...changes.map(({ nextLookAt }) => nextLookAt), listen].filter((one) => one !== null)
  const nextLookAt = looks.length === 0 ? null : Math.min(...looks)
  const heard = await readAnswers(app, conversation, rows, { now: at, zone })
  return { at, nextLookAt, receipts: changes, ...heard, hasInbound: rows.some((row) => row.inbound) }
}

type Heard = Pick<Look, 'answers' | 'mute' | 'wake'>

async function readAnswers(
  app: LookApp,
  conversation: Conversation,
  rows: readonly HistoryRow[],
  at: { now: Millis; zone: string },
): Promise<Heard> {
  const { accountUuid, channel } = conversation
  const found = rows.some((row) => row.inbound)
    ? newAnswers(rows, conversation, await app.store.listening.knownAnswers(conversation), at)
    : []
  if (found.length === 0) return { answers: [], mute: null, wake: [] }
  const stop = found.find(({ row }) => saysStop(row.text))
  const answers = await Promise.all(
    found.map(async ({ row, writtenAt }) => {
      const [senderHash = ''] = row.from === '' ? [] : await hashesOfReceiver(app, accountUuid, channel, row.from)
      const state = saysStop(row.text) ? ('muted' as const) : ('open' as const)
      const tellUuid = randomUUID()
      return { historyUuid: row.uuid, words: row.text, writtenAt, senderHash, state, tellUuid }
    }),
  )
  const from = new Set(found.map(({ row }) => receiverText(channel, row.from)).filter((text) => text !== ''))
  const waiting = await app.store.listening.waitingMessages(accountUuid, at.now)
  return {
    answers,
    mute: stop ? await muteFor(app, conversation, stop.writtenAt, at.zone) : null,
    wake: waiting.filter((message) => isForThem(message, conversation, from)),
  }
}

/** Is the waiting message for the customer of the conversation, or for the one who answered? */
function isForThem(
  message: WaitingMessage,
  { jobUuid, companyUuid }: Conversation,
  from: ReadonlySet<string>,
): boolean {
  const { effect, jobUuids, companyUuids } = message
  if (!isCustomerMessage(effect)) return false
  if (jobUuids.includes(jobUuid) || effect.regardingJobUuid === jobUuid) return true
  return (companyUuid !== null && companyUuids.includes(companyUuid)) || from.has(receiverOf(effect))
}

async function muteFor(app: LookApp, conversation: Conversation, writtenAt: Millis, zone: string): Promise<StopMute> {
  const { accountUuid, companyUuid, jobUuid, channel } = conversation
  const known = recordNames(await app.store.records.knownOf(accountUuid, [{ object: 'job', recordUuid: jobUuid }]))
  const { job = '', customer = '' } = known.get(jobUuid) ?? {}
  const muted =
    companyUuid === null
      ? ({ kind: 'job', recordUuid: jobUuid, name: job && `job ${job}` } as const)
      : ({ kind: 'company', recordUuid: companyUuid, name: customer } as const)
  const source = stopSource(channel, localStamp(wallAt(writtenAt, zone)).slice(11, 16))
  const whom = `${muted.kind === 'company' ? 'to' : 'about'} ${mutedName(muted)}`
  return { ...muted, source, words: `Stopped messages ${whom}: the customer asked for it.` }
}

async function putOff(app: LookApp, conversation: Conversation, failure: CallFailure, at: Millis): Promise<Looked> {
  const { accountUuid, channel, tries } = conversation
  const now = app.clock.now()
  const refused = failure.outcome === 'forbidden' || failure.outcome === 'refused'
  const gap = refused ? ASK_AGAIN : (FAILED_GAPS[Math.min(tries, FAILED_GAPS.length - 1)] ?? ASK_AGAIN)
  const named = 'retryAt' in failure ? failure.retryAt : 0
  const nextLookAt = Math.max(now + gap, named)
  await app.store.listening.postponeLook(conversation, { nextLookAt, refusedAt: refused ? at : null })
  app.log.info({ account: accountUuid, channel, outcome: failure.outcome, nextLookAt }, 'history.not_read')
  return refused ? { outcome: 'refused' } : { outcome: 'failed', failure }
}

/** A history that was refused less than an hour ago is not asked for: returns when to ask again, else null. */
export async function refusedUntil(
  { store, clock }: Pick<LookApp, 'store' | 'clock'>,
  { accountUuid, channel }: Conversation,
): Promise<Millis | null> {
  const facts = await store.listening.findListening(accountUuid)
  const refusedAt = channel === 'sms' ? facts?.smsRefusedAt : facts?.emailRefusedAt
  if (refusedAt == null || refusedAt + ASK_AGAIN <= clock.now()) return null
  return refusedAt + ASK_AGAIN
}

/** A look that began this recently counts. */
const FRESH = seconds(2)

/**
 * The last look, just before a message leaves: once at each job about which this customer may have answered. A history that we may not read stops nothing; one
 * that does not answer at present puts the message off.
 */
export function createLastLook(app: LookApp): LastLook {
  return async (accountUuid, receiver) => {
    const now = app.clock.now()
    const since = now - CONVERSATION_OPEN
    for (const conversation of await app.store.listening.conversationsWith(accountUuid, receiver, since)) {
      // After the clock went back, a look may lie in the future.
      const { lookedAt } = conversation
      if (lookedAt !== null && lookedAt > now - FRESH && lookedAt <= now) continue
      const looked = await lookAt(app, conversation)
      if (looked.outcome === 'failed') return { outcome: 'put_off', why: putOffOf(looked.failure) }
    }
    return { outcome: 'looked' }
  }
}
