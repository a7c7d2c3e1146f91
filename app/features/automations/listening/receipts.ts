// Which row of the history belongs to which message. Two equal messages are told apart by time, else by count: as many
// rows as messages prove that all arrived. Where that leaves a doubt, no receipt is claimed, and what happened to one of
// several equal e-mails is said of none.

import type { ReceiptChange, SentMessage, WantedReceipt } from '#app/domain/automations/conversation.ts'
import type { JournalEffect } from '#app/domain/automations/journal-row.ts'
import {
  type Channel,
  CLOCKS_DIFFER,
  CONVERSATION_OPEN,
  EMAIL_LOOKS,
  RECEIPT_LOOKS,
  type ReceiptState,
} from '#app/domain/automations/receipt.ts'
import type { Millis } from '#app/lib/clock.ts'
import { seconds } from '#app/lib/duration.ts'
import { momentOfWall, momentsOfWall, type Wall } from '#app/lib/zone.ts'
import { isCustomerMessage, receiverText } from '../runs/run-messages.ts'
import type { HistoryRow } from './history-rows.ts'

/** A platform may list one message twice; equal rows this close together are one. */
const TWINS_WITHIN = seconds(5)

/** Some systems cut long texts. Texts that differ only behind this many letters count as equal. */
const KEPT_OF_WORDS = 100

/** The rows of one message in the history. */
interface Sighting {
  key: string
  wall: Wall
  rows: HistoryRow[]
  /** The moment that its local time means for a message sent then. */
  near(sentAt: Millis): Millis
}

/**
 * What identifies a message besides its time: receiver and words. Letters and digits only: spaces, quotes and letters
 * outside ASCII come back changed from some systems, and long texts cut.
 */
