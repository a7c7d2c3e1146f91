// Collects the facts that `npm run doctor` judges. Reads the database without changing it; disk tests run in a
// temporary folder.
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import type { Keyring } from '#app/adapters/secret-box.ts'
import { ConfigurationError, type Env, readEnv } from '#app/boot/env.server.ts'
import { readDatabase } from '#app/boot/env-values.server.ts'
import { otherPlatformSentence } from '#app/boot/start-checks.server.ts'
import { POLLED_TYPES } from '#app/domain/object-catalog.ts'
import { quarantineMarker } from '#app/domain/quarantine.ts'
import { sealedPlace } from '#app/domain/sealed-places.ts'
import { doctorLines, examine, exitCodeOf } from '#app/features/ops/doctor.ts'
import type { ConfigurationFacts, ContentFacts, DiskFacts, Facts, FileFacts } from '#app/features/ops/doctor-facts.ts'
import { examineServer, type ServerFacts } from '#app/features/ops/doctor-server.ts'
import { days } from '#app/lib/duration.ts'
import { isFolder } from '#app/lib/folders.server.ts'
import { openServerCheckup } from '#db/postgres/checkup.server.ts'
import { placeOf } from '#db/postgres/server-problems.ts'
import { openCheckup, openingOf, sqliteVersion } from '#db/sqlite/checkup.server.ts'
import { problemOfOpening } from '#db/sqlite/client.server.ts'
import type { FileCheckup, RowCheckup } from '#db/store/checkup.ts'

/** For the whole quick check of the file. */
const LOOK_MS = 3_000
const SYNCS = 50
const SYNC_MS = 2_000
const SAMPLES = 200
const SHORT_TOKEN = 16

export interface DoctorOptions {
  /** Check the whole file, however long it takes. */
  full?: boolean
  /** Print the findings as JSON instead of lines. */
  json?: boolean
  /** The process's environment. */
  source: Record<string, string | undefined>
  /** The project's folder. */
  root?: string
  now?: () => number
}

/** The text to print and the exit code: 1 = something is wrong. */
export async function runDoctor(options: DoctorOptions): Promise<{ text: string; exitCode: 0 | 1 }> {
  const url = options.source.DATABASE_URL?.trim() ?? ''
  const findings = /^postgres(ql)?:/.test(url)
    ? examineServer(await gatherServerFacts(url, options))
    : examine(await gatherFacts(options))
  const text = options.json ? JSON.stringify(findings, null, 2) : doctorLines(findings).join('\n')
  return { text, exitCode: exitCodeOf(findings) }
}

async function gatherFacts(options: DoctorOptions): Promise<Facts> {
  const { full = false, source, root = process.cwd(), now = Date.now } = options
  const read = readConfiguration(source, root)
  // Check the file even if another part of the configuration is wrong.
  const { env } = read
  const databaseFile = env?.databaseFile ?? fileOf(source, root)
  const migrationsFolder = resolve(root, 'db/migrations')
  return {
    now: now(),
    configuration: read.facts,
    node: process.version,
    ...(await lookAt(databaseFile, migrationsFolder, { full, now, env })),
    disk: diskOf(databaseFile, migrationsFolder),
  }
}

async function gatherServerFacts(
  url: string,
  { source, root = process.cwd(), now = Date.now }: DoctorOptions,
): Promise<ServerFacts> {
  const { facts: configuration, env } = readConfiguration(source, root)
  const facts = { now: now(), configuration, node: process.version }
  const problems: string[] = []
  readDatabase({ DATABASE_URL: url }, root, problems)
  if (problems.length > 0) return { ...facts, server: null }
  const checkup = openServerCheckup(url, resolve(root, 'db/migrations-postgres'))
  try {
    const figures = await checkup.figures(now)
    const schema = await checkup.schema().catch((error: unknown) => ({ refused: sentenceOf(error) }))
    const isOurs = !figures.refused && !('refused' in schema) && schema.pending === 0
    const server: ServerFacts['server'] = {
      outcome: 'opened',
      figures,
      schema,
      otherPlatform: isOurs ? otherPlatform(await checkup.belongsTo(), placeOf(url), env) : null,
      held: isOurs && (await checkup.isHeld()),
      running: isOurs && (await checkup.isOwned(now())),
      content: isOurs ? await contentOf(checkup.rows, now(), env?.encKeys ?? null) : null,
    }
    return { ...facts, server }
  } catch (error) {
    return { ...facts, server: { outcome: 'unreachable', sentence: sentenceOf(error) } }
  } finally {
    await checkup.close()
  }
}

export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function readConfiguration(
  source: DoctorOptions['source'],
  root: string,
): { facts: ConfigurationFacts; env: Env | null } {
  try {
    const env = readEnv(source, root, false)
    const facts: ConfigurationFacts = {
      outcome: 'complete',
      platform: env.platform,
      origin: env.origin,
      listensToAll: env.host === '0.0.0.0' || env.host === '::',
      trustProxy: env.trustProxy,
      admins: env.adminAccounts.size,
      metricsToken: env.metricsToken === null ? 'none' : env.metricsToken.length < SHORT_TOKEN ? 'short' : 'set',
      backups: env.backups !== null,
      payments: env.stripe !== null,
      hold: env.hold,
      maxDbMb: env.maxDbMb,
    }
    return { facts, env }
  } catch (error) {
    const problems = error instanceof ConfigurationError ? error.problems : [String(error)]
    return { facts: { outcome: 'wrong', problems }, env: null }
  }
}

/** The file of the settings, or where it usually is. */
function fileOf(source: DoctorOptions['source'], root: string): string {
  const DATA_FOLDER = source.DATA_FOLDER?.trim() || undefined
  const named = readDatabase({ DATABASE_URL: source.DATABASE_URL?.trim() || undefined, DATA_FOLDER }, root, [])
  return named.databaseFile || readDatabase({ DATA_FOLDER }, root, []).databaseFile
}

