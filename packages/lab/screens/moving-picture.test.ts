import { expect, test } from 'vitest'
import { movingPicture } from './moving-picture.ts'

/** A WebP file with an ignored chunk before the picture. */
function still(bits: string): Buffer {
  const chunk = (name: string, body: Buffer) => {
    const head = Buffer.alloc(8)
    head.write(name, 'latin1')
    head.writeUInt32LE(body.length, 4)
    return Buffer.concat([head, body, Buffer.alloc(body.length % 2)])
  }
  const inside = Buffer.concat([chunk('ICCP', Buffer.from('abc')), chunk('VP8 ', Buffer.from(bits))])
  return chunk('RIFF', Buffer.concat([Buffer.from('WEBP'), inside]))
}

test('every still is a frame of the whole size, shown for its time', () => {
  const stills = [
    { webp: still('first'), forMs: 1_500 },
    { webp: still('second'), forMs: 70_000 },
  ]
  const made = movingPicture(stills, { width: 960, height: 600 })
  expect(made.readUInt32LE(4)).toBe(made.length - 8)
  expect(made.toString('latin1', 8, 16)).toBe('WEBPVP8X')
  expect(made.readUIntLE(24, 3) + 1).toBe(960)
  expect(made.readUIntLE(27, 3) + 1).toBe(600)
  const frames = [...made.toString('latin1').matchAll(/ANMF/g)].map(({ index }) => index + 8)
  expect(frames.map((at) => made.readUIntLE(at + 12, 3))).toEqual([1_500, 70_000])
  expect(frames.map((at) => made.toString('latin1', at + 16, at + 20))).toEqual(['VP8 ', 'VP8 '])
  expect(made.toString('latin1')).toContain('first')
})

test('what is no picture is refused', () => {
  expect(() => movingPicture([{ webp: Buffer.from('PNG'), forMs: 1 }], { width: 1, height: 1 })).toThrow(/no WebP/)
})
