// The reference against the routes: the same addresses, the same methods; and how it is served.
import type { ActionFunctionArgs } from '@remix-run/node'
import { expect, test } from 'vitest'
import { NOT_CALLS, OPERATIONS } from '#app/features/reference/operations.ts'
import { LIMITS } from '#app/http/rate-limit.server.ts'
import { steppingClock } from '#tests/support/stepping-clock.ts'
import routes from '../table.ts'
import { loader } from './openapi.ts'

const MODULES = import.meta.glob<{ action?: (args: ActionFunctionArgs) => Promise<Response> }>('./**/*.ts')

function args(request: Request): ActionFunctionArgs {
  const app = { clock: steppingClock(), settings: { origin: 'https://fieldhook.example.com', version: '1.2.3' } }
  return { request, params: {}, context: { app, clientIp: '127.0.0.1' } } as unknown as ActionFunctionArgs
}

test('every route below api/ has its calls in it, and every call has a route', () => {
  const below = routes.map(({ path }) => path ?? '').filter((path) => path.startsWith('api/'))
  const told = new Set(OPERATIONS.map(({ route }) => route))
  expect(below.filter((path) => !told.has(path) && !Object.hasOwn(NOT_CALLS, path))).toEqual([])
  expect([...told, ...Object.keys(NOT_CALLS)].filter((path) => !below.includes(path))).toEqual([])
})

test('every route takes the methods that the reference tells, and no other', async () => {
  const told = new Map<string, string[]>()
  for (const { route, method } of OPERATIONS) told.set(route, [...(told.get(route) ?? []), method])
  const answered = await Promise.all(
    [...told.keys()].map(async (path) => {
      const file = routes.find((route) => route.path === path)?.file.replace('routes/api/', './') ?? ''
      const module = await MODULES[file]?.()
      const answer = await module?.action?.(args(new Request(`http://localhost/${path}`, { method: 'PATCH' })))
      return [path, answer?.status, (answer?.headers.get('allow') ?? '').split(', ').sort()] as const
    }),
  )
  expect(answered).toEqual([...told].map(([path, methods]) => [path, 405, methods.sort()]))
})

test('the document is for anybody, is kept for a while, and costs little when it is asked for again', async () => {
  const first = await loader(args(new Request('http://localhost/api/openapi.json')))
  expect(first.status).toBe(200)
  expect(first.headers.get('cache-control')).toBe('public, max-age=300')
  expect(first.headers.has('access-control-allow-origin')).toBe(false)
  const document = (await first.json()) as { servers: unknown; info: { version: string } }
  expect(document.servers).toEqual([{ url: 'https://fieldhook.example.com' }])
  expect(document.info.version).toBe('1.2.3')
  const headers = { 'if-none-match': first.headers.get('etag') ?? '' }
  const again = await loader(args(new Request('http://localhost/api/openapi.json', { headers })))
  expect([again.status, await again.text()]).toEqual([304, ''])
})

test('limits are told as they are', () => {
  const told = Object.fromEntries(OPERATIONS.flatMap(({ id, limit }) => (limit ? [[id, limit]] : [])))
  expect(told).toMatchObject({
    saveCredentials: `${LIMITS.credentials} a minute and address`,
    linkAccount: `${LIMITS.link} a minute and address`,
    exportAccount: `${LIMITS.export} a minute and account`,
    eraseAccount: `${LIMITS.erase} a minute and account`,
    runAutomation: `${LIMITS.run} a minute and account`,
    triggerAutomation: `${LIMITS.trigger} a minute and automation`,
    beginPayment: `${LIMITS.pay} a minute and account`,
    upgrade: `${LIMITS.pay} a minute and account`,
    showReference: `${LIMITS.reference} a minute and address`,
  })
})
