// Compares what the product did and says with the sandbox's own record.
import { localStamp } from '#app/domain/time/local-time.ts'
import { seconds } from '#app/lib/duration.ts'
import type { OutboxItem } from '#sandbox/world.ts'
import { type AutomationWorld, LEEDS } from '#tests/support/automation-world.server.ts'
import type { JudgedWeek, WeekFinding } from './types.ts'

type Sent = Extract<OutboxItem, { kind: 'sms' | 'email' }>

interface ReceiptRow {
  state: string
  channel: string
  sentAt: number
  historyUuid: string | null
  jobUuid: string
}

export async function judgeWeek(world: AutomationWorld, week: JudgedWeek): Promise<WeekFinding> {
  const { outbox } = world.platform.account(LEEDS)
  const sent = outbox.filter((item): item is Sent => item.kind === 'sms' || item.kind === 'email')
  const wrong: string[] = []
  const receipts = world.rows(
    `SELECT state, channel, sent_at AS sentAt, history_uuid AS historyUuid, job_uuid AS jobUuid FROM message_receipt`,
  ) as unknown as ReceiptRow[]
  const late = sent.filter((item) => wasAnswered(week, item))
  for (const item of late) wrong.push(`a message left at ${stamp(item.at)} after an answer`)
  const untrue = receipts.filter((receipt) => !isTrue(world, sent, receipt) || isTaken(world, receipts, receipt))
  for (const { state, sentAt } of untrue) wrong.push(`the receipt "${state}" of ${stamp(sentAt)} is not true`)
  const told = world.platform.made.filter(({ object }) => object === 'staffmessage').map(({ uuid }) => uuid)
  const known = new Set(world.rows('SELECT history_uuid AS name FROM customer_reply').map(({ name }) => String(name)))
  const lost = week.answers.filter(({ uuid }) => !known.has(uuid) && !known.has(`${uuid}-again`))
  for (const { uuid } of lost) wrong.push(`${uuid} was never read`)
  const attempts = world.rows("SELECT count(*) AS count FROM run_step WHERE state IN ('sent', 'unknown')")[0]
    ?.count as number
  const calls = world.platform.exchanges.filter(
    ({ verb, object }) => verb === 'list' && ['sms', 'email'].includes(object),
  )
  return {
    messages: sent.length,
    answers: week.answers.length,
    deaths: week.deaths,
    calls: calls.length,
    receipts: receipts.filter(({ historyUuid }) => historyUuid !== null).length,
    afterAnswer: late.length,
    repeated: Math.max(0, sent.length - attempts),
    falseReceipts: untrue.length,
    dearLooks: week.dearLooks,
    lostAnswers: lost.length,
    toldTwice: told.length - new Set(told).size,
    wrong,
  }
}

/** Five seconds before the message left, somebody could read an answer that nobody had let pass. */
function wasAnswered({ answers, closed }: JudgedWeek, { at, jobUuid }: Sent): boolean {
  // A request that arrives half a minute late was decided when it left.
  const decidedAt = at - seconds(31)
  if (closed.some(({ from, to }) => from <= at && to >= decidedAt)) return false
  return answers.some(
    ({ job, readableAt, goneOnAt }) =>
      job === jobUuid && readableAt <= decidedAt - seconds(5) && (goneOnAt === null || goneOnAt > at),
  )
}

/** Within this time of its beginning, a sending is done at the platform: it can be late by half a minute twice. */
const DONE_WITHIN = seconds(65)

function isTrue(world: AutomationWorld, sent: readonly Sent[], receipt: ReceiptRow): boolean {
  const { state, channel, sentAt, historyUuid, jobUuid } = receipt
  if (historyUuid === null) return ['open', 'missing', 'none'].includes(state)
  const rows = world.platform.records(LEEDS, channel)
  const claimed = rows.get(historyUuid)
  const own = sent.filter(
    (item) => item.kind === channel && item.jobUuid === jobUuid && item.at >= sentAt && item.at <= sentAt + DONE_WITHIN,
  )
  return own.some((item) => {
    const row = rows.get(item.historyUuid ?? '')
    return item.delivered && row !== undefined && claimed !== undefined && isTwin(row, claimed) && fits(state, row)
  })
}

/**
 * Equal messages are told apart by time only, and the clock of this platform jumps by minutes: what became of the message
 * itself is what counts.
 */
function isTwin(row: Record<string, unknown>, other: Record<string, unknown>): boolean {
  return WORDS.every((name) => row[name] === other[name])
}

const WORDS = ['to', 'message', 'subject']

/** Another receipt stands for the same row, or for its twin. */
function isTaken(world: AutomationWorld, receipts: readonly ReceiptRow[], receipt: ReceiptRow): boolean {
  const rows = world.platform.records(LEEDS, receipt.channel)
  const claimed = receipt.historyUuid === null ? undefined : rows.get(receipt.historyUuid)
  if (!claimed) return false
  return receipts.some((other) => {
    const row = other === receipt || other.historyUuid === null ? undefined : rows.get(other.historyUuid)
    return (
      row !== undefined &&
      other.channel === receipt.channel &&
      [...WORDS, 'timestamp'].every((name) => row[name] === claimed[name])
    )
  })
}

function fits(state: string, row: Record<string, unknown>): boolean {
  if (state === 'bounced') return row.bounced === '1'
  return state !== 'opened' || row.opened === '1'
}

function stamp(at: number): string {
  return localStamp(at)
}
