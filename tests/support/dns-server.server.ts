// A small DNS server over UDP that answers from a script, which may change the answer each time.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { parseIp } from '#app/adapters/outbound/ip-address.ts'

export interface DnsServer {
  /** `ip:port`, as resolvers expect it. */
  address: string
  /** Number of questions for a name so far, both record types counted. */
  questions(name: string): number
  close(): Promise<void>
}

/**
 * `script` lists, per name, the addresses of the first answer, the second, and so on; the last one repeats. IPv4 and
 * IPv6 questions are counted separately; each gets the addresses of its kind. Unlisted names do not exist. TTL is 0.
 */
export async function startDnsServer(
  script: Readonly<Record<string, readonly (readonly string[])[]>>,
): Promise<DnsServer> {
  const asked = new Map<string, number>()
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const question = readQuestion(query)
    if (!question) return
    const key = `${question.name}/${question.type}`
    const round = asked.get(key) ?? 0
    asked.set(key, round + 1)
    const rounds = script[question.name]
    const addresses = rounds?.[Math.min(round, rounds.length - 1)] ?? []
    const records = addresses
      .map((address) => Buffer.from(parseIp(address) ?? []))
      .filter(
        (bytes) => bytes.length === (question.type === 28 ? 16 : 4) && (question.type === 1 || question.type === 28),
      )
      .map((bytes) =>
        Buffer.concat([Buffer.from([0xc0, 12, 0, question.type, 0, 1, 0, 0, 0, 0, 0, bytes.length]), bytes]),
      )
    const head = Buffer.alloc(12)
    query.copy(head, 0, 0, 2)
    head.writeUInt16BE(rounds ? 0x8180 : 0x8183, 2) // a recursive answer, or "no such name"
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(records.length, 6)
    socket.send(Buffer.concat([head, query.subarray(12, question.end), ...records]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions: (name) => (asked.get(`${name}/1`) ?? 0) + (asked.get(`${name}/28`) ?? 0),
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } | null {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.subarray(at + 1, at + 1 + length).toString('latin1'))
    at += 1 + length
  }
  const end = at + 5
  return end <= query.length ? { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end } : null
}
