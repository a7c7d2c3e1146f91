import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { referenceView } from '#app/features/reference/reference-view.ts'
import { ReferencePage } from '#app/features/reference/ui/reference-page.tsx'
import { REFERENCE } from '../api/calls.server.ts'

const HTML = renderToStaticMarkup(<ReferencePage {...referenceView(REFERENCE, 'https://fieldhook.example.com')} />)
const all = (shape: RegExp) => [...HTML.matchAll(shape)].map(([, found]) => found ?? '')

test('every call has a place of its own, and every way inside the page leads somewhere', () => {
  const ids = all(/ id="([^"]+)"/g)
  expect(new Set(ids).size).toBe(ids.length)
  expect(REFERENCE.operations.filter(({ id }) => !ids.includes(id))).toEqual([])
  expect(all(/ href="#([^"]+)"/g).filter((target) => !ids.includes(target))).toEqual([])
})

test('it has one small script, and an example that can be copied for every call', () => {
  expect(all(/<script ([^>]*)>/g)).toEqual(['src="/copy-code.js" defer=""'])
  const commands = all(/<code class="font-mono text-dense">(curl [^<]+)</g)
  expect(commands.length).toBe(REFERENCE.operations.length)
  expect(
    commands.filter(
      (command) =>
        !command.includes('https://fieldhook.example.com/api/') ||
        /[:{}]\w+\/|undefined/.test(command.split('&#x27;')[1]?.replace('https:', '') ?? ''),
    ),
  ).toEqual([])
})

test('tables have headings, and say which fields are required', () => {
  expect(HTML.match(/<table aria-label="[^"]+"/g)?.length).toBe(HTML.match(/<thead/g)?.length)
  expect(HTML).toContain('<b>callback_url</b>')
  expect(HTML).toContain('<b>accountUUID</b><i>required</i>')
})
