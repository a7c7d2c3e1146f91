import { beforeEach, describe, expect, it } from 'vitest'
import { createSecretBox } from '#app/adapters/secret-box.server.ts'
import { ACCOUNT, type ActionWorld, actionWorld } from '#tests/support/action-platform.server.ts'
import { documentUrl, openDocument, readLink, writeLink } from './document-links.server.ts'

let world: ActionWorld

beforeEach(() => {
  world = actionWorld()
})

const FILE = 'dddddddd-0000-4000-8000-00000000000f'
const tokenOf = (url: string) => url.slice('https://fieldhook.test/documents/'.length)

describe('a download address', () => {
  it('leads to the file of its account, for sixty days', async () => {
    const url = documentUrl(world.app, ACCOUNT, FILE)
    world.platform.putFile(ACCOUNT, FILE)
    expect(await openDocument(world.app, tokenOf(url))).toEqual({
      outcome: 'found',
      url: expect.stringMatching(/\/storage\/[\w-]{43}$/),
    })
    world.clock.advance(60 * 86_400_000 + 1_000)
    expect(await openDocument(world.app, tokenOf(url))).toEqual({ outcome: 'expired' })
  })

  it('tells nothing about account or file, and is short enough for a text message', () => {
    const url = documentUrl(world.app, ACCOUNT, FILE)
    expect(url).not.toContain(ACCOUNT.slice(0, 8))
    expect(url).not.toContain('dddddddd')
    expect(tokenOf(url).length).toBeLessThan(160)
  })

  it('cannot be made up or changed', async () => {
    const token = tokenOf(documentUrl(world.app, ACCOUNT, FILE))
    const other = createSecretBox(`k1:${Buffer.alloc(32, 9).toString('base64')}`)
    const forged = other.direct.seal(
      'document link',
      writeLink({ accountUuid: ACCOUNT, attachmentUuid: FILE, expiresAt: 9e12 }),
    )
    const borrowed = world.app.secrets.direct.seal('something else', 'x')
    for (const one of ['', 'x', `${token}x`, token.slice(0, -2), forged, borrowed, token.toUpperCase()]) {
      expect(await openDocument(world.app, one)).toEqual({ outcome: 'unknown' })
    }
  })

  it('says when the file is gone, and when nobody can tell', async () => {
    const token = tokenOf(documentUrl(world.app, ACCOUNT, FILE))
    expect(await openDocument(world.app, token)).toEqual({ outcome: 'gone' })
    world.platform.fate = () => 'broken'
    expect(await openDocument(world.app, token)).toEqual({ outcome: 'unavailable', retryAt: null })
    world.platform.fate = () => 'too_many'
    expect(await openDocument(world.app, token)).toMatchObject({ outcome: 'unavailable', retryAt: expect.any(Number) })
  })
})

describe('what an address says', () => {
  it('comes back as it was written', () => {
    const link = { accountUuid: ACCOUNT, attachmentUuid: FILE, expiresAt: 1_800_000_000_000 }
    expect(readLink(writeLink(link))).toEqual(link)
  })

  it.each(['', 'abc', 'z'.repeat(70), `${'0'.repeat(64)}!`])('is refused when it is %j', (text) => {
    expect(readLink(text)).toBeNull()
  })
})
