// Checks before the database is opened or created.
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { listedBackups, restoreFirstSentence } from '#app/features/ops/backups.ts'
import { NO_BACKUPS } from '#app/features/ops/doctor-facts.ts'
import { seconds } from '#app/lib/duration.ts'
import type { Log } from '#app/lib/log.ts'
import { connectionProblem } from '#db/postgres/server-problems.ts'
import { problemOfOpening } from '#db/sqlite/client.server.ts'
import { type FileLock, inUseLock, takeLock } from '#db/sqlite/file-lock.server.ts'
import type { Cluster } from '#db/store/cluster.ts'
import { placeOf } from './backup-place.server.ts'
import { ConfigurationError, type Env, makeFolder } from './env.server.ts'
import { isGone, processName } from './process-name.server.ts'

/** A storage that does not answer must not block the start. */
const ANSWERS_WITHIN = seconds(5)

/**
 * A new machine with an empty volume must not silently become a second database: with the real platform and existing
 * backups, refuses to start empty.
 * @throws ConfigurationError
 */
export async function refuseEmptyStart(
  env: Pick<Env, 'platform' | 'databaseFile' | 'backups' | 'startEmpty'>,
  log: Log,
  answersWithin = ANSWERS_WITHIN,
): Promise<void> {
  const isThere = (statSync(env.databaseFile, { throwIfNoEntry: false })?.size ?? 0) > 0
  if (isThere || env.platform !== 'servicem8' || !env.backups || env.startEmpty) return
  const place = placeOf(env.backups.to)
  try {
    const files = await place.list(AbortSignal.timeout(answersWithin))
    const [newest] = listedBackups(files).filter((one) => one.complete)
    if (newest) throw new ConfigurationError([restoreFirstSentence(env.databaseFile, place.words, newest.name)])
  } catch (error) {
    if (error instanceof ConfigurationError) throw error
    log.warn({ error, place: place.words }, 'backups.not_asked')
  }
}

/** Warns at the start about problems that would otherwise show when a backup is needed. */
export async function warnOfBackups(
  env: Pick<Env, 'platform' | 'backups' | 'databaseServer'>,
  log: Log,
): Promise<void> {
  if (!env.backups) {
    if (env.platform === 'servicem8' && env.databaseServer === null) log.warn({ sentence: NO_BACKUPS }, 'backups.none')
    return
  }
  const sentence = await placeOf(env.backups.to).trouble()
  if (sentence) log.warn({ sentence }, 'backups.cannot_be_made')
}

/** Warns at the start that /metrics is open to the private network. */
export function warnOfMetrics(env: Pick<Env, 'platform' | 'metricsToken'>, log: Log): void {
  if (env.platform === 'servicem8' && env.metricsToken === null) {
    log.warn({ sentence: OPEN_METRICS }, 'metrics.without_token')
  }
}

const OPEN_METRICS =
  'METRICS_TOKEN is not set: anybody on the private network can read /metrics, and nobody else. Set it to the output of: openssl rand -hex 32'

/**
 * `alone`: no other process has the file. `lock`: null = it cannot be taken (a full disk), and the product still serves.
 * A restore or a move in progress is an error.
 */
export function lockInUse(databaseFile: string, log: Log): { lock: FileLock | null; alone: boolean } {
  makeFolder(dirname(databaseFile))
  const file = inUseLock(databaseFile)
  let alone = true
  try {
    try {
      const first = takeLock(file, 'alone')
      first?.release()
      alone = first !== null
    } catch (error) {
      // Another user's lock can still be held, but does not say who else holds it.
      log.warn({ error }, 'database.lock_not_writable')
    }
    // Another start has the lock for a moment, to see whether it is alone.
    const lock = takeLock(file, 'shared', seconds(1))
    if (!lock)
      throw new ConfigurationError([
        `A restore or a move of ${databaseFile} is under way: start again when it has ended.`,
      ])
    return { lock, alone }
  } catch (error) {
    if (error instanceof ConfigurationError) throw error
    log.warn({ error }, 'database.not_marked_as_in_use')
    return { lock: null, alone: true }
  }
}

/** What a person can mend about the database of an error that nobody expected; null = nothing we know. */
export function problemOf(error: unknown, env: Pick<Env, 'databaseServer' | 'databaseFile'>): string | null {
  const onServer = env.databaseServer === null ? null : connectionProblem(error, env.databaseServer)
  const problem = problemOfOpening(error, env.databaseFile)
  return onServer ?? (problem && `${problem.sentence} ${problem.next}`)
}

/** The sandbox must not serve a database of real accounts (anyone can make its openings), nor the other way round. */
export function otherPlatformSentence(
  { belongsTo, name }: { belongsTo: Env['platform']; name: string },
  platform: Env['platform'],
): string {
  return belongsTo === 'servicem8'
    ? `The database ${name} belongs to real firms, and this start is for the sandbox. Set PLATFORM=servicem8 and its credentials, or name another database in DATABASE_URL.`
    : `The database ${name} belongs to the sandbox, and this start is for PLATFORM=${platform}. Name another database in DATABASE_URL.`
}

export const TWO_ON_A_FILE =
  'Another Fieldhook works with this database. Only one of the two sends: stop the other (docs/operating.md).'

export const SANDBOX_IS_ALONE =
  'The sandbox runs as one instance, and another one already uses this database: stop it first, or name another database in DATABASE_URL. `npm run start:cluster` tries several instances.'

/** A member that is silent for longer does not live. Its beat is every second. ms */
const SILENT_AFTER = 6_000

/**
 * Does another instance live? The sandbox's accounts are in one process: each of two would show another world. Gives
 * signs of its own meanwhile, so that two that start together both notice.
 */
export async function hasLivingMember(
  cluster: Pick<Cluster, 'me' | 'beat'>,
  { forMs = SILENT_AFTER, everyMs = 500 } = {},
): Promise<boolean> {
  const self = processName()
  const others = async () => {
    const { members = [] } = (await cluster.beat(false)) ?? {}
    return members.filter(({ id, process }) => id !== cluster.me && !isGone(process, self))
  }
  const first = new Map((await others()).map(({ id, beats }) => [id, beats]))
  for (let waited = 0; first.size > 0 && waited < forMs; waited += everyMs) {
    await pause(everyMs)
    const now = await others()
    if (now.some(({ id, beats }) => first.get(id) !== beats)) return true
    if (now.length === 0) return false
  }
  return false
}
