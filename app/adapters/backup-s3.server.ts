// Backups in S3-compatible storage (AWS, Cloudflare R2, Tigris, MinIO), with path-style addresses and Signature V4.
import { createReadStream } from 'node:fs'
import { AwsV4Signer } from 'aws4fetch'
import pRetry, { AbortError } from 'p-retry'
import { Agent, type Dispatcher, request } from 'undici'
import type { BackupTo } from '../lib/backup-settings.ts'
import { seconds } from '../lib/duration.ts'
import { type BackupPlace, isStoredName, type StoredFile, storedName } from './backup-place.ts'

type S3Place = Extract<BackupTo, { kind: 's3' }>

interface S3Options {
  /** Retries after the first attempt; default 4. */
  retries?: number
  /** ms before the first retry, doubled for each further one; default 1 s. */
  firstPauseMs?: number
  /** ms without a byte until an attempt is aborted; default 60 s. */
  silenceMs?: number
}

interface Asked {
  method: 'GET' | 'PUT' | 'DELETE' | 'HEAD'
  /** Key in the bucket, without a leading slash; '' = the bucket itself. */
  key: string
  query?: Record<string, string>
  file?: { path: string; bytes: number; sha256: string }
  signal?: AbortSignal
}

/** sha256 of an empty body. */
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

export function backupS3(place: S3Place, options: S3Options = {}): BackupPlace {
  const { retries = 4, firstPauseMs = seconds(1), silenceMs = seconds(60) } = options
  const agent = new Agent({
    connect: { timeout: seconds(10) },
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
    keepAliveTimeout: seconds(4),
  })
  const prefix = place.prefix === '' ? '' : `${place.prefix}/`
  const keyOf = (name: string) => `${prefix}${storedName(name)}`

  /** One call. Rejects with an AbortError when a retry would get the same answer. */
  async function askOnce({ method, key, query = {}, file, signal }: Asked): Promise<Dispatcher.ResponseData> {
    const url = new URL(`${place.endpoint}/${place.bucket}${key === '' ? '' : `/${key}`}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const signed = await new AwsV4Signer({
      method,
      url: url.href,
      headers: { 'x-amz-content-sha256': file?.sha256 ?? EMPTY },
      accessKeyId: place.keyId,
      secretAccessKey: place.secret,
      service: 's3',
      region: place.region,
    }).sign()
    const answer = await request(signed.url, {
      method,
      dispatcher: agent,
      headers: { ...Object.fromEntries(signed.headers), ...(file && { 'content-length': String(file.bytes) }) },
      ...(file && { body: createReadStream(file.path) }),
      ...(signal && { signal }),
    })
    if (answer.statusCode < 300) return answer
    const why = await reasonIn(answer)
    const error = new Error(`${host(place)} answered ${answer.statusCode}${why} to ${method} ${key || place.bucket}`)
    throw answer.statusCode >= 500 || [408, 429].includes(answer.statusCode) ? error : new AbortError(error)
  }

  const ask = <T>(asked: Asked, take: (answer: Dispatcher.ResponseData) => Promise<T>): Promise<T> =>
    pRetry(async () => take(await askOnce(asked)), {
      retries,
      minTimeout: firstPauseMs,
      ...(asked.signal && { signal: asked.signal }),
    })

  return {
    words: `the bucket ${place.bucket} at ${host(place)}`,
    async list(signal) {
      const files: StoredFile[] = []
      let next: string | null = ''
      while (next !== null) {
        const query: Record<string, string> = { 'list-type': '2', prefix, 'max-keys': '1000' }
        if (next !== '') query['continuation-token'] = next
        const text: string = await ask({ method: 'GET', key: '', query, ...(signal && { signal }) }, (answer) =>
          answer.body.text(),
        )
        files.push(...filesIn(text, prefix))
        next = textOf(text, 'IsTruncated') === 'true' ? (textOf(text, 'NextContinuationToken') ?? null) : null
      }
      return files
    },
    async read(name) {
      return ask({ method: 'GET', key: keyOf(name) }, async (answer) => answer.body)
    },
    async write(name, file) {
      const key = keyOf(name)
      await ask({ method: 'PUT', key, file }, (answer) => answer.body.dump())
      const bytes = await ask({ method: 'HEAD', key }, async (answer) => {
        await answer.body.dump()
        return Number(answer.headers['content-length'])
      })
      if (bytes !== file.bytes)
        throw new Error(`${host(place)} keeps ${bytes} bytes of ${name} instead of ${file.bytes}`)
    },
    async remove(name) {
      await ask({ method: 'DELETE', key: keyOf(name) }, (answer) => answer.body.dump())
    },
    trouble: async () => null,
  }
}

function host(place: S3Place): string {
  return new URL(place.endpoint).host
}

/** " (NoSuchKey)" from the storage's XML. */
async function reasonIn(answer: Dispatcher.ResponseData): Promise<string> {
  const text = await answer.body.text().catch(() => '')
  const code = textOf(text.slice(0, 4096), 'Code')
  return code && /^\w{1,60}$/.test(code) ? ` (${code})` : ''
}

function filesIn(xml: string, prefix: string): StoredFile[] {
  return [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].flatMap(([, entry = '']) => {
    const key = textOf(entry, 'Key') ?? ''
    const name = key.slice(prefix.length)
    if (!key.startsWith(prefix) || !isStoredName(name)) return []
    const storedAt = Date.parse(textOf(entry, 'LastModified') ?? '')
    return [{ name, bytes: Number(textOf(entry, 'Size')), storedAt: Number.isNaN(storedAt) ? 0 : storedAt }]
  })
}

/** The text of the first element with that name. Our keys contain nothing that XML escapes; tokens may. */
function textOf(xml: string, element: string): string | undefined {
  const text = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1]
  return text?.replace(/&(amp|lt|gt|quot|apos|#39|#34);/g, (_all, name: string) => ENTITIES[name] ?? '')
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'", '#34': '"' }
