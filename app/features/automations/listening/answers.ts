// What a customer wrote back: which rows are new.
import type { Answer, Conversation, KnownAnswer, ListeningFacts } from '#app/domain/automations/conversation.ts'
import { CLOCKS_DIFFER } from '#app/domain/automations/receipt.ts'
import { RUNS_KEPT } from '#app/domain/kept-until.ts'
import type { Millis } from '#app/lib/clock.ts'
import { days, seconds } from '#app/lib/duration.ts'
import { momentOfWall, momentsOfWall, type Wall } from '#app/lib/zone.ts'
import type { HistoryRow } from './history-rows.ts'

/** An answer that waits for a person. */
export interface AnswerView extends Pick<Answer, 'id' | 'channel' | 'words' | 'writtenAt'> {
  /** The customer's name; '' = unknown. */
  customer: string
  /** `Job 4411`. */
  job: string
}

/** refused = ServiceM8 does not let us read messages. no_answers = none has ever shown, though many were written to. */
export type ListeningNote = 'refused' | 'no_answers' | null

/** So many conversations without a single answer: ServiceM8 does not show them to this add-on. */
const ENOUGH_CONVERSATIONS = 25

/** Why answers cannot be read; null = they can, or nobody knows yet. */
export function listeningNoteOf(facts: ListeningFacts | null): ListeningNote {
  if (!facts) return null
  if (facts.smsRefusedAt !== null || facts.emailRefusedAt !== null) return 'refused'
  const isMute = facts.inboundAt === null && facts.conversations >= ENOUGH_CONVERSATIONS
  return isMute && facts.dismissedAt === null ? 'no_answers' : null
}

export interface FoundAnswer {
  row: HistoryRow
  writtenAt: Millis
}

/** The first moment of a local time that is not before `since`, else its first: one that comes twice may mean either. */
function writtenSince(wall: Wall, zone: string, since: Millis): Millis {
  return momentsOfWall(wall, zone).find((at) => at >= since) ?? momentOfWall(wall, zone).at
}

/** Two equal texts this close together are one that is listed twice. */
const TWICE_WITHIN = seconds(5)
/** Of equal texts, the latest times are remembered. */
const MOST_TIMES = 50

/**
 * Answers that nobody has read yet, oldest first. Only what was written since the conversation began counts, less what
 * the clocks may differ by.
 */
export function newAnswers(
  rows: readonly HistoryRow[],
  { openedAt }: Pick<Conversation, 'openedAt'>,
  known: readonly KnownAnswer[],
  { now, zone }: { now: Millis; zone: string },
): FoundAnswer[] {
  const seen = new Map<string, Millis[]>()
  const note = ({ words, writtenAt }: Pick<KnownAnswer, 'words' | 'writtenAt'>) =>
    seen.set(words, [...(seen.get(words) ?? []).slice(-MOST_TIMES), writtenAt])
  for (const one of known) note(one)
  const names = new Set(known.map(({ historyUuid }) => historyUuid))
  // Older ones are forgotten: what ServiceM8 still lists of them would be new again.
  const since = Math.max(openedAt - CLOCKS_DIFFER, now - (RUNS_KEPT - days(1)))
  const found: FoundAnswer[] = []
  for (const row of rows.toSorted((a, b) => (a.wall ?? 0) - (b.wall ?? 0))) {
    if (!row.inbound || names.has(row.uuid)) continue
    // Without a time it may be new, so it counts.
    const writtenAt = row.wall === null ? now : writtenSince(row.wall, zone, since)
    if (writtenAt < since) continue
    if (seen.get(row.text)?.some((at) => Math.abs(at - writtenAt) <= TWICE_WITHIN)) continue
    note({ words: row.text, writtenAt })
    found.push({ row, writtenAt })
  }
  return found
}
