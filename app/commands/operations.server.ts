// Long: every command of one built file, build/operations.js, which takes less memory. `npm run backup`, `restore`, `drill`, `move`…
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createBackupSeal, newBackupKey } from '#app/adapters/backup-seal.server.ts'
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import { placeOf } from '#app/boot/backup-place.server.ts'
import { type Env, readEnv } from '#app/boot/env.server.ts'
import { WITH_THE_KEY } from '#app/boot/env-stripe.server.ts'
import { readDatabase, SERVER_MAKES_BACKUPS } from '#app/boot/env-values.server.ts'
import { problemOf } from '#app/boot/start-checks.server.ts'
import { tokenPlace } from '#app/domain/credential.ts'
import { quarantineMarker, waitingSentence } from '#app/domain/quarantine.ts'
import { plural } from '#app/domain/time/moments.ts'
import { type BackupParts, BackupTrouble, findBackups } from '#app/features/ops/backup-work.server.ts'
import { ENDED_HALF_WAY, shownRun } from '#app/features/ops/backups.ts'
import { drillBackup } from '#app/features/ops/drill-backup.server.ts'
import { type OperationAnswer, rowOf } from '#app/features/ops/operation-answer.ts'
import { type RestoredBackup, restoreBackup } from '#app/features/ops/restore-backup.server.ts'
import { takeBackup } from '#app/features/ops/take-backup.server.ts'
import { BACKUP_VARIABLES } from '#app/lib/backup-settings.ts'
import { iso } from '#app/lib/clock.ts'
import { systemClock } from '#app/lib/clocks.server.ts'
import { isFolder, makeFolders } from '#app/lib/folders.server.ts'
import { connectPostgres, migrateServer } from '#db/postgres/client.server.ts'
import { serverHold } from '#db/postgres/hold.server.ts'
import { placeOf as placeOfServer } from '#db/postgres/server-problems.ts'
import { openBackupStore } from '#db/sqlite/backup-store.server.ts'
import { openCheckup } from '#db/sqlite/checkup.server.ts'
import { databaseFiles, withReadOnly } from '#db/sqlite/database-files.server.ts'
import { inUseLock, takeBackupLock, takeLock } from '#db/sqlite/file-lock.server.ts'
import { fileHold } from '#db/sqlite/hold.server.ts'
import type { BackupRunKind } from '#db/store/backups.ts'
import packageJson from '../../package.json'
import { keysToRead, sentenceOf } from './doctor.server.ts'
import { type CommandInput, explained } from './explained.server.ts'
import { moveDatabase } from './move.server.ts'

// biome-ignore lint/performance/noBarrelFile: this is the entry of the built file, and its scripts find what they call here.
export { connectionProblem } from '#db/postgres/server-problems.ts'
export { eraseCommand, lostKeyCommand } from './accounts.server.ts'

export interface DrillInput extends CommandInput {
  /** Starts the built product with these variables and checks `/readyz`. Null = ready; else how it failed. */
  startWith(variables: Record<string, string>): Promise<string | null>
}

const KEPT_RUNS = 500
const BUSY = 'Another backup or drill of this database is under way.'
const NOT_OF_A_COPY =
  'This is a restored or moved copy. A backup of it would count as the newest: first `npm run release -- --yes`.'
const HOLD_IS_SET = 'HOLD=yes is set: remove it and apply that (docs/operating.md, section 8).'
const NO_PLACE = 'BACKUP_TO is not set: it says where backups are (docs/backups.md).'

/** `[--list] [--new-key] [--json]` */
export function backupCommand(input: CommandInput): Promise<number> {
  return explained(input, async ({ say }) => {
    const { values } = parseArgs({
      args: input.args,
      options: { list: { type: 'boolean' }, 'new-key': { type: 'boolean' }, json: { type: 'boolean' } },
    })
    if (values['new-key']) {
      const { identity, recipient } = await newBackupKey()
      say(`# public key: ${recipient}`)
      say(identity)
      return 0
    }
    const env = input.env ?? readEnv()
    const parts = await partsOf(env)
    if (values.list) return list(parts, env, say)
    if (existsSync(quarantineMarker(env.databaseFile))) throw new BackupTrouble(NOT_OF_A_COPY)
    return recorded('backup', env, { ...input, json: values.json === true }, async () => {
      const {
        seconds,
        parts: count,
        removed,
        untidy,
        ...taken
      } = await takeBackup(parts, {
        databaseFile: env.databaseFile,
        version: packageJson.version,
        origin: env.origin,
        removesOld: env.backups?.removesOld ?? true,
      })
      return { ...taken, detail: { seconds, parts: count, removed: removed.length, untidy, rssBytes: mostMemory() } }
    })
  })
}

