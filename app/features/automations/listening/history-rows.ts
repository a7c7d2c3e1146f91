// A row of the platform's history of messages, read tolerantly: its fields are new and partly unpublished.
import type { Channel } from '#app/domain/automations/receipt.ts'
import { readLocal } from '#app/domain/time/local-time.ts'
import type { Wall } from '#app/lib/zone.ts'
import { valuesOf } from '../records/fact-rows.ts'

/** As the platform gives it. */
type Row = Readonly<Record<string, unknown>>

export interface HistoryRow {
  uuid: string
  inbound: boolean
  /** The job; '' = the platform does not say. */
  about: string
  to: string
  from: string
  /** Texts: the words. E-mails: the subject of what was sent, the words of what came in. */
  text: string
  /** The platform's local time; null = unreadable. */
  wall: Wall | null
  bounced: boolean
  /** Null = not opened. */
  opened: { wall: Wall | null } | null
}

/** The fields we keep of a long history. */
const KEPT = [
  ...['uuid', 'direction', 'related_object_uuid', 'to', 'from', 'from_number', 'from_email', 'message', 'subject'],
  ...['body', 'text_body', 'timestamp', 'bounced', 'opened', 'first_opened_at'],
] as const

/** Longer words are shortened before they are stored. */
const MOST_WORDS = 2_000

export function keptOfHistory(record: Row): Row {
  return Object.fromEntries(KEPT.filter((name) => name in record).map((name) => [name, record[name]]))
}

const INBOUND = new Set(['inbound', 'incoming', 'in', 'received'])

export function readHistory(records: readonly Row[], channel: Channel): HistoryRow[] {
  const rows = new Map<string, HistoryRow>()
  for (const record of records) {
    const row = readRow(valuesOf(record), channel)
    // The same row twice is one row.
    if (row !== null) rows.set(row.uuid, row)
  }
  return [...rows.values()]
}

function readRow(values: Readonly<Record<string, string>>, channel: Channel): HistoryRow | null {
  const value = (name: string) => values[name] ?? ''
  const words = [value('message'), value('body'), value('text_body')].find((one) => one.trim() !== '') ?? ''
  const inbound = INBOUND.has(value('direction').trim().toLowerCase())
  const text = channel === 'sms' || inbound ? words || value('subject') : value('subject')
  const timestamp = value('timestamp')
  const from = value('from') || value('from_number') || value('from_email')
  // A row without a name of its own is told by what it holds.
  const uuid = value('uuid') || (timestamp === '' && text === '' ? '' : `${timestamp}|${from}|${text.slice(0, 200)}`)
  if (uuid === '') return null
  const firstOpened = readWall(value('first_opened_at'))
  return {
    uuid,
    inbound,
    about: value('related_object_uuid').toLowerCase(),
    to: value('to'),
    from,
    text: inbound && channel === 'email' ? ownWords(text) : text.slice(0, MOST_WORDS),
    wall: readWall(timestamp),
    bounced: isYes(value('bounced')),
    opened: isYes(value('opened')) || firstOpened !== null ? { wall: firstOpened } : null,
  }
}

/** Where an answer by e-mail ends and a copy of what it answers, or a signature, begins. */
const NOT_THEIRS =
  /^[ \t]*(?:>|-- ?$|_{8,}|-{2,} ?(?:original|forwarded) |(?:sent from|get outlook for) |(?:on|am|le) .{5,200}(?:\n.{0,200})?(?:wrote|schrieb.*|a écrit) ?:[ \t]*$|\*?(?:from|von|de) ?:.*\n[ \t]*\*?(?:sent|date|to|gesendet|datum|envoyé) ?:)/im

/** Our own words come back in an answer by e-mail: they say neither STOP nor yes. */
function ownWords(text: string): string {
  const all = text.replaceAll('\r\n', '\n').slice(0, MOST_WORDS)
  const from = all.search(NOT_THEIRS)
  // Who writes below the copy is read as a whole.
  return (from < 0 ? '' : all.slice(0, from).trim()) || all
}

function isYes(value: string): boolean {
  return ['1', 'true', 'yes'].includes(value.trim().toLowerCase())
}

function readWall(text: string): Wall | null {
  const reading = readLocal(text.trim(), 'UTC')
  return reading?.hasTime ? reading.wall : null
}
