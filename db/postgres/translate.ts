// From the spelling that `db/sql` uses to PostgreSQL's. Only words and marks change, never the meaning: everything else
// is written so that both engines know it.

interface Translated {
  /** With `$1`, `$2` … for the values. */
  text: string
  /** The name of each value, in order; empty = values are bound by position. */
  names: readonly string[]
}

/** Strings, quoted identifiers and comments are kept; names of values, words and marks are looked at. */
const TOKEN = /'(?:[^']|'')*'|"[^"]*"|--[^\n]*|@\w+|\?|\w+/g

/** An alias such as `accountUuid`: without quotes, PostgreSQL would make it lower case. */
const CAMEL_CASE = /^[a-z]\w*[A-Z]/

/** Translates a statement. Values by name and by position cannot be mixed. */
export function translate(sql: string): Translated {
  const names: string[] = []
  let positions = 0
  const text = withoutIndexNames(sql).replace(TOKEN, (token) => {
    if (token.startsWith('@')) return `$${placeOf(names, token.slice(1))}`
    if (token === '?') return `$${++positions}`
    if (token === 'rowid') return 'ctid'
    return CAMEL_CASE.test(token) ? `"${token}"` : token
  })
  return { text: text.startsWith('insert into') ? asInsert(text) : text, names }
}

/** PostgreSQL takes no advice about indexes. */
function withoutIndexNames(sql: string): string {
  return sql.replace(/ INDEXED BY \w+/g, '')
}

function placeOf(names: string[], name: string): number {
  const known = names.indexOf(name)
  return known === -1 ? names.push(name) : known + 1
}

/** The query builder writes `null` where a column is not given, which an identity refuses, and names conflicts in full. */
function asInsert(text: string): string {
  return text
    .replace(/ values (.*?)(?= on conflict| returning|$)/s, (values) => values.replace(/\bnull\b/g, 'default'))
    .replace(/on conflict \(([^)]*)\)/, (target) => target.replace(/"\w+"\./g, ''))
}
