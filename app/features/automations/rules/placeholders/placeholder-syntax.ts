// Finds placeholders without filling them in: `{name}`, `{total as money}`, `{entry.0.job_address or "your job"}`, and
// blanks: `[[Business name]]`. Braces around anything else (CSS, JSON) are text, and `{{` … `}}` are single braces.
import { ownValue } from '#app/lib/json.ts'
import { blankAt, replaceBlanks } from './blanks.ts'

const FORMATS = ['date', 'time', 'money', 'phone', 'first name', 'upper', 'number', 'weekday'] as const

export type Format = (typeof FORMATS)[number]

export interface Placeholder {
  kind: 'placeholder'
  /** As written, braces included. */
  written: string
  /** The name it refers to, as written. */
  name: string
  /** Used when there is no value; null = none given. */
  fallback: string | null
  format: Format | null
  /** The word after "as" if it is not a known format, else null. */
  unknownFormat: string | null
}

type Piece =
  | { kind: 'text'; text: string }
  | Placeholder
  /** A blank that the owner has to fill in before the rule can be switched on. */
  | { kind: 'blank'; written: string; label: string }

// Editors of phones and of HTML change quotation marks, so all of these are accepted.
const QUOTED = `(?:"([^"]{0,500})"|“([^”]{0,500})”|„([^“”]{0,500})[“”]|&quot;(.{0,500}?)&quot;|'([^']{0,500})'|‘([^’]{0,500})’)`
const NAME = `[A-Za-z_][\\w .+\\-&'/()[\\]]{0,119}?`
const PLACEHOLDER = new RegExp(
  `\\{\\s*(${NAME})(?:\\s+or\\s+${QUOTED})?(?:\\s+as\\s+([A-Za-z][A-Za-z _]{0,29}?))?(?:\\s+or\\s+${QUOTED})?\\s*\\}`,
  'isy',
)
const QUOTED_GROUPS = 6

/** The signs that may start or end a piece; all else is text. No blank starts before a third bracket. */
const SIGN = /\{|\}\}|\[\[(?!\[)/g

/** The pieces in order; together they are the whole text. */
export function readPieces(text: string): Piece[] {
  const pieces: Piece[] = []
  let plain: string[] = []
  const endText = () => {
    const words = plain.join('')
    if (words !== '') pieces.push({ kind: 'text', text: words })
    plain = []
  }
  // `}}` closes an open `{{`; elsewhere (CSS, JSON) it is two braces.
  let doubled = 0
  let at = 0
  while (at < text.length) {
    SIGN.lastIndex = at
    const sign = SIGN.exec(text)?.index ?? text.length
    if (sign > at) plain.push(text.slice(at, sign))
    const { piece, length, opens = 0 } = signAt(text, sign, doubled > 0)
    doubled += opens
    at = sign + length
    if (piece.kind === 'text') plain.push(piece.text)
    else {
      endText()
      pieces.push(piece)
    }
  }
  endText()
  return pieces
}

/** The piece that starts at this sign. `length`: in the text as written. `opens`: change in the number of open `{{`. */
function signAt(text: string, at: number, isInDoubled: boolean): { piece: Piece; length: number; opens?: 1 | -1 } {
  if (text.startsWith('{{', at)) return { piece: { kind: 'text', text: '{' }, length: 2, opens: 1 }
  if (isInDoubled && text.startsWith('}}', at)) return { piece: { kind: 'text', text: '}' }, length: 2, opens: -1 }
  const piece = placeholderAt(text, at) ?? blankPieceAt(text, at)
  if (piece) return { piece, length: piece.written.length }
  return { piece: { kind: 'text', text: text.slice(at, at + 1) }, length: 1 }
}

function placeholderAt(text: string, at: number): Placeholder | null {
  PLACEHOLDER.lastIndex = at
  const match = PLACEHOLDER.exec(text)
  if (!match) return null
  const [written, name = ''] = match
  const firstFallback = fallbackOf(match.slice(2, 2 + QUOTED_GROUPS))
  const word = match[2 + QUOTED_GROUPS]
    ?.trim()
    .toLowerCase()
    .replace(/[\s_]+/g, ' ')
  const lastFallback = fallbackOf(match.slice(3 + QUOTED_GROUPS))
  const format = FORMATS.find((one) => one === word) ?? null
  return {
    kind: 'placeholder',
    written,
    name: name.trim(),
    fallback: firstFallback ?? lastFallback,
    format,
    unknownFormat: word !== undefined && format === null ? word : null,
  }
}

const ENCODED_GROUP = 3

function fallbackOf(groups: readonly (string | undefined)[]): string | null {
  const encoded = groups[ENCODED_GROUP]
  if (encoded === undefined) return groups.find((one) => one !== undefined) ?? null
  return encoded.replace(/&(amp|lt|gt|#39|nbsp);/g, (_, name: string) => ENTITIES[name] ?? '')
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', '#39': "'", nbsp: ' ' }

function blankPieceAt(text: string, at: number): Extract<Piece, { kind: 'blank' }> | null {
  const blank = blankAt(text, at)
  return blank && { kind: 'blank', ...blank }
}

/** Every placeholder of a text, in order. */
export function placeholdersIn(text: string): Placeholder[] {
  return text.includes('{') ? readPieces(text).filter((piece) => piece.kind === 'placeholder') : []
}

/** True if the text has neither a placeholder nor a blank. */
export function isLiteral(text: string): boolean {
  return readPieces(text).every(({ kind }) => kind === 'text')
}

/** Is there a blank to fill in? Such a rule cannot be switched on; the text is checked once the blank is filled in. */
export function isOpen(text: string): boolean {
  return openBlanks(text).length > 0
}

/** The labels of open blanks, each once. */
export function openBlanks(text: string): string[] {
  if (!text.includes('[[')) return []
  return [...new Set(readPieces(text).flatMap((piece) => (piece.kind === 'blank' ? [piece.label] : [])))]
}

/** Fills in the blanks that have an answer, once; the others stay. */
export function fillBlanks(text: string, answers: Readonly<Record<string, string>>): string {
  if (!text.includes('[[')) return text
  return replaceBlanks(text, (label) => ownValue(answers, label) ?? null)
}