async function lookAt(
  path: string,
  migrationsFolder: string,
  { full, now, env }: { full: boolean; now: () => number; env: Env | null },
): Promise<{ file: FileFacts; sqlite: string }> {
  const sqlite = sqliteVersion()
  // A folder: the configuration's finding says so.
  if (!existsSync(path) || isFolder(path)) return { file: { outcome: 'missing', path }, sqlite }
  let checkup: FileCheckup | null = null
  try {
    checkup = openCheckup(path, migrationsFolder)
    // The look only reads; the start writes.
    accessSync(path, constants.R_OK | constants.W_OK)
    const until = now() + LOOK_MS
    const schema = checkup.schema()
    const { fileBytes, freeBytes, walBytes } = checkup.space()
    const integrity = checkup.integrity(full, () => now() > until)
    const isOurs = !schema.newer && schema.pending === 0 && integrity.problems.length === 0
    const file: FileFacts = {
      outcome: 'opened',
      path,
      ...checkup.promises(),
      schema,
      integrity,
      bytes: { file: fileBytes, free: freeBytes, wal: walBytes },
      otherPlatform: otherPlatform(checkup.belongsTo(), path, env),
      held: existsSync(quarantineMarker(path)),
      running: await checkup.isOwned(now()),
      content: isOurs ? await contentOf(checkup.rows(), now(), env?.encKeys ?? null) : null,
    }
    return { file, sqlite }
  } catch (error) {
    // Damage shows wherever it is read first.
    const sentence = `The database ${path} cannot be read: ${sentenceOf(error)}.`
    const problem = problemOfOpening(error, path) ?? { sentence, next: 'Until then Fieldhook does not start.' }
    return { file: { outcome: 'unreadable', path, ...problem }, sqlite }
  } finally {
    checkup?.close()
  }
}

/** The sentence of the start. */
function otherPlatform(belongsTo: Env['platform'] | null, name: string, env: Env | null): string | null {
  const isOther = env && belongsTo && belongsTo !== env.platform
  return isOther ? otherPlatformSentence({ belongsTo, name }, env.platform) : null
}

async function contentOf(checkup: RowCheckup, now: number, encKeys: string | null): Promise<ContentFacts> {
  const backlog = await checkup.backlog(now)
  const sum = ({ live, replay, by_hand }: typeof backlog.pending) => live + replay + by_hand
  const secrets = encKeys === null ? null : createSecretBox(encKeys, keysToRead(checkup))
  const missing = secrets ? (await checkup.keyUses()).filter(({ keyId }) => !secrets.keyNames.includes(keyId)) : []
  const samples = secrets && missing.length === 0 ? await checkup.samples(SAMPLES) : []
  let shut = 0
  for (const { accountUuid, accessTokenSealed } of samples) {
    try {
      await secrets?.open(sealedPlace('access_token', accountUuid), accessTokenSealed)
    } catch {
      shut += 1
    }
  }
  return {
    oldestDueSince: backlog.oldestDueSince,
    waiting: sum(backlog.pending),
    held: sum(backlog.held),
    oldestRunDueSince: backlog.oldestRunDueSince,
    oldestScheduleDueSince: backlog.oldestScheduleDueSince,
    subscriptions: await checkup.subscriptions(now, POLLED_TYPES),
    connections: await checkup.connections(),
    endpoints: await checkup.endpoints(),
    mailEnds: await checkup.mailEnds(now - days(1)),
    missingKeys: missing,
    opened: secrets ? { tried: samples.length, shut } : null,
    backup: await checkup.backupRuns('backup'),
    drill: await checkup.backupRuns('drill'),
  }
}

/** Reads account keys and never creates one. */
export function keysToRead(checkup: Pick<RowCheckup, 'findKey'>): Keyring {
  return {
    find: (accountUuid) => checkup.findKey(accountUuid),
    async keep() {
      throw new Error('a checkup makes no keys')
    },
    onForgotten() {},
  }
}

function diskOf(databaseFile: string, migrationsFolder: string): DiskFacts {
  let folder = dirname(databaseFile)
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
  const { bsize, blocks, bavail } = statfsSync(folder)
  const facts = {
    folder,
    freeBytes: bsize * bavail,
    totalBytes: bsize * blocks,
    ballastBytes: statSync(`${databaseFile}.ballast`, { throwIfNoEntry: false })?.size ?? 0,
  }
  let scratch: string | null = null
  try {
    scratch = mkdtempSync(join(folder, '.doctor-'))
    return { ...facts, sync: syncsIn(scratch), opens: openingOf(join(scratch, 'trial.db'), migrationsFolder) }
  } catch {
    // Not ours, read-only or full: reported as a finding.
    return { ...facts, sync: null, opens: null }
  } finally {
    if (scratch) rmSync(scratch, { recursive: true, force: true })
  }
}

/** Measures writes like those of events: append to a file and wait for the sync. */
function syncsIn(folder: string): { median: number; slowest: number; times: number } {
  const page = Buffer.alloc(4096, 'x')
  const handle = openSync(join(folder, 'sync'), 'w')
  const times: number[] = []
  try {
    const began = performance.now()
    while (times.length < SYNCS && performance.now() - began < SYNC_MS) {
      const before = performance.now()
      writeSync(handle, page)
      fsyncSync(handle)
      times.push(performance.now() - before)
    }
  } finally {
    closeSync(handle)
  }
  times.sort((a, b) => a - b)
  return { median: times[Math.floor(times.length / 2)] ?? 0, slowest: times.at(-1) ?? 0, times: times.length }
}
