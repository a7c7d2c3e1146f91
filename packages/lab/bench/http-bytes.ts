// Minimal HTTP/1.1 on plain sockets, so that sending and receiving cost next to nothing compared with what is measured.

const HEAD_END = Buffer.from('\r\n\r\n')

/** Bytes of the message at the start of `bytes`; null when it is incomplete. Only messages with a Content-Length. */
export function messageLength(bytes: Buffer): { head: number; whole: number } | null {
  const end = bytes.indexOf(HEAD_END)
  if (end < 0) return null
  const head = end + HEAD_END.length
  const length = /\r\ncontent-length: *(\d+)/i.exec(bytes.toString('latin1', 0, end))?.[1]
  if (length === undefined) throw new Error(`no Content-Length in: ${bytes.toString('latin1', 0, end)}`)
  const whole = head + Number(length)
  return bytes.length < whole ? null : { head, whole }
}

/** Takes chunks from a socket and passes on whole messages. */
export function messageReader(onMessage: (message: Buffer, head: number) => void): (chunk: Buffer) => void {
  let rest: Buffer | null = null
  return (chunk) => {
    let bytes = rest ? Buffer.concat([rest, chunk]) : chunk
    rest = null
    while (bytes.length > 0) {
      const message = messageLength(bytes)
      if (!message) {
        rest = bytes
        return
      }
      onMessage(bytes.subarray(0, message.whole), message.head)
      bytes = bytes.subarray(message.whole)
    }
  }
}

/** `HTTP/1.1 200 …` */
export function statusOf(message: Buffer): string {
  return message.toString('latin1', 9, 12)
}
