import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createBackupSeal, newBackupKey } from './backup-seal.server.ts'

const [OLD, NEW] = [(await newBackupKey()).identity, (await newBackupKey()).identity]

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new Blob([Uint8Array.from(bytes)]).stream() as ReadableStream<Uint8Array>
}

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  return Buffer.from(await new Response(stream).arrayBuffer())
}

test('what one key sealed, a later list with that key in it opens; the list seals with its first', async () => {
  const old = await createBackupSeal([OLD])
  const both = await createBackupSeal([NEW, OLD])
  const plain = randomBytes(200_000)
  const sealed = await bytesOf(await old.seal(streamOf(plain)))
  expect((await bytesOf(await both.open(streamOf(sealed)))).equals(plain)).toBe(true)
  const anew = await bytesOf(await both.seal(streamOf(plain)))
  await expect(old.open(streamOf(anew))).rejects.toThrow()
})

test('a changed, shortened or longer file does not open', async () => {
  const seal = await createBackupSeal([OLD])
  const sealed = await bytesOf(await seal.seal(streamOf(randomBytes(200_000))))
  const changed = Buffer.from(sealed)
  changed.writeUInt8(changed.readUInt8(150_000) ^ 1, 150_000)
  for (const wrong of [changed, sealed.subarray(0, -70_000), Buffer.concat([sealed, sealed])]) {
    await expect((async () => bytesOf(await seal.open(streamOf(wrong))))()).rejects.toThrow()
  }
})

test('a signature counts for its text and by its keys only', async () => {
  const old = await createBackupSeal([OLD])
  const both = await createBackupSeal([NEW, OLD])
  const signature = old.sign('text')
  expect([old.isSigned('text', signature), both.isSigned('text', signature)]).toEqual([true, true])
  expect([old.isSigned('text', both.sign('text')), old.isSigned('other', signature)]).toEqual([false, false])
  for (const wrong of ['', 'zz', signature.slice(2), `${signature}00`]) expect(old.isSigned('text', wrong)).toBe(false)
})
