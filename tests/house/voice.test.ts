// docs/voice.md, checked: no new forbidden turn and no new long sentence in any file. The ceilings may only fall; after
// a merge, `VOICE=write node node_modules/vitest/vitest.mjs run --project unit tests/house/voice.test.ts` notes them.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { judged, type Offence, offencesOfVoice, TURNS } from '#tests/support/voice.ts'

const ROOT = join(import.meta.dirname, '../..')
const CEILINGS = join(ROOT, 'tests/data/voice-ceilings.json')

interface Count {
  turns: number
  long: number
}

const found = offencesOfVoice(ROOT)
const byFile = new Map<string, Offence[]>()
for (const offence of found) byFile.set(offence.file, [...(byFile.get(offence.file) ?? []), offence])

function countOf(offences: readonly Offence[]): Count {
  const turns = offences.filter(({ turn }) => turn !== null).length
  return { turns, long: offences.length - turns }
}

if (process.env.VOICE === 'write') {
  const counts = [...byFile].sort(([a], [b]) => (a < b ? -1 : 1)).map(([file, offences]) => [file, countOf(offences)])
  writeFileSync(CEILINGS, `${JSON.stringify(Object.fromEntries(counts), null, 2)}\n`)
}

const ceilings = JSON.parse(readFileSync(CEILINGS, 'utf8')) as Record<string, Count>

test('no file has more of them than its ceiling allows', () => {
  const over = [...byFile].flatMap(([file, offences]) => {
    const { turns, long } = countOf(offences)
    const most = ceilings[file] ?? { turns: 0, long: 0 }
    if (turns <= most.turns && long <= most.long) return []
    const lines = offences.map(({ line, turn, sentence }) => `  ${line}: ${turn ?? 'over 12 words'}: ${sentence}`)
    return [`${file}: ${turns} turns (at most ${most.turns}), ${long} long (at most ${most.long})\n${lines.join('\n')}`]
  })
  expect(over, 'docs/voice.md has the rules').toEqual([])
})

test('every ceiling is of a file that still has some', () => {
  expect(Object.keys(ceilings).filter((file) => !byFile.has(file))).toEqual([])
})

describe('the judge', () => {
  test.each([
    ['Your failed deliveries stand here.', ['stand here']],
    ['Everything is as it comes.', ['as it comes']],
    ['We retry it by itself.', ['by itself']],
    ['The owner is told at once.', ['is told']],
    ['Your address answered 410: what was behind it is gone.', ['what was behind it']],
    ['Reckoned for each time the rule would have looked.', ['would have looked', 'reckoned']],
    ['A check counts as no delivery.', ['counts as']],
    ['The text is kept.', ['is kept']],
    ['Deliveries are kept for 30 days.', []],
    ['Everything goes on at once.', ['goes on']],
    ['We retry automatically.', []],
    ['One two three four five six seven eight nine ten eleven twelve.', []],
    ['One two three four five six seven eight nine ten eleven twelve thirteen.', [null]],
  ])('of %j says %j', (sentence, turns) => {
    expect(judged(sentence)).toEqual(turns)
  })

  test('hears each turn of the list in the page about the voice', () => {
    const page = readFileSync(join(ROOT, 'docs/voice.md'), 'utf8')
    expect(TURNS.filter(({ name }) => !page.includes(`| ${name} |`)).map(({ name }) => name)).toEqual([])
  })
})
