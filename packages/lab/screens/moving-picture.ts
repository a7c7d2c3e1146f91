// Still WebP pictures, one after the other, as one moving picture. The browser draws and packs the stills; this only puts them
// into one file. Format: the WebP container, https://developers.google.com/speed/webp/docs/riff_container

export interface Still {
  /** A whole WebP file without transparency, as a browser makes it. */
  webp: Buffer
  /** How long it is shown, ms. */
  forMs: number
}

/** For ever. */
const LOOPS = 0
const HAS_ANIMATION = 0x02
/** The next still covers this one completely: nothing to blend, nothing to clear. */
const COVERS = 0x02

/**
 * @param size of every still, pixels
 * @throws Error when a still is no WebP picture
 */
export function movingPicture(stills: readonly Still[], size: { width: number; height: number }): Buffer {
  const header = Buffer.alloc(10)
  header.writeUInt8(HAS_ANIMATION, 0)
  header.writeUIntLE(size.width - 1, 4, 3)
  header.writeUIntLE(size.height - 1, 7, 3)
  const animation = Buffer.alloc(6)
  animation.writeUInt32LE(0xffffffff, 0)
  animation.writeUInt16LE(LOOPS, 4)
  const frames = stills.map(({ webp, forMs }) => {
    const place = Buffer.alloc(16)
    place.writeUIntLE(size.width - 1, 6, 3)
    place.writeUIntLE(size.height - 1, 9, 3)
    place.writeUIntLE(forMs, 12, 3)
    place.writeUInt8(COVERS, 15)
    return chunk('ANMF', Buffer.concat([place, bitsOf(webp)]))
  })
  const body = Buffer.concat([Buffer.from('WEBP'), chunk('VP8X', header), chunk('ANIM', animation), ...frames])
  return chunk('RIFF', body)
}

/** The chunk that holds the picture itself. */
function bitsOf(webp: Buffer): Buffer {
  if (webp.toString('latin1', 0, 4) !== 'RIFF') throw new Error('A still is no WebP picture.')
  for (let at = 12; at + 8 <= webp.length; ) {
    const length = webp.readUInt32LE(at + 4)
    const name = webp.toString('latin1', at, at + 4)
    if (name === 'VP8 ' || name === 'VP8L') return webp.subarray(at, at + 8 + length + (length % 2))
    at += 8 + length + (length % 2)
  }
  throw new Error('A still is no WebP picture.')
}

function chunk(name: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(name, 'latin1')
  head.writeUInt32LE(body.length, 4)
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)])
}
