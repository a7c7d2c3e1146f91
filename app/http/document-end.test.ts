import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { createElement } from 'react'
import { renderToPipeableStream } from 'react-dom/server'
import { expect, test } from 'vitest'
import { documentEnd } from './document-end.server.ts'

async function through(chunks: readonly Buffer[]): Promise<string> {
  return (await buffer(Readable.from(chunks).pipe(documentEnd()))).toString('utf8')
}

/** The bytes, cut after these many each. */
function cut(text: string, lengths: readonly number[]): Buffer[] {
  const chunks: Buffer[] = []
  let rest = Buffer.from(text)
  for (const length of lengths) {
    chunks.push(rest.subarray(0, length))
    rest = rest.subarray(length)
  }
  return [...chunks, rest]
}

test('what the framework writes behind the document stands in its body', async () => {
  expect(await through([Buffer.from('<html><body>é</body></html>'), Buffer.from('<script>1</script>')])).toBe(
    '<html><body>é<script>1</script></body></html>',
  )
})

test('wherever the stream is cut, and however much comes behind', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('</body></html>')),
      fc.array(fc.constantFrom('<script>1</script>', '<!--/$-->', 'é')),
      fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 30 }),
      async (page, behind, lengths) => {
        const sent = `${page}</body></html>${behind.join('')}`
        expect(await through(cut(sent, lengths))).toBe(`${page}${behind.join('')}</body></html>`)
      },
    ),
    { numRuns: 200 },
  )
})

test('what has no such end is left as it is', async () => {
  for (const text of ['', 'plain', '<html><body>cut off</bo', '</body></html']) {
    expect(await through(cut(text, [2, 2]))).toBe(text)
  }
})

test('what React draws is passed on as it was written, wherever its blocks of bytes end', async () => {
  // In small pieces, as they share a block; each begins a byte later than the one before.
  const rows = Array.from({ length: 400 }, (_, index) => `${'.'.repeat(index)}“א🔧–`)
  const drawn = renderToPipeableStream(rows.map((row) => createElement('p', { key: row }, row)))
  const html = (await buffer(drawn.pipe(documentEnd()))).toString('utf8')
  expect(html).toBe(rows.map((row) => `<p>${row}</p>`).join(''))
})
