// What people search for, in columns: the letters A–Z may be small or large, and apostrophes straight or curly.
import { foldedForSearch } from '#app/lib/plain-text.ts'

/** Does the column contain @text, which `likeText` made? */
export const contains = (column: string) =>
  `replace(replace(lower(${column}), '’', ''''), '‘', '''') LIKE @text ESCAPE '~'`

/** Escapes the wildcards of LIKE. Between words, the stored text may have several spaces or a new line. */
export function likeText(text: string): string {
  return `%${foldedForSearch(text).replace(/[~%_]/g, '~$&').replaceAll(' ', '%')}%`
}
