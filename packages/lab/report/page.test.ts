import { expect, test } from 'vitest'
import { CATALOG, type CatalogEntry } from './catalog.ts'
import { commandLine, type Recorded, withPart } from './figures.ts'
import { proofPage } from './page.ts'

const ENTRY: CatalogEntry = {
  name: 'crash',
  title: 'kill -9 loses nothing',
  command: 'prove:crash',
  args: [],
  says: 'The server is ended without warning.',
  minutes: 3,
  quiet: false,
}
const FOUND: Recorded = {
  name: 'crash',
  command: 'npm run prove:crash -- --rounds 200 --seed 7',
  date: '2026-11-22T03:40:12.000Z',
  seconds: 1880,
  commit: '7222ddf5cc2c',
  changed: false,
  machine: { processor: 'A Processor', cores: 2, memoryGiB: 24, system: 'Linux 6', fsyncP50Ms: 2.5 },
  versions: { node: 'v20.20.2', sqlite: '3.53.2' },
  othersBusy: 0.43,
  faults: [],
  figures: [
    { name: 'kills', value: 200, group: 'At random moments' },
    { name: 'acknowledged and lost', value: 0, bar: '0', met: true, group: 'At random moments' },
    { name: 'growth', value: 12_345.6789, unit: 'MB', bar: 'flat' },
  ],
}
const page = (found: Recorded[], entry = ENTRY) => proofPage([entry], found).markdown

test('a section shows the command, the moment, the machine, how busy it was, and every figure beside its bar', () => {
  const text = page([FOUND])
  expect(text).toContain('```sh\nnpm run prove:crash -- --rounds 200 --seed 7\n```')
  expect(text).toContain(
    'Measured on 2026-11-22 at 03:40 UTC in 31 min, at commit 7222ddf5cc2c, on: A Processor, 2 cores',
  )
  expect(text).toContain('Other programs used 43 % of the processors meanwhile.')
  expect(text).toContain('| **At random moments** | | | |\n| kills | 200 |  |  |')
  expect(text).toContain('| acknowledged and lost | 0 | 0 | yes |')
  expect(text).toContain('| growth | 12,345.679 MB | flat | not judged |')
  expect(text).toContain('**Held.** The figure with a bar meets it.')
})

test('what was not run says so, in the table of contents too', () => {
  const text = page([])
  expect(text).toContain('| [kill -9 loses nothing](#kill--9-loses-nothing) | not run yet |  |')
  expect(text).toContain('Not run yet: `npm run prove:crash`.')
})

test('a missed bar says so plainly', () => {
  const missed = { ...FOUND, figures: [{ name: 'p99', value: 80, unit: 'ms', bar: '50 ms or less', met: false }] }
  const text = page([missed])
  expect(text).toContain('| **1 bar missed** |')
  expect(text).toContain('- p99: 80 ms, the bar is 50 ms or less')
  expect(text).toContain('| p99 | 80 ms | 50 ms or less | **no** |')
})

test('a proof that did not hold says what went wrong', () => {
  const text = page([{ ...FOUND, faults: ['3 acknowledged events are lost'] }])
  expect(text).toContain('| **did not hold** |')
  expect(text).toContain('**Did not hold:**\n\n- 3 acknowledged events are lost')
})

test('speeds measured on a busy machine are called that', () => {
  expect(page([FOUND], { ...ENTRY, quiet: true })).toContain('these are speeds, and the machine was not quiet')
  expect(page([{ ...FOUND, othersBusy: 0.04 }], { ...ENTRY, quiet: true })).not.toContain('not quiet')
})

test('a figure cannot break the table or add marks of its own', () => {
  const text = page([{ ...FOUND, figures: [{ name: 'a | b', value: '<img>\nx' }] }])
  expect(text).toContain('| a \\| b | &lt;img> x |')
})

test('pictures have their names from the proof, and figures of an unknown one are shown at the end', () => {
  const chart = { kind: 'bars', id: 'speed', title: 'Speed', says: 's', x: { name: 'n', unit: '' }, bars: [] } as const
  const made = proofPage([ENTRY], [FOUND, { ...FOUND, name: 'other', charts: [{ ...chart, bars: [] }] }])
  expect(made.pictures.map(({ file }) => file)).toEqual(['images/proof-other-speed.svg'])
  expect(made.markdown).toContain('![Speed](images/proof-other-speed.svg)')
  expect(made.markdown.indexOf('## other')).toBeGreaterThan(made.markdown.indexOf('## kill -9'))
})

test('every proof of the catalogue has a name and a title of its own', () => {
  expect(new Set(CATALOG.map(({ name }) => name)).size).toBe(CATALOG.length)
  expect(new Set(CATALOG.map(({ title }) => title)).size).toBe(CATALOG.length)
})

test('a command line leaves out what was not asked for', () => {
  expect(commandLine('bench', { quick: false, soak: '60s', only: undefined })).toBe('npm run bench -- --soak 60s')
  expect(commandLine('bench', { quick: true })).toBe('npm run bench -- --quick')
  expect(commandLine('prove:guard')).toBe('npm run prove:guard')
})

test('a part that was run alone takes its place in the record, with its own moment and command', () => {
  const part: Recorded = {
    ...FOUND,
    command: 'npm run prove:crash -- --scenario random',
    date: '2026-11-28T05:00:00.000Z',
    commit: 'df144e64aaaa',
    figures: [{ name: 'kills', value: 10, group: 'At random moments' }],
  }
  const whole = { ...FOUND, notes: ['On two cores.'] }
  const once = withPart(whole, part)
  expect(once).toEqual({
    ...whole,
    figures: [...part.figures, { name: 'growth', value: 12_345.6789, unit: 'MB', bar: 'flat' }],
    notes: [
      'On two cores.',
      'Measured apart: “At random moments”, on 2026-11-28, at commit df144e64aaaa, with `npm run prove:crash -- --scenario random`.',
    ],
  })
  expect(withPart(once, part)).toEqual(once)
  expect(withPart(whole, { ...part, faults: ['lost one'] }).faults).toEqual(['lost one'])
  expect(() => withPart({ ...whole, faults: ['lost one'] }, part)).toThrow('Record the whole proof first.')
})
