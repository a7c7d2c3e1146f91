// What a proof or a bench leaves behind when it is asked to (`-- --record`): its figures in docs/proof/<name>.json, beside when,
// where and with which command they were found. `npm run prove -- --page` makes docs/proof.md from all of them.
import { execFileSync } from 'node:child_process'
import { closeSync, fsyncSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { cpus, release, tmpdir, totalmem, type } from 'node:os'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { machineMs, ownMs } from './processor-time.ts'

export interface Figure {
  /** For a reader: "acknowledged and lost". */
  name: string
  /** Numbers are rounded by whoever knows how exact they are. */
  value: number | string
  /** "ms", "events/s", "MB"; none for what is counted. */
  unit?: string
  /** What it must be, in words: "0", "under 1 MB/min". */
  bar?: string
  /** Whether it is. None without a bar, or where the run was too short to judge. */
  met?: boolean
  /** Heading of the part of the proof that it belongs to. */
  group?: string
}

export interface Axis {
  name: string
  unit: string
}

interface Picture {
  /** Part of the picture's file name: "memory". */
  id: string
  title: string
  /** What is seen, in a sentence, for those who do not see it. */
  says: string
  /** A level that must not be passed. */
  bar?: { name: string; value: number }
}

/** What goes on over time. Points are in order of x. */
export interface LineChart extends Picture {
  kind: 'lines'
  x: Axis
  y: Axis
  lines: { name: string; points: [x: number, y: number][] }[]
}

/** One measure of several things, one below the other. */
export interface BarChart extends Picture {
  kind: 'bars'
  x: Axis
  bars: { name: string; value: number }[]
}

export type Chart = LineChart | BarChart

export interface Findings {
  /** As somebody repeats it: see `commandLine`. */
  command: string
  figures: Figure[]
  /** What did not hold, a sentence each. None = it passed. */
  faults: string[]
  charts?: Chart[]
  /** What else a reader must know, a sentence each. */
  notes?: string[]
}

export interface Recorded extends Findings {
  name: string
  /** Of its end, ISO 8601 UTC. */
  date: string
  seconds: number
  /** Of the code that was tried; null outside a repository. `changed` = there was more than that commit. */
  commit: string | null
  changed: boolean
  machine: { processor: string; cores: number; memoryGiB: number; system: string; fsyncP50Ms: number }
  versions: { node: string; sqlite: string }
  /** What other programs took of all cores meanwhile, 0 to 1; null where the system does not tell. */
  othersBusy: number | null
}

const begun = { at: performance.now(), machine: machineMs(), own: ownMs() }

/** `commandLine('prove:crash', { rounds: 200, seed: 7 })`; a value of `true` is a flag alone, `false` and `undefined` are left out. */
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
 * Writes docs/proof/<name>.json below the working folder when the run was started with `--record`; else does nothing. Call it once,
 * at the end, before children that did the work are forgotten by the system. How busy others were counts from the loading of this
 * module.
 *
 * @param name "soak": lower case, as in packages/lab/report/catalog.ts, which gives it its place on the page
 */
export function recordFigures(name: string, findings: Findings): void {
  if (!isRecording()) return
  const folder = resolve('docs/proof')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${name}.json`)
  writeFileSync(file, textOf(recordOf(name, findings)))
  console.log(`Recorded in docs/proof/${name}.json`)
}

/** Readable in a difference of two commits, with the points of a line on one line. */
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

/** Where things lay on the machine that measured is nobody's business. */
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

/** What one sync of 4 KB costs in the folder where proofs keep their files. */
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

/** Four digits are more than a picture shows. */
function roundChart(chart: Chart): Chart {
  const round = (value: number) => Number(value.toPrecision(4))
  if (chart.kind === 'bars')
    return { ...chart, bars: chart.bars.map(({ name, value }) => ({ name, value: round(value) })) }
  return {
    ...chart,
    lines: chart.lines.map((line) => ({ ...line, points: line.points.map(([x, y]) => [round(x), round(y)]) })),
  }
}
