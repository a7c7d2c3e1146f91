import { Transform } from 'node:stream'

const END = '</body></html>'

/**
 * Passes a page on and keeps its end for last. The framework writes the page's data behind the document, where HTML allows nothing:
 * browsers repair that by putting it into the body, which is where it then stands from the beginning.
 */
export function documentEnd(): Transform {
  /** What may be the beginning of the end. */
  let kept = ''
  let ended = false
  return new Transform({
    decodeStrings: false,
    transform(chunk: Buffer | string, _encoding, done) {
      if (ended) return done(null, chunk)
      // In Latin-1 each byte is a character: a chunk may end in the middle of one of UTF-8.
      const text = kept + (typeof chunk === 'string' ? Buffer.from(chunk) : chunk).toString('latin1')
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

/** How many characters at the end of the text may be the beginning of the end. */
function partOfEnd(text: string): number {
  for (let length = Math.min(END.length - 1, text.length); length > 0; length--) {
    if (END.startsWith(text.slice(-length))) return length
  }
  return 0
}
