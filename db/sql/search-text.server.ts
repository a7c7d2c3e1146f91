// What people search for, in columns: the letters A–Z may be small or large, apostrophes straight or curly, and between
// words may be several spaces or a new line.
import { foldedForSearch } from '#app/lib/plain-text.ts'

/** Each counts as a space: as a text has it, and as JSON writes it. */
const BLANKS = ['\n', '\r', '\t', '\\n', '\\r', '\\t']
/** Three times: eight spaces become one. */
const DOUBLE = ['  ', '  ', '  ']

const spacedOnce = (text: string) =>
  [...BLANKS, ...DOUBLE].reduce((sql, blank) => `replace(${sql}, '${blank}', ' ')`, text)

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
