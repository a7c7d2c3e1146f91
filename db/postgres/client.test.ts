import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { durablePostgres, type OwnPostgres, POSTGRES_WITHIN_MS, postgresForTests } from '#tests/support/postgres.ts'
import { connectPostgres, openPostgres } from './client.server.ts'
import { connectionProblem, type ServerSettings, settingsProblem } from './server-problems.ts'

const MIGRATIONS = 'db/migrations-postgres'
const GOOD: ServerSettings = {
  version: 180_004,
  fsync: 'on',
  fullPageWrites: 'on',
  synchronousCommit: 'on',
  encoding: 'UTF8',
  standby: 0,
  readOnly: 'off',
  creates: 1,
}

test.each<[Partial<ServerSettings>, string | null]>([
  [{}, null],
  [{ synchronousCommit: 'remote_apply' }, null],
  [{ version: 140_011 }, 'PostgreSQL 14 is too old. Fieldhook needs version 15 or newer.'],
  [
    { fsync: 'off' },
    'The database server runs with fsync = off, so a power cut would lose accepted events. Turn it on.',
  ],
  [
    { fullPageWrites: 'off', synchronousCommit: 'off' },
    'The database server runs with full_page_writes = off and synchronous_commit = off, so a power cut would lose accepted events. Turn them on.',
  ],
  // A standby says of each transaction that it only reads, too.
  [{ standby: 1, readOnly: 'on' }, 'The database server is a standby, which only reads. Name its primary.'],
  [{ encoding: 'LATIN1' }, 'The database has the encoding LATIN1. Create one with UTF8.'],
])('settings %j', (more, sentence) => {
  expect(settingsProblem({ ...GOOD, ...more })).toBe(sentence)
})

test('a password is never in a sentence', () => {
  const url = 'postgres://fieldhook:geheim@db.example.com/fieldhook'
  for (const code of [
    '28P01',
    '3D000',
    '42501',
    '42P01',
    '53300',
    '53100',
    '55000',
    '57P03',
    'ENOTFOUND',
    'ECONNREFUSED',
    'SELF_SIGNED_CERT',
  ]) {
    const sentence = connectionProblem(Object.assign(new Error('no'), { code }), url)
    expect(sentence).toContain('db.example.com')
    expect(sentence).not.toContain('geheim')
  }
})

test('a sentence names the setting that holds the address', () => {
  const url = 'postgres://fieldhook@db.example.com/fieldhook'
  const told = (message: string, code = '') =>
    connectionProblem(Object.assign(new Error(message), { code }), url, '--to')
  const all = [told('no', '25006'), told('The server does not support SSL connections'), told('no', '28P01')]
  for (const sentence of all) {
    expect(sentence).toContain('--to')
    expect(sentence).not.toContain('DATABASE_URL')
  }
  // In the words of `pg`, and of its pool.
  for (const message of ['timeout expired', 'timeout exceeded when trying to connect'])
    expect(told(message)).toMatch(/^No database answers at db\.example\.com/)
  // Something else than PostgreSQL, or a proxy that closes.
  for (const message of ['Connection terminated unexpectedly', 'received invalid response: 4a'])
    expect(told(message, '08001')).toMatch(
      /^The connection to db\.example\.com\/fieldhook ended at once\. Check that a Post/,
    )
  const noFile = Object.assign(new Error('no'), { code: 'ENOENT', path: '/ca.pem' })
  expect(connectionProblem(noFile, url)).toMatch(/^\/ca\.pem cannot be read \(ENOENT\)\. Check sslrootcert/)
})

test.each<[string, string, RegExp]>([
  ['terminating connection due to administrator command', '57P01', /broke off/],
  ['the server crashed', '57P02', /broke off/],
  ['read ECONNRESET', 'ECONNRESET', /broke off/],
  ['write EPIPE', 'EPIPE', /broke off/],
  ['Connection terminated unexpectedly', '', /broke off/],
  ['received invalid response: 4a', '', /ended at once/],
  ['timeout expired', '', /No database answers/],
])('a connection that breaks in the middle: %s', (told, code, sentence) => {
  const cause = Object.assign(new Error(told), code !== '' && { code })
  const failure = Object.assign(new Error('the database cannot be reached', { cause }), { code: '08006' })
  expect(connectionProblem(failure, 'postgres://db.example.com/fieldhook')).toMatch(sentence)
  expect(connectionProblem(cause, 'postgres://db.example.com/fieldhook')).toMatch(sentence)
})