/** `[name|latest] [--to file] [--replace] [--list]` */
export function restoreCommand(input: CommandInput): Promise<number> {
  return explained(input, async ({ say }) => {
    const { values, positionals } = parseArgs({
      args: input.args,
      allowPositionals: true,
      options: { to: { type: 'string' }, replace: { type: 'boolean' }, list: { type: 'boolean' } },
    })
    if (positionals.length > 1) throw new BackupTrouble('Name one backup, or none for the newest.')
    const env = input.env ?? readEnv()
    const parts = await partsOf(env)
    if (values.list) return list(parts, env, say)
    const to = values.to === undefined ? env.databaseFile : fileAt(values.to)
    makeFolders(dirname(to))
    const lock = takeLock(inUseLock(to), 'alone')
    if (!lock) throw new BackupTrouble(`Fieldhook is running on ${to}: stop it first.`)
    const alone = takeBackupLock(to)
    if (!alone) throw new BackupTrouble(BUSY)
    try {
      const restored = await restoreBackup(parts, {
        backup: positionals[0] ?? 'latest',
        to,
        replace: values.replace === true,
      }).catch((error) => {
        const sentence = problemOf(error, { ...env, databaseFile: to })
        throw sentence ? new BackupTrouble(sentence) : error
      })
      tellRestored(say, restored, to, env)
      await endOwnRun(to, restored)
      return 0
    } finally {
      alone.release()
      lock.release()
    }
  })
}

function tellRestored(say: CommandInput['say'], restored: RestoredBackup, to: string, env: Env): void {
  const { name, manifest, keptAt, seconds } = restored
  say(`Restored ${name} to ${to} (${megabytes(manifest.bytes)} MB).`)
  say(`It was taken at ${iso(manifest.takenAt)} by version ${manifest.version}.`)
  if (manifest.origin !== env.origin) say(`Note: it is of ${manifest.origin}, and APP_ORIGIN is ${env.origin}.`)
  if (keptAt) say(`What was there is kept at ${keptAt}${to === env.databaseFile ? ' for 14 days' : ''}.`)
  const back = keptAt === null ? '' : erasedIn(keptAt, to, manifest.takenAt).join(', ')
  if (back !== '') say(`Erased since, and back now: ${back}. Erase them before the release: npm run erase`)
  say(stepsIn(seconds))
  const there = to === env.databaseFile ? '' : ` with DATABASE_URL=file:${to}`
  say(`It is held: start${there}, look at it, then \`npm run release -- --yes\`${there} lets it send again.`)
}

/** A copy holds the row of the backup that it is, which was still running. */
async function endOwnRun(file: string, { name, manifest: { bytes, parts, takenAt } }: RestoredBackup): Promise<void> {
  const book = openBackupStore(file)
  const [own] = (await book?.store.listBackupRuns(1)) ?? []
  if (own?.outcome === 'running') {
    const storedBytes = parts.reduce((sum, part) => sum + part.bytes, 0)
    const ended = { outcome: 'done', name, databaseBytes: bytes, storedBytes, message: '', detail: {} } as const
    await book?.store.endBackupRun(own.id, { ...ended, endedAt: takenAt })
  }
  book?.close()
}

/** The accounts that people erased after that moment and that the copy holds; a damaged file says nothing. */
function erasedIn(file: string, copy: string, since: number): string[] {
  const erased = `SELECT DISTINCT account_uuid FROM audit_entry WHERE action = 'erasure.begun' AND at >= ?`
  try {
    const gone = withReadOnly(file, (sql) => sql.prepare<[number], string>(erased).pluck().all(since))
    const there = withReadOnly(copy, (sql) => sql.prepare<[], string>('SELECT uuid FROM account').pluck().all())
    return gone.filter((uuid) => there.includes(uuid))
  } catch {
    return []
  }
}

