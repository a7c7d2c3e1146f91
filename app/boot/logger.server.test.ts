import { expect, test } from 'vitest'
import { createLog } from './logger.server.ts'

function logged(fields: Record<string, unknown>, message = 'thing.happened'): string {
  const lines: string[] = []
  createLog('info', { write: (line: string) => void lines.push(line) }).info(fields, message)
  return lines.join('')
}

const SECRET = 'Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmE'

test.each([
  ['a token by field name', { accessToken: SECRET }],
  ['a token one level down', { credential: { refreshToken: SECRET } }],
  ['an ingress address', { url: `https://hooks.example.com/hooks/platform/${SECRET}` }],
  ['a signing secret in a text', { note: `secret is whsec_${SECRET}` }],
  ['a bearer header in a text', { note: `Authorization: Bearer ${SECRET}` }],
  ['a key in a query', { url: `/api/automation/1/trigger?key=${SECRET}&x=1` }],
  ['a signed web token', { body: `eyJhbGciOiJIUzI1NiJ9.${SECRET}.${SECRET}` }],
])('%s never reaches the log', (_, fields) => {
  expect(logged(fields)).not.toContain(SECRET)
})

test.each(['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'ECONNREFUSED', 'EAI_AGAIN', 'UND_ERR_SOCKET', 'commit_slow'])(
  'the name of an error stays readable: %s',
  (code) => {
    expect(logged({ error: Object.assign(new Error('it broke'), { code }) })).toContain(`"code":"${code}"`)
    expect(logged({ code })).toContain(`"code":"${code}"`)
  },
)

test.each([
  SECRET,
  'ABCDEF0123456789ABCDEF',
  'abcdefghijklmnopqrstuvwxyzabcdefghij',
  '8f14e45fceea167a5a36dedd4bea2543',
])('a sign-in code does not: %s', (code) => {
  expect(logged({ code })).not.toContain(code)
  expect(logged({ query: { code } })).not.toContain(code)
})

test('an error in another field of that kind stays hidden, whatever it looks like', () => {
  expect(logged({ token: 'SQLITE_FULL' })).not.toContain('SQLITE_FULL')
})

test('a line is one JSON object with a time, a level and the event name', () => {
  const line = JSON.parse(logged({ account: 'a1' }))
  expect(line).toMatchObject({ level: 'info', msg: 'thing.happened', account: 'a1' })
  expect(new Date(line.time).toISOString()).toBe(line.time)
})

test('line breaks in a value cannot fake a second line', () => {
  expect(logged({ name: 'a\n{"level":"error"}' }).trimEnd().split('\n')).toHaveLength(1)
})
