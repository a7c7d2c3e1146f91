// Attackers below HTTP: one pipelines and never reads, one never ends a body, one writes requests no client would.
import { connect } from 'node:net'

const PIPELINED = 100
const HELD_MS = 30_000
const UNFINISHED = Buffer.alloc(200_000, 'x')

/** Asks for a page a hundred times on one connection and reads nothing. */
export function slowReader(port: number, path: string, from: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    const end = (said: string) => {
      clearInterval(beat)
      clearTimeout(timer)
      socket.destroy()
      resolve(said)
    }
    socket.pause()
    socket.on('error', () => end('cut off'))
    socket.on('close', () => end('cut off'))
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nFly-Client-IP: ${from}\r\n\r\n`.repeat(PIPELINED))
    // A socket that never reads only notices a closed connection by writing; an empty line between requests is ignored.
    const beat = setInterval(() => socket.write('\r\n'), 1_000)
    const timer = setTimeout(() => end(`held for ${HELD_MS / 1000} s`), HELD_MS)
  })
}

/** Announces a body of 256 KB, sends most of it, and waits. */
export function unfinishedBody(port: number, path: string, from: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    let status = ''
    const end = (said: string) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(said)
    }
    const timer = setTimeout(() => end(`${status || 'no answer'}, held for ${HELD_MS / 1000} s`), HELD_MS)
    socket.on('data', (part) => {
      status ||= statusOf(part)
    })
    socket.on('error', () => end(status || 'cut off'))
    socket.on('close', () => end(status || 'cut off'))
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nFly-Client-IP: ${from}\r\nContent-Type: application/json\r\n`
    socket.write(`${head}Content-Length: 262144\r\n\r\n`)
    socket.write(UNFINISHED)
  })
}

/** Sends the bytes unchanged; returns the status of the first answer. */
export function rawRequest(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    const end = (said: string) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(said)
    }
    const timer = setTimeout(() => end(`no answer in ${HELD_MS / 1000} s`), HELD_MS)
    socket.on('data', (part) => end(statusOf(part)))
    socket.on('error', () => end('cut off'))
    socket.on('close', () => end('cut off'))
    socket.write(text)
  })
}

function statusOf(part: Buffer): string {
  return part.subarray(0, 12).toString('latin1').split(' ')[1] ?? 'no HTTP'
}
