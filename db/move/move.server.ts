// Copies every table from one database to another, then reads the copy back and compares: count, and a sum of hashes.
import { hash } from 'node:crypto'
import { cannotStart } from '../cannot-start.ts'
import type { MoveSource, MoveTarget, Row } from './sides.ts'
import { movedTables, type Table } from './tables.ts'

interface MovedTable {
  name: string
  rows: number
  /** Of all rows, in whatever order. */
  sum: string
}

export interface Moved {
  tables: MovedTable[]
  rows: number
  /** Of the source, in the form its engine keeps it. */
  bytes: number
  /** Texts with a NUL that the target cannot store: U+FFFD stands there instead. */
  nulTexts: number
  seconds: Record<'copy' | 'check' | 'finish', number>
}

export interface MoveProgress {
  step: 'copy' | 'check'
  table: string
  /** Of the rows to copy and to check. */
  done: number
  all: number
}

/**
 * Moves everything and closes neither side. Rejects before anything is in place when a row is missing or differs.
 *
 * @param now epoch ms, for the mark that holds the target
 */
export async function moveAll(
  source: MoveSource,
  target: MoveTarget,
  { now, tell }: { now: number; tell(progress: MoveProgress): void },
): Promise<Moved> {
  const tables = movedTables()
  const { seconds, timed } = timer()
  let all = 0
  for (const table of tables) all += 2 * (await source.count(table))
  let done = 0
  const telling = (step: MoveProgress['step'], table: Table) => (count: number) => {
    done += count
    tell({ step, table: table.name, done, all })
  }
  let nulTexts = 0
  const copied = new Map<string, RowSum>()
  await timed('copy', async () => {
    for (const table of tables) {
      const found = await copyTable(source, target, table, telling('copy', table))
      nulTexts += found.nulTexts
      copied.set(table.name, found.sum)
    }
    const counters = await source.counters()
    await target.setCounters(counters)
    sameCounters(counters, await target.counters(), target.name)
    const platform = await source.platform()
    if (platform) await target.setPlatform(platform)
  })
  const moved: MovedTable[] = []
  await timed('check', async () => {
    for (const table of tables) {
      const sum = createRowSum()
      const count = telling('check', table)
      for await (const rows of target.rows(table)) {
        for (const row of rows) sum.add(row)
        count(rows.length)
      }
      moved.push(sameRows(table, copied.get(table.name), sum, target.name))
    }
  })
  const bytes = await source.bytes()
  await timed('finish', () => target.finish({ movedFrom: source.name, at: now }))
  return { tables: moved, rows: moved.reduce((sum, { rows }) => sum + rows, 0), bytes, nulTexts, seconds }
}

/** The next rows are read while the last ones are written. */
async function copyTable(source: MoveSource, target: MoveTarget, table: Table, count: (rows: number) => void) {
  const sum = createRowSum()
  let nulTexts = 0
  let writing = Promise.resolve()
  for await (const rows of source.rows(table)) {
    for (const row of rows) {
      if (target.nul !== '\0') nulTexts += replaceNul(row, target.nul)
      sum.add(row)
    }
    await writing
    writing = target.insert(table, rows)
    // It is awaited above or below: until then, nobody may call its failure unhandled.
    writing.catch(() => {})
    count(rows.length)
  }
  await writing
  return { sum, nulTexts }
}

function replaceNul(row: Row, nul: string): number {
  let replaced = 0
  for (let at = 0; at < row.length; at++) {
    const value = row[at]
    if (!value?.includes('\0')) continue
    row[at] = value.replaceAll('\0', nul)
    replaced += 1
  }
  return replaced
}

interface RowSum {
  add(row: Row): void
  rows(): number
  text(): string
}

/** Adds the SHA-256 of each row, eight lanes of 32 bits: the order of the rows does not matter, a doubled one does. */
export function createRowSum(): RowSum {
  const lanes = new Uint32Array(8)
  let rows = 0
  return {
    add(row) {
      const digest = hash('sha256', JSON.stringify(row), 'buffer')
      for (let lane = 0; lane < 8; lane++) lanes[lane] = (lanes[lane] ?? 0) + digest.readUInt32BE(4 * lane)
      rows += 1
    },
    rows: () => rows,
    text: () => [...lanes].map((lane) => lane.toString(16).padStart(8, '0')).join(''),
  }
}

function sameRows(table: Table, copied: RowSum | undefined, found: RowSum, place: string): MovedTable {
  const [rows, sum] = [found.rows(), found.text()]
  if (copied && copied.rows() === rows && copied.text() === sum) return { name: table.name, rows, sum }
  const how = copied?.rows() === rows ? 'with other content' : `${rows} rows instead of ${copied?.rows()}`
  throw cannotStart(`Nothing was put in place: ${table.name} arrived differently at ${place} (${how}). Report this.`)
}

function sameCounters(wanted: ReadonlyMap<string, string>, set: ReadonlyMap<string, string>, place: string): void {
  const wrong = [...wanted].find(([table, highest]) => BigInt(set.get(table) ?? 0) < BigInt(highest))
  if (wrong) throw cannotStart(`Nothing was put in place: ${place} would give an id of ${wrong[0]} twice. Report this.`)
}

function timer() {
  const seconds: Moved['seconds'] = { copy: 0, check: 0, finish: 0 }
  return {
    seconds,
    async timed(step: keyof Moved['seconds'], work: () => Promise<void>): Promise<void> {
      const began = performance.now()
      await work()
      seconds[step] = Math.round(performance.now() - began) / 1000
    },
  }
}
