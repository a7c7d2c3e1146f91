import { crc32 } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { minutes } from '#app/lib/duration.ts'
import { JOB, openStage, SEED, SYDNEY, type TestStage } from '../../testing.server.ts'
import { filePart } from './attachments.server.ts'
import { docxBytes, jpegBytes, pdfBytes } from './document-bytes.ts'

let stage: TestStage
let token: string
beforeEach(async () => {
  stage = await openStage()
  token = stage.token()
})
afterEach(() => stage.stop())

async function newAttachment(name = 'plan.pdf'): Promise<string> {
  const json = { related_object: 'job', related_object_uuid: JOB, attachment_name: name, file_type: '.pdf', active: 1 }
  return (await stage.call('/api_1.0/attachment.json', { token, json })).headers.get('x-record-uuid') ?? ''
}

test('bytes go up raw and come down through a second address that wants no bearer', async () => {
  const uuid = await newAttachment()
  const path = `/api_1.0/attachment/${uuid}.file`
  expect((await stage.call(path, { token })).status).toBe(404)
  const bytes = pdfBytes(['Plan'])
  const headers = { 'content-type': 'application/pdf' }
  expect((await stage.call(path, { token, method: 'POST', body: bytes, headers })).status).toBe(200)

  const redirect = await stage.call(path, { token })
  const location = redirect.headers.get('location') ?? ''
  expect([redirect.status, location]).toEqual([302, expect.stringContaining('/storage/')])
  const withBearer = await fetch(location, { headers: { authorization: `Bearer ${token}` } })
  expect(withBearer.status).toBe(400)
  const answer = await fetch(location)
  expect(answer.headers.get('content-type')).toBe('application/pdf')
  expect(answer.headers.get('content-disposition')).toContain('attachment')
  expect(answer.headers.get('content-security-policy')).toContain('sandbox')
  expect(new Uint8Array(await answer.arrayBuffer())).toEqual(bytes)

  stage.clock.advance(minutes(6))
  expect((await fetch(location)).status).toBe(403)
})

test('a multipart upload takes the part named file', async () => {
  const uuid = await newAttachment()
  const form = new FormData()
  form.append('note', 'not this')
  form.append('file', new Blob([pdfBytes(['Form'])]), 'plan.pdf')
  const path = `/api_1.0/attachment/${uuid}.file`
  expect((await stage.call(path, { token, method: 'POST', body: form })).status).toBe(200)
  expect(Buffer.from(stage.world.fileOf(SYDNEY, uuid)?.bytes ?? []).toString('latin1')).toMatch(/^%PDF/)
  const without = new FormData()
  without.append('other', 'x')
  expect((await stage.call(path, { token, method: 'POST', body: without })).status).toBe(400)
})

test('a multipart body that is broken has no file', () => {
  const part = (body: string) => filePart('multipart/form-data; boundary=x', Buffer.from(body))
  expect(part('')).toBeNull()
  expect(part('--x\r\ncontent-disposition: form-data; name="file"\r\n\r\nno end')).toBeNull()
  expect(filePart('multipart/form-data', Buffer.from('--x'))).toBeNull()
})

test('files are refused without a record, without a scope, empty, and when too large', async () => {
  const uuid = await newAttachment()
  const upload = (id: string, body: Uint8Array<ArrayBuffer>, as = token) =>
    stage.call(`/api_1.0/attachment/${id}.file`, { token: as, method: 'POST', body })
  expect((await upload(SYDNEY, new Uint8Array(3))).status).toBe(404)
  expect((await upload(uuid, new Uint8Array(3), stage.token('read_attachments'))).status).toBe(403)
  expect((await upload(uuid, new Uint8Array(0))).status).toBe(400)
  expect((await upload(uuid, new Uint8Array(6 * 1024 * 1024))).status).toBe(413)
})

test('an uploaded file can be attached to an e-mail', async () => {
  const uuid = await newAttachment('quote.pdf')
  await stage.call(`/api_1.0/attachment/${uuid}.file`, { token, method: 'POST', body: pdfBytes(['Quote']) })
  const json = { to: 'ann@shop.example', subject: 'Quote', textBody: 'See file', attachments: [uuid] }
  expect((await stage.call('/platform_service_email', { token, json })).status).toBe(200)
  expect(stage.world.outbox(SYDNEY)).toMatchObject([{ attachments: [{ uuid, name: 'quote.pdf' }] }])
})

const produce = (change: Record<string, unknown> = {}) =>
  stage.call('/platform_produce_document', {
    token,
    json: { objectType: 'Job', objectUUID: JOB, templateType: 'Quote', outputFormat: 'pdf', ...change },
  })

