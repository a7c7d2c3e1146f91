import type { LoaderFunctionArgs } from '@remix-run/node'
import { beforeEach, describe, expect, it } from 'vitest'
import type { App } from '#app/context/app-context.ts'
import { documentUrl } from '#app/features/automations/actions/document-links.server.ts'
import { ACCOUNT, type ActionWorld, actionWorld } from '#tests/support/action-platform.server.ts'
import { loader } from './documents.ts'

const FILE = 'dddddddd-0000-4000-8000-00000000000f'
let world: ActionWorld
let visitors = 0

beforeEach(() => {
  world = actionWorld()
  visitors += 1
})

async function open(token: string, method = 'GET'): Promise<Response> {
  const request = new Request(`https://fieldhook.test/documents/${token}`, { method })
  const context = { app: world.app as App, clientIp: `192.0.2.${visitors}`, nonce: 'n' }
  return loader({ request, params: { token }, context } as unknown as LoaderFunctionArgs)
}

const token = () => documentUrl(world.app, ACCOUNT, FILE).split('/').at(-1) ?? ''

describe('GET /documents/{token}', () => {
  it('leads to the file without a session, and nobody keeps or lists it', async () => {
    world.platform.putFile(ACCOUNT, FILE)
    const answer = await open(token())
    expect(answer.status).toBe(302)
    expect(answer.headers.get('location')).toMatch(/\/storage\/[\w-]{43}$/)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('x-robots-tag')).toBe('noindex, nofollow')
  })

  it('says in a sentence why it does not', async () => {
    const read = async (answer: Response) => [answer.status, await answer.text()]
    expect(await read(await open('nonsense'))).toEqual([404, expect.stringContaining('does not lead to a document')])
    expect(await read(await open(token()))).toEqual([410, expect.stringContaining('no longer kept')])
    const old = token()
    world.clock.advance(61 * 86_400_000)
    expect(await read(await open(old))).toEqual([410, expect.stringContaining('This link has expired')])
    world.platform.fate = () => 'broken'
    const answer = await open(token())
    expect(await read(answer)).toEqual([503, expect.stringContaining('try again')])
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it('is braked per address', async () => {
    const statuses: number[] = []
    for (let time = 0; time < 25; time += 1) statuses.push((await open('nonsense')).status)
    expect(statuses.filter((status) => status === 404)).toHaveLength(20)
    expect(statuses.at(-1)).toBe(429)
  })

  it('takes only GET', async () => {
    expect((await open(token(), 'POST')).status).toBe(405)
  })
})
