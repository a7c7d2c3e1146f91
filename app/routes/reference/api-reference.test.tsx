import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { referenceIndex, referencePart } from '#app/features/reference/reference-pages.ts'
import { GENERAL_PARTS, REFERENCE_PARTS, SUBJECTS } from '#app/features/reference/reference-places.ts'
import { referenceView } from '#app/features/reference/reference-view.ts'
import { ReferenceIndexPage } from '#app/features/reference/ui/reference-index.tsx'
import { ReferencePage } from '#app/features/reference/ui/reference-page.tsx'
import { REFERENCE } from '../api/calls.server.ts'

const VIEW = referenceView(REFERENCE, 'https://fieldhook.example.com')
const INDEX = renderToStaticMarkup(<ReferenceIndexPage {...referenceIndex(VIEW)} />)
const PAGES = new Map(REFERENCE_PARTS.map((part) => [part, htmlOf(part)]))

function htmlOf(name: string): string {
  const part = referencePart(VIEW, name)
  if (part === null) throw new Error(`no page ${name}`)
  return renderToStaticMarkup(<ReferencePage part={part} />)
}

const all = (html: string, shape: RegExp) => [...html.matchAll(shape)].map(([, found]) => found ?? '')
const idsOf = (html: string) => all(html, / id="([^"]+)"/g)
const wordsOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .split(/\s+/)
    .filter(Boolean).length

test('every subject of the calls has an address, and no other', () => {
  expect(VIEW.groups.map(({ anchor }) => anchor)).toEqual([...SUBJECTS])
  expect(referencePart(VIEW, 'nonsense')).toBeNull()
  expect(referencePart(VIEW, '')).toBeNull()
})

describe('the index', () => {
  test('has a line for each call, which leads to its place', () => {
    const lines = new Map(
      [...INDEX.matchAll(/<a id="([^"]+)" href="\/api-reference\/([^"#]+)#?([^"]*)"/g)].map(
        ([, id = '', page = '', anchor = '']) => [id, { page, anchor }],
      ),
    )
    for (const { id } of REFERENCE.operations) {
      const { page = '', anchor } = lines.get(id) ?? {}
      expect([id, anchor, idsOf(PAGES.get(page) ?? '').includes(id)]).toEqual([id, id, true])
    }
  })

  test('has each anchor of the reference while it was one page, and each leads somewhere', () => {
    const ids = idsOf(INDEX)
    expect(new Set(ids).size).toBe(ids.length)
    const before = [...VIEW.groups, ...VIEW.types, ...VIEW.groups.flatMap(({ calls }) => calls)].map(
      (one) => one.anchor,
    )
    expect([...before, 'general', 'forward', 'other-addresses'].filter((anchor) => !ids.includes(anchor))).toEqual([])
    for (const [, page = '', anchor = ''] of INDEX.matchAll(/href="\/api-reference\/([^"#]+)#?([^"]*)"/g)) {
      expect([page, anchor === '' || idsOf(PAGES.get(page) ?? '').includes(anchor)]).toEqual([page, true])
    }
  })

  test('is short: a line a call, and one small script', () => {
    expect(wordsOf(INDEX)).toBeLessThanOrEqual(900)
    expect(all(INDEX, /<script ([^>]*)>/g)).toEqual(['src="/reference-places.js" defer=""'])
  })
})

describe('a page', () => {
  test('has each id once, and its links within it lead somewhere', () => {
    for (const [name, html] of PAGES) {
      const ids = idsOf(html)
      expect([name, ids.length - new Set(ids).size]).toEqual([name, 0])
      expect([name, all(html, / href="#([^"]+)"/g).filter((target) => !ids.includes(target))]).toEqual([name, []])
    }
  })

  test('stays bounded: none has more than a third of all words', () => {
    const words = [...PAGES.values()].map(wordsOf)
    expect(Math.max(...words)).toBeLessThan(words.reduce((sum, count) => sum + count, 0) / 3)
  })

  test('has one small script, and an example that can be copied for every call', () => {
    const html = [...PAGES.values()].join('')
    expect(new Set(all(html, /<script ([^>]*)>/g))).toEqual(new Set(['src="/copy-code.js" defer=""']))
    const commands = all(html, /<code class="font-mono text-dense">(curl [^<]+)</g)
    expect(commands.length).toBe(REFERENCE.operations.length)
    expect(
      commands.filter(
        (command) =>
          !command.includes('https://fieldhook.example.com/api/') ||
          /[:{}]\w+\/|undefined/.test(command.split('&#x27;')[1]?.replace('https:', '') ?? ''),
      ),
    ).toEqual([])
  })

  test('has tables with headings, which say what is required, and shows all of it in print', () => {
    const html = PAGES.get('webhooks') ?? ''
    expect(html.match(/<table aria-label="[^"]+"/g)?.length).toBe(html.match(/<thead/g)?.length)
    expect(html).toContain('<b>callback_url</b>')
    expect(html).toContain('<b>accountUUID</b><i>required</i>')
    for (const [name, page] of PAGES)
      expect([name, page.startsWith('<div class="printed-whole">')]).toEqual([name, true])
  })

  test('calls its parts Request, Response, Errors and Example', () => {
    const html = PAGES.get('webhooks') ?? ''
    for (const word of ['Request', 'Response', 'Errors', 'Example']) expect(html).toContain(`>${word}<`)
    expect(html).not.toMatch(/>(Refused|Answered|What it looks like|Sent)</)
  })

  test('about all calls has no call of its own', () => {
    for (const part of GENERAL_PARTS) expect(PAGES.get(part)).not.toContain('<article')
  })
})
