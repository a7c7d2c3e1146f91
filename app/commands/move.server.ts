// `npm run move`: opens both databases, copies and compares, and says what to do next.
import { existsSync, realpathSync } from 'node:fs'
import { ConfigurationError, type Env } from '#app/boot/env.server.ts'
import { readDatabase } from '#app/boot/env-values.server.ts'
import { quarantineMarker } from '#app/domain/quarantine.ts'
import { seconds } from '#app/lib/duration.ts'
import { type Moved, type MoveProgress, moveAll } from '#db/move/move.server.ts'
import type { MoveSource, MoveTarget } from '#db/move/sides.ts'
import { identityOfServer, openSourceServer, openTargetServer } from '#db/postgres/move-side.server.ts'
import { openSourceFile, openTargetFile } from '#db/sqlite/move-side.server.ts'

export interface MoveRequest {
  /** `file:…` or `postgres://…`; undefined = the database of the environment. */
  from: string | undefined
  to: string | undefined
}

/** One end of a move. `setting` says where its address stands. */
type Place = { kind: 'file'; file: string; setting: string } | { kind: 'server'; url: string; setting: string }

const TELL_EVERY = seconds(5)

/** Throws sentences for what a person can mend. */
export async function moveDatabase(
  { from, to }: MoveRequest,
  env: Readonly<Env>,
  say: (line: string) => void,
): Promise<void> {
  if (to === undefined) throw new ConfigurationError([USAGE])
  const source = from === undefined ? placeIn(env, 'DATABASE_URL') : placeAt(from, '--from')
  const target = placeAt(to, '--to')
  if (await isSame(source, target)) throw new ConfigurationError(['Source and target are the same database.'])
  const began = performance.now()
  const reading = await openSource(source, env)
  try {
    const writing = await openTarget(target, env)
    try {
      say(`Moving ${reading.name} to ${writing.name}.`)
      const moved = await moveAll(reading, writing, { now: Date.now(), tell: teller(say) })
      for (const line of tableLines(moved)) say(line)
      for (const line of summary(moved, (performance.now() - began) / 1000)) say(line)
      for (const line of nextSteps(reading.name, target)) say(line)
    } finally {
      await writing.close()
    }
  } finally {
    await reading.close()
  }
}

const USAGE =
  'Say where to: npm run move -- --to postgres://user:password@host/database, or --to file:/path/fieldhook.db. --from names another source than DATABASE_URL.'

export function placeIn({ databaseFile, databaseServer }: ReturnType<typeof readDatabase>, setting: string): Place {
  return databaseServer === null
    ? { kind: 'file', file: databaseFile, setting }
    : { kind: 'server', url: databaseServer, setting }
}

function placeAt(address: string, setting: string): Place {
  const problems: string[] = []
  const read = readDatabase({ DATABASE_URL: address }, process.cwd(), problems)
  if (problems.length > 0) throw new ConfigurationError(problems.map((one) => one.replace('DATABASE_URL', setting)))
  return placeIn(read, setting)
}

async function isSame(one: Place, other: Place): Promise<boolean> {
  if (one.kind === 'file' && other.kind === 'file') return realPath(one.file) === realPath(other.file)
  if (one.kind === 'server' && other.kind === 'server') {
    return (await identityOfServer(one)) === (await identityOfServer(other))
  }
  return false
}

function realPath(file: string): string {
  return existsSync(file) ? realpathSync(file) : file
}

/** Throws a sentence while Fieldhook uses it, or when it is of an older release. */
export async function openSource(place: Place, env: Readonly<Env>): Promise<MoveSource> {
  return place.kind === 'file'
    ? openSourceFile({ ...place, migrationsFolder: env.migrationsFolder })
    : openSourceServer({ ...place, migrationsFolder: env.postgresMigrationsFolder })
}

async function openTarget(place: Place, env: Readonly<Env>): Promise<MoveTarget> {
  return place.kind === 'file'
    ? openTargetFile({ ...place, migrationsFolder: env.migrationsFolder, marker: quarantineMarker(place.file) })
    : openTargetServer({ ...place, migrationsFolder: env.postgresMigrationsFolder })
}

/** A line every few seconds, with what is left. */
function teller(say: (line: string) => void): (progress: MoveProgress) => void {
  const began = performance.now()
  let told = began
  return ({ step, table, done, all }) => {
    const now = performance.now()
    if (now - told < TELL_EVERY) return
    told = now
    const left = ((now - began) / 1000) * (all / done - 1)
    say(
      `${step === 'copy' ? 'copying' : 'comparing'} ${table}: ${Math.floor((100 * done) / all)} %, about ${span(left)} left`,
    )
  }
}

function tableLines({ tables }: Moved): string[] {
  const filled = tables.filter(({ rows }) => rows > 0)
  const width = Math.max(0, ...filled.map(({ name }) => name.length))
  return filled.map(({ name, rows, sum }) => `${name.padEnd(width)}  ${number(rows).padStart(12)}  ${sum.slice(0, 16)}`)
}

function summary({ tables, rows, bytes, nulTexts, seconds: took }: Moved, whole: number): string[] {
  const megabytes = bytes / 2 ** 20
  const steps = `copying ${span(took.copy)}, comparing ${span(took.check)}, putting in place ${span(took.finish)}`
  return [
    `${number(rows)} rows of ${tables.length} tables arrived, equal by count and hash.`,
    `${number(megabytes)} MB in ${span(whole)} (${(megabytes / whole).toFixed(1)} MB/s): ${steps}.`,
    ...(nulTexts > 0
      ? [`${number(nulTexts)} texts held a NUL, which PostgreSQL cannot store: U+FFFD stands there.`]
      : []),
  ]
}

function nextSteps(sourceName: string, target: Place): string[] {
  const isFile = target.kind === 'file'
  const address = isFile ? `file:${target.file}` : 'the address of --to'
  return [
    'The target is held, and nothing is sent from it. Next:',
    `1. Set DATABASE_URL to ${address}, with the same ENC_KEYS and SESSION_SECRET.${isFile ? '' : ' Take out the BACKUP_ settings.'}`,
    '2. Start one instance, and look at /operator.',
    '3. Let it go: npm run release -- --yes',
    ...(isFile ? [] : ['4. Start the other instances.']),
    `${isFile ? 4 : 5}. Later, delete the old database, its copies and its backups: they keep the keys of all accounts, and nothing removes them.`,
    `Until step 3 you can go back: start on ${sourceName} again. Never run both.`,
  ]
}

function number(value: number): string {
  return Math.round(value).toLocaleString('en-GB')
}

function span(value: number): string {
  return value < 100 ? `${value.toFixed(value < 10 ? 1 : 0)} s` : `${Math.round(value / 60)} min`
}