function fileAt(to: string): string {
  const path = to.replace(/^file:/, '')
  if (/^[\w+.-]+:\/\//.test(path)) throw new BackupTrouble('--to must name a file, such as ./look.db.')
  if (isFolder(resolve(path))) throw new BackupTrouble(`${resolve(path)} is a folder: name a file in it.`)
  return resolve(path)
}

/** `[--json]` */
export function drillCommand(input: DrillInput): Promise<number> {
  return explained(input, async () => {
    const { values } = parseArgs({ args: input.args, options: { json: { type: 'boolean' } } })
    const env = input.env ?? readEnv()
    const parts = await partsOf(env)
    return recorded('drill', env, { ...input, json: values.json === true }, async () => {
      const { seconds, credential, rows, ...drilled } = await drillBackup(parts, {
        databaseFile: env.databaseFile,
        opensCredential: (copy) => opensCredential(copy, env),
        async starts(copy) {
          const wrong = await input.startWith(variablesFor(copy, env))
          return wrong === null ? 'ready' : { sentence: `The product does not start on the restored copy: ${wrong}` }
        },
      })
      return { ...drilled, detail: { seconds, credential, rows, rssBytes: mostMemory() } }
    })
  })
}

/** `[--yes]` */
export function releaseCommand(input: CommandInput): Promise<number> {
  return explained(input, async ({ say }) => {
    const { values } = parseArgs({ args: input.args, options: { yes: { type: 'boolean' } } })
    const env = input.env ?? readEnv()
    const { name, mark, close } = heldDatabase(env)
    try {
      if (!(await mark.isSet())) {
        say(env.hold ? HOLD_IS_SET : `The database at ${name} is not held.`)
        return env.hold ? 1 : 0
      }
      say(waitingSentence(await mark.waiting()))
      if (!values.yes) {
        say('`npm run release -- --yes` lets it go; a running Fieldhook begins within seconds.')
        return 0
      }
      await mark.clear()
      say(env.hold ? `Released, but ${HOLD_IS_SET}` : 'Released.')
      return 0
    } finally {
      await close()
    }
  })
}

function heldDatabase({ databaseFile, databaseServer }: Readonly<Env>) {
  if (databaseServer === null) {
    refuseMissing(databaseFile)
    const mark = fileHold({ file: databaseFile, marker: quarantineMarker(databaseFile) })
    return { name: databaseFile, mark, close: async () => {} }
  }
  const client = connectPostgres(databaseServer)
  return { name: placeOfServer(databaseServer), mark: serverHold(client.db), close: () => client.close() }
}

/** `--to postgres://…|file:… [--from …]` */
export function moveCommand(input: CommandInput): Promise<number> {
  return explained(input, async ({ say }) => {
    const { values } = parseArgs({
      args: input.args,
      options: { to: { type: 'string' }, from: { type: 'string' } },
    })
    const env = input.env ?? readEnv(undefined, undefined, false)
    await moveDatabase({ from: values.from, to: values.to }, env, say)
    return 0
  })
}

/**
 * `[--server]` The schema's part of a deploy, before the new instances start. Of the process's environment (`source`) it
 * needs `DATABASE_URL` alone: a deploy's release command may have no other settings. `--server` = fail without a server:
 * several instances would otherwise each start on an empty file of their own.
 */
export function migrateCommand(input: CommandInput & { source: Record<string, string | undefined> }): Promise<number> {
  return explained(input, async ({ args, say }) => {
    const { values } = parseArgs({ args, options: { server: { type: 'boolean' } } })
    const problems: string[] = []
    const DATABASE_URL = input.source.DATABASE_URL?.trim() || undefined
    const { databaseServer } = readDatabase({ DATABASE_URL }, '.', problems)
    if (problems.length > 0) {
      say(problems.join('\n'))
      return 1
    }
    if (databaseServer === null) {
      say(
        values.server
          ? 'DATABASE_URL names no PostgreSQL server: set it to postgres://… before you deploy several instances.'
          : 'The database is a SQLite file: the start brings it up to date, after a copy. There is nothing to do here.',
      )
      return values.server ? 1 : 0
    }
    try {
      const count = await migrateServer(databaseServer, resolve('db/migrations-postgres'))
      say(count === 0 ? 'The schema is up to date.' : `The schema is up to date: ${plural(count, 'change')} made.`)
      return 0
    } catch (error) {
      say(sentenceOf(error))
      return 1
    }
  })
}

function refuseMissing(file: string): void {
  if (!existsSync(file)) throw new BackupTrouble(`There is no database at ${file}.`)
}

/** Takes the lock and stores the result; with `--json` the caller stores it. */
async function recorded(
  kind: BackupRunKind,
  env: Readonly<Env>,
  { say, json }: CommandInput & { json: boolean },
  work: () => Promise<Omit<Extract<OperationAnswer, { outcome: 'done' }>, 'outcome'>>,
): Promise<number> {
  const clock = systemClock()
  refuseMissing(env.databaseFile)
  const lock = takeBackupLock(env.databaseFile)
  if (!lock) throw new BackupTrouble(BUSY)
  const book = json ? null : openBackupStore(env.databaseFile)
  try {
    const id = await book?.store.beginBackupRun(kind, clock.now(), ENDED_HALF_WAY)
    const answer = await work().then(
      (done): OperationAnswer => ({ outcome: 'done', ...done }),
      (error: unknown): OperationAnswer => ({
        outcome: 'failed',
        sentence: problemOf(error, env) ?? sentenceOf(error),
      }),
    )
    if (book && id !== undefined) {
      await book.store.endBackupRun(id, { ...rowOf(answer), endedAt: clock.now() })
      await book.store.forgetBackupRuns(KEPT_RUNS)
    }
    if (json) say(JSON.stringify(answer))
    else tell(kind, answer, say)
    return answer.outcome === 'done' ? 0 : 1
  } finally {
    book?.close()
    lock.release()
  }
}

function tell(kind: BackupRunKind, answer: OperationAnswer, say: (line: string) => void): void {
  if (answer.outcome === 'failed') {
    say(answer.sentence)
    return
  }
  const sizes = `${megabytes(answer.databaseBytes)} MB of database, ${megabytes(answer.storedBytes)} MB stored`
  say(
    kind === 'backup'
      ? `Backup ${answer.name} is made: ${sizes}.`
      : `The drill with ${answer.name} went well: ${sizes}.`,
  )
  say(stepsIn(answer.detail.seconds as Record<string, number>))
}

async function list(parts: BackupParts, env: Readonly<Env>, say: (line: string) => void): Promise<number> {
  const { ours, others, listed } = await findBackups(parts)
  for (const { name, manifest, bytes } of ours) {
    const events = manifest.rows.event ?? 0
    say(
      `${name}  ${megabytes(bytes)} MB stored, ${megabytes(manifest.bytes)} MB of database, ${events} events, ${manifest.version}`,
    )
  }
  for (const { name } of others) say(`${name}  not made with a key of BACKUP_KEY, or changed`)
  for (const { name } of listed.filter((one) => !one.complete)) say(`${name}  broke off`)
  if (listed.length === 0) say(`There is no backup in ${parts.place.words}.`)
  const book = existsSync(env.databaseFile) ? openBackupStore(env.databaseFile) : null
  const [last] = (await book?.store.listBackupRuns(1)) ?? []
  book?.close()
  if (last) {
    const { kind, outcome, startedAt, message } = shownRun(last, Date.now())
    say(`The last ${kind} began at ${iso(startedAt)}: ${outcome}. ${message}`.trim())
  }
  return 0
}

async function partsOf(env: Readonly<Env>): Promise<BackupParts> {
  if (env.databaseServer !== null) throw new BackupTrouble(SERVER_MAKES_BACKUPS)
  if (!env.backups) throw new BackupTrouble(NO_PLACE)
  const { to, keys } = env.backups
  return { place: placeOf(to), seal: await createBackupSeal(keys), files: databaseFiles, clock: systemClock() }
}

/** Tries a secret that people would miss: an account's access token. */
async function opensCredential(
  copy: string,
  env: Pick<Env, 'encKeys' | 'migrationsFolder'>,
): Promise<'opens' | 'none' | { sentence: string }> {
  const row = withReadOnly(copy, (sql) =>
    sql
      .prepare<[], { account: string; sealed: string }>(
        'SELECT account_uuid AS account, access_token_sealed AS sealed FROM credential ORDER BY updated_at DESC LIMIT 1',
      )
      .get(),
  )
  if (!row) return 'none'
  // Stays open until the key is read, unlike `withReadOnly`.
  const checkup = openCheckup(copy, env.migrationsFolder)
  try {
    const secrets = createSecretBox(env.encKeys, keysToRead(checkup.rows()))
    await secrets.open(tokenPlace(row.account, 'access_token'), row.sealed)
    return 'opens'
  } catch {
    return { sentence: 'A stored connection of the restored copy does not open with the keys in ENC_KEYS.' }
  } finally {
    checkup.close()
  }
}

/** Settings for the copy: quarantine, this machine only, the same secrets, no payments, backups or reports. */
function variablesFor(copy: string, env: Readonly<Env>): Record<string, string> {
  const tell = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_HEADERS']
  const pay = ['STRIPE_SECRET_KEY', ...WITH_THE_KEY]
  return {
    ...Object.fromEntries([...BACKUP_VARIABLES, ...tell, ...pay].map((name) => [name, ''])),
    DATABASE_URL: `file:${copy}`,
    SESSION_SECRET: env.sessionSecret,
    ENC_KEYS: env.encKeys,
    HOST: '127.0.0.1',
    HOLD: 'yes',
    // The drill asks for readiness once, as soon as the copy listens.
    WARM_UP: 'no',
    LOG_LEVEL: 'silent',
  }
}

function stepsIn(seconds: Record<string, number>): string {
  return Object.entries(seconds)
    .map(([step, value]) => `${step} ${value.toFixed(1)} s`)
    .join(', ')
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1)
}

function mostMemory(): number {
  return process.resourceUsage().maxRSS * 1024
}
