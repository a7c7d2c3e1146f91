// Makes docs/proof.md from the recorded figures: what is shown, the bar, whether it is met, and how to repeat it.
import type { CatalogEntry } from './catalog.ts'
import { chartSvg } from './chart.ts'
import type { Figure, Recorded } from './figures.ts'

/** Above this share of the processors used by others, a speed is not what the machine can do. */
const QUIET = 0.1

export interface ProofPage {
  markdown: string
  /** `file` is relative to docs/. */
  pictures: { file: string; svg: string }[]
}

interface Section {
  entry: CatalogEntry
  recorded: Recorded | null
}

/** In the order of the catalogue; unknown names come last. */
export function proofPage(catalog: readonly CatalogEntry[], found: readonly Recorded[]): ProofPage {
  const byName = new Map(found.map((one) => [one.name, one]))
  const unknown = found.filter(({ name }) => !catalog.some((entry) => entry.name === name))
  const sections: Section[] = [
    ...catalog.map((entry) => ({ entry, recorded: byName.get(entry.name) ?? null })),
    ...unknown.map((recorded) => ({ entry: entryOf(recorded), recorded })),
  ]
  const pictures = sections.flatMap(({ recorded }) => (recorded ? picturesOf(recorded) : []))
  const markdown = [
    '# Proof',
    '',
    'Every figure here was measured by a command of this repository and written down by that command, with the moment, the machine and how busy it was. Each section begins with the command, so that a sceptic can repeat it. A figure that misses its bar says so. `npm run prove` runs all of them, one after the other; with `--record`, each also runs alone and leaves its figures in `docs/proof/`.',
    '',
    '<!-- Made by `npm run prove -- --page` from docs/proof/*.json. A change by hand is lost. -->',
    '',
    '| Proof | Verdict | Measured |',
    '| --- | --- | --- |',
    ...sections.map(
      ({ entry, recorded }) =>
        `| [${entry.title}](#${anchorOf(entry.title)}) | ${recorded ? shortVerdict(recorded) : 'not run yet'} | ${recorded ? dayOf(recorded.date) : ''} |`,
    ),
    '',
    ...sections.flatMap(sectionLines),
  ]
  return { markdown: `${markdown.join('\n').trimEnd()}\n`, pictures: pictures.map(({ file, svg }) => ({ file, svg })) }
}

function sectionLines({ entry, recorded }: Section): string[] {
  const head = [`## ${entry.title}`, '', entry.says, '']
  if (!recorded) return [...head, `Not run yet: \`npm run ${entry.command}\`.`, '']
  return [
    ...head,
    '```sh',
    recorded.command,
    '```',
    '',
    circumstances(recorded, entry.quiet),
    '',
    ...verdictLines(recorded),
    '',
    ...tableLines(recorded.figures),
    '',
    ...(recorded.notes ?? []).flatMap((note) => [cell(note), '']),
    ...picturesOf(recorded).flatMap(({ file, title }) => [`![${title}](${file})`, '']),
  ]
}

/** Date, machine, and other programs' load. */
function circumstances(recorded: Recorded, wantsQuiet: boolean): string {
  const { date, seconds, commit, changed, machine, versions, othersBusy } = recorded
  const when = `Measured on ${dayOf(date)} at ${date.slice(11, 16)} UTC in ${durationText(seconds)}`
  const what = commit === null ? '' : `, at commit ${commit}${changed ? ' with changes on top' : ''}`
  const where = `${machine.processor}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.system}, Node ${versions.node}, SQLite ${versions.sqlite}; one sync of 4 KB took ${machine.fsyncP50Ms} ms (median)`
  const share = othersBusy === null ? null : Math.round(othersBusy * 100)
  const beside =
    share === null
      ? ''
      : ` Other programs used ${share} % of the processors meanwhile${wantsQuiet && share > QUIET * 100 ? ': these are speeds, and the machine was not quiet' : ''}.`
  return `${when}${what}, on: ${where}.${beside}`
}

function verdictLines(recorded: Recorded): string[] {
  const missed = missedOf(recorded)
  if (recorded.faults.length === 0 && missed.length === 0) return [`**Held.** ${heldWords(recorded)}`]
  const sentences = [
    ...recorded.faults,
    // The proof's own faults already name the figure.
    ...(recorded.faults.length > 0
      ? []
      : missed.map(({ name, value, unit, bar }) => `${name}: ${valueText(value, unit)}, the bar is ${bar}`)),
  ]
  const word = recorded.faults.length > 0 ? '**Did not hold:**' : `**${countOf(missed.length)} missed:**`
  return [word, '', ...sentences.slice(0, 12).map((one) => `- ${cell(one)}`)]
}

function shortVerdict(recorded: Recorded): string {
  if (recorded.faults.length > 0) return '**did not hold**'
  const missed = missedOf(recorded)
  return missed.length > 0 ? `**${countOf(missed.length)} missed**` : 'held'
}

function heldWords({ figures }: Recorded): string {
  const barred = figures.filter(({ met }) => met !== undefined).length
  return barred === 0
    ? 'None of its figures has a bar.'
    : barred === 1
      ? 'The figure with a bar meets it.'
      : `All ${barred} figures with a bar meet it.`
}

function missedOf({ figures }: Recorded): Figure[] {
  return figures.filter(({ met }) => met === false)
}

function countOf(count: number): string {
  return count === 1 ? '1 bar' : `${count} bars`
}

function tableLines(figures: readonly Figure[]): string[] {
  const lines = ['| Figure | Value | Bar | Met |', '| --- | --- | --- | --- |']
  let group: string | undefined
  for (const figure of figures) {
    if (figure.group !== group && figure.group !== undefined) lines.push(`| **${cell(figure.group)}** | | | |`)
    group = figure.group
    const { name, value, unit, bar, met } = figure
    const verdict = met === undefined ? (bar === undefined ? '' : 'not judged') : met ? 'yes' : '**no**'
    lines.push(`| ${cell(name)} | ${cell(valueText(value, unit))} | ${cell(bar ?? '')} | ${verdict} |`)
  }
  return lines
}

function valueText(value: number | string, unit: string | undefined): string {
  const text = typeof value === 'number' ? value.toLocaleString('en-GB', { maximumFractionDigits: 3 }) : value
  return unit ? `${text} ${unit}` : text
}

function picturesOf({ name, charts = [] }: Recorded): { file: string; title: string; svg: string }[] {
  return charts.map((chart) => {
    const id = `proof-${name}-${chart.id}`
    return { file: `images/${id}.svg`, title: chart.title, svg: chartSvg(chart, id) }
  })
}

/** Escapes a figure, so that it cannot change the table's or the page's markup. */
function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll('<', '&lt;')
}

/** As GitHub derives it from a heading. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-')
}

function dayOf(date: string): string {
  return date.slice(0, 10)
}

function durationText(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
}

function entryOf({ name, command }: Recorded): CatalogEntry {
  const script = command.split(' ')[2] ?? name
  return { name, title: name, command: script, args: [], says: '', minutes: 0, quiet: false }
}
