// A separate process: sends prebuilt events raw over persistent connections, so that it does not skew the measurement.
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { messageReader, statusOf } from './http-bytes.ts'
import {
  type LoadMessage,
  type LoadOrder,
  type LoadResult,
  monotonicMs,
  requestFor,
  spreadOf,
  type Target,
  type Template,
  templateFor,
} from './wire.ts'

/** Where receivers report how much arrived. */
const COUNTER_PORT = Number(process.argv[2])
/** Maximum wait for the remaining events. */
const PATIENCE_MS = 60_000

let number = 0

interface Line {
  socket: Socket
  /** Waits for an answer. */
  busy: boolean
  /** When its current event was sent, or planned to be sent. */
  startedAt: number
  /** The number of its current event. */
  number: number
}

interface Lines {
  /** The idle connection unused for longest; undefined when all are busy. */
  free(): Line | undefined
  busyCount(): number
  close(): void
}

/** Keeps this many connections open. Calls `onAnswer` with `cut` when one ended before its answer came. */
async function openLines(
  port: number,
  count: number,
  onAnswer: (line: Line, status: string) => void,
  reopen = true,
): Promise<Lines> {
  const free: Line[] = []
  const all = new Set<Line>()
  let closed = false

  const open = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true })
      const line: Line = { socket, busy: false, startedAt: 0, number: 0 }
      const answered = (status: string) => {
        line.busy = false
        if (status !== 'cut') free.push(line)
        onAnswer(line, status)
      }
      const read = messageReader((message) => answered(statusOf(message)))
      socket.once('connect', () => {
        all.add(line)
        free.push(line)
        resolve()
      })
      socket.on('error', reject)
      socket.on('data', read)
      socket.on('close', () => {
        if (closed || !all.delete(line)) return
        if (line.busy) answered('cut')
        else free.splice(free.indexOf(line), 1)
        if (reopen) open().catch((error) => console.error(error))
      })
    })
  await Promise.all(Array.from({ length: count }, open))
  return {
    free() {
      const line = free.shift()
      if (line) line.busy = true
      return line
    },
    busyCount: () => [...all].filter((line) => line.busy).length,
    close() {
      closed = true
      for (const { socket } of all) socket.destroy()
    },
  }
}

/** Cycles through the accounts. */
function sender({ port, tokens, path }: Target): (line: Line, startedAt: number) => void {
  const templates: Template[] = tokens.map((token) => templateFor(token, port, path))
  return (line, startedAt) => {
    number++
    const template = templates[number % templates.length]
    if (!template) throw new Error('no account to send for')
    line.startedAt = startedAt
    line.number = number
    line.socket.write(requestFor(template, number, startedAt))
  }
}

/** Measures between `begin` and `end`. */
function counting() {
  const statuses: Record<string, number> = {}
  let answers: number[] = []
  const acknowledged: number[] = []
  let on = false
  let from = 0
  let seconds = 0
  return {
    statuses,
    answer(line: Line, status: string) {
      statuses[status] = (statuses[status] ?? 0) + 1
      if (status.startsWith('2')) acknowledged.push(line.number)
      if (on) answers.push(monotonicMs() - line.startedAt)
    },
    begin() {
      on = true
      from = monotonicMs()
      answers = []
      tell({ at: 'counting' })
    },
    end() {
      on = false
      seconds = (monotonicMs() - from) / 1_000
      tell({ at: 'counted' })
    },
    result: (): LoadResult => ({
      sent: answers.length,
      seconds,
      statuses,
      answerMs: spreadOf(answers),
      acknowledged,
      arrived: 0,
      left: 0,
      leftMs: 0,
    }),
  }
}

async function saturate(order: Extract<LoadOrder, { do: 'saturate' }>): Promise<LoadResult> {
  const count = counting()
  const send = sender(order.target)
  let going = true
  const more = () => {
    for (let line = going ? lines.free() : undefined; line; line = lines.free()) send(line, monotonicMs())
  }
  const lines = await openLines(order.target.port, order.connections, (line, status) => {
    count.answer(line, status)
    more()
  })
  more()
  await pause(order.warmUpSeconds * 1_000)
  count.begin()
  await pause(order.seconds * 1_000)
  count.end()
  going = false
  await until(() => lines.busyCount() === 0)
  lines.close()
  return count.result()
}

