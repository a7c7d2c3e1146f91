import { Transform } from 'node:stream'

const END = '</body></html>'

/**
 * Passes a page on and holds back its end. The framework writes the page's data after the document, which HTML does not
 * allow: browsers move it into the body, so this writes it there in the first place.
 */
export function documentEnd(): Transform {
  /** May be the start of the end tags. */
  let kept = ''
  let ended = false
  return new Transform({
    decodeStrings: false,
    transform(chunk: Buffer | string, _encoding, done) {
      // In Latin-1 each byte is a character: a chunk may end inside a UTF-8 character. React 18 fills a block with zeros
      // where the next character does not fit; a browser would show them, and send them back in a field.
      const bytes = (typeof chunk === 'string' ? Buffer.from(chunk) : chunk).toString('latin1').replaceAll('\0', '')
      const text = kept + bytes
      if (ended) return done(null, Buffer.from(text, 'latin1'))
      const at = text.indexOf(END)
      ended = at !== -1
      const passed = ended
        ? text.slice(0, at) + text.slice(at + END.length)
        : text.slice(0, text.length - partOfEnd(text))
      kept = ended ? '' : text.slice(passed.length)
      done(null, Buffer.from(passed, 'latin1'))
    },
    flush(done) {
      done(null, ended ? END : Buffer.from(kept, 'latin1'))
    },
  })
}

/** How many trailing characters may be the start of the end tags. */
function partOfEnd(text: string): number {
  for (let length = Math.min(END.length - 1, text.length); length > 0; length--) {
    if (END.startsWith(text.slice(-length))) return length
  }
  return 0
}
