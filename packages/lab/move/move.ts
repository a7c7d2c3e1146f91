// Prints what it costs to move an installation to PostgreSQL and back. Exits with 1 when a row differs or a bar is missed.
import { parseArgs } from 'node:util'
import { none, proofReport } from '../report/report.ts'
import { type MoveRun, proveMove } from './stage.server.ts'

/** 10 GB in 20 minutes. MB/s of the source. */
const LEAST_SPEED = (10 * 1024) / (20 * 60)

const asked = readArguments()
const { section, line, must, end } = proofReport('Moving to PostgreSQL and back', asked, {
  name: 'move',
  script: 'prove:move',
})

const found = await proveMove(asked.events, (label, value) => line(`… ${label}`, value))

section('what is moved')
line('file', `${megabytes(found.fileBytes)} MB: ${asked.events} events with body, delivery and attempt`)
line('rows', found.rows)
line('PostgreSQL', found.server)
line('the same in PostgreSQL', `${megabytes(found.serverBytes)} MB`)

section('to PostgreSQL')
tellRun(found.there)
line('rows left by a move that was ended by kill -9', found.leftOnServer, none(found.leftOnServer))
must(found.leftOnServer === 0, `${found.leftOnServer} rows were left on the server by an interrupted move`)

section('back to a file')
tellRun(found.back)
line('an interrupted move leaves a file', found.leftFile ? 'YES' : 'no', { bar: 'no', met: !found.leftFile })
must(!found.leftFile, 'an interrupted move left a file where the database belongs')

section('compared, file with file')
line('rows that differ', found.differences.length, none(found.differences.length))
must(found.differences.length === 0, `these differ: ${found.differences.slice(0, 3).join('; ')}`)
line('counters of ids that differ', found.counters.length, none(found.counters.length))
must(found.counters.length === 0, `the next ids differ: ${found.counters.join(', ')}`)

section('what was sent')
line('held after the move, there / back', `${yes(found.held.there)} / ${yes(found.held.back)}`)
must(found.held.there && found.held.back, 'a target is not held')
line('calls to the receiver until the release, with the product started', found.sentBefore, none(found.sentBefore))
must(found.sentBefore === 0, `${found.sentBefore} events were sent before the release`)
line('waiting events that arrived after the release', `${found.waiting - found.missing} of ${found.waiting}`)
must(found.missing === 0, `${found.missing} waiting events did not arrive after the release`)
end()

function tellRun(run: MoveRun): void {
  must(run.code === 0, `the move failed: ${run.said}`)
  const speed = megabytesOf(run.bytes) / run.seconds
  line('seconds, process included', run.seconds.toFixed(1))
  line('of which', run.steps)
  line('MB/s of the source', speed.toFixed(1), { bar: `${LEAST_SPEED.toFixed(1)} or more`, met: speed >= LEAST_SPEED })
  must(speed >= LEAST_SPEED, `${speed.toFixed(1)} MB/s is less than 10 GB in 20 minutes`)
  line('10 GB would take', `${((10 * 1024) / speed / 60).toFixed(1)} min`)
  line('most memory of its process', `${megabytes(run.mostMemory)} MB`)
}

function readArguments(): { events: number } {
  const { values } = parseArgs({ options: { events: { type: 'string', default: '1000000' } } })
  const events = Number(values.events)
  if (Number.isInteger(events) && events >= 1_000 && events <= 100_000_000) return { events }
  console.error('--events must be a whole number from 1000 to 100000000.')
  process.exit(2)
}

function megabytesOf(bytes: number): number {
  return bytes / 2 ** 20
}

function megabytes(bytes: number): string {
  return megabytesOf(bytes).toFixed(0)
}

function yes(is: boolean): string {
  return is ? 'yes' : 'NO'
}
