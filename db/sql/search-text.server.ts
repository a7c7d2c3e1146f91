// What people search for, in columns: the letters A–Z may be small or large, apostrophes straight or curly, and between
// words may be several spaces or a new line.
import { foldedForSearch } from '#app/lib/plain-text.ts'

/** Each counts as a space: as a text has it, as JSON writes it, and those that do not break. */
const BLANKS = ['\n', '\r', '\t', '\\n', '\\r', '\\t', '\u00a0', '\u202f']
/** Any number of spaces becomes one: each a pair of signs that no text has, without what lies between two pairs. */
const TO_ONE = [
  [' ', '\u0001\u0002'],
  ['\u0002\u0001', ''],
  ['\u0001\u0002', ' '],
]

const spacedOnce = (text: string) =>
  [...BLANKS.map((blank) => [blank, ' ']), ...TO_ONE].reduce(
    (sql, [from, to]) => `replace(${sql}, '${from}', '${to}')`,
    text,
  )

/** Does the column contain @text, which `likeText` made? Only a text with its words in this order is worth folding. */
export function contains(column: string): string {
  const plain = `replace(replace(lower(${column}), '’', ''''), '‘', '''')`
  return `(${plain} LIKE replace(@text, ' ', '%') ESCAPE '~'
    AND (instr(@text, ' ') = 0 OR ${spacedOnce(plain)} LIKE ${spacedOnce('@text')} ESCAPE '~'))`
}

/** Escapes the wildcards of LIKE. */
export function likeText(text: string): string {
  return `%${foldedForSearch(text).replace(/[~%_]/g, '~$&')}%`
}
