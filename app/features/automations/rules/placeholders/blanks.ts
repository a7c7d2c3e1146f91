// What a template leaves open for its owner to fill in: `[[Business name]]`. Read without looking back, so that no text takes long.

/** A whole text that is one blank: its label. Null = it is something else. */
export function blankLabel(text: string): string | null {
  if (!text.startsWith('[[') || !text.endsWith(']]') || text.length < 5) return null
  const label = text.slice(2, -2).trim()
  return label === '' || label.includes('\n') ? null : label
}

/** Label and surroundings; what is longer is no blank. */
const BLANK = /\[\[([^[\]]{1,200})\]\]/
/** Asked at every `[[` of a text: made once. */
const BLANK_HERE = new RegExp(BLANK, 'y')
const LONGEST_LABEL = 100

/** The blank that begins at this place; null = there is none. */
export function blankAt(text: string, at: number): { written: string; label: string } | null {
  BLANK_HERE.lastIndex = at
  const match = BLANK_HERE.exec(text)
  const label = match && labelIn(match[1] ?? '')
  return match && label ? { written: match[0], label } : null
}

/** Every blank of a text, each as `instead` has it; null = it stays. */
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

/** Nothing but blanks in it: open all the same. */
function labelIn(inside: string): string | null {
  const label = inside.trim() || ' '
  return label.length > LONGEST_LABEL || label.includes('\n') ? null : label
}
