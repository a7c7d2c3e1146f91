// A small S3-compatible store: keeps objects in memory, checks every signature itself (Signature V4, written from its
// specification, not with the signing library), lists in pages, and fails where a test wants it.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

export interface StandInS3 {
  endpoint: string
  bucket: string
  region: string
  keyId: string
  secret: string
  /** Content by key. */
  objects: Map<string, Buffer>
  /** `PUT key`, in order of arrival, including refused ones. */
  calls: string[]
  /** Called before each call with a valid signature. `cut` = the connection ends half-way; a number = that status. */
  onCall(decide: (call: string, count: number) => 'go on' | 'cut' | 'short' | number): void
  close(): Promise<void>
}

/** @param pageOf number of keys per list page */
export async function standInS3(pageOf = 2): Promise<StandInS3> {
  const objects = new Map<string, Buffer>()
  const calls: string[] = []
  const own = { bucket: 'backups', region: 'eu-test-1', keyId: 'AKIATEST', secret: 'a secret with / and +' }
  let decide: Parameters<StandInS3['onCall']>[0] = () => 'go on'

  const server = createServer((req, res) => void answer(req, res).catch(() => res.destroy()))
  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url ?? '', 'http://stand-in')
    const key = decodeURIComponent(url.pathname).replace(`/${own.bucket}`, '').replace(/^\//, '')
    const call = `${req.method} ${key || 'list'}`
    calls.push(call)
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const wrong = wrongWith(req, url, body, own)
    if (wrong) return refuse(res, wrong.status, wrong.code)
    const decision = decide(call, calls.filter((one) => one === call).length)
    if (decision === 'cut') return void res.destroy()
    if (typeof decision === 'number') return refuse(res, decision, 'Asked')
    const found = objects.get(key)
    if (req.method === 'PUT') {
      objects.set(key, decision === 'short' ? body.subarray(1) : body)
      return void res.writeHead(200).end()
    }
    if (req.method === 'DELETE') {
      objects.delete(key)
      return void res.writeHead(204).end()
    }
    if (key === '')
      return void res.writeHead(200, { 'content-type': 'application/xml' }).end(page(url, objects, pageOf))
    if (!found) return refuse(res, 404, 'NoSuchKey')
    res.writeHead(200, { 'content-length': found.length })
    if (req.method === 'HEAD') return void res.end()
    if (decision !== 'short') return void res.end(found)
    // Sends half of the object, then ends the connection.
    res.write(found.subarray(0, found.length >> 1), () => res.destroy())
  }

  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  const port = address && typeof address === 'object' ? address.port : 0
  return {
    ...own,
    endpoint: `http://127.0.0.1:${port}`,
    objects,
    calls,
    onCall(next) {
      decide = next
    },
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

function refuse(res: ServerResponse, status: number, code: string): void {
  res.writeHead(status, { 'content-type': 'application/xml' }).end(`<Error><Code>${code}</Code></Error>`)
}

function page(url: URL, objects: Map<string, Buffer>, pageOf: number): string {
  const prefix = url.searchParams.get('prefix') ?? ''
  const after = url.searchParams.get('continuation-token')?.replace(/^a&b </, '') ?? ''
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort()
  const shown = keys.slice(0, pageOf)
  const entries = shown.map(
    (key) =>
      `<Contents><Key>${key}</Key><LastModified>2026-01-05T09:00:00.000Z</LastModified><Size>${objects.get(key)?.length}</Size></Contents>`,
  )
  const more = keys.length > shown.length
  // A token with all characters that XML and URLs encode differently.
  const token = more ? `<NextContinuationToken>a&amp;b &lt;${shown.at(-1)}</NextContinuationToken>` : ''
  return `<?xml version="1.0"?><ListBucketResult><IsTruncated>${more}</IsTruncated>${token}${entries.join('')}</ListBucketResult>`
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text, 'utf8').digest()
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const escaped = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)

/** Null when the call is signed with our key, at about this time, over this method, address, headers and content. */
function wrongWith(
  req: IncomingMessage,
  url: URL,
  body: Buffer,
  own: { region: string; keyId: string; secret: string },
): { status: number; code: string } | null {
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      req.headers.authorization ?? '',
    )
  if (!parts) return { status: 403, code: 'AccessDenied' }
  const [, keyId = '', day = '', region = '', names = '', signature = ''] = parts
  if (keyId !== own.keyId) return { status: 403, code: 'InvalidAccessKeyId' }
  if (region !== own.region) return { status: 400, code: 'AuthorizationHeaderMalformed' }
  const moment = String(req.headers['x-amz-date'] ?? '')
  const at = Date.parse(moment.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (!(Math.abs(Date.now() - at) < 15 * 60_000) || !moment.startsWith(day)) {
    return { status: 403, code: 'RequestTimeTooSkewed' }
  }
  const signed = names.split(';')
  for (const needed of ['host', 'x-amz-content-sha256', 'x-amz-date']) {
    if (!signed.includes(needed)) return { status: 403, code: 'AccessDenied' }
  }
  const content = String(req.headers['x-amz-content-sha256'])
  if (content !== sha256(body)) return { status: 400, code: 'XAmzContentSHA256Mismatch' }
  if (req.method === 'PUT' && Number(req.headers['content-length']) !== body.length) {
    return { status: 411, code: 'MissingContentLength' }
  }
  const query = [...url.searchParams].map(([name, value]) => `${escaped(name)}=${escaped(value)}`).sort()
  const canonical = [
    req.method,
    decodeURIComponent(url.pathname).split('/').map(escaped).join('/'),
    query.join('&'),
    ...signed.map(
      (name) =>
        `${name}:${String(req.headers[name] ?? '')
          .trim()
          .replace(/\s+/g, ' ')}`,
    ),
    '',
    names,
    content,
  ].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const key = hmac(hmac(hmac(hmac(`AWS4${own.secret}`, day), region), 's3'), 'aws4_request')
  const expected = hmac(key, ['AWS4-HMAC-SHA256', moment, scope, sha256(canonical)].join('\n'))
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'))
    ? null
    : { status: 403, code: 'SignatureDoesNotMatch' }
}
