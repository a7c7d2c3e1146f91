// Every statement of the store is understood by SQLite and by a real PostgreSQL, tables and types included.
import pg from 'pg'
import { expect, test } from 'vitest'
import { systemClock } from '#app/lib/clocks.server.ts'
import { freshDatabase, POSTGRES_WITHIN_MS, postgresForTests, postgresSchema } from '#tests/support/postgres.ts'
import { aboutTheFile, testApp } from '#tests/support/test-app.server.ts'
import type { Database, Statement } from '../database.ts'
import { orm } from '../orm.ts'
import type { Connections } from '../sql/connections.ts'
import { createWriteTurn } from '../sql/hot/write-turn.server.ts'
import { sqlStore } from '../sql/store.server.ts'
import { OF_A_MEMBER } from './client.server.ts'
import { memberRows } from './cluster.server.ts'
import { newsOf, newsTeller } from './news.server.ts'
import { translate } from './translate.ts'

/** What the store asks to be prepared. Nothing is run. */
function statementsOf(open: (connections: Connections) => unknown, whose = OF_A_MEMBER): Set<string> {
  const texts = new Set<string>()
  const never = () => {
    throw new Error('nothing is run here')
  }
  const statement: Statement<never[], never> = {
    ...{ get: never, all: never, run: never },
    pluck: () => statement,
    raw: () => statement,
  }
  const db: Database = {
    prepare(text) {
      texts.add(text)
      return statement as Statement<never, never>
    },
    write: () => never,
    read: () => never,
    readKept: () => never,
    single: () => never,
    snapshot: () => never,
    savepoint: never,
  }
  const housekeeping = {} as Connections['housekeeping']
  const connections = {
    ...{ db, patient: db, orm: orm(db), reader: db, readerOrm: orm(db), turn: createWriteTurn(db), housekeeping },
    ...whose,
  }
  open(connections)
  return texts
}

const ofTheStore = (whose = OF_A_MEMBER) => statementsOf((connections) => sqlStore(connections, systemClock()), whose)
const ofAMember = () => statementsOf(({ db }) => [memberRows(db), newsTeller(db), newsOf(db)])

test.skipIf(aboutTheFile('what SQLite itself prepares'))('SQLite prepares each of them', () => {
  const { client, close } = testApp(systemClock())
  const { mine, taken, lock } = client
  const texts = ofTheStore({ mine, taken, lock })
  expect(texts.size).toBeGreaterThan(380)
  const refused = [...texts].flatMap((text) => {
    try {
      client.sql.prepare(text)
      return []
    } catch (error) {
      return [`${error}: ${text}`]
    }
  })
  close()
  expect(refused).toEqual([])
})

test(
  'PostgreSQL prepares each of them',
  async ({ skip }) => {
    const server = await postgresForTests()
    if (server.outcome === 'none') return skip(server.sentence)
    const texts = new Set([...ofTheStore(), ...ofAMember()])
    expect(texts.size).toBeGreaterThan(380)
    const database = await freshDatabase(postgresSchema())
    const client = new pg.Client(database.url)
    await client.connect()
    const refused: string[] = []
    try {
      for (const text of texts) {
        const problem = await client.query(`PREPARE one AS ${translate(text).text}`).then(
          () => client.query('DEALLOCATE one').then(() => null),
          (error: Error) => error.message,
        )
        if (problem !== null) refused.push(`${problem}: ${text}`)
      }
    } finally {
      await client.end()
      await database.close()
    }
    expect(refused).toEqual([])
  },
  POSTGRES_WITHIN_MS,
)
