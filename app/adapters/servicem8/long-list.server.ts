// A long list of the platform, read a piece at a time while it arrives: whoever came meanwhile has a turn between the pieces, and of a
// list of 30 MB no more is in memory than a piece and what is kept of its records.
import { isRecord } from '#app/lib/json.ts'
import { takingTurns } from '#app/lib/turns.server.ts'
import type { PlatformRecord } from '../platform.ts'
import { parseJson } from './servicem8-answer.ts'

/** Characters that are read at once: a few ms. */
const PIECE = 256 * 1024
/** Where one object of a list ends and the next begins. No text can look so: a quotation mark in it has a backslash before it. */
const BETWEEN = /\},\{"\w+":/g
/** A record may have a list of its own in it, which cannot be cut: so many further places are tried. */
const MOST_TRIES = 12

/** Keeps a record as it is. */
export const whole = (record: PlatformRecord): PlatformRecord => record

export interface ListReader {
  /** Takes the text that has arrived and is not read yet; gives back what is still to be read. */
  take(text: string): Promise<string>
  /** The last of the text. Undefined = nothing was read so far: the text is the whole answer. Null = what is left is no list. */
  end(text: string): PlatformRecord[] | null | undefined
}

/** Lists that are short or written otherwise are left alone. `keep`: what is kept of each record. */
export function createListReader(keep: (record: PlatformRecord) => PlatformRecord): ListReader {
  const turn = takingTurns()
  const records: PlatformRecord[] = []
  let begun = false
  /** Length from which on it is tried again. */
  let tryAt = 2 * PIECE

  function read(piece: string): boolean {
    const list = parseJson(`[${piece}]`)
    if (!Array.isArray(list)) return false
    const kept = (list as unknown[]).filter(isRecord).map(keep)
    // Copied: what was cut off a text stays in memory as long as what is left of it.
    records.push(...(keep === whole ? kept : (JSON.parse(JSON.stringify(kept)) as PlatformRecord[])))
    return true
  }

  /** Reads the piece at the beginning. Null = no place to cut was found. */
  function cut(text: string): string | null {
    BETWEEN.lastIndex = PIECE
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const found = BETWEEN.exec(text)
      if (!found) return null
      // Without the list's own bracket, which stands before its first record.
      if (read(text.slice(begun ? 0 : 1, found.index + 1))) return text.slice(found.index + 2)
    }
    return null
  }

  return {
    async take(text) {
      let rest = text
      while (rest.length >= tryAt && (begun || rest.startsWith('[{'))) {
        const left = cut(rest)
        if (left === null) {
          // Twice as far: looking again and again would cost the square of the length.
          tryAt = 2 * rest.length
          break
        }
        begun = true
        tryAt = 2 * PIECE
        rest = left
        await turn()
      }
      return rest
    },
    end(text) {
      if (!begun) return undefined
      const close = text.lastIndexOf(']')
      return close !== -1 && text.slice(close + 1).trim() === '' && read(text.slice(0, close)) ? records : null
    },
  }
}
