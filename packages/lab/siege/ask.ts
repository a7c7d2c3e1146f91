// One request of an attacker: from a chosen address, with a timeout of 30 s, and the result in words.
import { Agent, request } from 'node:http'

export interface Ask {
  method: string
  path: string
  /** The caller's address that the front proxy would record. */
  from: string
  headers?: Record<string, string>
  body?: string | Buffer
}

export interface Answered {
  /** "429", "cut off", "no answer in 30 s". */
  said: string
  text: string
  headers: Record<string, string | string[] | undefined>
}

const WAITS_MS = 30_000
/** Anything beyond this is read and discarded. */
const KEPT = 400_000

export function asker(port: number): (ask: Ask) => Promise<Answered> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  return ({ method, path, from, headers = {}, body }) =>
    new Promise((resolve) => {
      const none = (said: string) => resolve({ said, text: '', headers: {} })
      const timer = setTimeout(() => {
        none(`no answer in ${WAITS_MS / 1000} s`)
        call.destroy()
      }, WAITS_MS)
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
      const call = request(
        {
          port,
          host: '127.0.0.1',
          method,
          path,
          agent,
          headers: { host: `localhost:${port}`, 'fly-client-ip': from, ...length, ...headers },
        },
        (answer) => {
          let text = ''
          answer.setEncoding('utf8')
          answer.on('data', (part: string) => {
            if (text.length < KEPT) text += part
          })
          answer.on('error', () => none('cut off'))
          answer.on('end', () => {
            clearTimeout(timer)
            resolve({ said: String(answer.statusCode), text, headers: answer.headers })
          })
        },
      )
      call.on('error', () => {
        clearTimeout(timer)
        none('cut off')
      })
      call.end(body)
    })
}
