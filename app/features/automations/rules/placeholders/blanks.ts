// Blanks of a template for its owner to fill in: `[[Business name]]`. Reading them never backtracks, so it stays fast.

/** The label of a text that is one whole blank. Null = it is not. */
export function blankLabel(text: string): string | null {
  if (!text.startsWith('[[') || !text.endsWith(']]') || text.length < 5) return null
  const label = text.slice(2, -2).trim()
  return label === '' || label.includes('\n') ? null : label
}

/** Label and surrounding spaces; anything longer is not a blank. */
const BLANK = /\[\[([^[\]]{1,200})\]\]/
/** Created once, because it is used at every `[[` of a text. */
const BLANK_HERE = new RegExp(BLANK, 'y')
const LONGEST_LABEL = 100

/** The blank that starts at this position; null = none. */
export function blankAt(text: string, at: number): { written: string; label: string } | null {
  BLANK_HERE.lastIndex = at
  const match = BLANK_HERE.exec(text)
  const label = match && labelIn(match[1] ?? '')
  return match && label ? { written: match[0], label } : null
}

/** Replaces every blank with the result of `instead`; null keeps it. */
export function replaceBlanks(text: string, instead: (label: string) => string | null): string {
  return text.replace(new RegExp(BLANK, 'g'), (written, inside: string) => {
    const label = labelIn(inside)
    return (label && instead(label)) ?? written
  })
}

/** The labels in a text, in order. */
export function blanksIn(text: string): string[] {
  return [...text.matchAll(new RegExp(BLANK, 'g'))].flatMap(([, inside = '']) => labelIn(inside) ?? [])
}

/** A label of only spaces is still an open blank. Null = no valid label. */
function labelIn(inside: string): string | null {
  const label = inside.trim() || ' '
  return label.length > LONGEST_LABEL || label.includes('\n') ? null : label
}
