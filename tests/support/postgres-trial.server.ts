// An empty database on a PostgreSQL of its own, started with the first one and ended with the process.
import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

export interface TrialDatabase {
  client: pg.Client
  /** Another connection to the same database; ends with it. */
  connect(): Promise<pg.Client>
  drop(): Promise<void>
}

/** Where Debian keeps its versions. */
const VERSIONS = '/usr/lib/postgresql'
/** PostgreSQL refuses to run as root: then it runs as nobody. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

let server: Promise<string> | null = null
let made = 0

export async function freshDatabase(): Promise<TrialDatabase> {
  server ??= startServer()
  const host = await server
  const database = `trial_${++made}`
  const open: pg.Client[] = []
  const connect = async (name = database) => {
    const client = new pg.Client({ host, user: 'postgres', database: name })
    await client.connect()
    open.push(client)
    return client
  }
  const keeper = await connect('postgres')
  await keeper.query(`CREATE DATABASE ${database}`)
  return {
    client: await connect(),
    connect: () => connect(),
    async drop() {
      await Promise.all(open.filter((one) => one !== keeper).map((one) => one.end()))
      await keeper.query(`DROP DATABASE ${database} WITH (FORCE)`)
      await keeper.end()
    },
  }
}

/** The folder of its socket. Its own language sorts unlike bytes, so a forgotten COLLATE "C" shows. */
async function startServer(): Promise<string> {
  const bin = readdirSync(VERSIONS).map((version) => join(VERSIONS, version, 'bin'))
  const programs = bin.findLast((folder) => existsSync(join(folder, 'initdb'))) ?? ''
  const home = mkdtempSync(join(tmpdir(), 'pg-'))
  if (NOBODY.uid) chownSync(home, NOBODY.uid, NOBODY.gid)
  const data = join(home, 'data')
  const language = ['--encoding=UTF8', '--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en-US']
  execFileSync(join(programs, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-N', ...language], {
    ...NOBODY,
    cwd: home,
    stdio: 'ignore',
  })
  // Ends with the pipe to us, so it ends however this process does: a test worker is killed without a word.
  const program = [join(programs, 'postgres'), '-D', data, '-k', home, '-h', '', '-F']
  const running = spawn(
    'sh',
    ['-c', '"$@" </dev/null & read -r end; kill -INT $!; wait; rm -rf "$0"', home, ...program],
    {
      ...NOBODY,
      cwd: tmpdir(),
      stdio: ['pipe', 'ignore', 'ignore'],
    },
  )
  running.unref()
  if (running.stdin instanceof Socket) running.stdin.unref()
  for (;;) {
    const client = new pg.Client({ host: home, user: 'postgres', database: 'postgres' })
    try {
      await client.connect()
      await client.end()
      return home
    } catch (error) {
      if (running.exitCode !== null) throw error
      await pause(50)
    }
  }
}