export function messageKey(channel: Channel, to: string, text: string): string {
  const plain = text.replaceAll(/&(?:#x?[0-9a-f]+|[a-z]+);/gi, '')
  const ascii = plain.replaceAll(/[^a-z0-9]/gi, '').toLowerCase()
  const words = ascii === '' ? text.normalize('NFKC').replaceAll(/\s+/g, '') : ascii
  return `${receiverText(channel, to)}|${words.slice(0, KEPT_OF_WORDS)}`
}

/** Null = it is no message to a customer. */
function keyOfEffect(effect: JournalEffect): string | null {
  if (!isCustomerMessage(effect)) return null
  return effect.kind === 'send_sms'
    ? messageKey('sms', effect.to, effect.message)
    : messageKey('email', effect.to, effect.subject)
}

function sightingsOf(rows: readonly HistoryRow[], channel: Channel, zone: string): Sighting[] {
  const found: Sighting[] = []
  const lastOf = new Map<string, Sighting>()
  const sent = rows.filter((row): row is HistoryRow & { wall: Wall } => !row.inbound && row.wall !== null)
  for (const row of sent.sort((a, b) => a.wall - b.wall)) {
    const key = messageKey(channel, row.to, row.text)
    const last = lastOf.get(key)
    if (last && row.wall - last.wall <= TWINS_WITHIN) last.rows.push(row)
    else {
      const near = momentNear(row.wall, zone)
      const sighting = { key, wall: row.wall, rows: [row], near }
      lastOf.set(key, sighting)
      found.push(sighting)
    }
  }
  return found
}

/**
 * The rows of each message, by the receipt's id. `sending` = what is on its way and has no receipt yet: a row may be its.
 */
export function claimRows(
  receipts: readonly WantedReceipt[],
  rows: readonly HistoryRow[],
  at: { channel: Channel; zone: string; sending: readonly SentMessage[] },
): Map<number, HistoryRow[]> {
  const sightings = sightingsOf(rows, at.channel, at.zone)
  const claimed = new Map<number, Sighting>()
  for (const { id, historyUuid } of receipts) {
    const own = historyUuid !== null && sightings.find((one) => one.rows.some(({ uuid }) => uuid === historyUuid))
    if (own) claimed.set(id, own)
  }
  const taken = new Set(claimed.values())
  const messageOf = (id: number | null, { effect, sentAt }: SentMessage): Message[] => {
    const key = keyOfEffect(effect)
    return key === null ? [] : [{ id, key, sentAt }]
  }
  const sent = receipts.flatMap((one) => messageOf(one.id, one))
  // One that ended meanwhile has its receipt.
  const ended = (one: Message) => sent.some(({ key, sentAt }) => key === one.key && sentAt === one.sentAt)
  const onTheWay = at.sending.flatMap((one) => messageOf(null, one)).filter((one) => !ended(one))
  const all = [...sent, ...onTheWay]
  const open = receipts.flatMap((one) => (one.historyUuid === null ? messageOf(one.id, one) : []))
  for (const key of new Set(open.map((one) => one.key))) {
    const pairs = pairUp(
      [...open, ...onTheWay].filter((one) => one.key === key),
      sightings.filter((one) => one.key === key && !taken.has(one)),
    )
    for (const [{ id }, sighting] of pairs) if (id !== null) claimed.set(id, sighting)
  }
  const certain = [...claimed].map(([id, own]) => [id, certainRows(own, { all, sightings })] as const)
  return new Map(certain)
}

/** A message, or one on its way: null. */
type Message = { id: number | null; key: string; sentAt: Millis }

/** Its rows; what is not true of all equal e-mails that it could be taken for is left out of them. */
function certainRows(
  own: Sighting,
  { all, sightings }: { all: readonly Message[]; sightings: readonly Sighting[] },
): HistoryRow[] {
  const rivals = all.filter((one) => one.key === own.key && fits(one, own))
  if (rivals.length < 2) return own.rows
  const twins = sightings.filter((one) => one.key === own.key && rivals.some((rival) => fits(rival, one)))
  const areBounced = twins.every((one) => one.rows.some((row) => row.bounced))
  const areOpened = twins.every((one) => one.rows.some((row) => row.opened !== null))
  return own.rows.map((row) => ({
    ...row,
    bounced: areBounced && row.bounced,
    opened: areOpened ? row.opened : null,
  }))
}

const distance = ({ sentAt }: Message, sighting: Sighting): number => Math.abs(sighting.near(sentAt) - sentAt)
const fits = (message: Message, sighting: Sighting): boolean => distance(message, sighting) <= CLOCKS_DIFFER
const bySending = (a: Message, b: Message): number => a.sentAt - b.sentAt

/** Both in order of time. Groups of messages and rows that could be each other's are settled together, or not at all. */
function pairUp(messages: readonly Message[], sightings: readonly Sighting[]): [Message, Sighting][] {
  let groups: Message[][] = []
  for (const message of messages.toSorted(bySending)) {
    const near = sightings.filter((one) => fits(message, one))
    const isLinked = (other: Message) =>
      message.sentAt - other.sentAt <= 2 * CLOCKS_DIFFER || near.some((one) => fits(other, one))
    const linked = groups.filter((group) => group.some(isLinked))
    groups = [...groups.filter((group) => !linked.includes(group)), [...linked.flat(), message].toSorted(bySending)]
  }
  return groups.flatMap((group) => {
    const first = group[0]?.sentAt ?? 0
    const near = sightings.filter((one) => group.some((message) => fits(message, one)))
    near.sort((a, b) => a.near(first) - b.near(first))
    return pairsOfGroup(group, near)
  })
}

function pairsOfGroup(group: readonly Message[], near: readonly Sighting[]): [Message, Sighting][] {
  // Fewer rows than messages: nobody can say whose they are.
  if (near.length < group.length) return certainPairs(group, near)
  const pairs: [Message, Sighting][] = []
  const left = [...near]
  for (const message of group) {
    const fitting = left.filter((one) => fits(message, one))
    const first = near.length === group.length ? fitting[0] : nearest(message, fitting)
    if (!first) return certainPairs(group, near)
    left.splice(left.indexOf(first), 1)
    pairs.push([message, first])
  }
  return pairs
}

/** Rows that fit one message only, and are the only ones that fit it. */
function certainPairs(group: readonly Message[], near: readonly Sighting[]): [Message, Sighting][] {
  return near.flatMap((one): [Message, Sighting][] => {
    const [message, other] = group.filter((candidate) => fits(candidate, one))
    if (!message || other || near.some((another) => another !== one && fits(message, another))) return []
    return [[message, one]]
  })
}

function nearest(message: Message, sightings: readonly Sighting[]): Sighting | undefined {
  return sightings.toSorted((a, b) => distance(message, a) - distance(message, b))[0]
}

/** What a look says about a message: `rows` = its rows in the history, if any. */
export function receiptAfter(
  receipt: WantedReceipt,
  rows: readonly HistoryRow[] = [],
  at: { channel: Channel; zone: string; now: Millis },
): ReceiptChange {
  const { id, sentAt } = receipt
  const [first] = rows
  if (!first) return notFound(receipt, at)
  const historyUuid = receipt.historyUuid ?? first.uuid
  const listedAt = first.wall === null ? null : momentNear(first.wall, at.zone)(sentAt)
  if (at.channel === 'sms') return { id, state: 'delivered', stateAt: listedAt, nextLookAt: null, historyUuid }
  if (rows.some((row) => row.bounced)) {
    return { id, state: 'bounced', stateAt: seenAt(receipt, 'bounced', at.now), nextLookAt: null, historyUuid }
  }
  const nextLookAt = nextReceiptLook(sentAt, at)
  const opened = rows.find((row) => row.opened !== null)?.opened
  if (!opened) {
    // What was seen once stays true.
    const seen = receipt.state === 'opened' ? receipt : ({ state: 'listed', stateAt: listedAt } as const)
    return { id, state: seen.state, stateAt: seen.stateAt, nextLookAt, historyUuid }
  }
  const openedAt = opened.wall === null ? seenAt(receipt, 'opened', at.now) : momentOfWall(opened.wall, at.zone).at
  return { id, state: 'opened', stateAt: openedAt, nextLookAt, historyUuid }
}

function notFound(receipt: WantedReceipt, at: { channel: Channel; now: Millis }): ReceiptChange {
  const { id, sentAt, stateAt, historyUuid } = receipt
  const isLost = historyUuid === null && at.now >= sentAt + (RECEIPT_LOOKS.at(-1) ?? 0)
  const state: ReceiptState = isLost ? 'missing' : receipt.state
  return { id, state, stateAt, nextLookAt: nextReceiptLook(sentAt, at), historyUuid }
}

/** The platform does not say when: the first look that saw it counts. */
function seenAt(receipt: WantedReceipt, state: ReceiptState, now: Millis): Millis {
  return receipt.state === state ? (receipt.stateAt ?? now) : now
}

/** A local time that occurs twice means the moment nearer to the sending. */
function momentNear(wall: Wall, zone: string): Sighting['near'] {
  const moments = momentsOfWall(wall, zone)
  const far = moments[0] ?? momentOfWall(wall, zone).at
  return (sentAt) => moments.reduce((a, b) => (Math.abs(b - sentAt) < Math.abs(a - sentAt) ? b : a), far)
}

/** Null = no more looks for its sake. */
export function nextReceiptLook(sentAt: Millis, { channel, now }: { channel: Channel; now: Millis }): Millis | null {
  const looks = channel === 'email' ? [...RECEIPT_LOOKS, ...EMAIL_LOOKS] : RECEIPT_LOOKS
  return looks.map((after) => sentAt + after).find((look) => look > now) ?? null
}

/** Receipts this old are settled for good, and only keep their rows from others. */
export function receiptsSince(now: Millis): Millis {
  return now - CONVERSATION_OPEN
}
