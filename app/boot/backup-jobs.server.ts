// Scheduled backups and drills: each in its own low-priority process, so the server's thread never waits for it.
import { type ChildProcess, spawn } from 'node:child_process'
import { resolve } from 'node:path'
import type { App } from '#app/context/app-context.ts'
import type { TimedJob } from '#app/engine/scheduler.server.ts'
import { ENDED_HALF_WAY } from '#app/features/ops/backups.ts'
import { type OperationAnswer, rowOf } from '#app/features/ops/operation-answer.ts'
import { minutes } from '#app/lib/duration.ts'
import type { BackupRunKind } from '#db/store/backups.ts'
import type { Env } from './env.server.ts'

type BackupApp = Pick<App, 'store' | 'clock' | 'log'>

/** A start makes no new backup when the last one is this recent. */
const YOUNG = minutes(20)
const KEPT_RUNS = 500
/** Keeps only the end of the process's output. */
const LONGEST_OUTPUT = 100_000
/** A backup streams: it must not take memory from the server. What it has read would wait in a larger young generation: 100 MB. */
export const BACKUP_FLAGS = ['--max-old-space-size=192', '--max-semi-space-size=1']

/** None when no backup storage is configured. */
export function backupJobs(
  app: BackupApp,
  { backups }: Pick<Env, 'backups'>,
  scriptOf = (kind: BackupRunKind) => resolve(`scripts/${kind}.mjs`),
): TimedJob[] {
  if (!backups) return []
  let before: Promise<void> = Promise.resolve()
  /** A backup and a drill exclude each other. */
  function inTurn(kind: BackupRunKind, signal: AbortSignal): Promise<void> {
    const own = () => (signal.aborted ? undefined : inOwnProcess(app, kind, scriptOf(kind), signal))
    before = before.then(own, own)
    return before
  }
  return [
    {
      name: 'backups.take',
      pattern: '41 * * * *',
      afterStartMs: minutes(3),
      async run(signal) {
        const last = await app.store.backups.newestBackup('backup')
        if (last && app.clock.now() - last.startedAt < YOUNG) return
        await inTurn('backup', signal)
      },
    },
    {
      name: 'backups.drill',
      pattern: '19 2 * * *',
      run: (signal) => inTurn('drill', signal),
    },
  ]
}

async function inOwnProcess(
  { store, clock, log }: BackupApp,
  kind: BackupRunKind,
  script: string,
  signal: AbortSignal,
): Promise<void> {
  const id = await store.backups.beginBackupRun(kind, clock.now(), ENDED_HALF_WAY)
  const answer = await runScript(script, signal)
  await store.backups.endBackupRun(id, { ...rowOf(answer), endedAt: clock.now() })
  await store.backups.forgetBackupRuns(KEPT_RUNS)
  const { outcome, ...fields } = answer
  if (outcome === 'done') log.info(fields, `${kind}.done`)
  else if (!signal.aborted) log.error(fields, `${kind}.failed`)
}

/** Never rejects: reports here what the process did not report itself. */
async function runScript(script: string, signal: AbortSignal): Promise<OperationAnswer> {
  const node = [process.execPath, ...BACKUP_FLAGS, script, '--json']
  const polite = await ended(['nice', '-n', '10', ...node], signal)
  // A machine without `nice` (a bare image) runs it at normal priority.
  const { output, code } = polite.missing ? await ended(node, signal) : polite
  const line = output.trimEnd().split('\n').at(-1) ?? ''
  try {
    return JSON.parse(line) as OperationAnswer
  } catch {
    const how = signal.aborted ? 'Fieldhook was stopped meanwhile' : `its process ended with ${code ?? 'a signal'}`
    return { outcome: 'failed', sentence: `It did not come to its end: ${how}.` }
  }
}

interface Ended {
  output: string
  code: number | null
  /** The program does not exist. */
  missing: boolean
}

function ended([command = '', ...args]: string[], signal: AbortSignal): Promise<Ended> {
  return new Promise((done) => {
    let output = ''
    const child: ChildProcess = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] })
    const stop = () => child.kill('SIGTERM')
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    const end = (code: number | null, missing: boolean) => {
      signal.removeEventListener('abort', stop)
      done({ output, code, missing })
    }
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-LONGEST_OUTPUT)
    })
    child.on('error', (error) => end(null, 'code' in error && error.code === 'ENOENT'))
    child.on('close', (code) => end(code, false))
  })
}
