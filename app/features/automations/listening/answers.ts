// What a customer wrote back: which rows are new, and which of them say STOP.

import { CLOCKS_DIFFER } from '#app/domain/automations/receipt.ts'
import type { Millis } from '#app/lib/clock.ts'
import { seconds } from '#app/lib/duration.ts'
import { momentOfWall, wallAt } from '#app/lib/zone.ts'
import type { Conversation, KnownAnswer } from '#db/store/listening.ts'
import type { HistoryRow } from './history-rows.ts'

/** The whole text, without case, spaces at its ends and punctuation. */
const STOP_WORDS: ReadonlySet<string> = new Set([
  ...['stop', 'stop all', 'stopall', 'stop it', 'please stop', 'stop please', 'stop messages', 'stop texting'],
  ...['unsubscribe', 'unsubscribe me', 'cancel', 'end', 'quit', 'revoke', 'opt out', 'optout', 'opt-out', 'remove me'],
  ...['no more messages', 'no more texts', 'do not text me', 'dont text me', 'leave me alone'],
  ...['stopp', 'abmelden', 'arret', 'arrêt', 'desabonner', 'désabonner', 'baja', 'alto'],
])

export function saysStop(text: string): boolean {
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/['’`]/g, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
  return STOP_WORDS.has(words)
}

export interface FoundAnswer {
  row: HistoryRow
  writtenAt: Millis
}

/** Two equal texts this close together are one that is listed twice. */
const TWICE_WITHIN = seconds(5)

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
  const seen: Pick<KnownAnswer, 'words' | 'writtenAt'>[] = [...known]
  const names = new Set(known.map(({ historyUuid }) => historyUuid))
  const since = wallAt(openedAt, zone) - CLOCKS_DIFFER
  const found: FoundAnswer[] = []
  for (const row of rows.toSorted((a, b) => (a.wall ?? 0) - (b.wall ?? 0))) {
    if (!row.inbound || names.has(row.uuid) || (row.wall !== null && row.wall < since)) continue
    // Without a time it may be new, so it counts.
    const writtenAt = row.wall === null ? now : momentOfWall(row.wall, zone).at
    const isTwin = seen.some((one) => one.words === row.text && Math.abs(one.writtenAt - writtenAt) <= TWICE_WITHIN)
    if (isTwin) continue
    seen.push({ words: row.text, writtenAt })
    found.push({ row, writtenAt })
  }
  return found
}
