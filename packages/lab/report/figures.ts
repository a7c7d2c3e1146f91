// The output of a proof or bench with `-- --record`: its figures in docs/proof/<name>.json, with the date, machine and
// command. `npm run prove -- --page` makes docs/proof.md from all of them.
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { cpus, release, tmpdir, totalmem, type } from 'node:os'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { machineMs, ownMs } from './processor-time.ts'

export interface Figure {
  /** For a reader: "acknowledged and lost". */
  name: string
  /** Numbers are rounded by the caller, who knows their precision. */
  value: number | string
  /** "ms", "events/s", "MB"; missing for counts. */
  unit?: string
  /** The required value, in words: "0", "under 1 MB/min". */
  bar?: string
  /** Whether the bar is met. Missing without a bar, or when the run was too short to judge. */
  met?: boolean
  /** Heading of its part of the proof. */
  group?: string
}

export interface Axis {
  name: string
  unit: string
}

interface Picture {
  /** Part of the chart's file name: "memory". */
  id: string
  title: string
  /** Text alternative, one sentence. */
  says: string
  /** A level that must not be exceeded. */
  bar?: { name: string; value: number }
}

/** Values over time. Points are sorted by x. */
export interface LineChart extends Picture {
  kind: 'lines'
  x: Axis
  y: Axis
  lines: { name: string; points: [x: number, y: number][] }[]
}

/** One measure of several things, one bar below the other. */
export interface BarChart extends Picture {
  kind: 'bars'
  x: Axis
  bars: { name: string; value: number }[]
}

export type Chart = LineChart | BarChart

export interface Findings {
  /** The command that repeats it: see `commandLine`. */
  command: string
  figures: Figure[]
  /** Failures, one sentence each. Empty = it passed. */
  faults: string[]
  charts?: Chart[]
  /** Notes for the reader, one sentence each. */
  notes?: string[]
  /** Only some groups of the proof were run: they replace theirs in the record, which stays as it is otherwise. */
  part?: boolean
}

export interface Recorded extends Omit<Findings, 'part'> {
  name: string
  /** End of the run, ISO 8601 UTC. */
  date: string
  seconds: number
  /** Commit of the tested code; null outside a repository. `changed` = there were uncommitted changes. */
  commit: string | null
  changed: boolean
  machine: { processor: string; cores: number; memoryGiB: number; system: string; fsyncP50Ms: number }
  versions: { node: string; sqlite: string }
  /** Share of all cores used by other programs meanwhile, 0 to 1; null where the system has no figure. */
  othersBusy: number | null
}

const begun = { at: performance.now(), machine: machineMs(), own: ownMs() }

/** `commandLine('prove:crash', { rounds: 200, seed: 7 })`; `true` gives a bare flag, `false` and `undefined` none. */
export function commandLine(
  script: string,
  options: Record<string, string | number | boolean | undefined> = {},
): string {
  const words = Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined || value === false) return []
    return value === true ? [`--${name}`] : [`--${name} ${value}`]
  })
  return [`npm run ${script}`, ...(words.length > 0 ? ['--', ...words] : [])].join(' ')
}

/** Whether this run was started with `--record` (see scripts/record-flag.mjs). */
export function isRecording(): boolean {
  return process.env.PROOF_RECORD === 'yes'
}

/**
 * Writes docs/proof/<name>.json below the working folder when the run was started with `--record`; otherwise does
 * nothing. Call it once, at the end, before the system forgets the children that did the work. The share of other
 * programs is measured from the loading of this module.
 *
 * @param name "soak": lower case, as in packages/lab/report/catalog.ts, which gives it its place on the page
 */
export function recordFigures(name: string, findings: Findings): void {
  if (!isRecording()) return
  const folder = resolve('docs/proof')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${name}.json`)
  const record = recordOf(name, findings)
  writeFileSync(file, textOf(findings.part && existsSync(file) ? withPart(readRecord(file), record) : record))
  console.log(`Recorded in docs/proof/${name}.json`)
}

function readRecord(file: string): Recorded {
  return JSON.parse(readFileSync(file, 'utf8'))
}

/**
 * The record with the groups of `part` in place of its own, and a note of when and how they were measured.
 *
 * @throws when the record holds faults: nobody could tell which of them the part has removed
 */
export function withPart(whole: Recorded, part: Recorded): Recorded {
  if (whole.faults.length > 0) throw new Error('The record did not hold. Record the whole proof first.')
  const groups = [...new Set(part.figures.map(({ group }) => group ?? ''))]
  const ofGroup = (group: string) => part.figures.filter((one) => (one.group ?? '') === group)
  const kept = [...new Set(whole.figures.map(({ group }) => group ?? ''))]
  const figures = [...new Set([...kept, ...groups])].flatMap((group) =>
    groups.includes(group) ? ofGroup(group) : whole.figures.filter((one) => (one.group ?? '') === group),
  )
  const noted = (group: string) => `Measured apart: “${group}”`
  const older = (whole.notes ?? []).filter((note) => groups.every((group) => !note.startsWith(noted(group))))
  const at = `on ${part.date.slice(0, 10)}${part.commit ? `, at commit ${part.commit}` : ''}`
  const newer = groups.map(
    (group) => `${noted(group)}, ${at}${part.changed ? ' with changes on top' : ''}, with \`${part.command}\`.`,
  )
  return { ...whole, figures, faults: part.faults, notes: [...older, ...newer] }
}