test.each<[string, (socket: Socket) => void]>([
  ['closes', (socket) => socket.end()],
  ['is slammed', (socket) => socket.resetAndDestroy()],
])('no server but a door that %s: the connection ended at once, for a pool and for one connection', async (_, shut) => {
  const door = createServer((socket) => void socket.on('error', () => {}).once('data', () => shut(socket)))
  await new Promise<void>((done) => door.listen(0, '127.0.0.1', done))
  const url = `postgres://u:p@127.0.0.1:${(door.address() as AddressInfo).port}/d`
  const client = connectPostgres(url)
  const look = client.db.read(() => client.db.prepare('SELECT 1').get())
  expect(connectionProblem(await look().catch((error: unknown) => error), url)).toMatch(/ended at once/)
  expect(await refusal(url)).toMatch(/ended at once/)
  await client.close()
  await new Promise((done) => door.close(done))
})

const message = (type: string, ...parts: (string | number)[]) => {
  const body = Buffer.concat(
    parts.map((one) => (typeof one === 'string' ? Buffer.from(one) : Buffer.from([0, 0, 0, one]))),
  )
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), length, body])
}

test('a server that says "ready" and ends the connection in one breath is a failure of the statement, not of the process', async () => {
  const stopping = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      const fatal = message('E', 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0')
      socket.end(Buffer.concat([message('R', 0), message('Z', 'I'), fatal]))
    })
  })
  await new Promise<void>((done) => stopping.listen(0, '127.0.0.1', done))
  const { port } = stopping.address() as AddressInfo
  const client = connectPostgres(`postgres://u:p@127.0.0.1:${port}/d`)
  const look = client.db.read(() => client.db.prepare('SELECT 1').get())
  const failure = await look().catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: expect.stringMatching(/^(08006|57P01)$/) })
  expect(connectionProblem(failure, 'postgres://h/d')).toMatch(/broke off/)
  await client.close()
  await new Promise((done) => stopping.close(done))
})

test('a server that starts meanwhile is waited for', async () => {
  const codes = ['57P03', '57P03', '3D000']
  const starting = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(message('E', `SFATAL\0VFATAL\0C${codes.shift()}\0Mthe server says no\0\0`)))
  })
  await new Promise<void>((done) => starting.listen(0, '127.0.0.1', done))
  const { port } = starting.address() as AddressInfo
  expect(await refusal(`postgres://u:p@127.0.0.1:${port}/d`)).toMatch(/has no such database/)
  expect(codes).toEqual([])
  await new Promise((done) => starting.close(done))
})

let server: OwnPostgres | null = null
beforeAll(async () => {
  if ((await postgresForTests()).outcome === 'none') return
  server = await durablePostgres({ listen: 'port' })
}, POSTGRES_WITHIN_MS)
afterAll(() => server?.stop())

const refusal = (url: string) =>
  openPostgres(url, MIGRATIONS).then(
    () => 'opened',
    (error: Error) => `${error.name}: ${error.message}`,
  )

test('a server that cannot be used is refused with a sentence, and nothing is made in it', async ({ skip }) => {
  if (!server) return skip('no PostgreSQL')
  const url = new URL(server.url())
  const at = (change: (other: URL) => void) => {
    const other = new URL(url)
    change(other)
    return other.href
  }
  const place = `${url.host}${url.pathname}`
  expect(await refusal(at((other) => (other.password = 'wrong')))).toBe(
    `ConfigurationError: The database at ${place} refuses the user or the password in DATABASE_URL.`,
  )
  expect(await refusal(at((other) => (other.pathname = '/nowhere')))).toBe(
    `ConfigurationError: The server at ${url.host}/nowhere has no such database. Create it, or name another in DATABASE_URL.`,
  )
  expect(await refusal(at((other) => other.searchParams.set('sslmode', 'verify-full')))).toMatch(/speaks no TLS/)
  const deaf = createServer(() => {}).listen(0, '127.0.0.1')
  await new Promise((listening) => deaf.once('listening', listening))
  const { port } = deaf.address() as { port: number }
  expect(await refusal(at((other) => (other.host = `127.0.0.1:${port}`)))).toMatch(/No database answers at/)
  deaf.close()
})

test('a schema of a newer release is refused, and left as it is', async ({ skip }) => {
  if (!server) return skip('no PostgreSQL')
  await server.createDatabase('fieldhook_newer')
  const url = server.url('fieldhook_newer')
  const first = await openPostgres(url, MIGRATIONS)
  const note = first.db.prepare("INSERT INTO schema_migration (name, hash) VALUES ('9999_future', 'x')")
  await first.db.write(() => note.run())()
  await first.close()
  expect(await refusal(url)).toMatch(/^ConfigurationError: .*newer/)
})
