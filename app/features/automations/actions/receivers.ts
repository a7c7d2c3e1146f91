// The receivers of a message: several in one field, separated and checked.

const EMAIL = /^[^\s@<>,;"()[\]\\]+@[^\s@<>,;"()[\]\\.]+(\.[^\s@<>,;"()[\]\\.]+)+$/
const LONGEST_EMAIL = 254

/** Splits at commas, semicolons and line ends. */
export function splitReceivers(field: string): string[] {
  return splitOutside(field, /[,;\r\n]/)
}

/**
 * Splits a text at separators, but not inside a placeholder (`{x or "a, b"}`). Call it before values are filled in, so
 * that a value cannot add a receiver or a row.
 */
export function splitOutside(text: string, separator: RegExp): string[] {
  const parts: string[] = []
  let part = ''
  let depth = 0
  for (const character of text) {
    if (character === '{') depth += 1
    if (character === '}') depth = Math.max(0, depth - 1)
    if (depth === 0 && separator.test(character)) {
      parts.push(part)
      part = ''
    } else part += character
  }
  parts.push(part)
  return parts.map((one) => one.trim()).filter((one) => one !== '')
}

/** The bare address of `Name <a@b.c>` or of `a@b.c`; null when it is none. Ignores everything after the first line. */
export function readEmail(text: string): string | null {
  const [line = ''] = text.trim().split(/[\r\n]/)
  const address = (/<([^<>]+)>\s*$/.exec(line)?.[1] ?? line).trim().replace(/^mailto:/i, '')
  return EMAIL.test(address) && address.length <= LONGEST_EMAIL ? address : null
}

/** Removes repeated addresses or numbers, ignoring case; keeps the order. */
export function distinct(values: readonly string[]): string[] {
  const seen = new Set<string>()
  return values.filter((value) => {
    const key = value.toLowerCase()
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}
