// What a person sees of a form before they open anything: its words, the choices of its lists included, and its controls.

const CONTROLS = 'input, select, textarea, button, summary, a[href]'

/** Leaves out what is hidden, and what stands in a closed part. Counts like a reader without styles. */
export function seenOf(form: Element): { words: number; controls: number; text: string } {
  const copy = form.cloneNode(true) as Element
  for (const closed of copy.querySelectorAll('details:not([open])')) {
    for (const child of [...closed.children]) if (child.tagName !== 'SUMMARY') child.remove()
  }
  for (const hidden of copy.querySelectorAll('[hidden], input[type=hidden], [aria-hidden=true], .sr-only')) {
    hidden.remove()
  }
  const text = [...wordsOf(copy)].join(' ')
  return { words: text.split(/\s+/).filter(Boolean).length, controls: copy.querySelectorAll(CONTROLS).length, text }
}

function* wordsOf(node: Node): Generator<string> {
  for (const child of node.childNodes) {
    if (child.nodeType === 3) yield child.textContent ?? ''
    else yield* wordsOf(child)
  }
}
