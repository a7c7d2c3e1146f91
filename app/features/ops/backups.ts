// The format of a backup, how to find backups in the storage, and which ones to keep.
import { z } from 'zod'
import type { RunOfBackup } from '#app/domain/operations.ts'
import type { Millis } from '../../lib/clock.ts'
import { days, hours } from '../../lib/duration.ts'

export const MANIFEST = 'manifest.json'

/** Written last and signed. A backup without a manifest does not exist. */
const manifestSchema = z.object({
  format: z.literal(1),
  product: z.literal('fieldhook'),
  version: z.string(),
  /** Address of the product that made it: backups of other products are never removed. */
  origin: z.string(),
  /** The time of the copy. */
  takenAt: z.number(),
  /** Number of migrations in its schema. */
  migrations: z.number(),
  /** Size of the database file before compression. */
  bytes: z.number(),
  pages: z.number(),
  sha256: z.string(),
  newestEventAt: z.number().nullable(),
  rows: z.record(z.string(), z.number()),
  /** Joined in this order, they form one age file. */
  parts: z.array(z.object({ name: z.string(), bytes: z.number(), sha256: z.string() })).min(1),
})

export type Manifest = z.infer<typeof manifestSchema>

/** The text of a manifest file: the readable manifest, and a keyed hash of its compact form. */
export function manifestText(manifest: Manifest, sign: (text: string) => string): string {
  return `${JSON.stringify({ manifest, signature: sign(JSON.stringify(manifest)) }, null, 2)}\n`
}

type ReadManifest =
  | { outcome: 'ours'; manifest: Manifest }
  /** Not signed with any of our keys, or changed. */
  | { outcome: 'not_ours' }

export function readManifest(text: string, isSigned: (text: string, signature: string) => boolean): ReadManifest {
  try {
    const found = z.object({ manifest: z.unknown(), signature: z.string() }).parse(JSON.parse(text))
    if (!isSigned(JSON.stringify(found.manifest), found.signature)) return { outcome: 'not_ours' }
    return { outcome: 'ours', manifest: manifestSchema.parse(found.manifest) }
  } catch {
    return { outcome: 'not_ours' }
  }
}

/** `fieldhook-20261122T031500Z-4f0e93`: the names sort by time. */
export function backupName(takenAt: Millis, mark: string): string {
  const moment = new Date(takenAt).toISOString().replace(/[-:]|\.\d+/g, '')
  return `fieldhook-${moment}-${mark}`
}

/** The time in a backup's name; null = not one of our names. */
export function momentOfName(name: string): Millis | null {
  const [, year, month, day, hour, minute, second] =
    /^fieldhook-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-[0-9a-f]+$/.exec(name) ?? []
  if (!year) return null
  const at = Date.UTC(+year, Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second))
  return Number.isNaN(at) ? null : at
}

export function partName(index: number): string {
  return `part-${String(index + 1).padStart(4, '0')}.age`
}

interface ListedFile {
  name: string
  bytes: number
  storedAt: Millis
}

export interface ListedBackup {
  name: string
  takenAt: Millis
  /** File names, without the backup's name. */
  files: string[]
  bytes: number
  complete: boolean
  newestFileAt: Millis
}

/** Groups the stored files into backups, newest first. Ignores files that are not ours. */
export function listedBackups(files: readonly ListedFile[]): ListedBackup[] {
  const found = new Map<string, ListedBackup>()
  for (const file of files) {
    const [name = '', own = ''] = file.name.split('/')
    const takenAt = momentOfName(name)
    if (takenAt === null) continue
    const backup = found.get(name) ?? { name, takenAt, files: [], bytes: 0, complete: false, newestFileAt: 0 }
    backup.files.push(own)
    backup.bytes += file.bytes
    backup.complete ||= own === MANIFEST
    backup.newestFileAt = Math.max(backup.newestFileAt, file.storedAt)
    found.set(name, backup)
  }
  return [...found.values()].sort((a, b) => b.takenAt - a.takenAt || (a.name < b.name ? 1 : -1))
}

const EVERY_ONE_FOR = hours(24)
const DAILY_FOR = days(30)
const MONTHS = 12
const LEFTOVER_AFTER = days(1)

/**
 * Selects the backups to keep: all of the last 24 hours, the last of each day of the last 30 days, the last of each of
 * the last 12 months, and the newest whatever its age. Days and months in UTC. A time ahead of the clock counts as now.
 */
