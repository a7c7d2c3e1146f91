// A separate process: 200 addresses that accept everything and answer at once. Reports arrivals to the load process.
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { messageReader } from './http-bytes.ts'
import { monotonicMs, numberOf, type ReceiverMessage, type ReceiverOrder, sentMsOf, spreadOf } from './wire.ts'

const ADDRESSES = Number(process.argv[2])
const ANSWER = Buffer.from(
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 17\r\n\r\n{"received":true}',
)

let arrived = 0
let delays: number[] = []
let numbers: number[] = []
let answerAfterMs = 0
let untold = 0
let telling = false
const listeners = new Set<Socket>()

function note(request: Buffer, head: number): void {
  arrived++
  untold++
  const sent = sentMsOf(request, head)
  if (sent !== null) {
    delays.push(monotonicMs() - sent)
    numbers.push(numberOf(request, head) ?? 0)
  }
  if (telling || listeners.size === 0) return
  telling = true
  setTimeout(tellListeners, 2)
}

function tellListeners(): void {
  telling = false
  const count = Buffer.alloc(4)
  count.writeUInt32LE(untold)
  untold = 0
  for (const listener of listeners) listener.write(count)
}

/** `port` 0 = any free port. */
function listen(serve: (socket: Socket) => void, port = 0): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer({ noDelay: true }, serve)
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

const portOf = (server: Server) => (server.address() as AddressInfo).port

function tell(message: ReceiverMessage): void {
  process.send?.(message)
}

process.on('disconnect', () => process.exit(0))
process.on('message', (order: ReceiverOrder) => {
  carryOut(order).catch((error) => {
    console.error(error)
    process.exit(1)
  })
})

async function carryOut(order: ReceiverOrder): Promise<void> {
  switch (order.do) {
    case 'tell':
      return tell({ at: 'told', result: { arrived, delayMs: spreadOf(delays) } })
    case 'numbers':
      return tell({ at: 'numbers', numbers })
    case 'forget':
      arrived = 0
      delays = []
      numbers = []
      return
    case 'answer_after':
      answerAfterMs = order.ms
      return tell({ at: 'changed' })
    case 'down': {
      const closed = addresses.map((server) => new Promise((done) => server.close(done)))
      for (const socket of open) socket.destroy()
      await Promise.all(closed)
      return tell({ at: 'changed' })
    }
    case 'up':
      addresses = await Promise.all(ports.map((port) => listen(receive, port)))
      return tell({ at: 'changed' })
  }
}

const open = new Set<Socket>()

function receive(socket: Socket): void {
  open.add(socket)
  const read = messageReader((request, head) => {
    note(request, head)
    if (answerAfterMs === 0) socket.write(ANSWER)
    else setTimeout(() => socket.write(ANSWER), answerAfterMs)
  })
  socket.on('data', read)
  socket.on('error', () => socket.destroy())
  socket.on('close', () => open.delete(socket))
}

const counter = await listen((socket) => {
  listeners.add(socket)
  untold = 0
  socket.on('error', () => socket.destroy())
  socket.on('close', () => listeners.delete(socket))
})
let addresses: Server[] = []
for (let address = 0; address < ADDRESSES; address++) addresses.push(await listen(receive))
const ports = addresses.map(portOf)
tell({ at: 'listening', ports: [portOf(counter), ...ports] })
