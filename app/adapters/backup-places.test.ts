// Both places keep the same promises: whole files or none, nothing outside of them.
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type StandInS3, standInS3 } from '#tests/support/s3-stand-in.ts'
import { backupFolder } from './backup-folder.server.ts'
import type { BackupPlace } from './backup-place.ts'
import { backupS3 } from './backup-s3.server.ts'

let folder = ''
let s3: StandInS3

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fieldhook-place-'))
  s3 = await standInS3()
})
afterEach(async () => {
  await s3.close()
  rmSync(folder, { recursive: true, force: true })
})

function file(text: string) {
  const path = join(folder, 'source')
  writeFileSync(path, text)
  return { path, bytes: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') }
}

async function textOf(place: BackupPlace, name: string): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of await place.read(name)) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

const inFolder = () => backupFolder(join(folder, 'place'))
const inBucket = (more: { secret?: string; region?: string } = {}) =>
  backupS3({ kind: 's3', ...s3, prefix: 'fieldhook/one', ...more }, { retries: 2, firstPauseMs: 1, silenceMs: 2_000 })

describe.each([
  ['a folder', inFolder],
  ['a bucket', inBucket],
])('%s', (_, place) => {
  test('gives back what it was given, lists it and forgets it', async () => {
    const here = place()
    expect(await here.list()).toEqual([])
    for (const name of ['a/1', 'a/2', 'b/part-0001.age', 'b/manifest.json', 'c/1'])
      await here.write(name, file(`of ${name}`))
    await here.write('a/1', file('again'))
    expect(await textOf(here, 'a/1')).toBe('again')
    const listed = await here.list()
    expect(listed.map(({ name, bytes }) => `${name} ${bytes}`).sort()).toEqual([
      'a/1 5',
      'a/2 6',
      'b/manifest.json 18',
      'b/part-0001.age 18',
      'c/1 6',
    ])
    for (const one of listed) expect(one.storedAt).toBeGreaterThan(0)
    await here.remove('a/1')
    await here.remove('a/1')
    await here.remove('a/2')
    expect((await here.list()).map(({ name }) => name).sort()).toEqual(['b/manifest.json', 'b/part-0001.age', 'c/1'])
    await expect(here.read('a/1')).rejects.toThrow()
  })

  test.each(['../x', 'a/../b', '/etc/passwd', 'a', 'a/b/c', 'a/.hidden', ''])(
    'goes nowhere else for %j',
    async (name) => {
      const here = place()
      await expect((async () => here.write(name, file('x')))()).rejects.toThrow('is not the name')
      await expect((async () => here.read(name))()).rejects.toThrow('is not the name')
      await expect((async () => here.remove(name))()).rejects.toThrow('is not the name')
    },
  )
})

test('a folder leaves no half of a file, and only its owner reads it', async () => {
  const here = inFolder()
  await here.write('a/1', file('whole'))
  expect(statSync(join(folder, 'place/a/1')).mode & 0o777).toBe(0o600)
  await expect(here.write('a/2', { ...file('short'), bytes: 99 })).rejects.toThrow('has 5 bytes instead of 99')
  expect(readdirSync(join(folder, 'place/a'))).toEqual(['1'])
  await here.remove('a/1')
  expect(existsSync(join(folder, 'place/a'))).toBe(false)
})

test('a folder that cannot be written to says so before the first backup', async () => {
  expect(await inFolder().trouble()).toBeNull()
  writeFileSync(join(folder, 'file'), '')
  expect(await backupFolder(join(folder, 'file/below')).trouble()).toContain('cannot be written to')
})

describe('a bucket', () => {
  test('is asked again after an answer of 500, a 429 and a cut connection', async () => {
    const troubles = [500, 429, 'cut'] as const
    for (const [index, trouble] of troubles.entries()) {
      s3.onCall((_call, count) => (count === 1 ? trouble : 'go on'))
      await inBucket().write(`a/${index}`, file(`of ${index}`))
      expect(s3.objects.get(`fieldhook/one/a/${index}`)?.toString()).toBe(`of ${index}`)
    }
  })

  test('is not asked again after a no, and its word for it is told', async () => {
    s3.onCall(() => 403)
    await expect(inBucket().write('a/1', file('x'))).rejects.toThrow(
      `${new URL(s3.endpoint).host} answered 403 (Asked) to PUT fieldhook/one/a/1`,
    )
    expect(s3.calls).toEqual(['PUT fieldhook/one/a/1'])
  })

  test('is given up after the last try', async () => {
    s3.onCall(() => 503)
    await expect(inBucket().list()).rejects.toThrow('answered 503')
    expect(s3.calls).toHaveLength(3)
  })

  test('is told what it keeps less than it was given', async () => {
    s3.onCall((call) => (call.startsWith('PUT') ? 'short' : 'go on'))
    await expect(inBucket().write('a/1', file('five!'))).rejects.toThrow('keeps 4 bytes of a/1 instead of 5')
  })

  test('breaks off a read that ends early', async () => {
    await inBucket().write('a/1', file('x'.repeat(100_000)))
    s3.onCall((call) => (call.startsWith('GET') ? 'short' : 'go on'))
    await expect(textOf(inBucket(), 'a/1')).rejects.toThrow()
  })

  test('lists over many pages, only below its prefix', async () => {
    s3.objects.set('fieldhook/other/a/1', Buffer.from('not ours'))
    s3.objects.set('fieldhook/one/a/deeper/1', Buffer.from('not ours'))
    for (let n = 0; n < 5; n++) await inBucket().write(`a/${n}`, file('x'))
    expect((await inBucket().list()).map(({ name }) => name)).toEqual(['a/0', 'a/1', 'a/2', 'a/3', 'a/4'])
    expect(s3.calls.filter((call) => call === 'GET list').length).toBeGreaterThan(2)
  })

  test('takes no call that is signed with another secret or for another region', async () => {
    await expect(inBucket({ secret: 'another' }).list()).rejects.toThrow('403 (SignatureDoesNotMatch)')
    await expect(inBucket({ region: 'eu-test-2' }).list()).rejects.toThrow('400 (AuthorizationHeaderMalformed)')
  })

  test('that does not answer is given up when the time is over', async () => {
    await expect(inBucket().list(AbortSignal.abort())).rejects.toThrow()
  })
})
