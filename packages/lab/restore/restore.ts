// Prints the cost of a backup, a drill and a restore of a big database. Exits with 1 when a figure misses its bar.
import { parseArgs } from 'node:util'
import { percentile } from '../report/arguments.ts'
import { proofReport } from '../report/report.ts'
import { type Command, proveRestore } from './stage.server.ts'

/** Maximum ms in which 99 of 100 events are acknowledged during a backup. */
const ACKNOWLEDGED_WITHIN = 1_000
/** MB that the backup process may use beside the server on a small machine. */
const BACKUP_MEMORY_MB = 256

const asked = readArguments()
const { section, line, must, end } = proofReport('Backup, drill and restore', asked, {
  name: 'restore',
  script: 'prove:restore',
})

const found = await proveRestore(asked, (label, value) => line(`… ${label}`, value))

section('what is backed up')
line('database', `${gib(found.databaseBytes)} GiB, ${found.events} events`)
must(found.databaseBytes >= asked.gib * 2 ** 30, `the database has ${gib(found.databaseBytes)} GiB only`)

section(`backup beside the running server, at ${asked.rate} events/s`)
tell('backup', found.backup)
line('stored', `${gib(found.storedBytes)} GiB in ${found.parts} parts`)
tellDelays('without a backup', found.delays.usual)
const during = tellDelays('while it is made', found.delays.backup)
must(during < ACKNOWLEDGED_WITHIN, `p99 is ${during.toFixed(0)} ms while a backup is made`)
must(
  found.backup.mostMemory < BACKUP_MEMORY_MB * 2 ** 20,
  `the backup took ${mb(found.backup.mostMemory)} MB of memory, more than ${BACKUP_MEMORY_MB}`,
)
line('most memory of the server', `${mb(found.serverMemory)} MB`)
line('answered otherwise than 200', found.otherAnswers, { bar: '0', met: found.otherAnswers === 0 })
line('calls cut off without an answer, and made again', found.cutOff)
line('never taken in', found.neverAnswered, { bar: '0', met: found.neverAnswered === 0 })
must(found.otherAnswers === 0, `${found.otherAnswers} events were answered otherwise than 200`)
must(found.neverAnswered === 0, `${found.neverAnswered} events could not be handed in even afterwards`)

section('drill: restored aside, checked, started, removed; the server runs')
tell('drill', found.drill)
tellDelays('while it is made', found.delays.drill)

section('restore to an empty folder')
tell('restore', found.restore)
line('start of the restored copy until it is ready', `${found.startSeconds.toFixed(1)} s`)
line('in all', `${(found.restore.seconds + found.startSeconds).toFixed(1)} s`)
line('events acknowledged before the backup and not in the copy', found.missing, {
  bar: '0',
  met: found.missing === 0,
})
line('the copy is held', found.held ? 'yes' : 'NO', { bar: 'yes', met: found.held })
line('sent by the copy', found.sentByCopy, { bar: '0', met: found.sentByCopy === 0 })
line('temporary files left behind', found.leftBehind.length, { bar: '0', met: found.leftBehind.length === 0 })
must(found.missing === 0, `${found.missing} events that were acknowledged before the backup are not in the copy`)
must(found.held, 'the restored copy is not held')
must(found.sentByCopy === 0, `the restored copy sent ${found.sentByCopy}`)
must(found.leftBehind.length === 0, `left behind: ${found.leftBehind.join(', ')}`)
end()

function tell(what: string, command: Command): void {
  must(command.code === 0, `the ${what} failed: ${command.said}`)
  line('seconds', command.seconds.toFixed(1))
  const steps = Object.entries(command.steps).map(([step, seconds]) => `${step} ${seconds.toFixed(1)}`)
  if (steps.length > 0) line('of which, in seconds', steps.join(', '))
  line('most memory of its process', `${mb(command.mostMemory)} MB`)
}

/** Returns the p99, ms. */
function tellDelays(when: string, delays: readonly number[]): number {
  const [p50, p99, max] = [percentile(delays, 0.5), percentile(delays, 0.99), Math.max(...delays)]
  line(`events acknowledged ${when}, p50 / p99 / max`, [p50, p99, max].map((one) => `${one.toFixed(0)} ms`).join(' / '))
  return p99
}

function readArguments(): { gib: number; rate: number; seed: number } {
  try {
    const { values } = parseArgs({
      options: {
        gib: { type: 'string', default: '1.1' },
        rate: { type: 'string', default: '50' },
        seed: { type: 'string', default: '1' },
      },
    })
    const [gib, rate, seed] = [Number(values.gib), Number(values.rate), Number(values.seed)]
    if (!(gib > 0 && gib <= 64)) throw new Error('--gib must be a number above 0, at most 64.')
    if (!(Number.isInteger(rate) && rate >= 1 && rate <= 1_000)) throw new Error('--rate must be from 1 to 1000.')
    if (!Number.isInteger(seed)) throw new Error('--seed must be a whole number.')
    return { gib, rate, seed }
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\nKnown: --gib N --rate R --seed S`)
    process.exit(2)
  }
}

function gib(bytes: number): string {
  return (bytes / 2 ** 30).toFixed(2)
}

function mb(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0)
}
