// Reads a long platform list piece by piece while it arrives: other work gets a turn between pieces, and a list of 30
// MB needs memory only for one piece and the kept parts of its records.
import { isRecord, parseJson } from '#app/lib/json.ts'
import { takingTurns } from '#app/lib/turns.server.ts'
import type { PlatformRecord } from '../platform.ts'

/** Characters read at once, about 2 ms: each event on its way waits for a few pieces, at the turns it takes. */
const PIECE = 64 * 1024
/** The boundary between two objects of a list. No text can match: a quotation mark in it has a backslash before it. */
const BETWEEN = /\},\{"\w+":/g
/** A record may contain a list, which cannot be cut: so many further places are tried. */
const MOST_TRIES = 12

/** Keeps the whole record. */
export const whole = (record: PlatformRecord): PlatformRecord => record

export interface ListReader {
  /** Takes the unread text so far; returns the rest that is still to be read. */
  take(text: string): Promise<string>
  /** The last text. Undefined = nothing was read yet: the text is the whole answer. Null = the rest is not a list. */
  end(text: string): PlatformRecord[] | null | undefined
}

/** Ignores lists that are short or in another format. `keep`: reduces each record to the parts to keep. */
export function createListReader(keep: (record: PlatformRecord) => PlatformRecord): ListReader {
  const turn = takingTurns(2)
  const records: PlatformRecord[] = []
  let begun = false
  /** Length at which to try again. */
  let tryAt = 2 * PIECE

  function read(piece: string): boolean {
    const list = parseJson(`[${piece}]`)
    if (!Array.isArray(list)) return false
    const kept = (list as unknown[]).filter(isRecord).map(keep)
    // Copied: a slice keeps the whole original text in memory.
    records.push(...(keep === whole ? kept : (JSON.parse(JSON.stringify(kept)) as PlatformRecord[])))
    return true
  }

  /** Reads the first piece. Null = no place to cut was found. */
  function cut(text: string): string | null {
    BETWEEN.lastIndex = PIECE
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const found = BETWEEN.exec(text)
      if (!found) return null
      // Without the list's own bracket before its first record.
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
          // Twice as far: searching from the start each time would cost the square of the length.
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
