// A process of its own: 200 addresses that take everything and answer at once. Tells the load process how much has arrived.
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { messageReader } from './http-bytes.ts'
import { monotonicMs, type ReceiverMessage, type ReceiverOrder, sentMsOf, spreadOf } from './wire.ts'

const ADDRESSES = Number(process.argv[2])
const ANSWER = Buffer.from(
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 17\r\n\r\n{"received":true}',
)

let arrived = 0
let delays: number[] = []
let untold = 0
let telling = false
const listeners = new Set<Socket>()

function note(request: Buffer, head: number): void {
  arrived++
  untold++
  const sent = sentMsOf(request, head)
  if (sent !== null) delays.push(monotonicMs() - sent)
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

function listen(serve: (socket: Socket) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer({ noDelay: true }, serve)
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

function tell(message: ReceiverMessage): void {
  process.send?.(message)
}

process.on('disconnect', () => process.exit(0))
process.on('message', (order: ReceiverOrder) => {
  if (order.do === 'tell') tell({ at: 'told', result: { arrived, delayMs: spreadOf(delays) } })
  else {
    arrived = 0
    delays = []
  }
})

const counter = await listen((socket) => {
  listeners.add(socket)
  untold = 0
  socket.on('error', () => socket.destroy())
  socket.on('close', () => listeners.delete(socket))
})
const ports = [counter]
for (let address = 0; address < ADDRESSES; address++) {
  const port = await listen((socket) => {
    const read = messageReader((request, head) => {
      note(request, head)
      socket.write(ANSWER)
    })
    socket.on('data', read)
    socket.on('error', () => socket.destroy())
  })
  ports.push(port)
}
tell({ at: 'listening', ports })
