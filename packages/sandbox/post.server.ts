// Outgoing calls of the pretend platform: only to the add-on's own addresses on this machine.
import { Agent, request } from 'undici'

interface Posted {
  /** Null when no answer came in time, or the connection failed. */
  status: number | null
  error: string
  /** At most `MAX_ANSWER` bytes. */
  answer: string
  contentType: string
  location: string
}

export interface Poster {
  /** `headers`: additional headers, in lower case; they override the platform's own. */
  post(
    url: string,
    input: { contentType: string; body: string; timeoutMs: number; headers?: Record<string, string> },
  ): Promise<Posted>
  stop(): Promise<void>
}

const MAX_ANSWER = 256 * 1024

/** Never throws and follows no redirect. */
export function createPoster(): Poster {
  const agent = new Agent({ keepAliveTimeout: 4_000, connections: 32 })
  const calls = new Set<AbortController>()
  return {
    async post(url, { contentType, body, timeoutMs, headers }) {
      const call = new AbortController()
      calls.add(call)
      const timer = setTimeout(() => call.abort(new Error('no answer in time')), timeoutMs)
      try {
        const answer = await request(url, {
          method: 'POST',
          dispatcher: agent,
          headers: { 'content-type': contentType, 'user-agent': 'ServiceM8', ...headers },
          body,
          signal: call.signal,
        })
        return {
          status: answer.statusCode,
          error: '',
          answer: await readSome(answer.body),
          contentType: one(answer.headers['content-type']),
          location: one(answer.headers.location),
        }
      } catch (error) {
        return { status: null, error: reasonOf(error), answer: '', contentType: '', location: '' }
      } finally {
        clearTimeout(timer)
        calls.delete(call)
      }
    },
    async stop() {
      for (const call of calls) call.abort(new Error('the sandbox stops'))
      await agent.destroy()
    },
  }
}

async function readSome(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.byteLength
    if (size >= MAX_ANSWER) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

function one(value: string | string[] | undefined): string {
  return (Array.isArray(value) ? value[0] : value) ?? ''
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? String(error.code) : ''
  return code && !error.message.includes(code) ? `${code}: ${error.message}` : error.message || code
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Whether the pretend platform may call this address. It may call the add-on (the host of `origin`), and any port of
 * this machine while `origin` is on this machine itself, so that a stage cannot be used to reach other hosts.
 */
export function callable(url: string, origin: string): boolean {
  if (!URL.canParse(url)) return false
  const target = new URL(url)
  if (target.protocol !== 'http:' && target.protocol !== 'https:') return false
  if (target.username !== '' || target.password !== '') return false
  const home = new URL(origin)
  return target.host === home.host || (LOOPBACK.has(home.hostname) && LOOPBACK.has(target.hostname))
}