test('a document answers its bytes and nothing that names it', async () => {
  const pdf = await produce()
  expect(pdf.headers.get('content-type')).toBe('application/pdf')
  expect(pdf.text).toMatch(/^%PDF-1\.4/)
  expect(pdf.text).toContain('Harbour Plumbing')
  expect(pdf.text).toContain('Total: AUD 91.00')
  expect((await produce({ outputFormat: 'docx' })).text).toMatch(/^PK/)
  expect((await produce({ outputFormat: 'jpg' })).headers.get('content-type')).toBe('image/jpeg')
  expect(stage.world.outbox(SYDNEY)).toHaveLength(3)
  expect((await stage.call('/api_1.0/attachment.json', { token })).json()).toEqual([])
})

test('storing to the diary makes an attachment of the job', async () => {
  await stage.subscribe(token, 'attachment', 'related_object_uuid')
  await produce({ storeToDiary: true })
  await stage.world.settled()
  const [file] = (await stage.call('/api_1.0/attachment.json', { token })).json<Record<string, string>[]>()
  expect(file).toMatchObject({ related_object_uuid: JOB, attachment_name: 'Quote 1041.pdf', file_type: '.pdf' })
  expect(stage.world.fileOf(SYDNEY, file?.uuid ?? '')?.type).toBe('application/pdf')
  expect(stage.hits).toHaveLength(1)
})

test.each([
  ['Company as the object', { objectType: 'Company' }],
  ['an unknown job', { objectUUID: SYDNEY }],
  ['an unknown template type', { templateType: 'Letter' }],
  ['an unknown template', { templateUUID: SYDNEY }],
  ['an unknown format', { outputFormat: 'odt' }],
])('%s is a JSON error', async (_case, change) => {
  const answer = await produce(change)
  expect(answer.status).toBeGreaterThanOrEqual(400)
  expect(answer.json()).toMatchObject({ errorCode: answer.status, message: expect.any(String) })
})

test('documents fail with JSON on demand and need their scope', async () => {
  stage.world.setOptions(SYDNEY, { documentsFail: true })
  expect((await produce()).json()).toMatchObject({ errorCode: 500 })
  const json = { objectType: 'Job', objectUUID: JOB, templateType: 'Quote' }
  expect((await stage.call('/platform_produce_document', { token: stage.token('vendor'), json })).status).toBe(403)
})

test('the files are what they say: every PDF object is where its table points', () => {
  const pdf = Buffer.from(pdfBytes(['Café (1)', '日本'])).toString('latin1')
  const start = Number(/startxref\n(\d+)/.exec(pdf)?.[1])
  expect(pdf.slice(start, start + 4)).toBe('xref')
  const offsets = [...pdf.matchAll(/^(\d{10}) 00000 n /gm)].map((match) => Number(match[1]))
  expect(offsets).toHaveLength(5)
  offsets.forEach((offset, index) => {
    expect(pdf.slice(offset, offset + 8)).toBe(`${index + 1} 0 obj\n`)
  })
  expect(pdf).toContain('(Café \\(1\\)) Tj')
  expect([...jpegBytes().slice(0, 2), ...jpegBytes().slice(-2)]).toEqual([0xff, 0xd8, 0xff, 0xd9])
})

test('a Word document is a sound archive that holds its text', () => {
  const zip = Buffer.from(docxBytes(['Tap & <valve>']))
  const end = zip.indexOf('PK\x05\x06')
  let at = zip.readUInt32LE(end + 16)
  const texts = new Map<string, string>()
  for (let entry = 0; entry < zip.readUInt16LE(end + 10); entry++) {
    expect(zip.subarray(at, at + 4).toString('latin1')).toBe('PK\x01\x02')
    const [size, nameLength, offset] = [zip.readUInt32LE(at + 24), zip.readUInt16LE(at + 28), zip.readUInt32LE(at + 42)]
    const name = zip.subarray(at + 46, at + 46 + nameLength).toString()
    const data = zip.subarray(offset + 30 + nameLength, offset + 30 + nameLength + size)
    expect(zip.subarray(offset, offset + 4).toString('latin1')).toBe('PK\x03\x04')
    expect(crc32(data)).toBe(zip.readUInt32LE(at + 16))
    texts.set(name, data.toString())
    at += 46 + nameLength
  }
  expect(at).toBe(end)
  expect([...texts.keys()]).toEqual(['[Content_Types].xml', '_rels/.rels', 'word/document.xml'])
  expect(texts.get('word/document.xml')).toContain('Tap &amp; &lt;valve&gt;')
})

test('files that seed data names can be read', async () => {
  const uuid = 'a0000000-0000-4000-8000-0000000000b1'
  const [first] = SEED
  if (!first) throw new Error('no seed')
  const attachment = [
    { uuid, related_object: 'job', related_object_uuid: JOB, attachment_name: 'Plan', file_type: '.PDF' },
  ]
  const seeded = await openStage({ seed: [{ ...first, records: { ...first.records, attachment } }] })
  try {
    const answer = await seeded.call(`/api_1.0/attachment/${uuid}.file`, { token: seeded.token() })
    const file = await fetch(answer.headers.get('location') ?? '')
    expect(file.headers.get('content-type')).toBe('application/pdf')
    expect(await file.text()).toContain('(Plan) Tj')
  } finally {
    await seeded.stop()
  }
})