export function keepBackups<One extends { takenAt: Millis }>(list: readonly One[], now: Millis): Set<One> {
  const newestFirst = [...list].sort((a, b) => b.takenAt - a.takenAt)
  const kept = new Set(newestFirst.slice(0, 1))
  const seenDays = new Set<string>()
  const seenMonths = new Set<string>()
  const oldestMonth = new Date(now)
  const firstMonth = new Date(
    Date.UTC(oldestMonth.getUTCFullYear(), oldestMonth.getUTCMonth() - MONTHS + 1, 1),
  ).getTime()
  for (const one of newestFirst) {
    const day = new Date(one.takenAt).toISOString().slice(0, 10)
    const month = day.slice(0, 7)
    const age = now - one.takenAt
    const lastOfDay = !seenDays.has(day) && age <= DAILY_FOR
    const lastOfMonth = !seenMonths.has(month) && one.takenAt >= firstMonth
    if (age <= EVERY_ONE_FOR || lastOfDay || lastOfMonth) kept.add(one)
    seenDays.add(day)
    seenMonths.add(month)
  }
  return kept
}

/** Files of uploads that broke off at least a day ago: no process still writes to them. */
export function leftovers(list: readonly ListedBackup[], now: Millis): ListedBackup[] {
  return list.filter((one) => !one.complete && now - Math.max(one.newestFileAt, one.takenAt) > LEFTOVER_AFTER)
}

/** Free bytes a backup needs beside the database: the copy, one part at a time, and a reserve for the product. */
export function roomForBackup(databaseBytes: number, partBytes: number): number {
  return databaseBytes + partBytes + 64 * 1024 * 1024
}

/** Free bytes a restore needs: the file, one part, and space for a check's sorting or for the started copy. */
export function roomForRestore(manifest: Pick<Manifest, 'bytes' | 'parts'>): number {
  return manifest.bytes + Math.max(...manifest.parts.map((part) => part.bytes)) + 128 * 1024 * 1024
}

export function noRoomSentence(what: string, free: number, needed: number): string {
  return `There is no room for ${what}: ${megabytes(free)} MB are free and ${megabytes(needed)} MB are needed.`
}

/** Differences between the copy and the manifest. Empty = none. */
export function differences(
  manifest: Manifest,
  copy: { pages: number; migrations: number; newestEventAt: Millis | null; rows: Readonly<Record<string, number>> },
): string[] {
  const found: string[] = []
  const compare = (what: string, is: unknown, should: unknown) => {
    if (is !== should) found.push(`The copy has ${String(is)} ${what} and the manifest says ${String(should)}.`)
  }
  compare('pages', copy.pages, manifest.pages)
  compare('migrations', copy.migrations, manifest.migrations)
  for (const [table, rows] of Object.entries(manifest.rows)) compare(`rows of ${table}`, copy.rows[table], rows)
  if (copy.newestEventAt !== manifest.newestEventAt) found.push('The newest event is not the one of the manifest.')
  return found
}

const FRESH_WITHIN = hours(2)

/** Null = it was made less than two hours before the live file's newest event, however old its own newest one is. */
export function staleSentence(takenAt: Millis, live: Millis | null): string | null {
  if (live === null || live - takenAt < FRESH_WITHIN) return null
  return `The newest backup is ${Math.round((live - takenAt) / hours(1))} hours older than the newest event: backups are not being made as often as they should be.`
}

type RunSeen = Pick<RunOfBackup, 'outcome' | 'startedAt' | 'message'>

/** Longer than any backup or drill takes. */
const NEVER_LONGER = hours(6)

export const ENDED_HALF_WAY = 'It ended half-way: the process that did it is gone.'

/** For display: a run that still counts as running after this long has ended with its process. */
export function shownRun<One extends RunSeen>(run: One, now: Millis): One {
  if (run.outcome !== 'running' || now - run.startedAt < NEVER_LONGER) return run
  return { ...run, outcome: 'failed', message: ENDED_HALF_WAY }
}

export function restoreFirstSentence(file: string, words: string, newest: string): string {
  return `There is no database at ${file}, but ${words} holds backups, the newest ${newest}. Restore it with \`npm run restore\`, or set START_EMPTY=yes to begin with nothing.`
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1024 / 1024)
}
