// A long list of the platform, read a piece at a time: whoever came meanwhile has a turn between the pieces.
import { takingTurns } from '../lib/turns.server.ts'
import { parseJson } from './servicem8-answer.ts'

/** Characters that are read at once: a few ms. */
const PIECE = 256 * 1024
/** Where one object of a list ends and the next begins. No text can look so: a quotation mark in it has a backslash before it. */
const BETWEEN = /\},\{"\w+":/g
/** A record may have a list of its own in it, which cannot be cut: so many further places are tried. */
const MOST_TRIES = 12

/** Undefined = it is short, or written otherwise: to be read as a whole. */
export async function readLongList(text: string): Promise<unknown[] | undefined> {
  if (text.length < 2 * PIECE || !text.startsWith('[{')) return undefined
  const turn = takingTurns()
  const records: unknown[] = []
  for (let from = 1; from < text.length; ) {
    const piece = readPiece(text, from)
    if (piece === null) return undefined
    for (const record of piece.records) records.push(record)
    from = piece.end + 1
    await turn()
  }
  return records
}

function readPiece(text: string, from: number): { records: unknown[]; end: number } | null {
  BETWEEN.lastIndex = from + PIECE
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const cut = BETWEEN.exec(text)
    const end = cut ? cut.index + 1 : text.lastIndexOf(']')
    const records = parseJson(`[${text.slice(from, end)}]`)
    if (Array.isArray(records)) return { records, end: cut ? end : text.length }
    if (!cut) return null
  }
  return null
}