/** Formatted for readable diffs, with the points of a line on one line. */
function textOf(recorded: Recorded): string {
  const text = JSON.stringify(recorded, null, 2)
  return `${text.replace(/"points": \[(?:\s*\[[^\]]*\],?)*\s*\]/g, (points) => points.replace(/\s+/g, ' '))}\n`
}

function recordOf(name: string, findings: Findings): Recorded {
  const { at, machine, own } = begun
  const ms = performance.now() - at
  const others = busyShare(ms, machine, own)
  const { figures, faults, charts, notes, command } = findings
  return {
    name,
    command,
    date: new Date().toISOString(),
    seconds: Math.round(ms / 1000),
    ...commitOf(),
    machine: {
      processor: cpus()[0]?.model.trim() || 'unknown processor',
      cores: cpus().length,
      memoryGiB: Math.round(totalmem() / 2 ** 29) / 2,
      system: `${type()} ${release()}`,
      fsyncP50Ms: fsyncP50Ms(),
    },
    versions: { node: process.version, sqlite: sqliteVersion() },
    othersBusy: others,
    faults: faults.map(withoutPlaces),
    figures: figures.map((one) => ({
      ...one,
      value: typeof one.value === 'string' ? withoutPlaces(one.value) : one.value,
    })),
    ...(charts && { charts: charts.map(roundChart) }),
    ...(notes && notes.length > 0 && { notes: notes.map(withoutPlaces) }),
  }
}

/** Removes the measuring machine's own paths. */
function withoutPlaces(text: string): string {
  return text.replaceAll(process.cwd(), '.').replaceAll(tmpdir(), '…')
}

function busyShare(ms: number, machineBefore: number | null, ownBefore: number | null): number | null {
  const [machineNow, ownNow] = [machineMs(), ownMs()]
  if (machineBefore === null || ownBefore === null || machineNow === null || ownNow === null) return null
  const others = machineNow - machineBefore - (ownNow - ownBefore)
  return Math.round(Math.min(1, Math.max(0, others / (ms * cpus().length))) * 100) / 100
}

function commitOf(): Pick<Recorded, 'commit' | 'changed'> {
  const git = (...args: string[]) =>
    execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    return {
      commit: git('rev-parse', '--short=12', 'HEAD'),
      changed: git('status', '--porcelain', '--', ':!docs') !== '',
    }
  } catch {
    return { commit: null, changed: false }
  }
}

/** The cost of one 4 KB sync in the folder where proofs keep their files. */
function fsyncP50Ms(): number {
  const folder = mkdtempSync(join(tmpdir(), 'fieldhook-fsync-'))
  const file = openSync(join(folder, 'file'), 'w')
  try {
    const page = Buffer.alloc(4096, 1)
    const took = Array.from({ length: 41 }, () => {
      const began = performance.now()
      writeSync(file, page)
      fsyncSync(file)
      return performance.now() - began
    })
    return Math.round((took.sort((a, b) => a - b)[20] ?? Number.NaN) * 100) / 100
  } finally {
    closeSync(file)
    rmSync(folder, { recursive: true, force: true })
  }
}

function sqliteVersion(): string {
  const sql = new Database(':memory:')
  try {
    return sql.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? ''
  } finally {
    sql.close()
  }
}

/** A chart shows no more than four digits. */
function roundChart(chart: Chart): Chart {
  const round = (value: number) => Number(value.toPrecision(4))
  if (chart.kind === 'bars')
    return { ...chart, bars: chart.bars.map(({ name, value }) => ({ name, value: round(value) })) }
  return {
    ...chart,
    lines: chart.lines.map((line) => ({ ...line, points: line.points.map(([x, y]) => [round(x), round(y)]) })),
  }
}