async function steady(order: Extract<LoadOrder, { do: 'steady' }>): Promise<LoadResult> {
  const count = counting()
  const send = sender(order.target)
  /** Planned times of events for which every connection was busy. */
  const late: number[] = []
  const sendLate = () => {
    while (late.length > 0) {
      const line = lines.free()
      if (!line) return
      send(line, late.shift() ?? monotonicMs())
    }
  }
  let cut = false
  const onAnswer = (line: Line, status: string) => {
    cut ||= status === 'cut'
    count.answer(line, status)
    sendLate()
  }
  const lines = await openLines(order.target.port, order.connections ?? 64, onAnswer, order.untilCut !== true)
  const gap = 1_000 / order.perSecond
  const from = monotonicMs()
  const countFrom = from + order.warmUpSeconds * 1_000
  const end = countFrom + order.seconds * 1_000
  let counted = false
  for (let planned = from; planned < end; planned += gap) {
    if (cut && order.untilCut) break
    if (!counted && planned >= countFrom) {
      counted = true
      count.begin()
    }
    while (monotonicMs() < planned) await pause(1)
    late.push(planned)
    sendLate()
  }
  count.end()
  await until(() => (late.length === 0 || (cut && order.untilCut === true)) && lines.busyCount() === 0)
  lines.close()
  return count.result()
}

async function through(order: Extract<LoadOrder, { do: 'through' }>): Promise<LoadResult> {
  const count = counting()
  const send = sender(order.target)
  let sent = 0
  let arrived = 0
  let going = true
  const more = () => {
    while (going && sent - arrived < order.window) {
      const line = lines.free()
      if (!line) return
      sent++
      send(line, monotonicMs())
    }
  }
  const told = numberReader((count) => {
    arrived += count
    more()
  })
  const counter = connect({ port: COUNTER_PORT, host: '127.0.0.1', noDelay: true })
  counter.on('data', told)
  await new Promise((resolve, reject) => {
    counter.once('connect', resolve)
    counter.once('error', reject)
  })
  const lines = await openLines(order.target.port, order.connections, (line, status) => {
    count.answer(line, status)
    // Refused or failed: this event will not arrive.
    if (status !== '200') sent--
    more()
  })
  more()
  await pause(order.warmUpSeconds * 1_000)
  count.begin()
  const before = arrived
  await pause(order.seconds * 1_000)
  const counted = arrived - before
  count.end()
  going = false
  const left = sent - arrived
  const endedAt = monotonicMs()
  await until(() => arrived >= sent)
  const leftMs = monotonicMs() - endedAt
  lines.close()
  counter.destroy()
  return { ...count.result(), arrived: counted, left: arrived >= sent ? left : sent - arrived, leftMs }
}

/** Parses numbers of four bytes from chunks of any size. */
function numberReader(onNumber: (value: number) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  return (chunk) => {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    const whole = bytes.length - (bytes.length % 4)
    for (let at = 0; at < whole; at += 4) onNumber(bytes.readUInt32LE(at))
    rest = Buffer.from(bytes.subarray(whole))
  }
}

async function until(holds: () => boolean): Promise<void> {
  const from = monotonicMs()
  while (!holds() && monotonicMs() - from < PATIENCE_MS) await pause(2)
}

function tell(message: LoadMessage): void {
  process.send?.(message)
}

async function carryOut(order: LoadOrder): Promise<LoadResult> {
  switch (order.do) {
    case 'saturate':
      return saturate(order)
    case 'steady':
      return steady(order)
    case 'through':
      return through(order)
  }
}

process.on('disconnect', () => process.exit(0))
process.on('message', (order: LoadOrder) => {
  carryOut(order).then(
    (result) => tell({ at: 'done', result }),
    (error) => {
      console.error(error)
      process.exit(1)
    },
  )
})
